from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import snapshot
from helpers.trees import ancestors, trees
from hypothesis import given
from hypothesis import strategies as st

from vclean.render.snapshot import (
    ATTRIBUTES,
    LITTLE_TEXT,
    STYLES,
    AttributeValues,
    Hidden,
    Snapshot,
    Styles,
    noscript_needed,
    subtree_ends,
)

PAGE = "<ul class='menu main'><li>a<li>b</ul><div><p>c<p>d<b>e</b></div><div><p>f</div>"


def tree_snapshot(parent: np.ndarray, tag: list[int] | None = None) -> Snapshot:
    """Return a snapshot of elements with one of three tags, without text."""
    tags = np.array(tag or [0] * len(parent), dtype=np.int32)
    return replace(snapshot("<p>"), tags=("a", "b", "c"), tag=tags, parent=parent, end=subtree_ends(parent))


@st.composite
def tagged_trees(draw: st.DrawFn) -> tuple[np.ndarray, list[int]]:
    parent = draw(trees())
    return parent, draw(st.lists(st.integers(0, 2), min_size=len(parent), max_size=len(parent)))


class TestTree:
    @given(trees())
    def test_subtrees_and_ancestors(self, parent: np.ndarray) -> None:
        page = tree_snapshot(parent)
        chains = [ancestors(parent, element) for element in range(len(parent))]
        assert [page.ancestors(element) for element in range(len(parent))] == chains
        for element, end in enumerate(subtree_ends(parent).tolist()):
            assert [other for other, chain in enumerate(chains) if element in chain] == list(range(element, end))

    def test_no_elements_have_no_subtrees(self) -> None:
        ends = subtree_ends(np.zeros(0, dtype=np.int32))
        assert (ends.tolist(), ends.dtype) == ([], np.int32)


@given(tagged_trees())
def test_sibling_number_counts_each_tag_separately(tree: tuple[np.ndarray, list[int]]) -> None:
    seen: Counter[tuple[int, int]] = Counter()
    for key, number in zip(zip(*tree, strict=True), tree_snapshot(*tree).sibling_number, strict=True):
        seen[key] += 1
        assert number == seen[key]


class TestXPath:
    @given(tagged_trees())
    def test_is_distinct_and_independent_of_the_order_of_calls(self, tree: tuple[np.ndarray, list[int]]) -> None:
        # Paths are built from cached paths of earlier calls.
        first, second, count = tree_snapshot(*tree), tree_snapshot(*tree), len(tree[0])
        paths = [first.xpath(element) for element in range(count)]
        assert len(set(paths)) == count
        assert [second.xpath(element) for element in reversed(range(count))] == paths[::-1]

    def test_limits_cache_for_deep_pages(self) -> None:
        page = tree_snapshot(np.arange(-1, 899, dtype=np.int32))
        assert page.xpath(899).count("/") == 900
        assert max(map(len, page._cached["xpath"].values())) < 4096


class TestAttributes:
    def test_rejects_unknown_name(self) -> None:
        with pytest.raises(KeyError):
            snapshot(PAGE).attributes("onload")


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


def test_repr_is_one_line_without_arrays() -> None:
    page = snapshot("<html><head></head><body><p>a</p></body></html>", url="https://a.org/")
    assert repr(page) == "<Snapshot 'https://a.org/': 3 elements, 1 text, not rendered>"
    assert len(page) == 3


def test_names_are_distinct() -> None:
    assert len(set(STYLES)) == len(STYLES)
    assert len(set(ATTRIBUTES)) == len(ATTRIBUTES)


def test_styles() -> None:
    rows = (("16px", "rgb(1, 2, 3)"), ("1.5", ""), ("normal", "color(srgb 1 0 0)"), ("", ""), ("-2.5e1px", "rgb(1, 2)"))
    styles = Styles(names=("font-size", "color"), rows=rows)
    assert styles.column("font-size") == ("16px", "1.5", "normal", "", "-2.5e1px")
    assert styles.is_in("font-size", ("16px", "")).tolist() == [True, False, False, True, False]
    assert np.nan_to_num(styles.number("font-size"), nan=-1).tolist() == [16, 1.5, -1, -1, -25]
    assert np.isnan(styles.color("color")[:, 0]).tolist() == [False, True, True, True, True]


def test_codes_and_names_of_techniques() -> None:
    assert [code.value for code in Hidden] == list(range(15))
    assert [Hidden.NO.technique, Hidden.OFF_PAGE.technique, Hidden.COLOR.technique] == ["", "off-page", "color"]


@pytest.mark.parametrize(
    ("text", "controls", "inside", "expected"),
    [
        (0, 0, 1, True),
        (0, 0, 0, False),
        (10, 0, 10, False),
        (10, 0, 11, True),
        (LITTLE_TEXT - 1, 0, LITTLE_TEXT, True),
        (LITTLE_TEXT, 0, 100 * LITTLE_TEXT, False),
        (10, 5 * LITTLE_TEXT, 6 * LITTLE_TEXT, True),
        (10, 5 * LITTLE_TEXT, 5 * LITTLE_TEXT, False),
    ],
)
def test_noscript_needed(text: int, controls: int, inside: int, expected: bool) -> None:
    # Noscript is used if it has more text than the rest of the page, and the rest is little, but for menus.
    assert noscript_needed(text, controls, inside) is expected
