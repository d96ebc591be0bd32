from __future__ import annotations

from pathlib import PurePosixPath
from urllib.parse import urlsplit

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.groups import RaggedArray
from vclean.features.names.element_names import ElementNames, _file_stem, sorted_unique, split_words


def words_in(*names):
    """Return the words of each name."""
    words, rows = split_words(names)
    return [[words[index] for index in rows.values[a:b]] for a, b in zip(rows.start[:-1], rows.start[1:], strict=True)]


class TestSplitWords:
    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("mainNav-2", ["main", "nav"]),
            ("HTMLBox", ["htmlb", "ox"]),
            ("a_b-c", []),
            ("xSmall", ["small"]),
            ("kopfÜberZeile", ["kopfüber", "zeile"]),
            ("导航nav", ["导航nav"]),
            ("post post", ["post", "post"]),
            ("İ", []),
            ("12 --", []),
        ],
    )
    def test_splits_at_case_changes(self, name, words):
        assert words_in(name) == [words]

    def test_words_are_distinct(self):
        words, rows = split_words(["nav", "Nav-bar", "", "NAV"])
        assert words == ["nav", "bar"]
        assert rows.start.tolist() == [0, 1, 3, 3, 4]
        assert rows.values.tolist() == [0, 0, 1, 0]

    def test_no_names(self):
        words, rows = split_words([])
        assert (words, rows.start.tolist(), rows.values.size) == ([], [0], 0)

    @given(st.lists(st.text("aZ-1_ ", max_size=12), max_size=5))
    def test_non_ascii_names_do_not_change_others(self, names):
        assert words_in(*names) == words_in(*names, "é")[:-1]

    @given(st.lists(st.text("aÜΣσ-\ud800", max_size=9), max_size=5))
    def test_words_do_not_span_names(self, names):
        assert words_in(*names) == [words_in(name)[0] for name in names]


class TestRows:
    ROWS = RaggedArray(np.array([0, 2, 2, 5]), np.array([7, 8, 1, 2, 3], dtype=np.int32))

    def test_take(self):
        owner, entries = self.ROWS.take(np.array([2, 1, 0, 2]))
        assert owner.tolist() == [0, 0, 0, 2, 2, 3, 3, 3]
        assert entries.tolist() == [1, 2, 3, 7, 8, 1, 2, 3]

    def test_take_with_limit(self):
        owner, entries = self.ROWS.take(np.array([2, 0]), 2)
        assert (owner.tolist(), entries.tolist()) == ([0, 0, 1, 1], [1, 2, 7, 8])

    def test_take_nothing(self):
        assert [part.size for part in self.ROWS.take(np.zeros(0, dtype=np.int64))] == [0, 0]

    def test_union(self):
        bits = np.uint64(1) << np.arange(9, dtype=np.uint64)
        assert self.ROWS.union(bits).tolist() == [128 + 256, 0, 2 + 4 + 8]


class TestElementNames:
    def test_names_of_values(self):
        page_names = ElementNames.from_snapshot(snapshot("<p class='a b'>1<p class=b id=c>2<p class='a b'>3"))
        rows = [
            [page_names.names[name] for name in page_names.value_names.take(np.array([row]))[1]] for row in range(3)
        ]
        assert rows == [["a", "b"], ["b"], ["c"]]
        assert (page_names.first["class"], page_names.first["id"], page_names.first["role"]) == (0, 2, 3)
        assert page_names.short.tolist() == [0, 1, 2]

    def test_a_long_value_is_read_up_to_300_characters(self):
        page_names = ElementNames.from_snapshot(snapshot(f"<p class=a id='{'x ' * 200}'>1"))
        assert page_names.short.tolist() == [0, 2]
        assert np.diff(page_names.value_names.start).tolist() == [1, 200, 150]

    def test_files_of_images(self):
        page_names = ElementNames.from_snapshot(
            snapshot("<p><img src=/a/logo.png>x<iframe src=b></iframe><img src=/logo.gif><img src='http://[x'>")
        )
        assert len(page_names.image) == 3
        assert [page_names.names[name] for name in page_names.file] == ["logo", "logo", ""]

    def test_a_page_without_names(self):
        page_names = ElementNames.from_snapshot(snapshot("<p>x"))
        assert (page_names.names, page_names.words, page_names.short.size, page_names.image.size) == ([], [], 0, 0)


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
