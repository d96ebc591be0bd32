from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.classify.methods.web2text.collapsed_tree import NONE, CollapsedTree
from vclean.features.blocks import extract_blocks

PAGE = "<body><div><div><h1>Rain</h1><p>It <b>rained</b>.</p></div></div><ul><li><a href=/>Home</a><li>News</ul>"


def collapsed(html):
    return CollapsedTree(extract_blocks(snapshot(html)))


def tags(tree, elements):
    """Return the tags of elements, `None` for `NONE`."""
    page = tree.blocks.snapshot
    return [None if element == NONE else page.tags[page.tag[element]] for element in np.ravel(elements).tolist()]


class TestContainer:
    def test_container_is_the_innermost_element_with_all_text(self):
        assert tags(collapsed(PAGE), collapsed(PAGE).container) == ["h1", "p", "a", "li"]

    def test_text_in_two_inline_elements(self):
        tree = collapsed("<p><b>one</b> <i>two</i></p><p><b>three</b></p>")
        assert tags(tree, tree.container) == ["p", "b"]

    def test_text_beside_a_block_level_element(self):
        tree = collapsed("<div>one<p>two</p>three</div>")
        assert tags(tree, tree.container) == ["div", "p", "div"]


class TestForks:
    def test_element_with_one_child_is_not_a_fork(self):
        tree = collapsed(PAGE)
        assert tags(tree, np.flatnonzero(tree.is_fork)) == ["body", "div", "ul"]
        assert tree.blocks.snapshot.depth[np.flatnonzero(tree.is_fork)[1]] == 3  # the inner one of the two

    def test_empty_elements_do_not_count(self):
        tree = collapsed("<body><div><p>one</p><p></p><img></div><div></div>")
        assert not tree.is_fork.any()

    def test_text_beside_an_element_is_a_child(self):
        tree = collapsed("<body><div>one<p>two</p></div>")
        assert tags(tree, np.flatnonzero(tree.is_fork)) == ["div"]

    def test_two_blocks_in_one_element(self):
        tree = collapsed("<body><p>one<br><br>two")
        assert tags(tree, tree.parent) == ["p", "p"]

    def test_parents_of_a_leaf(self):
        tree = collapsed(PAGE)
        assert tags(tree, tree.parent) == ["div", "div", "ul", "ul"]
        assert tags(tree, tree.parents(tree.parent)) == ["body"] * 4
        assert tags(tree, tree.parents(tree.parents(tree.parent))) == [None] * 4
        assert tags(tree, tree.parents(tree.parents(tree.parents(tree.parent)))) == [None] * 4

    def test_root_is_the_outermost_fork(self):
        tree = collapsed("<body><div><main><p>one</p><p>two</p></main></div>")
        assert tags(tree, tree.root) == ["main"]

    def test_page_of_one_block_has_no_fork(self):
        tree = collapsed("<body><div><p>one")
        assert (tree.root, tree.parent.tolist()) == (NONE, [NONE])
        assert tree.parents(tree.parent).tolist() == [NONE]
        assert tree.distance.shape == tree.common_fork.shape == (0,)


class TestPairs:
    def test_common_fork_is_the_innermost(self):
        assert tags(collapsed(PAGE), collapsed(PAGE).common_fork) == ["div", "body", "ul"]

    def test_distance_counts_steps_between_leaves(self):
        """Compute by hand: siblings are two steps apart; across the body, two up and two down."""
        assert collapsed(PAGE).distance.tolist() == [2, 4, 2]

    def test_distance_from_a_text_into_the_next_element(self):
        assert collapsed("<div>one<section><p>two<p>three</section></div>").distance.tolist() == [3, 2]

    def test_only_children_do_not_add_steps(self):
        assert collapsed("<body><div><div><p>one</div></div><table><tr><td>two</table>").distance.tolist() == [2]


class TestRuns:
    def test_run_has_the_blocks_of_a_fork(self):
        tree = collapsed(PAGE)
        first, end = tree.runs(np.append(np.flatnonzero(tree.is_fork), NONE).astype(np.int32))
        assert (first.tolist(), end.tolist()) == ([0, 0, 2, 0], [4, 2, 4, 0])

    def test_block_that_begins_outside_is_excluded(self):
        tree = collapsed("<div>one <span>two<p>three</p><p>four</p>five</span> six</div>")
        assert tree.blocks.text == ["one two", "three", "four", "five six"]
        assert tags(tree, tree.parent) == ["div", "span", "span", "div"]
        assert [run.tolist() for run in tree.runs(tree.parent)] == [[0, 1, 1, 0], [4, 3, 3, 4]]

    @pytest.mark.parametrize("html", [PAGE, "<div>one<p>two<p>three<br><br>four</div><td>five", "<p>one"])
    def test_agrees_with_a_simple_implementation(self, html):
        tree = collapsed(html)
        end = tree.blocks.snapshot.end
        elements = np.arange(len(end), dtype=np.int32)
        runs = np.stack(tree.runs(elements), axis=1).tolist()
        for element, (first, last) in zip(elements.tolist(), runs, strict=True):
            inside = np.flatnonzero((tree.container >= element) & (tree.container < end[element]))
            assert list(range(first, last)) == inside.tolist()


class TestTags:
    def test_leaf_has_the_tags_of_merged_elements(self):
        tags_of_leaves = collapsed(PAGE).leaf_tags(["h1", "p", "b", "li", "a", "ul"])
        assert tags_of_leaves.tolist() == [
            [True, False, False, False, False, False],
            [False, True, False, False, False, False],
            [False, False, False, True, True, False],
            [False, False, False, True, False, False],
        ]

    def test_text_beside_elements_has_no_tags(self):
        assert collapsed("<div>one<p>two").leaf_tags(["div", "p"]).tolist() == [[False, False], [False, True]]

    def test_fork_has_the_tags_of_merged_elements(self):
        tree = collapsed("<body><p>one<table><tr><td>two<td>three</table>")
        rows, none = tree.parent[1:2], np.array([NONE], dtype=np.int32)
        assert tree.fork_tags(np.append(rows, none), ["tr", "table", "td", "body"]).tolist() == [
            [True, True, False, False],
            [False] * 4,
        ]

    def test_tags_inside_a_fork(self):
        tree = collapsed("<body><div><p>one<p>two<input></div><p>three")
        forks = np.append(tree.parent[[0, 2]], NONE).astype(np.int32)
        assert tree.has(forks, ("input",)).tolist() == [True, True, False]
        assert tree.has(forks, ("img",)).tolist() == [False] * 3
