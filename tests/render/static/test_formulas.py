from __future__ import annotations

import pytest
from helpers.formulas import DISPLAY, DRAWN, INLINE, MATH, TEX
from helpers.pages import snapshot


def formulas(html: str) -> list[str]:
    page = snapshot(html)
    parents = page.is_tag(("math",))[page.text_parent].tolist()
    return [text for text, is_formula in zip(page.texts, parents, strict=True) if is_formula]


class TestReplaceFormulas:
    def test_mathml_has_text_and_no_children(self) -> None:
        page = snapshot(f"<p>a {MATH} b")
        assert page.texts == ["a ", "E = mc^2", " b"]
        assert page.tags == ("html", "body", "p", "math")

    @pytest.mark.parametrize("formula", DRAWN.values(), ids=DRAWN)
    def test_drawn_formula_is_there_once(self, formula: str) -> None:
        page = snapshot(f"<p>a {formula} b")
        assert page.texts == ["a ", TEX, " b"]

    @pytest.mark.parametrize("formula", INLINE.values(), ids=INLINE)
    def test_inline_formula_has_no_display(self, formula: str) -> None:
        assert not snapshot(formula).attributes("display")

    @pytest.mark.parametrize("formula", DISPLAY.values(), ids=DISPLAY)
    def test_display_formula_is_marked(self, formula: str) -> None:
        page = snapshot(formula)
        (math,) = page.is_tag(("math",)).nonzero()[0].tolist()
        assert page.attributes("display")[math] == "block"

    def test_wrapper_of_two_formulas_stays(self) -> None:
        assert formulas(f"<div class=MathJax>{MATH} and {MATH}</div>") == ["E = mc^2", "E = mc^2"]

    def test_other_scripts_are_no_formulas(self) -> None:
        assert snapshot("<p>a<script type=text/javascript>x</script>").texts == ["a"]

    def test_mathml_in_a_script_is_read(self) -> None:
        assert formulas(f"<script type='math/mml'>{MATH}</script>") == ["E = mc^2"]
