"""Tests of the comparison of a page painted with and without some of its texts."""

import asyncio

import numpy as np
import pytest
from helpers.browser import png_url

from vclean.page import Page
from vclean.render.browser.cdp import MAX_SCREENSHOT_WIDTH
from vclean.render.browser.reading import PageReader, PixelComparison
from vclean.render.browser.renderer import Renderer
from vclean.render.snapshot import Hidden, Snapshot
from vclean.settings import RenderSettings

IMAGE = f"background-image: url({png_url(4, 4, (10, 20, 30))})"
HIDDEN = f"<p style='color: rgb(10, 20, 30); {IMAGE}'>Words in the image's color"
SHOWN = f"<p style='color: rgb(255, 255, 255); {IMAGE}'>White words"
TECHNIQUES = {"Words in the image's color": "color", "White words": ""}


def gap(height: int) -> str:
    return f"<div style='height: {height}px'></div>"


def renamed(name: str) -> str:
    """Return both texts, which begin with another word."""
    return HIDDEN.replace("Words", f"{name} words") + SHOWN.replace("White", f"{name} white")


def comparison(*lines: tuple[float, float, float, float]) -> PixelComparison:
    """Return the comparison of texts with one line each."""
    return PixelComparison(np.array(lines, dtype=np.float32), np.arange(len(lines), dtype=np.int32))


class TestClip:
    def test_is_bounded(self) -> None:
        assert comparison((0, 0, 9, 9), (80_000, 2_000, 9, 9)).clips == [(0, 0, MAX_SCREENSHOT_WIDTH, 2009)]
        assert comparison((0, 0, 9, 90_000)).clips == [(0, 0, 9, 4096)]

        lines = [(0, top, MAX_SCREENSHOT_WIDTH, 3000) for top in (0, 5000, 10_000)]
        assert len(comparison(*lines).clips) == 1

    def test_lines_far_below_have_parts_of_their_own(self) -> None:
        lines = [(0, top, 100, 20) for top in (10, 4000, 5000, 8000, 60_000, 70_000, 80_000)]
        clips = comparison(*lines).clips
        assert clips == [(0, 10, 100, 4010), (0, 5000, 100, 3020), (0, 60_000, 100, 20), (0, 70_000, 100, 20)]


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
    """Return what hides each text."""
    codes = page.text_hidden.tolist()
    return {words.strip(): Hidden(code).technique for words, code in zip(page.texts, codes, strict=True)}


@pytest.mark.browser
class TestUnseenTexts:
    @pytest.mark.parametrize(
        ("before", "after", "others"),
        [
            ("", "", {}),
            # Skipped parts keep their height.
            (f"{gap(3000)}<div style='content-visibility: auto'><hr style='height: 300px'></div>", "", {}),
            ("", gap(30_000) + renamed("Low"), {"Low words in the image's color": "color", "Low white words": ""}),
            ("<html dir=rtl><div style='width: 3000px'>", "", {}),
            (
                "",
                f"<div style='position: absolute; left: 60000px; width: 999px'>{renamed('Far')}</div>",
                {"Far words in the image's color": "off-page", "Far white words": "off-page"},
            ),
        ],
        ids=["plain", "skipped", "far below", "right to left", "far to the right"],
    )
    def test_texts_that_make_no_difference(
        self, before: str, after: str, others: dict[str, str], renderer: Renderer
    ) -> None:
        html = f"<!doctype html>{before}{HIDDEN}{SHOWN}{after}"
        assert techniques(renderer.render(Page(content=html)).snapshot) == TECHNIQUES | others

    def test_slow_comparison_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        async def wait(*_: object) -> Snapshot:
            await asyncio.sleep(60)
            raise AssertionError

        monkeypatch.setattr(PageReader, "_compared", wait)
        with Renderer(RenderSettings(deadline=20)) as renderer:
            page = renderer.render(Page(content=f"<!doctype html>{HIDDEN}")).snapshot
            assert set(techniques(page).values()) == {""}
            assert renderer.render(Page(content="<!doctype html><p>Two")).snapshot.texts == ["Two"]
