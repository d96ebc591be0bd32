from __future__ import annotations

import pytest
from helpers.formulas import DISPLAY, DRAWN, KATEX_STYLE, MATH

from vclean.features.blocks import extract_blocks
from vclean.page import Page
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Snapshot
from vclean.render.static.parse import parse

pytestmark = pytest.mark.browser

FORMULAS = {"mathml": MATH, "mathml-display": MATH.replace("<math", "<math display=block"), **DRAWN}


def source(formula: str) -> str:
    return f"<!doctype html>{KATEX_STYLE}<p>as {formula} says</p><dl><dd>{formula}</dl><p>next"


def rendered(renderer: Renderer, html: str) -> Snapshot:
    return renderer.render(Page(content=html)).snapshot


class TestFormulas:
    @pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
    def test_have_the_same_texts_as_parsed(self, renderer: Renderer, formula: str) -> None:
        html = source(formula)
        blocks, parsed = extract_blocks(rendered(renderer, html)), extract_blocks(parse(Page(content=html)))
        assert blocks.text == parsed.text
        assert blocks.text[0].startswith("as E")

    @pytest.mark.parametrize("formula", DISPLAY.values(), ids=DISPLAY)
    def test_have_the_same_display_as_parsed(self, renderer: Renderer, formula: str) -> None:
        page = rendered(renderer, source(formula))
        maths = page.is_tag(("math",)).nonzero()[0].tolist()
        assert [page.attributes("display").get(math) for math in maths] == ["block", "block"]

    @pytest.mark.parametrize(
        "drawing",
        [
            '<img src="https://latex.codecogs.com/svg.image?x%5E2">',
            '<img src="/i.png" class=latex alt="x^2">',
            "<mjx-container><mjx-math><mjx-msup><mjx-mi><mjx-c class='mjx-c1D465 TEX-I'></mjx-c></mjx-mi>"
            "<mjx-script><mjx-mn><mjx-c class='mjx-c32'></mjx-c></mjx-mn></mjx-script></mjx-msup></mjx-math>"
            "</mjx-container>",
        ],
    )
    def test_drawn_without_mathml_are_read(self, renderer: Renderer, drawing: str) -> None:
        page = rendered(renderer, f"<!doctype html><p>a {drawing} b<p><img src=/math-class.jpg alt=Class> c")
        assert extract_blocks(page).text == ["a x^2 b", "c"]

    def test_have_a_line_where_they_are_drawn(self, renderer: Renderer) -> None:
        page = rendered(renderer, source(MATH))
        text = page.texts.index("E = mc^2")
        (line,) = page.line_box[page.line_text == text].tolist()
        assert line[2] > 20
        assert line[3] > 5

    def test_hidden_formula_is_in_no_block(self, renderer: Renderer) -> None:
        page = rendered(renderer, f"<!doctype html><p>so<p style='display: none'>{MATH}</p><p>next")
        assert extract_blocks(page).text == ["so", "next"]

    def test_page_that_shadows_methods_is_read(self, renderer: Renderer) -> None:
        html = f"<!doctype html><form><input name=matches><input name=querySelectorAll>{MATH} is read</form>"
        assert extract_blocks(rendered(renderer, html)).text == ["E = mc^2 is read"]
