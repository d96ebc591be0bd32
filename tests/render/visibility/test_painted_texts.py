from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vclean.render.snapshot import Hidden, Snapshot
from vclean.render.visibility import painting
from vclean.render.visibility.painted_texts import CandidateTexts, out_of_reach, unreadable, without_lines
from vclean.render.visibility.painting import points_in_boxes


def with_lines(page: Snapshot, *lines: tuple[float, float, float, float]) -> CandidateTexts:
    """Return the texts of a page, each with one of these lines."""
    return CandidateTexts(replace(page, line_box=np.array(lines, dtype=np.float32)))


class TestUnreadable:
    @pytest.mark.parametrize(
        ("line", "technique"),
        [
            ((8, 20, 160, 18), Hidden.NO),
            ((8, 20, 20, 2), Hidden.TRANSFORM),
            ((8, 20, 9, 18), Hidden.SPACING),
            ((8, 20, 18, 160), Hidden.NO),  # vertical writing
        ],
    )
    def test_by_the_line_of_a_text(self, line: tuple[float, float, float, float], technique: Hidden) -> None:
        assert unreadable(with_lines(laid_out("<p>Twenty little letters"), line)).tolist() == [technique]

    @pytest.mark.parametrize(
        ("turn", "technique"),
        [
            ("matrix3d(-1, 0, 0, 0, 0, 1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 1)", Hidden.TRANSFORM),
            ("matrix3d(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1)", Hidden.NO),
            ("matrix(-1, 0, 0, 1, 0, 0)", Hidden.NO),
        ],
    )
    def test_back_that_is_not_painted(self, turn: str, technique: Hidden) -> None:
        style = {"transform": turn, "backface-visibility": "hidden"}
        assert unreadable(CandidateTexts(laid_out("<p>A sentence", styles={"p": style}))).tolist() == [technique]

    def test_control_characters_have_a_line_and_no_length(self) -> None:
        page = replace(laid_out("<p>A sentence<p>Another"), texts=["A sentence", "\x1f"])
        assert unreadable(CandidateTexts(page)).tolist() == [0, 0]


@pytest.mark.parametrize(("size", "technique"), [("0px", Hidden.FONT_SIZE), ("16px", Hidden.TRANSFORM)])
def test_texts_without_lines_are_hidden_by_size(size: str, technique: Hidden) -> None:
    page = laid_out("<p>A sentence", styles={"p": {"font-size": size}})
    page = replace(page, line_box=page.line_box[:0], line_text=page.line_text[:0])
    assert without_lines(CandidateTexts(page)).tolist() == [technique]


class TestOutOfReach:
    @pytest.mark.parametrize(
        ("line", "hidden"),
        [
            ((-900, 20, 60, 16), True),
            ((8, -60, 60, 16), True),
            ((8, 20, 60, 16), False),
            ((1700, 20, 60, 16), True),
        ],
    )
    def test_one_line(self, line: tuple[float, float, float, float], *, hidden: bool) -> None:
        assert out_of_reach(with_lines(laid_out("<p>A sentence"), line)).tolist() == [Hidden.OFF_PAGE * hidden]

    @pytest.mark.parametrize(
        ("html", "overflow", "hidden"),
        [
            ("<p>A sentence", "visible", False),
            ("<p>A sentence", "hidden", True),
            ("<table><tr><td>A sentence</table>", "hidden", False),
        ],
    )
    def test_right_of_the_viewport(self, html: str, overflow: str, *, hidden: bool) -> None:
        page = replace(laid_out(html, styles={"body": {"overflow-x": overflow}}), width=3000.0)
        assert out_of_reach(with_lines(page, (900, 20, 60, 16))).tolist() == [Hidden.OFF_PAGE * hidden]

    def test_few_texts_far_below_the_others(self) -> None:
        page = replace(laid_out("<p>A sentence" * 3), height=9000.0)
        lines = [(8.0, 20.0, 60.0, 16.0), (8.0, 40.0, 60.0, 16.0), (8.0, 8000.0, 60.0, 16.0)]
        assert out_of_reach(with_lines(page, *lines)).tolist() == [0, 0, Hidden.OFF_PAGE]
        assert out_of_reach(with_lines(page, lines[0], *[lines[2]] * 2)).tolist() == [0, 0, 0]


class TestCandidateTexts:
    def test_hidden_texts_choices_and_texts_without_lines_are_none(self) -> None:
        page = laid_out("<p>One<p hidden>Two<select><option>Three</select><p> <b>Four</b> </p><p>Five")
        texts = CandidateTexts(replace(page, line_box=page.line_box[:-1], line_text=page.line_text[:-1]))
        assert [page.texts[text] for text in texts.index.tolist()] == ["One", "Four"]
        assert [page.texts[text] for text in texts.without_lines.tolist()] == ["Five"]


SIDES = st.integers(0, 6).map(float)
POINTS = st.integers(0, 8).flatmap(lambda number: arrays(np.float32, (number, 2), elements=SIDES))
BOXES = st.integers(0, 8).flatmap(lambda number: arrays(np.float32, (number, 4), elements=SIDES))


def pairs(points: np.ndarray, box: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs of box and point of all chunks, in order."""
    return [
        (int(box), int(point))
        for chunk in points_in_boxes(points, box)
        for point, box in zip(*chunk, strict=True)
    ]  # fmt: skip


def is_inside(point: np.ndarray, box: np.ndarray) -> bool:
    return bool(((box[:2] <= point) & (point < box[:2] + box[2:])).all())


class TestPointsInBoxes:
    @given(POINTS, BOXES, st.sampled_from([1, 3, 1000]))
    def test_compares_every_point_with_every_box(self, points: np.ndarray, box: np.ndarray, chunk: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(painting, "_MAX_PAIRS", chunk)
            found = pairs(points, box)
        expected = {(b, p) for b in range(len(box)) for p in range(len(points)) if is_inside(points[p], box[b])}
        assert set(found) == expected
        assert len(found) == len(expected)
        assert [b for b, _ in found] == sorted(b for b, _ in found)

    def test_chunks_are_small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(painting, "_MAX_PAIRS", 10)
        points, box = np.ones((5, 2), dtype=np.float32), np.tile(np.float32([0, 0, 2, 2]), (8, 1))
        assert [len(point) for point, _ in points_in_boxes(points, box)] == [10, 10, 10, 10]

    def test_left_and_top_edges_belong_to_a_box(self) -> None:
        points = np.array([[1, 1], [3, 1], [1, 3]], dtype=np.float32)
        assert pairs(points, np.array([[1, 1, 2, 2]], dtype=np.float32)) == [(0, 0)]
