from __future__ import annotations

from html import escape
from pathlib import PurePosixPath
from urllib.parse import urlsplit

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.features import element_names
from vclean.features.columns import find_keys, sorted_unique
from vclean.features.element_names import ElementNames, _file_stem, name_hashes, words_of_name


def words_in(*names):
    """Return the words of each name."""
    page = snapshot("".join(f'<p id="{escape(name)}">1' for name in names))
    read = ElementNames(page)
    values = read.snapshot.values("id")
    row_of = dict(zip(values.distinct, range(len(values.distinct)), strict=True))
    return [
        [read.words[word] for word in read.value_words.take(np.array([row_of[name] + read.first["id"]]))[1]]
        for name in names
    ]


class TestWords:
    @given(st.text("aZ-1_ \t", max_size=12))
    def test_words_of_ascii_are_those_of_other_names(self, name):
        assert words_in(name) == [[word for each in name.split() for word in words_of_name(each)]]

    @given(st.lists(st.text("aÜΣσ-_", max_size=9), min_size=1, max_size=5))
    def test_words_do_not_span_names(self, names):
        assert words_in(*names) == [words_in(name)[0] for name in names]

    def test_surrogates_of_rendered_pages(self):
        page = snapshot("<p class=x>1")
        page.attr_value[0] = "a\ud800bc nav"
        assert ElementNames(page).words == ["bc", "nav"]


class TestTokens:
    def test_many_distinct_names(self):
        names = [f"n{number}" for number in range(5000)]
        page_names = ElementNames(snapshot("".join(f"<p id={name}>1" for name in names)))
        assert len(page_names.buckets) == len(names)
        assert page_names.class_sums.tolist() == name_hashes(names).tolist()


class TestElementNames:
    def test_a_long_value_is_read_up_to_300_characters(self):
        page_names = ElementNames(snapshot(f"<p class=ab id='{'xy ' * 200}'>1"))
        assert page_names.short.tolist() == [0, 2]
        assert np.diff(page_names.value_words.start).tolist() == [1, 200, 100]


class TestFileStem:
    @pytest.mark.parametrize(
        ("address", "stem"),
        [
            ("http://a.org/b/c.d.png?e/f.g", "c.d"),
            ("https://a.org/b/c.png#x", "c"),
            ("http://a.org", ""),
            ("http://a.org/b/", "b"),
            ("http://a.org/b/.", "b"),
            ("/b/c.png", "c"),
            ("http://user@a.org:80/c.png", "c"),
            ("http://a.org/b c/d e.png", "d e"),
            ("http://[a/c.png", ""),
            ("//a.org/.c", ".c"),
            ("http://a.org/.c", ".c"),
            ("data:image/png;base64,AA", "png;base64,AA"),
        ],
    )
    def test_stem_of_url(self, address, stem):
        assert _file_stem(address) == stem

    @given(st.text("ab./?#: @[\n", max_size=12))
    def test_agrees_with_urllib(self, rest):
        address = "http://a.org/" + rest
        expected = PurePosixPath(urlsplit(address).path).stem
        assert words_in(_file_stem(address)) == words_in(expected)


class TestSortedUnique:
    @given(st.lists(st.integers(0, 9)))
    def test_equals_sorted_set(self, keys):
        assert sorted_unique(np.array(keys, dtype=np.int64)).tolist() == sorted(set(keys))


class TestFindKeys:
    @given(st.lists(st.integers(0, 9)), st.sets(st.integers(0, 9)))
    def test_is_a_search_of_each_value(self, values: list[int], keys: set[int]) -> None:
        rows, index = find_keys(np.array(values, dtype=np.uint64), np.array(sorted(keys), dtype=np.uint64))
        assert rows.tolist() == [row for row, value in enumerate(values) if value in keys]
        assert index.tolist() == [sorted(keys).index(values[row]) for row in rows.tolist()]


def set_bits(bits, groups):
    flags = element_names.unpack(np.array([bits], dtype=np.uint64), len(groups))[0]
    return {group for group, flag in zip(groups, flags, strict=True) if flag}


class TestNameBits:
    @pytest.mark.parametrize(
        ("html", "tag", "expected"),
        [
            ("<div class=navigator>x</div>", "div", {"nav"}),  # the longest stem wins
            ("<div class=sidebarish>x</div>", "div", {"side"}),
            (f"<div class='{'x ' * 148}nav logo'>text</div>", "div", {"nav"}),  # only 300 characters are read
            ("<img src='/themes/main/CompanyLogo.png?v=2'>text", "img", {"logo"}),
            ("<img src='http://[bad/logo.png'>text", "img", set()),
        ],
    )
    def test_words_in_names_and_file_names(self, html, tag, expected):
        page = snapshot(html)
        bits = element_names.element_bits(ElementNames(page))
        assert set_bits(bits[page.is_tag((tag,))][0], element_names.NAME_GROUPS) == expected

    def test_ignores_single_letters(self):
        words = " ".join(element_names._WORDS.values()).split()
        assert min(len(word.rstrip("*")) for word in words) > 1


class TestKindBits:
    def test_tags_and_roles(self):
        page = snapshot("<nav role=navigation>a</nav><div role=' Banner '>b</div><tr><h4>c</h4><q role=none>d</q>")
        kinds = {
            page.tags[page.tag[i]]: set_bits(bits, element_names.KINDS)
            for i, bits in enumerate(element_names.kind_bits(page))
        }
        assert kinds["nav"] == {"tag_nav", "aria_navigation"}
        assert kinds["div"] == {"tag_div", "aria_banner"}
        assert kinds["h4"] == {"tag_h3"}
        assert kinds["q"] == {"tag_quote"}

    def test_there_are_at_most_64_groups_of_each(self):
        assert max(len(element_names.NAME_GROUPS), len(element_names.KINDS)) <= 64


class TestAncestorBits:
    def test_equals_the_loop(self):
        rng = np.random.default_rng(3)
        parent = np.array([-1, *(rng.integers(max(0, i - 3), i) for i in range(1, 200))], dtype=np.int32)
        bits = np.uint64(1) << rng.integers(0, 40, 200).astype(np.uint64)
        union = element_names.ancestor_bits(bits, parent).tolist()
        for element in range(200):
            expected, ancestor = 0, parent[element]
            while ancestor >= 0:
                expected, ancestor = expected | int(bits[ancestor]), parent[ancestor]
            assert union[element] == expected
