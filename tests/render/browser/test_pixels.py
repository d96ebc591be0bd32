"""Tests of the comparison of a page painted with and without some of its texts."""

import asyncio
import base64
import io
from collections.abc import Iterator

import numpy as np
import pytest
from PIL import Image

from vclean.page import Page
from vclean.render.browser.async_renderer import AsyncRenderer
from vclean.render.browser.cdp import MAX_SCREENSHOT_WIDTH
from vclean.render.browser.pixels import PixelComparison
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Hidden, Snapshot
from vclean.settings import RenderSettings


def image_style(color: tuple[int, int, int]) -> str:
    """Return the style of a background image in one color."""
    file = io.BytesIO()
    Image.new("RGB", (4, 4), color).save(file, "PNG")
    return f"background-image: url(data:image/png;base64,{base64.b64encode(file.getvalue()).decode()})"


IMAGE = image_style((10, 20, 30))
HIDDEN = f"<p style='color: rgb(10, 20, 30); {IMAGE}'>Words in the color of the image"
SHOWN = f"<p style='color: rgb(255, 255, 255); {IMAGE}'>White words on the image"
TECHNIQUES = {"Words in the color of the image": "color", "White words on the image": ""}


def comparison(*lines: tuple[float, float, float, float]) -> PixelComparison:
    """Return the comparison of texts with one line each."""
    return PixelComparison(np.array(lines, dtype=np.float32), np.arange(len(lines), dtype=np.int32))


class TestClip:
    def test_is_bounded(self) -> None:
        assert comparison((0, 0, 9, 9), (80_000, 2_000, 9, 9)).clips == [(0, 0, MAX_SCREENSHOT_WIDTH, 2009)]
        assert comparison((0, 0, 9, 90_000)).clips == [(0, 0, 9, 4096)]

    def test_lines_far_below_have_parts_of_their_own(self) -> None:
        lines = [(0, top, 100, 20) for top in (10, 4000, 5000, 8000, 60_000, 70_000, 80_000)]
        clips = comparison(*lines).clips
        assert clips == [(0, 10, 100, 4010), (0, 5000, 100, 3020), (0, 60_000, 100, 20), (0, 70_000, 100, 20)]

    def test_all_parts_are_bounded(self) -> None:
        lines = [(0, top, MAX_SCREENSHOT_WIDTH, 3000) for top in (0, 5000, 10_000)]
        assert len(comparison(*lines).clips) == 1


class TestUnseen:
    def unseen(self, *lines: tuple[float, float, float, float], changed: int) -> list[int]:
        """Return the unseen texts, given how many columns of pixels from the left changed by 50."""
        compared = comparison(*lines)
        before = [np.zeros((int(clip[3]), int(clip[2]), 3), dtype=np.uint8) for clip in compared.clips]
        after = [part.copy() for part in before]
        for part in after:
            part[:, :changed] = 50
        return list(compared.unseen(before, after))

    def test_lines_outside_the_screenshot_are_seen(self) -> None:
        assert self.unseen((0, 0, 100, 20), (9000, 0, 100, 20), (0, 9000, 100, 20), changed=0) == [0, 2]
        lines = [(0, top, 100, 20) for top in range(0, 50_000, 10_000)]
        assert self.unseen(*lines, changed=0) == [0, 1, 2, 3]

    @pytest.mark.parametrize(("x", "unseen"), [(MAX_SCREENSHOT_WIDTH - 60, [0, 1]), (MAX_SCREENSHOT_WIDTH - 40, [0])])
    def test_lines_that_are_cut_off(self, x: float, unseen: list[int]) -> None:
        assert self.unseen((0, 0, 100, 20), (x, 0, 100, 20), changed=0) == unseen


def techniques(page: Snapshot) -> dict[str, str]:
    """Return what hides each text about the image."""
    codes = page.text_hidden.tolist()
    return {
        words.strip(): Hidden(code).technique for words, code in zip(page.texts, codes, strict=True) if "image" in words
    }


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer() as shared:
        yield shared


@pytest.mark.browser
class TestUnseenTexts:
    def test_texts_that_make_no_difference(self, renderer: Renderer) -> None:
        rendering = renderer.render(Page(content=f"<!doctype html>{HIDDEN}{SHOWN}"))
        assert techniques(rendering.snapshot) == TECHNIQUES

    def test_skipped_parts_keep_their_height(self, renderer: Renderer) -> None:
        skipped = (
            "<div style='height: 3000px'></div><div style='content-visibility: auto'><hr style='height: 300px'></div>"
        )
        rendering = renderer.render(Page(content=f"<!doctype html>{skipped}{HIDDEN}{SHOWN}"))
        assert techniques(rendering.snapshot) == TECHNIQUES

    def test_texts_far_below_one_another(self, renderer: Renderer) -> None:
        far = f"<div style='height: 30000px'></div>{HIDDEN.replace('Words', 'Low words')}"
        far += SHOWN.replace("White", "Low white")
        rendering = renderer.render(Page(content=f"<!doctype html>{HIDDEN}{SHOWN}{far}"))
        low = {"Low words in the color of the image": "color", "Low white words on the image": ""}
        assert techniques(rendering.snapshot) == TECHNIQUES | low

    def test_page_that_scrolls_to_the_left(self, renderer: Renderer) -> None:
        wide = "<div style='width: 3000px'>"
        rendering = renderer.render(Page(content=f"<!doctype html><html dir=rtl>{wide}{HIDDEN}{SHOWN}"))
        assert techniques(rendering.snapshot) == TECHNIQUES

    def test_page_wider_than_screenshots(self, renderer: Renderer) -> None:
        far = (
            f"<div style='position: absolute; left: 60000px; width: 999px'>{HIDDEN.replace('Words', 'Far words')}</div>"
        )
        rendering = renderer.render(Page(content=f"<!doctype html>{HIDDEN}{SHOWN}{far}"))
        assert techniques(rendering.snapshot) == TECHNIQUES | {"Far words in the color of the image": "off-page"}

    def test_slow_comparison_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def wait(*_: object) -> Snapshot:
            await asyncio.sleep(60)
            raise AssertionError

        monkeypatch.setattr(AsyncRenderer, "_compared", wait)
        with Renderer(RenderSettings(deadline=20)) as renderer:
            page = renderer.render(Page(content=f"<!doctype html>{HIDDEN}")).snapshot
            assert set(techniques(page).values()) == {""}
            assert renderer.render(Page(content="<!doctype html><p>Two")).snapshot.texts == ["Two"]
