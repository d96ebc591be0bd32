from __future__ import annotations

import numpy as np
from helpers.pages import snapshot

from vclean.features import element_names
from vclean.features.element_names import ElementNames


def name_groups(html, tag="div"):
    """Return the groups of words in the names of the first element with the tag."""
    page = snapshot(html)
    return set_bits(
        element_names.name_bits(ElementNames.from_snapshot(page))[np.flatnonzero(page.is_tag((tag,)))[0]],
        element_names.NAME_GROUPS,
    )


def set_bits(bits, groups):
    flags = element_names.unpack(np.array([bits], dtype=np.uint64), len(groups))[0]
    return {group for group, flag in zip(groups, flags, strict=True) if flag}


class TestNameBits:
    def test_longest_prefix_wins(self):
        assert name_groups("<div class=navigator>x</div>") == {"nav"}
        assert name_groups("<div class=sidebarish>x</div>") == {"side"}

    def test_file_name_of_an_image(self):
        assert name_groups("<img src='/themes/main/CompanyLogo.png?v=2'>text", "img") == {"logo"}

    def test_ignores_invalid_url(self):
        assert name_groups("<img src='http://[bad/logo.png'>text", "img") == set()

    def test_reads_300_characters_of_long_values(self):
        assert name_groups(f"<div class='{'x ' * 148}nav logo'>text</div>") == {"nav"}

    def test_ignores_single_letters(self):
        assert min(map(len, element_names._EXACT)) > 1
        assert min(map(len, element_names._STEMS)) > 1


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
    def test_excludes_the_element(self):
        parent = np.array([-1, 0, 1, 2, 0], dtype=np.int32)
        bits = np.array([1, 2, 4, 8, 16], dtype=np.uint64)
        assert element_names.ancestor_bits(bits, parent).tolist() == [0, 1, 3, 7, 1]

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

    def test_the_root_alone(self):
        assert element_names.ancestor_bits(np.array([5], dtype=np.uint64), np.array([-1], dtype=np.int32)).tolist() == [
            0
        ]


class TestUnpack:
    def test_lowest_bit_first(self):
        assert element_names.unpack(np.array([0b101, 0], dtype=np.uint64), 3).tolist() == [
            [True, False, True], [False, False, False],
        ]  # fmt: skip
