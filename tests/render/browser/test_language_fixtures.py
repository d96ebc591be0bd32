"""Test the boxes of the pages in six languages: the position of each text follows from its style sheet, with any fonts.

`fixtures/*/boxes.json` has for each block the start of its text, the container (left edge and width, CSS px), and the
edge at which the text starts: the left edge, the right edge on a page that is read from right to left, or the center.
Blocks whose container is as wide as their text are not listed, because their width depends on the fonts."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from vclean.features.blocks import BlockColumns, extract_blocks
from vclean.page import Page
from vclean.render.browser.renderer import Renderer

pytestmark = pytest.mark.browser

FIXTURES = sorted((Path(__file__).parents[3] / "fixtures").glob("*/boxes.json"))
STEP = 1.5
"""Largest distance of letters from the edge of their line in CSS px."""


@pytest.fixture(scope="module", params=FIXTURES, ids=lambda path: path.parent.name)
def blocks_and_expected(request: pytest.FixtureRequest, renderer: Renderer) -> tuple[BlockColumns, list[dict]]:
    """Return the blocks of a page in the browser, and the expected values."""
    folder = request.param.parent
    page = Page(content=(folder / "page.html").read_bytes(), url="https://example.org/")
    return extract_blocks(renderer.render(page).snapshot), json.loads(request.param.read_text(encoding="utf-8"))


def edge(box: np.ndarray, side: str) -> float:
    """Return the x coordinate at which a reader starts: the left or right edge, or the center."""
    return float(box[0] + box[2] * {"left": 0, "centre": 0.5, "right": 1}[side])


class TestBoxes:
    def test_covers_six_languages(self) -> None:
        names = [path.parent.name for path in FIXTURES]
        assert names == ["arabic", "blog-czech", "chinese", "hindi", "japanese", "russian"]

    def test_paints_every_text(self, blocks_and_expected: tuple[BlockColumns, list[dict]]) -> None:
        blocks, _ = blocks_and_expected
        assert np.isfinite(blocks.box).all()
        assert (blocks.box[:, 2:] > 0).all()
        assert (blocks.box[:, :2] >= 0).all()
        assert (blocks.box[:, 0] + blocks.box[:, 2] <= blocks.snapshot.width).all()

    def test_containers_and_edges_match(self, blocks_and_expected: tuple[BlockColumns, list[dict]]) -> None:
        blocks, expected = blocks_and_expected
        assert len(expected) >= len(blocks) * 0.6
        index = 0
        for row in expected:
            index = next(i for i in range(index, len(blocks)) if blocks.text[i].startswith(row["begins"]))
            container = blocks.snapshot.box[blocks.node[index]]
            side, expected_edge = row["text"]
            assert container[[0, 2]].tolist() == pytest.approx(row["container"], abs=0.11), row
            assert edge(blocks.box[index], side) == pytest.approx(expected_edge, abs=STEP), row

    def test_blocks_of_a_column_do_not_overlap(self, blocks_and_expected: tuple[BlockColumns, list[dict]]) -> None:
        blocks, _ = blocks_and_expected
        for before, after in zip(range(len(blocks)), range(1, len(blocks)), strict=False):
            upper, lower = blocks.box[before], blocks.box[after]
            if min(upper[0] + upper[2], lower[0] + lower[2]) > max(upper[0], lower[0]) and lower[1] > upper[1]:
                assert lower[1] >= upper[1] + upper[3] - STEP, (blocks.text[before], blocks.text[after])
