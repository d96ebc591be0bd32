from dataclasses import replace

import numpy as np
from helpers.pages import laid_out

from vclean.features.visibility.candidate_texts import CandidateTexts
from vclean.render.snapshot import Snapshot


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
