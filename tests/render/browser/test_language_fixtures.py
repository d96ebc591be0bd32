"""Boxes of the pages in six languages: each text stands where its style sheet puts it, whatever fonts there are.

`fixtures/*/boxes.json` has for each block how its text begins, where its container is (left edge and width, CSS px) and
from where its text starts: the left edge, the right one on a page that is read from right to left, or the centre.
Blocks whose container is as wide as their text are left out, since that depends on the fonts.
"""

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
"""What letters may stand off the edge of their line, CSS px."""


@pytest.fixture(scope="module", params=FIXTURES, ids=lambda path: path.parent.name)
def drawn(request: pytest.FixtureRequest, renderer: Renderer) -> tuple[BlockColumns, list[dict]]:
    """The blocks of a page as the browser has them, and what is expected of them."""
    folder = request.param.parent
    page = Page(content=(folder / "page.html").read_bytes(), url="https://example.org/")
    return extract_blocks(renderer.render(page).snapshot), json.loads(request.param.read_text(encoding="utf-8"))


def edge(box: np.ndarray, side: str) -> float:
    """Where a box begins for a reader: its left or right edge, or its centre."""
    return float(box[0] + box[2] * {"left": 0, "centre": 0.5, "right": 1}[side])


class TestBoxes:
    def test_there_are_six_languages(self) -> None:
        names = [path.parent.name for path in FIXTURES]
        assert names == ["arabic", "blog-czech", "chinese", "hindi", "japanese", "russian"]

    def test_every_text_is_painted(self, drawn: tuple[BlockColumns, list[dict]]) -> None:
        blocks, _ = drawn
        assert np.isfinite(blocks.box).all()
        assert (blocks.box[:, 2:] > 0).all()
        assert (blocks.box[:, :2] >= 0).all()
        assert (blocks.box[:, 0] + blocks.box[:, 2] <= blocks.snapshot.width).all()

    def test_containers_and_edges(self, drawn: tuple[BlockColumns, list[dict]]) -> None:
        blocks, expected = drawn
        assert len(expected) >= len(blocks) * 0.6
        at = 0
        for row in expected:
            at = next(i for i in range(at, len(blocks)) if blocks.text[i].startswith(row["begins"]))
            container = blocks.snapshot.box[blocks.node[at]]
            side, place = row["text"]
            assert container[[0, 2]].tolist() == pytest.approx(row["container"], abs=0.11), row
            assert edge(blocks.box[at], side) == pytest.approx(place, abs=STEP), row

    def test_blocks_of_a_column_stand_below_one_another(self, drawn: tuple[BlockColumns, list[dict]]) -> None:
        blocks, _ = drawn
        for before, after in zip(range(len(blocks)), range(1, len(blocks)), strict=False):
            one, two = blocks.box[before], blocks.box[after]
            if min(one[0] + one[2], two[0] + two[2]) > max(one[0], two[0]) and two[1] > one[1]:
                assert two[1] >= one[1] + one[3] - STEP, (blocks.text[before], blocks.text[after])

    def test_the_story_is_the_largest(self, drawn: tuple[BlockColumns, list[dict]]) -> None:
        """The block of the largest area is a paragraph, not a menu, wherever the page is read from."""
        blocks, _ = drawn
        largest = int(np.argmax(blocks.box[:, 2] * blocks.box[:, 3]))
        assert blocks.snapshot.tags[blocks.snapshot.tag[blocks.node[largest]]] == "p"


class TestRightToLeft:
    @pytest.fixture
    def blocks(self, renderer: Renderer) -> BlockColumns:
        content = (FIXTURES[0].parent / "page.html").read_bytes()
        return extract_blocks(renderer.render(Page(content=content, url="https://example.org/")).snapshot)

    def test_the_story_stands_right_of_the_side_column(self, blocks: BlockColumns) -> None:
        story = next(i for i, text in enumerate(blocks.text) if text.startswith("قبل شروق"))
        side = blocks.text.index("الأكثر قراءة")
        assert blocks.box[story, 0] > blocks.box[side, 0] + blocks.box[side, 2]

    def test_short_lines_end_at_the_right(self, blocks: BlockColumns) -> None:
        heading = blocks.text.index("حارس النخيل في الواحة القديمة")
        container = blocks.snapshot.box[blocks.node[heading]]
        assert blocks.box[heading, 0] > container[0] + 100
        assert edge(blocks.box[heading], "right") == pytest.approx(edge(container, "right"), abs=STEP)
