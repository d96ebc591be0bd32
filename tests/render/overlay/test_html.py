"""Test the interactive overlay without a browser; see also test_html_page.py."""

from __future__ import annotations

import base64
import io
import json
import re

import numpy as np
import pytest
from helpers.page_records import screenshot
from lxml import etree
from PIL import Image

from vclean.errors import OutputError
from vclean.labels import Label, Role
from vclean.render.overlay.draw import data_url
from vclean.render.overlay.html import OverlayPage, draw_html, to_record
from vclean.render.overlay.layers import PART_PENS

NAN = float("nan")
SCREENSHOT = screenshot(400, 200)


def block(**facts):
    default = {"box": [10.04, 20, 100, 30], "label": Label.PARAGRAPH, "text": "It rained.", "probability": 0.91236}
    return default | {"role": None, "visibility": "shown"} | facts


def page(**facts):
    default = {"id": "page.html", "url": "https://example.org/", "title": "Rain", "width": 400.0, "height": 200.0}
    return OverlayPage(**(default | {"screenshot": SCREENSHOT, "blocks": [block()]} | facts))


class TestToRecord:
    def test_parts(self):
        part = {"kind": "post", "box": (1, 2, 30, 40), "text": "Ada · 3 May", "block": None}
        record = to_record(page(parts=[part], shown={"parts_drawn": True}))
        assert record["parts"] == [part | {"box": [1, 2, 30, 40]}]
        assert record["parts_drawn"] is True
        assert set(record["pens"]["part"]) == set(PART_PENS)

    def test_converts_block(self):
        facts = {"font": "16 px Georgia", "reasons": [{"group": "links", "text": "link share 0.92", "value": -1.235}]}
        unknown = {"technique": "", "margin": None, "overruled_by": "", "changed": ""}
        (converted,) = to_record(page(blocks=[block(**facts, **unknown)]))["blocks"]
        assert converted == block(**facts, box=[10.0, 20.0, 100.0, 30.0], probability=0.9124)
        assert to_record(page(blocks=[block(probability=NAN)]))["blocks"][0]["probability"] is None

    @pytest.mark.parametrize("box", [None, [NAN] * 4, [0, 0, float("inf"), 1]])
    def test_converts_missing_box(self, box):
        assert to_record(page(blocks=[block(box=box)]))["blocks"][0]["box"] is None

    @pytest.mark.parametrize(("height", "cut"), [(200.0, {}), (1000.0, {"Screenshot": "cut at 200 of 1000 px"})])
    def test_converts_page(self, height, cut):
        converted = to_record(page(facts={"Method": "vclean"}, height=height))["page"]
        assert converted.pop("screenshot").startswith("data:image/webp;base64,")
        assert converted == {
            "id": "page.html", "url": "https://example.org/", "title": "Rain", "width": 400, "height": 200,
            "facts": {"Method": "vclean"} | cut,
        }  # fmt: skip

    @pytest.mark.parametrize(("size", "expected"), [((300.2, 90.0), (301, 90)), ((NAN, 0.0), (1, 1))])
    def test_uses_document_size_without_a_screenshot(self, size, expected):
        converted = to_record(page(screenshot=b"", width=size[0], height=size[1]))["page"]
        assert (converted["width"], converted["height"], converted["screenshot"]) == (*expected, "")

    def test_contains_pens_for_all_labels_and_roles(self):
        pens = to_record(page())["pens"]
        assert set(pens["label"]) == set(Label)
        assert set(pens["role"]) == {*Role, "none"}
        assert pens["label"]["h"] == {
            "color": (213, 94, 0), "width": 3, "dash": (), "fill": 0.102, "meaning": "heading",
        }  # fmt: skip

    def test_converts_layer(self):
        part = {"box": [0, 0, 400.04, 90], "level": 1, "coherence": 9, "parent": 0, "xpath": "/html[1]", "text": "Menu"}
        band = {"box": [0, 90, 400, NAN], "segment": 0, "weight": 7}
        layer = {"name": "vips", "segments": [part], "separators": [band], "pdoc": 5}
        (converted,) = to_record(page(layers=[layer]))["layers"]
        assert converted == {
            "name": "vips", "pdoc": 5,
            "segments": [part | {"box": [0.0, 0.0, 400.0, 90.0]}], "separators": [band | {"box": None}],
        }  # fmt: skip

    def test_keeps_a_minimum_of_each_text(self):
        records = to_record(page(blocks=[block(text="x" * 2000)] * 20_000))["blocks"]
        assert len(records[0]["text"]) == 80


class TestDrawHtml:
    def test_escapes_data(self):
        hostile = "</script><script>alert(1)</script><!-- \u2028\u2029 &amp; \x00 \ud800 \"'"
        document = draw_html(page(blocks=[block(text=hostile)], title=hostile))
        data = re.search(r'id="data">(.*?)</script>', document, re.DOTALL)[1]
        assert json.loads(data)["blocks"][0]["text"] == hostile.replace("\ud800", " ")  # no HTML has it
        assert not set("<\u2028\u2029\x00\n") & set(data)

    @pytest.mark.parametrize(
        ("facts", "title"),
        [
            ({}, "Rain"),
            ({"title": ""}, "page.html"),
            ({"title": "", "id": ""}, "https://example.org/"),
            ({"title": "</title><img src=x>&"}, "</title><img src=x>&"),
        ],
    )
    def test_has_title(self, facts, title):
        parsed = etree.HTML(draw_html(page(**facts)))
        assert parsed.findtext(".//title") == f"{title} – vclean"
        assert len(parsed.findall(".//img")) == 1  # of the screenshot

    def test_is_deterministic(self):
        assert draw_html(page()) == draw_html(page())


class TestDataUrl:
    def decoded(self, address):
        return Image.open(io.BytesIO(base64.b64decode(address.partition(",")[2])))

    def test_halves_screenshots_too_long_for_webp(self):
        address, size = data_url(screenshot(20, 17_000))
        assert (self.decoded(address).size, size) == ((10, 8_500), (20, 17_000))

    def test_reduces_quality_to_fit_the_budget(self):
        out = io.BytesIO()
        noise = np.random.default_rng(1).integers(0, 256, (200, 300, 3), dtype=np.uint8)
        Image.fromarray(noise).save(out, "PNG")
        assert len(data_url(out.getvalue(), 20_000)[0]) < len(data_url(out.getvalue())[0])

    def test_stops_at_one_pixel(self):
        assert self.decoded(data_url(screenshot(64, 16), 1)[0]).height == 1

    @pytest.mark.parametrize("broken", [b"", b"GIF89a", SCREENSHOT[:80]])
    def test_rejects_other_data(self, broken):
        with pytest.raises(OutputError, match="render the page again"):
            data_url(broken)
