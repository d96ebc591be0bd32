"""Tests of drawings on screenshots, and of the data of overlays."""

from __future__ import annotations

import io
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from helpers.page_records import screenshot
from helpers.pages import laid_out, result
from PIL import Image

from vclean.classify.explain.reasons import Explanation, Reason
from vclean.errors import OutputError, UsageError
from vclean.features.segments.vips import segment
from vclean.labels import Label
from vclean.output.overlay import to_overlay_blocks
from vclean.output.source_positions import SourcePosition
from vclean.render.overlay.layers import PENS

HTML = "<title>News</title><nav>Home</nav><h1>Rain</h1><p>It rained.<p>Again.<ul><li>a<li>b</ul>"
STYLES = {"h1": {"font-size": "32px", "font-weight": "700", "font-family": '"Old Face", serif'}}
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def page():
    return replace(result(laid_out(HTML, styles=STYLES), "ohpcll", id="a.html"), screenshot=screenshot(800, 200))


@pytest.fixture
def image(page):
    return page.page_image()


def titles(image):
    root = ElementTree.fromstring(image.to_bytes("svg"))
    return [title.text for title in root.iter(f"{SVG}title")]


def data(image):
    element = re.search(r'id="data">(.*?)</script>', image.to_bytes("html").decode(), re.DOTALL)
    return json.loads(element[1])


def opened(png):
    return Image.open(io.BytesIO(png)).convert("RGB")


def test_parts():
    html = (
        '<title>Rain in May</title><h1>Rain in May</h1><p class="byline">By Ann Lee</p><time>3 May 2024</time>'
        "<p>It rained all of the day in the valley, and the river rose to the second step of the mill.</p>"
    )
    drawing = replace(result(laid_out(html), "hoop"), screenshot=screenshot(800, 200)).page_image()
    assert data(drawing)["parts_drawn"] is False
    assert titles(drawing.draw_parts()) == ["title: Rain in May", "byline: Ann Lee", "date: 2024-05-03"]
    drawn = data(drawing)
    assert drawn["parts_drawn"] is True
    assert [part["kind"] for part in drawn["parts"]] == ["title", "byline", "date"]


def test_needs_a_screenshot(page):
    with pytest.raises(UsageError, match="clean it with screenshot=True"):
        replace(page, screenshot=b"").page_image()
    with pytest.raises(OutputError, match="cannot be read"):
        page.page_image(b"no picture")


def test_reset_leaves_the_screenshot(image):
    drawn = opened(image.draw_blocks().draw_segments().reset().to_bytes())
    assert drawn.size == (800, 200)
    assert drawn.getcolors() == [(800 * 200, (255, 255, 255))]


def test_later_drawings_cover_earlier_ones(image):
    assert titles(image.draw_text()) == ["line of text"] * 6
    assert titles(image.draw_blocks())[0] == "line of text"
    assert titles(image.reset().draw_blocks().draw_text())[-1] == "line of text"


def test_in_a_notebook(image):
    assert repr(image.draw_text()) == "<PageImage 'a.html': 800 x 200 px, 1 layer>"
    assert image._repr_png_() == image.to_bytes("png")


class TestDrawBlocks:
    @pytest.mark.parametrize("labels", ["hp", ["h", "p"], {Label.HEADING, Label.PARAGRAPH}, iter("hp")])
    def test_some_labels(self, image, labels):
        assert sorted(titles(image.draw_blocks(labels))) == ["h .90: Rain", "p .90: It rained."]

    def test_unknown_label_and_missing_roles(self, image):
        with pytest.raises(UsageError, match="no label 'x': choose some of h, p, l, c, o"):
            image.draw_blocks("hx")
        with pytest.raises(UsageError, match=r"has no roles: use the method and the model of vclean, or by='label'"):
            image.draw_blocks(by="role")

    def test_color(self, image):
        # The heading is the second line, at 40, 40; its frame is two px outside.
        drawn = opened(image.draw_blocks("h").to_bytes())
        assert drawn.getpixel((45, drawn.height - 200 + 38)) == PENS["h"].color


def test_segments_are_those_of_vips_with_a_pdoc(page, image):
    assert titles(image.draw_segments(pdoc=1)) == []
    with pytest.raises(UsageError, match="1 to 11, not 12"):
        image.draw_segments(pdoc=12)
    captions = titles(image.draw_segments())
    assert captions == titles(page.page_image().draw_segments(segment(page.columns.snapshot)))
    assert all("DoC" in title for title in captions)
    assert len(captions) > 1


@pytest.mark.parametrize("name", ["a.jpg", "a", "html"])
def test_save_rejects_other_suffixes(image, tmp_path, name):
    with pytest.raises(UsageError, match=r"has to end in \.png, \.svg, \.html"):
        image.save(tmp_path / name)


class TestHtml:
    def test_drawings_are_shown_initially(self, image):
        settings = data(image.draw_blocks("hp").draw_segments(pdoc=5))
        assert (settings["drawn"], settings["color"], settings["labels"]) == (True, "label", ["h", "p"])
        (layer,) = settings["layers"]
        assert (layer["name"], layer["drawn"], layer["separators_drawn"], layer["pdoc"]) == ("vips", True, False, 5)

    def test_a_method_has_one_layer_of_segments_and_separators(self, image):
        (layer,) = data(image.draw_segments(pdoc=7).draw_separators(pdoc=7))["layers"]
        assert (layer["drawn"], layer["separators_drawn"], layer["pdoc"]) == (True, True, 7)
        other = replace(segment(image._result.columns.snapshot), method="learned")
        layers = data(image.draw_segments(other))["layers"]
        assert [layer["name"] for layer in layers] == ["vips", "learned"]

    def test_metadata_of_page(self, page):
        result = replace(page, prediction=replace(page.prediction, confidence=0.876))
        vars(result)["language"] = "en"
        assert data(result.page_image())["page"]["facts"] == {
            "Kept": "5 of 6 blocks", "Method": "vclean", "Confidence": "0.88", "Language": "en",
        }  # fmt: skip
        vars(page)["language"] = ""
        assert set(data(page.page_image())["page"]["facts"]) == {"Kept", "Method"}


class TestOverlayBlocks:
    def test_fields_of_block(self, page):
        reasons = [[Reason("length", "short: 1 word", -0.4)]] * 6
        explained = replace(page, explanation=Explanation(reasons), positions=[None, SourcePosition(3, 7), *[None] * 4])
        heading = to_overlay_blocks(explained)[1]
        assert heading == {
            "box": (40, 40, 32, 16), "label": Label.HEADING, "text": "Rain", "xpath": "/html[1]/body[1]/h1[1]",
            "source": "line 3, column 7", "role": None, "probability": pytest.approx(0.9),
            "font": "32 px Old Face, bold", "visibility": "shown", "technique": "", "margin": None, "overruled_by": "",
            "reasons": [{"group": "length", "text": "short: 1 word", "value": -0.4}],
        }  # fmt: skip

    def test_visibility(self):
        html = "<p>Shown<details><summary>More</summary><p>Folded</details><p hidden>x"
        page = result(laid_out(html, styles={"p": {"display": "block"}}), "pppp")
        assert [block["visibility"] for block in to_overlay_blocks(page)] == ["shown", "shown", "revealable", "hidden"]

    @pytest.mark.parametrize(
        ("style", "font"),
        [
            ({"font-weight": "bold"}, "16 px, bold"),
            ({"font-weight": "500", "font-style": "italic"}, "16 px, italic"),
            ({"font-size": "13.5px", "font-family": "Arial, sans-serif"}, "13.5 px Arial"),
            ({"font-size": ""}, ""),
        ],
    )
    def test_font(self, style, font):
        page = result(laid_out("<p>a", styles={"p": {"font-weight": "400", "font-family": ""} | style}), "p")
        assert to_overlay_blocks(page)[0]["font"] == font
