from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import columns, context_of, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.content.stacking import SCORE_COLUMNS, score_columns
from vclean.features.block.neighbourhood import GROWTH, LEVELS, Layout, layout, subtrees

NAN = float("nan")
NESTED = """<body><nav><p>a</p></nav><main><div><section><p>one two</p><p>three</p></section><p>four</p></div>
<p>five</p></main><footer><p>six</p></footer></body>"""
"""Page with nested subtrees; numbers of blocks: section 2, div 3, main 4, body 6."""


def flat(count, tokens=None, alike=None):
    """Return a layout in which each subtree of a block is the whole page."""
    runs = np.zeros((count, LEVELS), dtype=np.int32)
    weight = np.zeros(count, dtype=np.float32) if tokens is None else np.array(tokens, dtype=np.float32)
    groups = np.arange(count) if alike is None else np.array(alike)
    return Layout(runs, runs + count, groups.astype(np.int32), weight)


def scores(path, word=None, where=None):
    path = np.array(path, dtype=np.float32)
    word = np.zeros_like(path) if word is None else np.array(word, dtype=np.float32)
    values = score_columns(path, word, where or flat(len(path)))
    return {column.name: values[:, index].tolist() for index, column in enumerate(SCORE_COLUMNS)}


class TestSubtrees:
    @given(st.lists(st.sampled_from(["<div>", "</div>", "<p>x</p>", "<p>y</p>"]), max_size=30))
    def test_each_subtree_has_more_blocks(self, pieces):
        page = context_of("<body><p>z</p>" + "".join(pieces))
        count = page.block_count
        for node, values in zip(page.blocks.node, subtrees(page), strict=True):
            for below, above in zip([node, *values[:-1]], values, strict=True):
                assert above <= node < page.snapshot.end[above]
                assert above == 0 or count[above] >= GROWTH * count[below]


class TestLayout:
    @given(st.lists(st.sampled_from(["<div>", "</div>", "<p>x</p>", "y", "<b>w</b>", "<br><br>"]), max_size=30))
    def test_runs_equal_the_blocks_of_the_subtree(self, pieces):
        page = context_of("<body><p>z</p>" + "".join(pieces))
        elements = subtrees(page)
        values = layout(page, elements)
        node = page.blocks.node
        for row, level in np.ndindex(elements.shape):
            element = elements[row, level]
            inside = np.flatnonzero((node >= element) & (node < page.snapshot.end[element]))
            assert values.begin[row, level] == inside[0]
            assert values.end[row, level] == inside[-1] + 1
            assert (values.end - values.begin)[row, level] == len(inside)


class TestNeighbourColumns:
    def test_blocks_before_and_after(self):
        values = columns(snapshot("<ul><li><a href=x>a</a></ul><p>b"))
        assert values["link_share-1"] == pytest.approx([NAN, 1], nan_ok=True)
        assert values["link_share+1"] == pytest.approx([0, NAN], nan_ok=True)
        assert values["in_list_item-1"] == pytest.approx([NAN, 1], nan_ok=True)


class TestSubtreeColumns:
    @pytest.mark.parametrize(
        ("name", "html", "block", "expected"),
        [
            ("blocks", NESTED, 1, [2, 4, 6]),
            ("words_of_page", NESTED, 1, [3 / 7, 5 / 7, 1]),
            ("mean_words", NESTED, 1, [3 / 2, 5 / 4, 7 / 6]),
            ("link_share", "<div><p><a href=x>a b</a></p><p>c d</p></div><p>e</p><p>f</p>", 0, [0.5, 1 / 3]),
            ("sentences", "<div><p>One. Two.</p><p>c d</p></div><p>e</p><p>f</p>", 0, [0.5, 1 / 3]),
            ("headings", "<div><h2>a</h2><p>b</p></div><h1>c</h1><p>d</p>", 0, [1, 2]),
            ("images", "<div><p>a<img></p><p>b</p></div><svg></svg><p>c</p><p>d</p>", 0, [0.5, 0.5]),
            ("inputs", "<div><p>a</p><p>b<input></p></div><p>c</p><p>d<button></button></p>", 0, [0.5, 0.5]),
            ("stop_words", "<html lang=en><div><p>zebra</p><p>the</p></div><p>zebra</p><p>lion</p>", 0, [0.5, 0.25]),
            ("long_share", f"<div><p>{'a ' * 30}</p><p>b c</p></div><p>{'d ' * 60}</p><p>e</p>", 0, [30 / 32, 90 / 93]),
        ],
    )
    def test_values_from_the_smallest_subtree(self, name, html, block, expected):
        values = columns(snapshot(html))
        subtrees = [float(values[f"up{level}_{name}"][block]) for level in range(1, LEVELS + 1)]
        assert subtrees[: len(expected)] == pytest.approx(expected)


class TestScoreColumns:
    def test_means_are_weighted_by_words(self):
        """Weight a block by its number of words plus one."""
        values = scores([1, 5], where=flat(2, tokens=[0, 2]))
        assert values["path_page"] == [4, 4]
        assert values["path_up1"] == [4, 4]
        assert values["path_window5"] == [4, 4]

    def test_subtrees(self):
        begin = np.array([[0] * LEVELS, [0] * LEVELS, [2] * LEVELS], dtype=np.int32)
        end = np.array([[2] * LEVELS, [2] * LEVELS, [3] * LEVELS], dtype=np.int32)
        where = replace(flat(3), begin=begin, end=end)
        assert scores([1, 3, 8], where=where)["path_up1"] == [2, 2, 8]

    def test_groups_by_class_path(self):
        where = flat(4, tokens=[0, 0, 2, 0], alike=[0, 1, 0, 1])
        assert scores([1, 2, 5, 4], where=where)["path_alike"] == [4, 3, 4, 3]

    def test_rank(self):
        """Check the share of the weight in blocks with higher scores; weights are 1, 2, 5."""
        where = flat(3, tokens=[0, 1, 4])
        assert scores([2, 3, 1], where=where)["both_rank"] == pytest.approx([2 / 8, 0, 3 / 8])

    def test_equal_scores_rank_in_page_order(self):
        assert scores([1, 1, 1, 1])["both_rank"] == [0, 0.25, 0.5, 0.75]

    @given(st.lists(st.floats(-5, 5, width=32), min_size=1, max_size=12))
    def test_equals_the_loop_over_windows(self, path):
        count = len(path)
        expected = [np.mean(path[max(row - 5, 0) : row + 6]) for row in range(count)]
        assert scores(path)["path_window5"] == pytest.approx(expected, abs=1e-4)
