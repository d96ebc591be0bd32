from __future__ import annotations

import pytest
from helpers.formulas import DISPLAY, DRAWN, TEX
from helpers.pages import snapshot


def formulas(html: str) -> list[str]:
    page = snapshot(html)
    parents = page.is_tag(("math",))[page.text_parent].tolist()
    return [text for text, is_formula in zip(page.texts, parents, strict=True) if is_formula]


class TestReplaceFormulas:
    @pytest.mark.parametrize("formula", DRAWN.values(), ids=DRAWN)
    def test_drawn_formula_is_there_once(self, formula: str) -> None:
        page = snapshot(f"<p>a {formula} b")
        assert page.texts == ["a ", TEX, " b"]

    @pytest.mark.parametrize("formula", DISPLAY.values(), ids=DISPLAY)
    def test_display_formula_is_marked(self, formula: str) -> None:
        page = snapshot(formula)
        (math,) = page.is_tag(("math",)).nonzero()[0].tolist()
        assert page.attributes("display")[math] == "block"


class TestDrawnWithoutMathml:
    @pytest.mark.parametrize(
        ("html", "tex"),
        [
            ('<img src="https://latex.codecogs.com/svg.image?%5Cfrac%7Ba%7D%7Bb%7D">', r"\frac{a}{b}"),
            ('<img src="https://chart.apis.google.com/chart?cht=tx&chl=%5Calpha%2B%5Cbeta">', r"\alpha+\beta"),
            ('<img src="https://example.org/formula/%5Cfrac%7Bm%7D%7Bv%7D">', r"\frac{m}{v}"),
            ('<img src="/i.png" class=latex alt="x^2">', "x^2"),
            ('<span class=katex data-math="a^2+b^2"></span>', "a^2+b^2"),
            ("<mjx-container><mjx-math><mjx-msup><mjx-mi><mjx-c class='mjx-c1D465 TEX-I'></mjx-c></mjx-mi>"
             "<mjx-script><mjx-mn><mjx-c class='mjx-c32'></mjx-c></mjx-mn></mjx-script></mjx-msup></mjx-math>"
             "</mjx-container>", "x^2"),
            ("<mjx-container><svg><g data-mml-node=math><g data-mml-node=msup><g data-mml-node=mi><use data-c=1D465>"
             "</use></g><g data-mml-node=mn><use data-c=32></use></g></g></g></svg></mjx-container>", "x^2"),
            ("<span class=mjx-chtml><span class=mjx-msubsup><span class=mjx-base><span class=mjx-mi>"
             "<span class=mjx-char>x</span></span></span><span class=mjx-sup><span class=mjx-mn><span class=mjx-char>2"
             "</span></span></span></span></span>", "x^2"),
        ],
    )  # fmt: skip
    def test_is_read(self, html: str, tex: str) -> None:
        assert formulas(f"<p>a {html} b") == [tex]

    @pytest.mark.parametrize(
        "html",
        ["<img src=/a_b.png alt='a_b'>", "<img src='/latex-gloves.jpg?w=300'>", "<span data-math=5>x</span>"],
    )
    def test_others_stay(self, html: str) -> None:
        assert not formulas(f"<p>a {html} b")
