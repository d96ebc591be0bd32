"""Test the interactive overlay without a browser; see also test_html_page.py."""

from __future__ import annotations

import base64
import io
import json
from dataclasses import dataclass
from html.parser import HTMLParser

import numpy as np
import pytest
from PIL import Image

from vclean.errors import OutputError
from vclean.labels import Label, Role
from vclean.render.overlay.draw import data_url
from vclean.render.overlay.html import (
    OverlayBlock,
    OverlayLayer,
    OverlayPage,
    OverlaySegment,
    OverlaySeparator,
    draw_html,
    to_json,
    to_record,
)
from vclean.render.overlay.layers import PART_PENS, Part

NAN = float("nan")


@dataclass
class FakeReason:
    group: str
    text: str
    contribution: float


def screenshot(width=400, height=200, kind="PNG", noise=False):
    out = io.BytesIO()
    image = Image.new("RGB", (width, height), (240, 240, 240))
    if noise:
        image = Image.fromarray(np.random.default_rng(1).integers(0, 256, (height, width, 3), dtype=np.uint8))
    image.save(out, kind)
    return out.getvalue()


def block(**facts):
    default = {"box": [10.04, 20, 100, 30], "label": Label.PARAGRAPH, "text": "It rained.", "probability": 0.91236}
    return OverlayBlock(**(default | facts))


def page(**facts):
    default = {"id": "page.html", "url": "https://example.org/", "title": "Rain", "width": 400.0, "height": 200.0}
    return OverlayPage(**(default | {"screenshot": screenshot(), "blocks": [block()]} | facts))


class ParsedDocument(HTMLParser):
    """Parser of a document that collects its scripts, styles and tags."""

    def __init__(self, document):
        super().__init__()
        self.scripts, self.styles, self.tags, self.policy, self.title = [], [], [], "", ""
        self._into = None
        self.feed(document)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if dict(attrs).get("http-equiv") == "Content-Security-Policy":
            self.policy = dict(attrs)["content"]
        self._into = tag if tag in ("script", "style", "title") else None

    def handle_data(self, data):
        if self._into == "title":
            self.title += data
        elif self._into:
            {"script": self.scripts, "style": self.styles}[self._into].append(data)

    def handle_endtag(self, tag):
        self._into = None

    @property
    def data(self):
        return json.loads(next(text for text in self.scripts if text.startswith("{")))


class TestToRecord:
    def test_parts(self):
        part = Part(kind="post", box=(1, 2, 30, 40), text="Ada · 3 May")
        record = to_record(page(parts=[part], parts_drawn=True))
        assert record["parts"] == [{"kind": "post", "box": [1, 2, 30, 40], "text": "Ada · 3 May", "block": None}]
        assert record["parts_drawn"] is True
        assert set(record["pens"]["part"]) == set(PART_PENS)

    def test_converts_block(self):
        reasons = [FakeReason("links", "link share 0.92", -1.23456)]
        content = page(blocks=[block(role=Role.ARTICLE, font="16 px Georgia", xpath="/html[1]", reasons=reasons)])
        (converted,) = to_record(content)["blocks"]
        assert converted == {
            "box": [10.0, 20.0, 100.0, 30.0],
            "label": "p",
            "role": "article",
            "probability": 0.9124,
            "font": "16 px Georgia",
            "xpath": "/html[1]",
            "source": "",
            "text": "It rained.",
            "reasons": [{"group": "links", "text": "link share 0.92", "value": -1.235}],
            "visibility": "shown",
        }

    @pytest.mark.parametrize("box", [None, [NAN] * 4, [0, 0, float("inf"), 1]])
    def test_converts_missing_box(self, box):
        assert to_record(page(blocks=[block(box=box)]))["blocks"][0]["box"] is None

    def test_converts_page(self):
        converted = to_record(page(facts={"Method": "vclean"}))["page"]
        assert converted.pop("screenshot").startswith("data:image/webp;base64,")
        assert converted == {
            "id": "page.html", "url": "https://example.org/", "title": "Rain", "width": 400, "height": 200,
            "facts": {"Method": "vclean"},
        }  # fmt: skip

    def test_reports_truncated_screenshot(self):
        converted = to_record(page(height=1000.0))["page"]
        assert (converted["height"], converted["facts"]) == (200, {"Screenshot": "cut at 200 of 1000 px"})

    @pytest.mark.parametrize(("size", "expected"), [((300.2, 90.0), (301, 90)), ((NAN, 0.0), (1, 1))])
    def test_uses_document_size_without_a_screenshot(self, size, expected):
        converted = to_record(page(screenshot=b"", width=size[0], height=size[1]))["page"]
        assert (converted["width"], converted["height"], converted["screenshot"]) == (*expected, "")

    def test_contains_pens_for_all_labels_and_roles(self):
        pens = to_record(page())["pens"]
        assert set(pens["label"]) == set(Label)
        assert set(pens["role"]) == {*Role, "none"}
        assert pens["label"]["h"] == {
            "color": [213, 94, 0], "width": 3, "dash": [], "fill": 0.102, "meaning": "heading",
        }  # fmt: skip

    def test_converts_layer(self):
        page_segment = OverlaySegment(box=[0, 0, 400, 200], level=0, coherence=1, parent=-1)
        part = OverlaySegment(box=[0, 0, 400, 90], level=1, coherence=9, parent=0, xpath="/html[1]", text="Menu")
        band = OverlaySeparator(box=[0, 90, 400, 0], segment=0, weight=7)
        layer = OverlayLayer(name="vips", segments=[page_segment, part], separators=[band], pdoc=5, drawn=True)
        (converted,) = to_record(page(layers=[layer]))["layers"]
        assert converted["segments"][1] == {
            "box": [0.0, 0.0, 400.0, 90.0], "level": 1, "coherence": 9, "parent": 0, "xpath": "/html[1]",
            "text": "Menu",
        }  # fmt: skip
        assert converted["separators"] == [{"box": [0.0, 90.0, 400.0, 0.0], "segment": 0, "weight": 7}]
        assert (converted["pdoc"], converted["drawn"], converted["separators_drawn"]) == (5, True, False)


class TestTexts:
    def test_keeps_a_minimum_of_each_text(self):
        records = to_record(page(blocks=[block(text="x" * 2000)] * 20_000))["blocks"]
        assert len(records[0]["text"]) == 80


class TestToJson:
    HOSTILE = "</script><script>alert(1)</script><!-- \u2028\u2029 &amp; \x00 \ud800 \"'"

    def test_escapes_end_of_script_element(self):
        text = to_json(page(blocks=[block(text=self.HOSTILE)], title=self.HOSTILE))
        assert "<" not in text
        assert not {"\u2028", "\u2029", "\x00", "\n"} & set(text)


class TestDrawHtml:
    def test_contains_data(self):
        parts = ParsedDocument(draw_html(page()))
        assert parts.data["blocks"][0]["text"] == "It rained."
        assert parts.title == "Rain – vclean"

    @pytest.mark.parametrize(
        ("facts", "title"),
        [({"title": ""}, "page.html"), ({"title": "", "id": ""}, "https://example.org/"), ({"title": "<b>&"}, "<b>&")],
    )
    def test_has_title(self, facts, title):
        assert ParsedDocument(draw_html(page(**facts))).title == f"{title} – vclean"

    def test_escapes_title(self):
        tags = [tag for tag, _ in ParsedDocument(draw_html(page(title="</title><img src=x>"))).tags]
        assert "img" in tags  # of the screenshot
        assert tags.count("img") == 1

    def test_is_deterministic(self):
        assert draw_html(page()) == draw_html(page())

    def test_rejects_other_data(self):
        with pytest.raises(OutputError, match="cannot be read"):
            draw_html(page(screenshot=b"no screenshot"))


class TestDataUrl:
    def decoded(self, address):
        head, _, data = address.partition(",")
        return head, Image.open(io.BytesIO(base64.b64decode(data)))

    def test_halves_screenshots_too_long_for_webp(self):
        address, size = data_url(screenshot(20, 17_000))
        assert (self.decoded(address)[1].size, size) == ((10, 8_500), (20, 17_000))

    def test_reduces_quality_to_fit_the_budget(self):
        noise = screenshot(300, 200, noise=True)
        assert len(data_url(noise, 20_000)[0]) < len(data_url(noise)[0])

    def test_stops_at_one_pixel(self):
        assert self.decoded(data_url(screenshot(64, 16), 1)[0])[1].height == 1

    @pytest.mark.parametrize("broken", [b"", b"GIF89a", screenshot()[:80]])
    def test_rejects_other_data(self, broken):
        with pytest.raises(OutputError, match="render the page again"):
            data_url(broken)
