from __future__ import annotations

import base64
import io
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from vclean.errors import OutputError
from vclean.labels import Label
from vclean.render.overlay import MAX_TITLE, PENS, Overlay, Rect, plan, text_width
from vclean.render.overlay_png import draw_png
from vclean.render.overlay_svg import draw_svg

H, P, L, C, O = Label.HEADING, Label.PARAGRAPH, Label.LIST_ITEM, Label.CONTINUATION, Label.OTHER  # noqa: E741
NAN = float("nan")
SVG = "{http://www.w3.org/2000/svg}"


def overlay(boxes, labels, *, probability=None, texts=None, hidden=None, lines=None, page_height=200):
    """An overlay whose lines of text fill its boxes unless they are given."""
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
    )


def picture(width=400, height=200, kind="PNG"):
    out = io.BytesIO()
    Image.new("RGB", (width, height), (250, 240, 230)).save(out, kind)
    return out.getvalue()


def opened(png):
    return Image.open(io.BytesIO(png)).convert("RGB")


def overlaps(a, b):
    return a.x < b.x + b.width and b.x < a.x + a.width and a.y < b.y + b.height and b.y < a.y + a.height


class TestPens:
    def test_every_label_has_one(self):
        assert list(PENS) == list(Label)

    def test_no_two_look_alike_without_colour(self):
        assert len({(pen.width, pen.dash) for pen in PENS.values()}) == len(Label)


class TestPlan:
    def test_frame_goes_round_the_text(self):
        (mark,) = plan(overlay([[20, 40.5, 100, 20]], [P]), 400, 200).marks
        assert mark.frame == Rect(18, 38, 104, 25)

    def test_frame_is_cut_to_the_picture(self):
        (mark,) = plan(overlay([[-50, 190, 500, 60]], [P]), 400, 200).marks
        assert mark.frame == Rect(0, 188, 400, 12)

    @pytest.mark.parametrize(
        "box",
        [[NAN] * 4, [10, 10, 0, 20], [10, 10, 20, 0], [500, 10, 20, 20], [10, 300, 20, 20], [-90, 10, 20, 20]],
        ids=["no box", "no width", "no height", "right of it", "below it", "left of it"],
    )
    def test_blocks_that_are_not_in_the_picture_are_skipped(self, box):
        assert plan(overlay([box], [P]), 400, 200).marks == []

    def test_hidden_blocks_are_counted_not_drawn(self):
        layout = plan(overlay([[10, 10, 50, 20]] * 2, [P, P], hidden=[True, False]), 400, 200)
        assert len(layout.marks) == 1
        assert "hidden, not drawn: 1" in [entry.text for entry in layout.legend]

    def test_legend_counts_every_label(self):
        layout = plan(overlay([[NAN] * 4] * 3, [H, P, P]), 400, 200)
        assert [entry.text for entry in layout.legend] == [
            "h heading: 1", "p paragraph: 2", "l list item: 0", "c continuation: 0", "o other, left out: 0",
        ]  # fmt: skip

    def test_cut_picture_is_told(self):
        layout = plan(overlay([[10, 10, 50, 20], [10, 900, 50, 20]], [P, P], page_height=1000.4), 400, 200)
        assert layout.legend[-1].text == "picture cut at 200 of 1000 px, blocks below: 1"

    def test_fraction_of_a_pixel_is_no_cut(self):
        layout = plan(overlay([], [], page_height=200.6), 400, 200)
        assert len(layout.legend) == len(Label)

    @pytest.mark.parametrize("width", [200, 400, 1366])
    def test_legend_stays_in_its_strip(self, width):
        layout = plan(overlay([], [], page_height=9999), width, 200)
        assert all(entry.y + 16 <= layout.strip for entry in layout.legend)
        assert all(entry.x + text_width(entry.text, 13) <= width or entry.x == 8 for entry in layout.legend)

    def test_narrow_picture_has_a_higher_strip(self):
        assert plan(overlay([], []), 200, 200).strip > plan(overlay([], []), 1366, 200).strip

    @pytest.mark.parametrize(
        ("probability", "caption"), [(0.934, "p .93"), (0.0, "p .00"), (1.0, "p 1.00"), (NAN, "p")]
    )
    def test_caption(self, probability, caption):
        (mark,) = plan(overlay([[20, 40, 99, 20]], [P], probability=[probability]), 400, 200).marks
        assert mark.caption == caption

    def test_title_holds_the_text_up_to_a_length(self):
        (mark,) = plan(overlay([[20, 40, 99, 20]], [P], texts=["x" * 1000]), 400, 200).marks
        assert mark.title == "p .93: " + "x" * (MAX_TITLE - 1) + "…"

    def test_content_is_drawn_over_the_rest(self):
        """Marks are drawn from the last to the first."""
        layout = plan(overlay([[20, 40, 99, 20]] * 3, [O, P, O]), 400, 200)
        assert [mark.label for mark in layout.marks] == [P, O, O]


class TestTags:
    def test_above_the_block(self):
        (mark,) = plan(overlay([[50, 60, 100, 20]], [P]), 400, 200).marks
        assert (mark.tag.x, mark.tag.y + mark.tag.height) == (mark.frame.x, mark.frame.y)

    def test_beside_it_at_the_top_of_the_page(self):
        (mark,) = plan(overlay([[100, 0, 100, 20]], [P]), 400, 200).marks
        assert mark.tag.x == mark.frame.x + mark.frame.width

    def test_left_of_it_where_the_right_is_taken(self):
        """The right comes first: on the left stand the markers of lists."""
        lines = [[100, 0, 100, 20], [204, 0, 100, 20]]
        first, second = plan(overlay(lines, [P, P]), 400, 200).marks
        assert first.tag.x + first.tag.width == first.frame.x
        assert second.tag.x == second.frame.x + second.frame.width

    def test_below_it_in_a_crowded_line(self):
        lines = [[0, 0, 400, 40], [0, 40, 100, 20], [104, 40, 100, 20], [208, 40, 192, 20]]
        mark = plan(overlay([lines[2]], [P], lines=lines), 400, 200).marks[0]
        assert mark.tag.y == mark.frame.y + mark.frame.height

    def test_keeps_off_text_and_other_tags(self):
        lines = [[60, 20 * row + 2, 200, 16] for row in range(1, 9)]
        marks = plan(overlay(lines, [P] * 8), 400, 200).marks
        shrunk = [Rect(x + 4, y + 4, w - 8, h - 8) for x, y, w, h in lines]
        assert not any(overlaps(mark.tag, line) for mark in marks for line in shrunk)
        assert not any(overlaps(a.tag, b.tag) for a in marks for b in marks if a is not b)

    def test_content_has_one_even_where_all_is_text(self):
        (mark,) = plan(overlay([[50, 60, 100, 20]], [P], lines=[[0, 0, 400, 200]]), 400, 200).marks
        assert mark.tag is not None

    def test_the_rest_has_none_where_it_would_cover_text(self):
        (mark,) = plan(overlay([[50, 60, 100, 20]], [O], lines=[[0, 0, 400, 200]]), 400, 200).marks
        assert mark.tag is None

    def test_none_where_the_picture_is_too_small(self):
        (mark,) = plan(overlay([[0, 0, 8, 8]], [P]), 10, 10).marks
        assert mark.tag is None


class TestDrawPng:
    def test_picture_lies_under_the_legend(self):
        content = overlay([], [])
        strip = plan(content, 400, 200).strip
        drawn = opened(draw_png(picture(), content))
        assert drawn.size == (400, strip + 200)
        assert drawn.getpixel((200, strip - 2)) == (255, 255, 255)
        assert drawn.getpixel((200, strip - 1)) == (176, 176, 176)
        assert drawn.getpixel((200, strip)) == (250, 240, 230)

    @pytest.mark.parametrize("label", list(Label))
    def test_frame_has_the_colour_of_the_label(self, label):
        content = overlay([[50, 60, 100, 40]], [label])
        strip = plan(content, 400, 200).strip
        assert opened(draw_png(picture(), content)).getpixel((48, strip + 58)) == PENS[label].colour

    def test_strokes_differ(self):
        """The top border of a solid frame has one colour, of a dashed one two or more."""

        def border(label):
            content = overlay([[50, 60, 100, 40]], [label])
            y = plan(content, 400, 200).strip + 58
            drawn = opened(draw_png(picture(), content))
            return {drawn.getpixel((x, y)) for x in range(48, 150)}

        assert [len(border(label)) > 1 for label in (H, P, L, C, O)] == [False, False, True, True, True]

    def test_boilerplate_has_no_fill(self):
        content = overlay([[50, 60, 100, 40]], [O])
        strip = plan(content, 400, 200).strip
        assert opened(draw_png(picture(), content)).getpixel((100, strip + 80)) == (250, 240, 230)

    def test_text_under_a_content_block_shows_through(self):
        content = overlay([[50, 60, 100, 40]], [P])
        strip = plan(content, 400, 200).strip
        red, green, blue = opened(draw_png(picture(), content)).getpixel((100, strip + 80))
        assert (red, green, blue) != (250, 240, 230)
        assert min(red, green, blue) > 200

    def test_jpeg(self):
        assert opened(draw_png(picture(kind="JPEG"), overlay([], []))).width == 400

    def test_same_bytes_twice(self):
        content = overlay([[50, 60, 100, 40], [50, 110, 200, 40]], [P, L])
        assert draw_png(picture(), content) == draw_png(picture(), content)

    def test_long_page(self):
        content = overlay([[10, 16000, 50, 20]], [P], page_height=16384)
        drawn = opened(draw_png(picture(60, 16384), content))
        assert drawn.height == plan(content, 60, 16384).strip + 16384

    @pytest.mark.parametrize("broken", [b"", b"no picture", b"GIF89a"])
    def test_no_picture(self, broken):
        with pytest.raises(OutputError, match="cannot be read; render"):
            draw_png(broken, overlay([], []))

    def test_truncated_picture(self):
        with pytest.raises(OutputError, match="cannot be read; render"):
            draw_png(picture()[:100], overlay([], []))


class TestDrawSvg:
    def drawn(self, content):
        return ElementTree.fromstring(draw_svg(picture(), content))

    def test_holds_the_picture(self):
        (image,) = self.drawn(overlay([], [])).iter(SVG + "image")
        head, _, data = image.get("href").partition(",")
        assert head == "data:image/png;base64"
        assert base64.b64decode(data) == picture()

    def test_media_type_of_a_jpeg(self):
        assert 'href="data:image/jpeg;base64,' in draw_svg(picture(kind="JPEG"), overlay([], []))

    def test_picture_lies_under_the_legend(self):
        content = overlay([], [])
        root, strip = self.drawn(content), plan(content, 400, 200).strip
        assert root.get("viewBox") == f"0 0 400 {200 + strip}"
        assert root.findall(f"{SVG}g")[-1].get("transform") == f"translate(0 {strip})"

    def test_frame_and_title_of_a_block(self):
        root = self.drawn(overlay([[50, 60, 100, 40]], [P], texts=["A & <b>"]))
        group = next(group for group in root.iter(SVG + "g") if group.find(SVG + "title") is not None)
        assert group.get("class") == "p"
        assert group.find(SVG + "title").text == "p .93: A & <b>"
        assert dict(group.find(SVG + "rect").items()) == {
            "class": "frame", "x": "48", "y": "58", "width": "104", "height": "44",
        }  # fmt: skip

    def test_characters_that_xml_does_not_allow(self):
        root = self.drawn(overlay([[50, 60, 100, 40]], [P], texts=["a\x00\ud800b"]))
        assert next(root.iter(SVG + "title")).text == "p .93: a  b"

    def test_legend_has_a_sample_per_label(self):
        root = self.drawn(overlay([], []))
        samples = [g.get("class") for g in root.findall(SVG + "g") if g.find(SVG + "rect") is not None]
        assert samples == [str(label) for label in Label]

    def test_style_sheet_has_every_label(self):
        sheet = next(self.drawn(overlay([], [])).iter(SVG + "style")).text
        assert ".h .frame{stroke:#d55e00;stroke-width:3;stroke-dasharray:none" in sheet
        assert ".l .frame{stroke:#009e73;stroke-width:2;stroke-dasharray:8 4" in sheet

    def test_no_tag_where_it_would_cover_text(self):
        root = self.drawn(overlay([[50, 60, 100, 20]], [O], lines=[[0, 0, 400, 200]]))
        assert not [text for text in root.iter(SVG + "text") if text.get("class") == "tag"]

    def test_same_text_twice(self):
        content = overlay([[50, 60, 100, 40]], [P])
        assert draw_svg(picture(), content) == draw_svg(picture(), content)

    def test_no_picture(self):
        with pytest.raises(OutputError, match="cannot be read"):
            draw_svg(b"", overlay([], []))
