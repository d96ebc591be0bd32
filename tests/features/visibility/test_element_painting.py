from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out

from vclean.features.visibility.element_painting import ElementPainting, viewport_styles
from vclean.render.css_colors import WHITE, Color
from vclean.render.snapshot import Snapshot


def by_tag(page: Snapshot, values: np.ndarray) -> dict[str, object]:
    return {page.tags[tag]: value for tag, value in zip(page.tag.tolist(), values.tolist(), strict=True)}


class TestCanvas:
    @pytest.mark.parametrize(
        ("styles", "color"),
        [
            ({}, WHITE),
            ({"body": {"background-color": "rgb(1, 2, 3)"}}, Color(1, 2, 3)),
            ({"html": {"background-color": "rgba(0, 0, 0, 0.5)"}}, Color(127.5, 127.5, 127.5)),
            ({"html": {"background-image": "url(a.png)", "background-color": "rgb(9, 9, 9)"}}, Color(9, 9, 9)),
            (
                {"html": {"background-color": "rgb(9, 9, 9)"}, "body": {"background-color": "rgb(1, 2, 3)"}},
                Color(9, 9, 9),
            ),
        ],
    )
    def test_background_of_the_root_or_the_body(self, styles: dict[str, dict[str, str]], color: Color) -> None:
        assert ElementPainting(laid_out("<html><body><p>Text", styles=styles)).canvas == color

    def test_styles_of_the_viewport(self) -> None:
        page = laid_out("<html><body><p>Text")
        assert viewport_styles(page) == [0, page.tag.tolist().index(page.tags.index("body"))]


class TestElements:
    def test_paints(self) -> None:
        dark = {"background-color": "rgb(20, 20, 20)"}
        page = laid_out("<html><body><p>One<b>Two</b><i>Three</i>", styles={"p": dark, "body": dark, "b": {}})
        assert {tag for tag, paints in by_tag(page, ElementPainting(page).paints).items() if paints} == {"p"}

    def test_box_without_area_paints_nothing(self) -> None:
        page = laid_out("<p>One", styles={"p": {"background-color": "rgb(20, 20, 20)"}})
        assert not ElementPainting(replace(page, box=page.box * 0)).paints.any()

    def test_opacities_multiply(self) -> None:
        page = laid_out("<div><p>One</p></div>", styles={"div": {"opacity": "0.5"}, "p": {"opacity": "0.5"}})
        opacity = by_tag(page, ElementPainting(page).opacity)
        assert opacity["p"] == pytest.approx(0.25)
        assert opacity["div"] == pytest.approx(0.5)
        assert opacity["html"] == 1

    @pytest.mark.parametrize(
        ("style", "expected"),
        [({"filter": "blur(3px)"}, True), ({"z-index": "-1"}, True), ({"z-index": "1"}, False), ({}, False)],
    )
    def test_effects_apply_inside(self, style: dict[str, str], *, expected: bool) -> None:
        page = laid_out("<div><p>One</p></div>", styles={"div": style})
        assert by_tag(page, ElementPainting(page).has_effect)["p"] is expected

    def test_fixed_inside(self) -> None:
        page = laid_out("<div><p>One</p></div><b>Two</b>", styles={"div": {"position": "fixed"}})
        fixed = by_tag(page, ElementPainting(page).is_fixed)
        assert (fixed["p"], fixed["b"]) == (True, False)

    def test_text_clip(self) -> None:
        page = laid_out("<div><p>One</p></div>", styles={"div": {"background-clip": "text"}})
        tags = [page.tags[tag] for tag in page.tag.tolist()]
        assert ElementPainting(page).text_clip(page.ancestors(tags.index("p"))) == tags.index("div")
        assert ElementPainting(page).text_clip([0]) is None

    @pytest.mark.parametrize(("share", "fills"), [(1.0, True), (0.95, True), (0.8, False)])
    def test_fills_viewport(self, share: float, *, fills: bool) -> None:
        page = laid_out("<p>One")
        page = replace(page, box=np.tile(np.float32([0, 0, 800 * share, 600]), (len(page), 1)))
        assert ElementPainting(page).fills_viewport(page.box[0]) is fills
