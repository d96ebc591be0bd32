"""Test the layers of a drawing, and the images that show them."""

from __future__ import annotations

import base64
import io
import itertools
from xml.etree import ElementTree

import numpy as np
import pytest
from helpers.page_records import screenshot
from PIL import Image

from vclean.errors import OutputError
from vclean.labels import Label, Role
from vclean.render.overlay import draw
from vclean.render.overlay.layers import (
    HIDDEN,
    LINE,
    PENS,
    ROLE_PENS,
    Rect,
    TagPlacer,
    block_layer,
    collect_pens,
    hidden_layer,
    lay_out_legend,
    line_layer,
    part_layer,
    segment_layer,
    separator_layer,
)

H, P, L, C, O = Label.HEADING, Label.PARAGRAPH, Label.LIST_ITEM, Label.CONTINUATION, Label.OTHER  # noqa: E741
NAN = float("nan")
SVG = "{http://www.w3.org/2000/svg}"
SCREENSHOT = screenshot(400, 200)


def block(box, label=P, **facts):
    default = {"role": None, "text": "text", "probability": 0.93, "visibility": "shown", "technique": ""}
    return {"box": box, "label": label} | default | facts


def layer(*blocks, lines=None, page_height=200, by="label"):
    """Return a layer of blocks; by default, their lines of text fill their boxes."""
    boxes = np.array([each["box"] for each in blocks] if lines is None else lines, dtype=np.float32).reshape(-1, 4)
    return block_layer(blocks, TagPlacer(400, 200), lines=boxes, page_height=page_height, by=by)


def pixels(layout):
    """Return the PNG of a layer, and the height of the legend above the screenshot."""
    return Image.open(io.BytesIO(draw.draw_png(SCREENSHOT, [layout]))), lay_out_legend([layout], 400)[1]


def svg_of(*layers):
    return ElementTree.fromstring(draw.draw_svg(SCREENSHOT, layers))


def overlaps(a, b):
    return a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height


class TestPens:
    def test_differ_without_color(self):
        assert list(PENS) == list(Label)
        assert len({(pen.width, pen.dash) for pen in PENS.values()}) == len(Label)

    def test_of_content_roles_are_solid_and_tinted(self):
        assert set(ROLE_PENS) == {*Role, "none"}
        assert len({(pen.color, pen.dash) for pen in ROLE_PENS.values()}) == len(ROLE_PENS)
        assert all((not pen.dash) == bool(pen.fill) for pen in ROLE_PENS.values())
        assert [role for role in Role if not ROLE_PENS[role].dash] == [role for role in Role if role.is_content]

    def test_of_all_layers_are_collected(self):
        layers = [layer(), line_layer(np.zeros((0, 4), dtype=np.float32), TagPlacer(9, 9))]
        assert set(collect_pens(layers)) == {*Label, LINE}


class TestBlockLayer:
    @pytest.mark.parametrize(
        "box",
        [None, [NAN] * 4, [10, 10, 0, 20], [10, 10, 20, 0], [500, 10, 20, 20], [10, 300, 20, 20], [-90, 10, 20, 20]],
        ids=["no box", "unknown", "no width", "no height", "right of it", "below it", "left of it"],
    )
    def test_skips_blocks_outside_the_screenshot(self, box):
        assert layer(block(box), lines=[]).marks == []

    def test_counts_hidden_blocks_without_drawing(self):
        layout = layer(block([10, 10, 50, 20], visibility="hidden"), block([10, 10, 50, 20]))
        assert len(layout.marks) == 1
        assert layout.entries == [("p", "p paragraph: 2"), (None, "hidden blocks: 1")]

    def test_notes_truncated_screenshot(self):
        layout = layer(block([10, 10, 50, 20]), block([10, 900, 50, 20]), page_height=1000.4)
        assert layout.entries[-1] == (None, "picture cut at 200 of 1000 px, blocks below: 1")

    def test_uses_pens_and_captions_of_roles(self):
        blocks = [block([20, 40, 99, 20], role=Role.ARTICLE), block([20, 80, 99, 20], O, probability=NAN)]
        layout = layer(*blocks, by="role")
        assert {mark.pen: mark.caption for mark in layout.marks} == {"article": "article .93", "none": "none"}
        assert layout.entries == [("article", "article: 1"), ("none", "no role: 1")]
        assert layout.pens is ROLE_PENS


def test_hidden_layer_tags_techniques():
    hidden = {"visibility": "hidden", "technique": "color"}
    blocks = [block([10, 10, 50, 20]), block([10, 50, 50, 20], **hidden), block(None, visibility="revealable")]
    layout = hidden_layer(blocks, TagPlacer(400, 200))
    assert [(mark.pen, mark.caption) for mark in layout.marks] == [(HIDDEN, "color")]
    assert layout.entries == [(HIDDEN, "hidden text with a box: 1")]


def test_part_layer_frames_and_counts_parts():
    boxes = {"title": (10, 10, 50, 20), "post": (10, 50, 300, 60), "date": (20, 60, 40, 10), "item": (0, 900, 9, 9)}
    parts = [{"kind": kind, "box": box, "text": f"the {kind}"} for kind, box in boxes.items()]
    parts.append({"kind": "post", "box": (10, 120, 300, 60), "text": ""})
    layout = part_layer(parts, TagPlacer(400, 200))
    assert [mark.caption for mark in layout.marks] == ["title", "post", "date", "post"]
    assert (layout.marks[0].frame, layout.marks[0].title) == (Rect(6, 6, 58, 28), "title: the title")
    assert layout.entries == [("title", "title of the page: 1"), ("date", "date: 1"), ("post", "post: 2")]


def test_line_layer_draws_each_line_in_the_screenshot():
    lines = np.array([[20, 40, 99, 16], [20, 900, 99, 16], [NAN] * 4], dtype=np.float32)
    layout = line_layer(lines, TagPlacer(400, 200))
    assert [mark.frame for mark in layout.marks] == [Rect(20, 40, 99, 16)]
    assert layout.entries == [(LINE, "lines of text: 1")]


def test_no_entries_need_no_legend():
    assert lay_out_legend([], 400) == ([], 0)


class TestTags:
    def test_are_on_the_left_if_the_right_is_occupied(self):
        # The right side is preferred, because markers of lists are on the left.
        second, first = layer(block([100, 0, 100, 20]), block([204, 0, 100, 20])).marks
        assert first.tag.x + first.tag.width == first.frame.x
        assert second.tag.x == second.frame.x + second.frame.width

    def test_do_not_cover_text_and_other_tags(self):
        lines = [[60, 20 * row + 2, 200, 16] for row in range(1, 9)]
        marks = layer(*map(block, lines)).marks
        shrunk = [Rect(x + 4, y + 4, w - 8, h - 8) for x, y, w, h in lines]
        assert not any(overlaps(mark.tag, line) for mark in marks for line in shrunk)
        assert not any(overlaps(a.tag, b.tag) for a in marks for b in marks if a is not b)

    def test_do_not_cover_each_other_in_a_dense_bar(self):
        boxes = [[6 * column, 20 * row, 6, 20] for row in range(4) for column in range(60)]
        marks = layer(*map(block, boxes), lines=[[0, 0, 400, 200]]).marks
        tags = [mark.tag for mark in marks if mark.tag is not None]
        assert len(tags) > 10
        assert not any(overlaps(a, b) for a, b in itertools.combinations(tags, 2))

    def test_are_omitted_for_other_blocks_over_text(self):
        (mark,) = layer(block([50, 60, 100, 20], O), lines=[[0, 0, 400, 200]]).marks
        assert mark.tag is None


PAGE, OUTER, FIRST, SECOND = [0, 0, 400, 200], [20, 20, 300, 150], [20, 20, 300, 60], [20, 110, 300, 60]


def tree(*boxes, level=(0, 1, 2, 2), parent=(-1, 0, 1, 1)):
    """Return a page with a segment of two parts, or with these boxes."""
    rows = zip(boxes or (PAGE, OUTER, FIRST, SECOND), level, parent, itertools.count(1), strict=False)
    names = ("box", "level", "parent", "coherence")
    return [dict(zip(names, row, strict=True)) | {"text": "<b>&\x00"} for row in rows]


class TestSegmentLayers:
    def segments(self, content, page_height=200):
        return segment_layer(content, TagPlacer(400, 200), page_height=page_height)

    def separators(self, *boxes):
        return separator_layer([{"box": box, "weight": 7} for box in boxes], TagPlacer(400, 200))

    def test_count_segments_and_escape_texts(self):
        layout = self.segments(tree())
        assert [text for _, text in layout.entries] == ["level 1: 1", "level 2: 2"]
        titles = [title.text for title in svg_of(layout).iter(f"{SVG}title")]
        assert titles[-1].startswith("3 DoC 4: <b>&")

    def test_share_last_pen_for_deep_levels(self):
        layout = self.segments(tree(PAGE, FIRST, level=(0, 9)))
        assert layout.marks[0].pen == "level4"
        assert layout.entries[0][1] == "level 5 and deeper: 1"

    def test_count_segments_below_the_screenshot(self):
        content = tree(PAGE, FIRST, [0, 900, 50, 50], level=(0, 1, 1), parent=(-1, 0, 0))
        layout = self.segments(content, page_height=999)
        assert len(layout.marks) == 1
        assert layout.entries[-1][1] == "picture cut at 200 of 999 px, segments below: 1"

    def test_draw_band(self):
        layout = self.separators([20, 80, 300, 30])
        (band,) = layout.marks
        assert (band.frame, band.caption, band.title) == (Rect(20, 80, 300, 30), "7", "separator of weight 7")
        assert [text for _, text in layout.entries] == ["separators with their weights: 1"]

    @pytest.mark.parametrize(("box", "frame"), [([0, 80, 300, 0], (300, 2)), ([50, 0, 0.5, 200], (2, 200))])
    def test_draw_thin_bands_without_number(self, box, frame):
        (band,) = self.separators(box).marks
        assert (band.frame.width, band.frame.height) == frame
        assert band.tag is None

    def test_skip_separators_below_the_screenshot(self):
        assert self.separators([0, 900, 50, 5]).marks == []


class TestDrawPng:
    @pytest.mark.parametrize("label", list(Label))
    def test_draws_frame_in_the_color_of_the_label(self, label):
        # The top border of a solid frame has one color, that of a dashed frame two or more.
        image, strip = pixels(layer(block([50, 60, 100, 40], label)))
        assert image.getpixel((48, strip + 58)) == PENS[label].color
        border = {image.getpixel((x, strip + 58)) for x in range(48, 150)}
        assert (len(border) > 1) == bool(PENS[label].dash)


@pytest.mark.parametrize("draw_image", [draw.draw_png, draw.draw_svg])
class TestDraw:
    def test_is_deterministic(self, draw_image):
        layers = [
            layer(block([50, 60, 100, 40]), block([50, 110, 200, 40], L)),
            segment_layer(tree(), TagPlacer(400, 200), page_height=200),
            line_layer(np.array([[20, 40, 99, 16]], dtype=np.float32), TagPlacer(400, 200)),  # without tags
        ]
        assert draw_image(SCREENSHOT, layers) == draw_image(SCREENSHOT, layers)

    @pytest.mark.parametrize("broken", [b"", b"no screenshot", b"GIF89a"])
    def test_rejects_other_data(self, draw_image, broken):
        with pytest.raises(OutputError, match="cannot be read; render"):
            draw_image(broken, [])


def test_png_rejects_truncated_screenshot():
    with pytest.raises(OutputError, match="cannot be read; render"):
        draw.draw_png(SCREENSHOT[:100], [])


class TestDrawSvg:
    def test_contains_the_screenshot(self):
        (image,) = svg_of().iter(SVG + "image")
        head, _, data = image.get("href").partition(",")
        assert head == "data:image/png;base64"
        assert base64.b64decode(data) == SCREENSHOT

    @pytest.mark.parametrize(("text", "title"), [("A & <b>", "p .93: A & <b>"), ("a\x00\ud800b", "p .93: a  b")])
    def test_draws_frame_tag_and_title(self, text, title):
        root = svg_of(layer(block([50, 60, 100, 40], text=text)))
        group = next(group for group in root.iter(SVG + "g") if group.find(SVG + "title") is not None)
        assert (group.get("class"), group.find(SVG + "title").text) == ("p", title)
        frame, tab = (dict(rect.items()) for rect in group.iter(SVG + "rect"))
        assert frame == {"class": "frame", "x": "48", "y": "58", "width": "104", "height": "44"}
        assert tab == {"class": "tab", "x": "48", "y": "45", "width": "34", "height": "13"}
        (tag,) = group.iter(SVG + "text")
        assert (dict(tag.items()), tag.text) == ({"class": "tag", "x": "65", "y": "55"}, "p .93")

    def test_has_style_rules_for_every_label(self):
        sheet = next(svg_of(layer()).iter(SVG + "style")).text
        assert ".h .frame{stroke:#d55e00;stroke-width:3;stroke-dasharray:none;fill:#d55e00;fill-opacity:0.1}" in sheet
        assert ".l .frame{stroke:#009e73;stroke-width:2;stroke-dasharray:8 4" in sheet
        assert ".o .tab{fill:#ffffffeb}\n.o .tag{fill:#5f5f5f}" in sheet
