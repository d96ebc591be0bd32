from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out

from vclean.render.snapshot import Hidden, Snapshot
from vclean.render.visibility.geometry import CandidateTexts, out_of_reach, unreadable, without_lines


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
        page = laid_out("<p>A sentence<p>Another")
        page = replace(page, texts=["A sentence", "\x1f"])
        assert unreadable(CandidateTexts(page)).tolist() == [0, 0]


class TestWithoutLines:
    @pytest.mark.parametrize(("size", "technique"), [("0px", Hidden.FONT_SIZE), ("16px", Hidden.TRANSFORM)])
    def test_by_the_font_size(self, size: str, technique: Hidden) -> None:
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


def candidates(page: Snapshot) -> list[str]:
    return [page.texts[text] for text in CandidateTexts(page).index.tolist()]


class TestCandidates:
    def test_hidden_texts_and_choices_are_none(self) -> None:
        page = laid_out("<p>One<p hidden>Two<select><option>Three</select><p> <b>Four</b> </p>")
        assert candidates(page) == ["One", "Four"]

    def test_texts_without_lines(self) -> None:
        page = laid_out("<p>One<p>Two")
        page = replace(page, line_box=page.line_box[:1], line_text=page.line_text[:1])
        assert candidates(page) == ["One"]
        assert [page.texts[text] for text in CandidateTexts(page).without_lines.tolist()] == ["Two"]


class TestLines:
    def page(self) -> Snapshot:
        """Return a page whose second text has two lines."""
        lines = [[8, 20, 24, 16], [8, 40, 30, 16], [8, 60, 90, 16]]
        page = laid_out("<p>One<p>Two and more")
        text = page.line_text[[0, 1, 1]]
        return replace(page, line_box=np.array(lines, dtype=np.float32), line_text=text)

    def test_lines_of_one(self) -> None:
        assert CandidateTexts(self.page()).lines(1).tolist() == [[8, 40, 30, 16], [8, 60, 90, 16]]

    def test_largest_line(self) -> None:
        texts = CandidateTexts(self.page())
        assert texts.largest_line.tolist() == [[8, 20, 24, 16], [8, 60, 90, 16]]
        assert texts.center.tolist() == [[20, 28], [53, 68]]

    def test_union_and_extent(self) -> None:
        texts = CandidateTexts(self.page())
        assert texts.box.tolist() == [[8, 20, 24, 16], [8, 40, 90, 36]]
        assert texts.extent.tolist() == [24, 120]
        assert texts.length.tolist() == [3, 12]
