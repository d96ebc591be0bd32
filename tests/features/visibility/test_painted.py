"""Texts of invented layouts; real ones are in test_suite_rendered.py."""

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

from vclean.features.visibility.painted import doubtful_texts, hidden_techniques
from vclean.render.snapshot import Hidden, Snapshot


def techniques(page: Snapshot) -> dict[str, str]:
    """Return what hides each text that is not blank."""
    codes = hidden_techniques(page).tolist()
    return {text: Hidden(code).technique for text, code in zip(page.texts, codes, strict=True) if text.strip()}


def styled(html: str, **styles: dict[str, str]) -> dict[str, str]:
    return techniques(laid_out(html, styles=styles))


class TestStyles:
    def test_plain_text_is_shown(self) -> None:
        assert styled("<p>A plain sentence") == {"A plain sentence": ""}

    def test_color_of_the_page(self) -> None:
        white = {"color": "rgb(255, 255, 255)"}
        assert styled("<p>One sentence<b>Another sentence", b=white)["Another sentence"] == "color"

    def test_color_on_a_background_of_its_own(self) -> None:
        dark = {"color": "rgb(255, 255, 255)", "background-color": "rgb(20, 20, 20)"}
        assert styled("<p>One sentence<b>Another sentence", b=dark)["Another sentence"] == ""

    @pytest.mark.parametrize(("size", "technique"), [("0.5px", "font-size"), ("4px", "font-size"), ("8px", "")])
    def test_font_size(self, size: str, technique: str) -> None:
        page = laid_out("<p>A sentence", styles={"p": {"font-size": size}})
        page = replace(page, line_box=np.array([[8, 20, 60, 1.15 * float(size[:-2])]], dtype=np.float32))
        assert techniques(page)["A sentence"] == technique

    def test_opacities_multiply(self) -> None:
        faint = {"opacity": "0.1"}
        found = styled("<div>Faint words<p>Fainter words", div=faint, p=faint)
        assert found == {"Faint words": "opacity", "Fainter words": "opacity"} or found["Fainter words"] == "opacity"

    def test_unknown_colors_are_shown(self) -> None:
        assert styled("<p>A sentence", p={"color": "device-cmyk(0 0 0 0)"}) == {"A sentence": ""}


class TestPositions:
    def test_left_of_the_page(self) -> None:
        page = laid_out("<p>A sentence")
        page = replace(page, line_box=np.array([[-900, 20, 60, 16]], dtype=np.float32))
        assert techniques(page)["A sentence"] == "off-page"

    def test_letters_on_top_of_each_other(self) -> None:
        page = laid_out("<p>A whole sentence of words")
        page = replace(page, line_box=np.array([[8, 20, 9, 16]], dtype=np.float32))
        assert techniques(page)["A whole sentence of words"] == "spacing"

    def test_text_without_lines(self) -> None:
        page = laid_out("<p>A sentence")
        page = replace(page, line_box=page.line_box[:0], line_text=page.line_text[:0])
        assert techniques(page)["A sentence"] == "transform"

    def test_options_are_not_judged(self) -> None:
        page = laid_out("<select><option>A choice</select>")
        page = replace(page, line_box=page.line_box[:0], line_text=page.line_text[:0])
        assert techniques(page)["A choice"] == ""


class TestUnrendered:
    def test_technique_of_the_parent(self) -> None:
        assert techniques(snapshot("<p>One<p hidden>Two<p style='visibility: hidden'>Three")) == {
            "One": "",
            "Two": "display",
            "Three": "visibility",
        }

    def test_no_text(self) -> None:
        assert hidden_techniques(snapshot("<p>")).tolist() == []
        assert doubtful_texts(snapshot("<p>One")) == {}


def test_no_doubts_without_images() -> None:
    assert doubtful_texts(laid_out("<p>A sentence")) == {}
