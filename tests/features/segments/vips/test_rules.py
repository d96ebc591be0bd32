"""Test the thirteen rules of VIPS, each on the smallest page that needs it."""

from __future__ import annotations

import pytest
from helpers.painted import node, painted, text_node

from vclean.features.segments.vips.page import NodeKind, VisualPage
from vclean.features.segments.vips.rules import RULES, DivisionCase, apply_rules, extract_visual_blocks

SMALL, LARGE = 0.5, 0.001
"""Thresholds above and below the sizes of the blocks of these pages."""


def case(html, tag, threshold=LARGE, *, root=False, before_divided=True, **size):
    page = VisualPage(painted(html, **size))
    return DivisionCase(page, node(page.snapshot, tag), threshold, root, before_divided)


def coherence(*arguments, **facts):
    return apply_rules(case(*arguments, **facts)).coherence


def divides(*arguments, **facts):
    return coherence(*arguments, **facts) is None


TWO = "<p title='0 0 100 50'>one<p title='0 60 100 50'>two"
"""Container with two small blocks."""


class TestApplyRules:
    def test_cached_result_applies_at_all_thresholds_but_not_at_the_root(self):
        """Check that rule 4 keeps a text node at any threshold, and rule 3 divides it if it is the root."""
        first = case("<main>text</main>", "main")
        assert apply_rules(first).coherence == 10
        assert apply_rules(first._replace(threshold=SMALL)).coherence == 10
        assert apply_rules(first._replace(root=True)).coherence is None

    def test_threshold_rules_are_not_cached(self):
        """Check rule 10, and the coherence of a node much smaller than the threshold."""
        first = case(f"<main title='0 0 300 300'>{TWO}</main>", "main", LARGE)
        coherences = [apply_rules(first._replace(threshold=threshold)).coherence for threshold in (LARGE, SMALL, LARGE)]
        assert coherences[0] is coherences[2] is None
        assert coherences[1] is not None

    def test_order_of_rules(self):
        """Check that cached rules precede all others, except rule 3."""
        from vclean.features.segments.vips import rules as module

        for kind, rules in RULES.items():
            rest = [rule for rule in rules if rule is not module._only_subtree]
            assert rest == [
                *module._CACHED_RULES[kind],
                *(rule for rule in module._UNCACHED_RULES[kind] if rule in rest),
            ]


class TestRules:
    def test_only_text_child_is_kept(self):
        """Check that rule 2 excludes text, so rule 4 applies."""
        assert coherence("<main>text</main>", "main") == 10

    def test_all_text_in_two_fonts(self):
        assert coherence("<div>one <a style='font-weight: 700'>two</a></div>", "div") == 9

    def test_paragraph_with_a_block_is_divided(self):
        """Check that rule 5 applies to paragraphs and inline nodes."""
        html = "<p style='display: inline' title='0 0 9 9'>one<a style='display: block' title='0 0 9 9'>two</a>"
        assert divides(html, "p", SMALL)

    def test_horizontal_rule(self):
        """Check rule 6."""
        assert divides(f"<main title='0 0 100 110'>{TWO}<hr title='0 55 100 2'></main>", "main", SMALL)

    def test_children_larger_than_the_node(self):
        """Check rule 7 with overflowing children."""
        assert divides(f"<main title='0 0 100 60'>{TWO}</main>", "main", SMALL)

    def test_background_of_a_cell_in_a_row(self):
        """Check rule 8: the node is divided, the child is not."""
        html = (
            "<table><tr title='0 0 100 50'><td title='0 0 50 50' style='background-color: rgb(0, 0, 0)'>"
            f"{TWO}<td title='50 0 50 50'>{TWO}</table>"
        )
        row = case(html, "tr", SMALL)
        assert apply_rules(row).coherence is None
        assert apply_rules(row).frozen == {node(row.page.snapshot, "td")}

    def test_cell_after_an_undivided_one(self):
        """Check that rule 11 follows rules 9 and 10."""
        html = f"<table><tr><td title='0 0 900 900'>{TWO}<td>x</table>"
        assert divides(html, "td", LARGE) is False
        assert apply_rules(case(html, "td", LARGE, before_divided=False)).coherence == 7

    def test_table_is_kept_last(self):
        """Check rule 13."""
        html = f"<table title='0 0 900 900'><tbody title='0 0 900 900'><tr>{TWO}</tbody><tbody><tr><td>x</table>"
        assert coherence(html, "table", LARGE) == 5


class TestTable:
    """Rules by kind of node, after Cai et al."""

    @pytest.mark.parametrize(
        ("kind", "count"),
        [
            (NodeKind.INLINE, 9),
            (NodeKind.TABLE, 5),
            (NodeKind.ROW, 6),
            (NodeKind.CELL, 7),
            (NodeKind.PARAGRAPH, 9),
            (NodeKind.OTHER, 8),
        ],
    )
    def test_numbers_of_rules(self, kind, count):
        assert len(RULES[kind]) == count

    @pytest.mark.parametrize("kind", NodeKind)
    def test_last_rule_always_applies(self, kind):
        html = f"<main title='0 0 900 900'>{TWO}<p title='0 100 300 300'>three</main>"
        assert RULES[kind][-1](case(html, "main")) is not None


class TestCoherence:
    def test_text_like_nodes_cohere_more_than_containers(self):
        html = "<p title='0 0 100 100'>one<img title='0 0 50 50'>"
        assert coherence(html, "p", 0.0101) == 8


class TestExtract:
    """Round of the extraction: the blocks of some roots."""

    def extracted(self, html, threshold):
        page = VisualPage(painted(html))
        blocks = extract_visual_blocks(page, [0], threshold)
        return page, [block.node for block in blocks], [block.coherence for block in blocks]

    def test_texts_and_images_are_blocks(self):
        page, nodes, degrees = self.extracted("<div>one<img title='0 0 90 90'><p>two</div>", 0)
        snapshot = page.snapshot
        assert nodes == [text_node(snapshot, "one"), node(snapshot, "img"), node(snapshot, "p")]
        assert degrees == [10, 8, 10]

    def test_frozen_child(self):
        cell = f"<td title='0 0 50 50' style='background-color: rgb(0, 0, 0)'>{TWO}"
        html = f"<table><tr title='0 0 900 900'>{cell}<td title='90 0 50 50'>{TWO}</table>"
        page, nodes, degrees = self.extracted(html, LARGE)
        assert nodes[0] == node(page.snapshot, "td")
        assert degrees[0] == 7

    def test_frozen_child_that_is_small(self):
        cell = f"<td title='0 0 50 50' style='background-color: rgb(0, 0, 0)'>{TWO}"
        html = f"<table><tr title='0 0 900 900'>{cell}<td title='90 0 50 50'>{TWO}</table>"
        assert self.extracted(html, SMALL)[2][0] == 8


class TestIsLeaf:
    @pytest.mark.parametrize(
        ("html", "tag", "expected"),
        [
            ("<p>text", "p", True),
            ("<p>text <b>bold</b>", "p", True),
            ("<img title='0 0 9 9'>", "img", True),
            ("<p>text<img title='0 0 9 9'>", "p", False),
            ("<div><p>text</div>", "div", False),
        ],
    )
    def test_elements(self, html, tag, expected):
        page = VisualPage(painted(html))
        assert page.is_leaf[node(page.snapshot, tag)] is expected
