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
    """The tags of elements, `None` for `NONE`."""
    page = tree.blocks.snapshot
    return [None if element == NONE else page.tags[page.tag[element]] for element in np.ravel(elements).tolist()]


class TestHolder:
    def test_the_innermost_element_round_all_of_the_text(self):
        assert tags(collapsed(PAGE), collapsed(PAGE).holder) == ["h1", "p", "a", "li"]

    def test_text_in_two_inline_elements(self):
        tree = collapsed("<p><b>one</b> <i>two</i></p><p><b>three</b></p>")
        assert tags(tree, tree.holder) == ["p", "b"]

    def test_text_beside_an_element_of_block_level(self):
        tree = collapsed("<div>one<p>two</p>three</div>")
        assert tags(tree, tree.holder) == ["div", "p", "div"]


class TestForks:
    def test_an_element_with_one_child_is_none(self):
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

    def test_the_forks_round_a_leaf(self):
        tree = collapsed(PAGE)
        assert tags(tree, tree.parent) == ["div", "div", "ul", "ul"]
        assert tags(tree, tree.above(tree.parent)) == ["body"] * 4
        assert tags(tree, tree.above(tree.above(tree.parent))) == [None] * 4
        assert tags(tree, tree.above(tree.above(tree.above(tree.parent)))) == [None] * 4

    def test_the_root_is_the_outermost_fork(self):
        tree = collapsed("<body><div><main><p>one</p><p>two</p></main></div>")
        assert tags(tree, tree.root) == ["main"]

    def test_a_page_of_one_block_has_none(self):
        tree = collapsed("<body><div><p>one")
        assert (tree.root, tree.parent.tolist()) == (NONE, [NONE])
        assert tree.above(tree.parent).tolist() == [NONE]
        assert tree.distance.shape == tree.meeting.shape == (0,)


class TestPairs:
    def test_the_innermost_fork_round_both(self):
        assert tags(collapsed(PAGE), collapsed(PAGE).meeting) == ["div", "body", "ul"]

    def test_steps_between_leaves(self):
        """Siblings are two apart; across the body it is up two and down two."""
        assert collapsed(PAGE).distance.tolist() == [2, 4, 2]

    def test_from_a_text_into_the_element_beside_it(self):
        assert collapsed("<div>one<section><p>two<p>three</section></div>").distance.tolist() == [3, 2]

    def test_only_children_are_no_steps(self):
        assert collapsed("<body><div><div><p>one</div></div><table><tr><td>two</table>").distance.tolist() == [2]


class TestRuns:
    def test_the_blocks_of_forks(self):
        tree = collapsed(PAGE)
        first, end = tree.runs(np.append(np.flatnonzero(tree.is_fork), NONE).astype(np.int32))
        assert (first.tolist(), end.tolist()) == ([0, 0, 2, 0], [4, 2, 4, 0])

    def test_a_block_that_begins_outside_is_not_in_it(self):
        tree = collapsed("<div>one <span>two<p>three</p><p>four</p>five</span> six</div>")
        assert tree.blocks.text == ["one two", "three", "four", "five six"]
        assert tags(tree, tree.parent) == ["div", "span", "span", "div"]
        assert [run.tolist() for run in tree.runs(tree.parent)] == [[0, 1, 1, 0], [4, 3, 3, 4]]

    @pytest.mark.parametrize("html", [PAGE, "<div>one<p>two<p>three<br><br>four</div><td>five", "<p>one"])
    def test_as_one_by_one(self, html):
        tree = collapsed(html)
        end = tree.blocks.snapshot.end
        elements = np.arange(len(end), dtype=np.int32)
        runs = np.stack(tree.runs(elements), axis=1).tolist()
        for element, (first, last) in zip(elements.tolist(), runs, strict=True):
            inside = np.flatnonzero((tree.holder >= element) & (tree.holder < end[element]))
            assert list(range(first, last)) == inside.tolist()


class TestTags:
    def test_a_leaf_is_one_with_the_elements_round_it(self):
        found = collapsed(PAGE).leaf_tags(["h1", "p", "b", "li", "a", "ul"])
        assert found.tolist() == [
            [True, False, False, False, False, False],
            [False, True, False, False, False, False],
            [False, False, False, True, True, False],
            [False, False, False, True, False, False],
        ]

    def test_a_text_of_its_own_has_none(self):
        assert collapsed("<div>one<p>two").leaf_tags(["div", "p"]).tolist() == [[False, False], [False, True]]

    def test_a_fork_is_one_with_those_above_it_up_to_the_next(self):
        tree = collapsed("<body><p>one<table><tr><td>two<td>three</table>")
        rows, none = tree.parent[1:2], np.array([NONE], dtype=np.int32)
        assert tree.fork_tags(np.append(rows, none), ["tr", "table", "td", "body"]).tolist() == [
            [True, True, False, False],
            [False] * 4,
        ]

    def test_what_is_inside(self):
        tree = collapsed("<body><div><p>one<p>two<input></div><p>three")
        forks = np.append(tree.parent[[0, 2]], NONE).astype(np.int32)
        assert tree.has(forks, ("input",)).tolist() == [True, True, False]
        assert tree.has(forks, ("img",)).tolist() == [False] * 3
