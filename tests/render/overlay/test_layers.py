from __future__ import annotations

import base64
import io
import itertools
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from vclean.errors import OutputError
from vclean.labels import Label, Role
from vclean.render.overlay import draw
from vclean.render.overlay import draw as overlay_png
from vclean.render.overlay.layers import (
    HIDDEN,
    LINE,
    PENS,
    ROLE_PENS,
    Overlay,
    Part,
    Rect,
    TagPlacer,
    block_layer,
    collect_pens,
    hidden_layer,
    lay_out_legend,
    line_layer,
    part_layer,
)

H, P, L, C, O = Label.HEADING, Label.PARAGRAPH, Label.LIST_ITEM, Label.CONTINUATION, Label.OTHER  # noqa: E741
NAN = float("nan")
SVG = "{http://www.w3.org/2000/svg}"


def overlay(boxes, labels, *, probability=None, texts=None, hidden=None, lines=None, page_height=200, roles=()):
    """Return an overlay; by default, its lines of text fill its boxes."""
    count = len(boxes)
    box = np.array(boxes, dtype=np.float32).reshape(-1, 4)
    return Overlay(
        box=box,
        labels=labels,
        probability=np.array([0.93] * count if probability is None else probability, dtype=np.float32),
        texts=texts or [f"text {row}" for row in range(count)],
        hidden=np.array(hidden or [False] * count, dtype=bool),
        lines=box if lines is None else np.array(lines, dtype=np.float32).reshape(-1, 4),
        page_height=page_height,
        roles=roles,
    )


def layer(content, width=400, height=200):
    return block_layer(content, TagPlacer(width, height))


def only_mark(content, width=400, height=200):
    (mark,) = layer(content, width, height).marks
    return mark


def strip_of(content, width=400, height=200):
    return lay_out_legend([layer(content, width, height)], width)[1]


def draw_png(image, content):
    return overlay_png.draw_png(image, [block_layer(content, TagPlacer(*overlay_png.open_screenshot(image).size))])


def draw_svg(image, content):
    return draw.draw_svg(image, [block_layer(content, TagPlacer(*overlay_png.open_screenshot(image).size))])


def screenshot(width=400, height=200, kind="PNG"):
    out = io.BytesIO()
    Image.new("RGB", (width, height), (250, 240, 230)).save(out, kind)
    return out.getvalue()


def opened(png):
    return Image.open(io.BytesIO(png)).convert("RGB")


def overlaps(a, b):
    return a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height


class TestPens:
    def test_covers_every_label(self):
        assert list(PENS) == list(Label)

    def test_differs_without_color(self):
        assert len({(pen.width, pen.dash) for pen in PENS.values()}) == len(Label)

    def test_covers_every_role(self):
        assert set(ROLE_PENS) == {*Role, "none"}

    def test_differs_between_roles(self):
        assert len({(pen.color, pen.dash) for pen in ROLE_PENS.values()}) == len(ROLE_PENS)

    def test_draws_content_roles_solid_and_tinted(self):
        assert all((not pen.dash) == bool(pen.fill) for pen in ROLE_PENS.values())
        assert [role for role in Role if not ROLE_PENS[role].dash] == [role for role in Role if role.is_content]


class TestBlockLayer:
    @pytest.mark.parametrize(
        "box",
        [[NAN] * 4, [10, 10, 0, 20], [10, 10, 20, 0], [500, 10, 20, 20], [10, 300, 20, 20], [-90, 10, 20, 20]],
        ids=["no box", "no width", "no height", "right of it", "below it", "left of it"],
    )
    def test_skips_blocks_outside_the_screenshot(self, box):
        assert layer(overlay([box], [P])).marks == []

    def test_counts_hidden_blocks_without_drawing(self):
        layout = layer(overlay([[10, 10, 50, 20]] * 2, [P, P], hidden=[True, False]))
        assert len(layout.marks) == 1
        assert (None, "hidden blocks: 1") in layout.entries

    def test_hidden_layer_tags_techniques(self):
        boxes = [[10, 10, 50, 20], [10, 50, 50, 20], [NAN] * 4]
        content = replace(overlay(boxes, [P] * 3, hidden=[False, True, True]), techniques=["", "color", "display"])
        layout = hidden_layer(content, TagPlacer(400, 200))
        assert [(mark.pen, mark.caption) for mark in layout.marks] == [(HIDDEN, "color")]
        assert layout.entries == [(HIDDEN, "hidden text with a box: 1")]

    def test_part_layer_frames_and_counts_parts(self):
        boxes = {"title": (10, 10, 50, 20), "post": (10, 50, 300, 60), "date": (20, 60, 40, 10), "item": (0, 900, 9, 9)}
        parts = [Part(kind=kind, box=box, text=f"the {kind}") for kind, box in boxes.items()]
        layout = part_layer([*parts, Part(kind="post", box=(10, 120, 300, 60), text="")], TagPlacer(400, 200))
        assert [mark.caption for mark in layout.marks] == ["title", "post", "date", "post"]
        assert layout.marks[0].frame == Rect(6, 6, 58, 28)
        assert layout.marks[0].title == "title: the title"
        assert layout.entries == [("title", "title of the page: 1"), ("date", "date: 1"), ("post", "post: 2")]

    def test_notes_truncated_screenshot(self):
        layout = layer(overlay([[10, 10, 50, 20], [10, 900, 50, 20]], [P, P], page_height=1000.4))
        assert layout.entries[-1] == (None, "picture cut at 200 of 1000 px, blocks below: 1")

    def test_uses_pens_and_captions_of_roles(self):
        content = overlay([[20, 40, 99, 20], [20, 80, 99, 20]], [P, O], roles=[Role.ARTICLE, None])
        layout = layer(content)
        assert {mark.pen: mark.caption for mark in layout.marks} == {"article": "article .93", "none": "none .93"}
        assert layout.entries == [("article", "article: 1"), ("none", "no role: 1")]
        assert layout.pens is ROLE_PENS


class TestTake:
    def test_keeps_only_the_given_blocks(self):
        content = overlay([[20, 40, 99, 20], [20, 80, 99, 20]], [P, O], hidden=[False, True], roles=[None, Role.AD])
        taken = content.take([0])
        assert (taken.labels, taken.texts, taken.roles) == ([P], ["text 0"], [None])
        assert layer(taken).entries == [("none", "no role: 1")]


class TestLineLayer:
    def test_draws_each_line_in_the_screenshot(self):
        lines = np.array([[20, 40, 99, 16], [20, 900, 99, 16], [NAN] * 4], dtype=np.float32)
        layout = line_layer(lines, TagPlacer(400, 200))
        assert [mark.frame for mark in layout.marks] == [Rect(20, 40, 99, 16)]
        assert layout.entries == [(LINE, "lines of text: 1")]


class TestLayOutLegend:
    def test_has_no_strip_without_entries(self):
        assert lay_out_legend([], 400) == ([], 0)


class TestCollectPens:
    def test_includes_all_layers(self):
        layers = [layer(overlay([], [])), line_layer(np.zeros((0, 4), dtype=np.float32), TagPlacer(9, 9))]
        assert set(collect_pens(layers)) == {*Label, LINE}


class TestTags:
    def test_are_above_the_block(self):
        mark = only_mark(overlay([[50, 60, 100, 20]], [P]))
        assert (mark.tag.x, mark.tag.y + mark.tag.height) == (mark.frame.x, mark.frame.y)

    def test_are_on_the_left_if_the_right_is_occupied(self):
        # The right side is preferred, because markers of lists are on the left.
        lines = [[100, 0, 100, 20], [204, 0, 100, 20]]
        second, first = layer(overlay(lines, [P, P])).marks
        assert first.tag.x + first.tag.width == first.frame.x
        assert second.tag.x == second.frame.x + second.frame.width

    def test_do_not_cover_text_and_other_tags(self):
        lines = [[60, 20 * row + 2, 200, 16] for row in range(1, 9)]
        marks = layer(overlay(lines, [P] * 8)).marks
        shrunk = [Rect(x + 4, y + 4, w - 8, h - 8) for x, y, w, h in lines]
        assert not any(overlaps(mark.tag, line) for mark in marks for line in shrunk)
        assert not any(overlaps(a.tag, b.tag) for a in marks for b in marks if a is not b)

    def test_do_not_cover_each_other_in_a_dense_bar(self):
        boxes = [[6 * column, 20 * row, 6, 20] for row in range(4) for column in range(60)]
        marks = layer(overlay(boxes, [P] * len(boxes), lines=[[0, 0, 400, 200]])).marks
        tags = [mark.tag for mark in marks if mark.tag is not None]
        assert len(tags) > 10
        assert not any(overlaps(a, b) for a, b in itertools.combinations(tags, 2))

    def test_are_omitted_for_other_blocks_over_text(self):
        mark = only_mark(overlay([[50, 60, 100, 20]], [O], lines=[[0, 0, 400, 200]]))
        assert mark.tag is None


class TestDrawPng:
    @pytest.mark.parametrize("label", list(Label))
    def test_draws_frame_in_the_color_of_the_label(self, label):
        content = overlay([[50, 60, 100, 40]], [label])
        strip = strip_of(content)
        assert opened(draw_png(screenshot(), content)).getpixel((48, strip + 58)) == PENS[label].color

    def test_draws_different_strokes(self):
        # The top border of a solid frame has one color, that of a dashed frame two or more.
        def border(label):
            content = overlay([[50, 60, 100, 40]], [label])
            y = strip_of(content) + 58
            drawn = opened(draw_png(screenshot(), content))
            return {drawn.getpixel((x, y)) for x in range(48, 150)}

        assert [len(border(label)) > 1 for label in (H, P, L, C, O)] == [False, False, True, True, True]

    def test_is_deterministic(self):
        content = overlay([[50, 60, 100, 40], [50, 110, 200, 40]], [P, L])
        assert draw_png(screenshot(), content) == draw_png(screenshot(), content)

    @pytest.mark.parametrize("broken", [b"", b"no screenshot", b"GIF89a"])
    def test_rejects_other_data(self, broken):
        with pytest.raises(OutputError, match="cannot be read; render"):
            draw_png(broken, overlay([], []))

    def test_rejects_truncated_screenshot(self):
        with pytest.raises(OutputError, match="cannot be read; render"):
            draw_png(screenshot()[:100], overlay([], []))


class TestDrawSvg:
    def drawn(self, content):
        return ElementTree.fromstring(draw_svg(screenshot(), content))

    def test_contains_the_screenshot(self):
        (image,) = self.drawn(overlay([], [])).iter(SVG + "image")
        head, _, data = image.get("href").partition(",")
        assert head == "data:image/png;base64"
        assert base64.b64decode(data) == screenshot()

    def test_draws_frame_and_title(self):
        root = self.drawn(overlay([[50, 60, 100, 40]], [P], texts=["A & <b>"]))
        group = next(group for group in root.iter(SVG + "g") if group.find(SVG + "title") is not None)
        assert group.get("class") == "p"
        assert group.find(SVG + "title").text == "p .93: A & <b>"
        assert dict(group.find(SVG + "rect").items()) == {
            "class": "frame", "x": "48", "y": "58", "width": "104", "height": "44",
        }  # fmt: skip

    def test_replaces_characters_that_xml_forbids(self):
        root = self.drawn(overlay([[50, 60, 100, 40]], [P], texts=["a\x00\ud800b"]))
        assert next(root.iter(SVG + "title")).text == "p .93: a  b"

    def test_has_style_rules_for_every_label(self):
        sheet = next(self.drawn(overlay([], [])).iter(SVG + "style")).text
        assert ".h .frame{stroke:#d55e00;stroke-width:3;stroke-dasharray:none" in sheet
        assert ".l .frame{stroke:#009e73;stroke-width:2;stroke-dasharray:8 4" in sheet

    def test_is_deterministic_svg(self):
        content = overlay([[50, 60, 100, 40]], [P])
        assert draw_svg(screenshot(), content) == draw_svg(screenshot(), content)

    def test_rejects_other_data(self):
        with pytest.raises(OutputError, match="cannot be read"):
            draw_svg(b"", overlay([], []))
