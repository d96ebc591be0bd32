from __future__ import annotations

import pytest
from helpers.formulas import DRAWN, MATH, TEX
from helpers.pages import snapshot

from vclean.features.blocks import extract_blocks


def texts(html: str) -> list[str]:
    return extract_blocks(snapshot(html)).text


class TestBlocksWithFormulas:
    def test_formula_in_a_line_is_part_of_it(self) -> None:
        assert texts(f"<p>as ({MATH}) says<p>next") == ["as (E = mc^2) says", "next"]

    @pytest.mark.parametrize("formula", DRAWN.values(), ids=DRAWN)
    def test_drawn_formula_does_not_separate_text(self, formula: str) -> None:
        assert texts(f"<p>as {formula} says<p>next") == [f"as {TEX} says", "next"]

    def test_formula_alone_joins_the_block_before(self) -> None:
        assert texts(f"<p>so<p>{MATH}</p><p>next") == ["so E = mc^2", "next"]

    def test_formula_alone_does_not_join_a_heading(self) -> None:
        assert texts(f"<h2>Energy</h2><p>{MATH}</p><p>next") == ["Energy", "E = mc^2 next"]

    def test_formula_alone_joins_the_block_with_more_common_ancestors(self) -> None:
        assert texts(f"<nav>menu</nav><div><p>{MATH}</p><p>next</div>") == ["menu", "E = mc^2 next"]

    def test_formulas_in_a_row_join_in_order(self) -> None:
        assert texts(f"<h2>Two</h2><p>{MATH}</p><p><math><mi>b</mi></math></p><p>next") == ["Two", "E = mc^2 b next"]

    def test_hidden_formula_is_in_no_block(self) -> None:
        assert texts(f"<p>so<p hidden>{MATH}</p><p>next") == ["so", "next"]


class TestWithoutFormulas:
    def test_is_the_same_object_without_formulas(self) -> None:
        blocks = extract_blocks(snapshot("<p>a"))
        assert blocks.without_formulas is blocks
