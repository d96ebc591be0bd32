from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest
from helpers.pages import snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.render.snapshot import (
    ATTRIBUTES,
    STYLES,
    AttributeValues,
    Hidden,
    Snapshot,
    Styles,
    subtree_ends,
)

PAGE = "<ul class='menu main'><li>a<li>b</ul><div><p>c<p>d<b>e</b></div><div><p>f</div>"


@st.composite
def parents(draw: st.DrawFn) -> list[int]:
    """Draw the parents of a tree in preorder; each parent is the previous element or an ancestor of it."""
    chain, parent = [0], [-1]
    for element in range(1, draw(st.integers(1, 40))):
        chain = chain[: draw(st.integers(1, len(chain)))]
        parent.append(chain[-1])
        chain.append(element)
    return parent


def ancestors_of(parent: list[int], element: int) -> list[int]:
    """Return the element and its ancestors, computed recursively."""
    return [element, *(ancestors_of(parent, parent[element]) if parent[element] >= 0 else [])]


def build_snapshot(parent: list[int], tag: list[int]) -> Snapshot:
    """Return a snapshot of the elements, without text."""
    count, none = len(parent), np.zeros(0, dtype=np.int32)
    return Snapshot(
        tags=("a", "b", "c"),
        tag=np.array(tag, dtype=np.int32),
        parent=np.array(parent, dtype=np.int32),
        end=subtree_ends(np.array(parent, dtype=np.int32)),
        depth=np.array([len(ancestors_of(parent, element)) - 1 for element in range(count)], dtype=np.int32),
        box=np.full((count, 4), np.nan, dtype=np.float32),
        hidden=np.zeros(count, dtype=np.uint8),
        styles=Styles(names=STYLES, rows=(("",) * len(STYLES),)),
        style=np.zeros(count, dtype=np.int32),
        attr_node=none,
        attr_name=none,
        attr_value=[],
        texts=[],
        text_parent=none,
        text_after=none,
        text_hidden=np.zeros(0, dtype=np.uint8),
        image=none,
        line_text=none,
        line_box=np.zeros((0, 4), dtype=np.float32),
    )


class TestSubtreeEnds:
    def test_returns_ends_of_a_small_tree(self) -> None:
        # Element 0 contains 1 and 4; element 1 contains 2 and 3.
        ends = subtree_ends(np.array([-1, 0, 1, 1, 0], dtype=np.int32))
        assert ends.tolist() == [5, 4, 3, 4, 5]
        assert ends.dtype == np.int32

    def test_accepts_single_root_and_empty_tree(self) -> None:
        assert subtree_ends(np.array([-1], dtype=np.int32)).tolist() == [1]
        assert subtree_ends(np.zeros(0, dtype=np.int32)).tolist() == []

    @given(parents())
    def test_ranges_contain_descendants(self, parent: list[int]) -> None:
        ends = subtree_ends(np.array(parent, dtype=np.int32)).tolist()
        for element, end in enumerate(ends):
            inside = [other for other in range(len(parent)) if element in ancestors_of(parent, other)]
            assert inside == list(range(element, end))


class TestAncestors:
    @given(parents())
    def test_returns_innermost_first(self, parent: list[int]) -> None:
        page = build_snapshot(parent, [0] * len(parent))
        assert all(page.ancestors(element) == ancestors_of(parent, element) for element in range(len(page)))


class TestSiblingNumber:
    def test_counts_each_tag_separately(self) -> None:
        page = snapshot("<p>a<i>b</i><p>c<b>d</b><i>e</i><i>f</i>")
        names = [page.tags[tag] for tag in page.tag]
        assert names == ["html", "body", "p", "i", "p", "b", "i", "i"]
        assert page.sibling_number.tolist() == [1, 1, 1, 1, 2, 1, 1, 2]

    @given(parents(), st.data())
    def test_equals_sequential_count(self, parent: list[int], data: st.DataObject) -> None:
        tag = data.draw(st.lists(st.integers(0, 2), min_size=len(parent), max_size=len(parent)))
        seen: Counter[tuple[int, int]] = Counter()
        for key, number in zip(zip(parent, tag, strict=True), build_snapshot(parent, tag).sibling_number, strict=True):
            seen[key] += 1
            assert number == seen[key]


class TestXPath:
    @given(parents(), st.data())
    def test_returns_distinct_paths(self, parent: list[int], data: st.DataObject) -> None:
        tag = data.draw(st.lists(st.integers(0, 2), min_size=len(parent), max_size=len(parent)))
        page = build_snapshot(parent, tag)
        assert len({page.xpath(element) for element in range(len(page))}) == len(page)

    @given(parents(), st.data())
    def test_is_independent_of_the_order_of_calls(self, parent: list[int], data: st.DataObject) -> None:
        # Paths are built from cached paths of earlier calls.
        count = len(parent)
        first, second = build_snapshot(parent, [0] * count), build_snapshot(parent, [0] * count)
        paths = [first.xpath(element) for element in range(count)]
        assert [second.xpath(element) for element in reversed(range(count))] == paths[::-1]

    def test_limits_cache_for_deep_pages(self) -> None:
        page = build_snapshot(list(range(-1, 899)), [0] * 900)
        assert page.xpath(899).count("/") == 900
        assert max(map(len, page._xpaths.values())) < 4096


class TestAttributes:
    def test_rejects_unknown_name(self) -> None:
        with pytest.raises(KeyError):
            snapshot(PAGE).attributes("onload")

    def test_has_distinct_names(self) -> None:
        assert len(set(ATTRIBUTES)) == len(ATTRIBUTES)


class TestAttributeValues:
    @given(st.lists(st.sampled_from(["a", "b c", "", "\ud800"]), max_size=9))
    def test_restores_values(self, values: list[str]) -> None:
        grouped = AttributeValues.group(np.arange(len(values), dtype=np.int32), values)
        assert [grouped.distinct[number] for number in grouped.index.tolist()] == values
        assert len(set(grouped.distinct)) == len(grouped.distinct)


class TestHaving:
    @pytest.mark.parametrize(
        ("pattern", "found"),
        [("menu", "nav p"), (r"\bmenu", "nav"), ("(?m)^sub", "p"), (r"(?<!\S)bar(?!\S)", "nav"), ("bar menu sub", "")],
    )
    def test_elements_with_the_pattern_in_the_attribute(self, pattern: str, found: str) -> None:
        page = snapshot("<nav class='menu bar'>x</nav><p class=submenu>y<p id=menu>z<b>menu</b>")
        mask = page.having("class", re.compile(pattern))
        assert [page.tags[page.tag[element]] for element in np.flatnonzero(mask).tolist()] == found.split()

    def test_is_computed_once_and_read_only(self) -> None:
        page, pattern = snapshot(PAGE), re.compile("x")
        assert page.having("class", pattern) is page.having("class", pattern)
        with pytest.raises(ValueError, match="read-only"):
            page.having("class", pattern)[0] = True


class TestRepr:
    def test_is_one_line_without_arrays(self):
        page = snapshot("<html><head></head><body><p>a</p></body></html>", url="https://a.org/")
        assert repr(page) == "<Snapshot 'https://a.org/': 3 elements, 1 text, not rendered>"


class TestIsTag:
    def test_len_is_the_number_of_elements(self) -> None:
        assert len(snapshot("<p>a<b>b</b>")) == 4


class TestStyles:
    STYLES = Styles(
        names=("font-size", "color"),
        rows=(
            ("16px", "rgb(1, 2, 3)"),
            ("1.5", "rgba(10, 20, 30, 0.5)"),
            ("normal", "color(display-p3 1 0 0)"),
            ("", ""),
            ("-2.5e1px", "rgb(1, 2)"),
        ),
    )

    def test_returns_column(self) -> None:
        assert self.STYLES.column("font-size") == ("16px", "1.5", "normal", "", "-2.5e1px")

    def test_compares_with_values(self) -> None:
        assert self.STYLES.is_in("font-size", ("16px", "")).tolist() == [True, False, False, True, False]

    def test_has_distinct_names(self) -> None:
        assert len(set(STYLES)) == len(STYLES)


def test_hidden_codes_fit_a_byte() -> None:
    assert [code.value for code in Hidden] == list(range(15))


def test_technique_names() -> None:
    assert [Hidden.NO.technique, Hidden.OFF_PAGE.technique, Hidden.COLOR.technique] == ["", "off-page", "color"]
