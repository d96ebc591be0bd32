"""Compare two screenshots of a page, with and without some of its texts: a text without a difference cannot be seen."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image

from vclean.render.browser.cdp import MAX_SCREENSHOT_WIDTH, capture_screenshot, evaluate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.render.browser.cdp import Session

_MAX_HEIGHT: Final = 4096
"""CSS px of a part of a page that is compared."""
_MAX_PARTS: Final = 4
_MAX_PIXELS: Final = _MAX_HEIGHT * MAX_SCREENSHOT_WIDTH
"""Most pixels of all parts together."""
_SCROLL: Final = """
((y, height) => {{
    const isBelow = y + height > innerHeight && height <= innerHeight;
    scrollTo({{left: 0, top: isBelow ? y - (innerHeight - height) / 2 : 0, behavior: 'instant'}});
    return '';
}})({y}, {height})
"""
"""Scrolls to a part that fits the viewport and begins below it, else to the top: there fixed elements are in place."""
_LEAST_COMPARED: Final = 0.5
"""Share of a line; of a smaller part, which may have no letters, nothing follows."""
_LEAST_CHANGE: Final = 24
"""Of 255, in a channel: from one pixel to the next the text changes the page by less where no letter has an edge, such
as in a blur."""
_LEAST_SHARE: Final = 0.005
"""Of the pixels of a line: letters in a thin font change 5 % and more."""
_LEAST_PIXELS: Final = 6


class PixelComparison:
    """Compare screenshots of the parts of a page around some lines.

    A part is at most `MAX_SCREENSHOT_WIDTH` px wide and 4096 px high. There are at most four, with as many pixels
    together as the largest one; texts outside them count as visible.

    Args:
        lines: float32 (L, 4), x, y, width and height of the lines to compare, CSS px.
        owner: int (L,), the text of each line.
    """

    def __init__(self, lines: NDArray[np.float32], owner: NDArray[np.int32]) -> None:
        self._lines = lines
        self._owner = owner
        self._part = np.full(len(lines), -1)
        self.clips: list[tuple[float, float, float, float]] = []
        """x, y, width and height of each part, CSS px."""
        pixels = 0.0
        while len(self.clips) < _MAX_PARTS and (self._part < 0).any():
            rows = self._next_rows()
            clip = _clip_around(lines[rows])
            pixels += clip[2] * clip[3]
            if pixels > _MAX_PIXELS:
                break
            self._part[rows] = len(self.clips)
            self.clips.append(clip)

    def _next_rows(self) -> NDArray[np.intp]:
        """Return the uppermost lines that are in no part yet, and all that fit into one part with them."""
        rows = np.flatnonzero(self._part < 0)
        top, bottom = self._lines[rows, 1], self._lines[rows, 1] + self._lines[rows, 3]
        first = top == top.min()
        return np.asarray(rows[first | (bottom <= max(float(top.min()), 0) + _MAX_HEIGHT)])

    async def paint(self, session: Session, *, scroll: bool) -> list[NDArray[np.uint8]]:
        """Take a screenshot of each part, uint8 (height, width, 3).

        Args:
            session: the session of the page.
            scroll: whether to scroll to each part. That takes a third of the time, but scripts may notice.
        """
        screenshots = []
        for clip in self.clips:
            if scroll:
                await evaluate(session, _SCROLL.format(y=clip[1], height=clip[3]))
            screenshots.append(_pixels(await capture_screenshot(session, clip)))
        return screenshots

    def unseen(self, with_texts: Sequence[NDArray[np.uint8]], without: Sequence[NDArray[np.uint8]]) -> Sequence[int]:
        """Return the texts that look the same in the screenshots with and without them, one for each part."""
        seen: set[int] = set()
        for line, text, part in zip(self._lines, self._owner.tolist(), self._part.tolist(), strict=True):
            if text not in seen and (part < 0 or self._is_seen(line, part, with_texts[part], without[part])):
                seen.add(text)
        return [text for text in dict.fromkeys(self._owner.tolist()) if text not in seen]

    def _is_seen(
        self, line: NDArray[np.float32], number: int, with_texts: NDArray[np.uint8], without: NDArray[np.uint8]
    ) -> bool:
        """Return whether the pixels of a line, float32 (4,), differ in screenshots of a part, or were not compared."""
        left, top = np.rint(line[:2] - np.array(self.clips[number][:2])).astype(int).tolist()
        width, height = np.rint(line[2:]).astype(int).tolist()
        part = slice(max(top, 0), max(top + height, 0)), slice(max(left, 0), max(left + width, 0))
        change = np.abs(with_texts[part].astype(np.int16) - without[part]).max(axis=2, initial=0)
        if not change.size or change.size < _LEAST_COMPARED * width * height:
            return True
        edges = sum(int((np.abs(np.diff(change, axis=axis)) >= _LEAST_CHANGE).sum()) for axis in (0, 1))
        return bool(edges >= max(_LEAST_PIXELS, _LEAST_SHARE * change.size))


def _clip_around(lines: NDArray[np.float32]) -> tuple[float, float, float, float]:
    """Return x, y, width and height of the part around some lines, float32 (L, 4), in CSS px."""
    low = np.floor(np.maximum(lines[:, :2].min(axis=0), 0))
    high = np.ceil((lines[:, :2] + lines[:, 2:]).max(axis=0))
    width, height = np.clip(high - low, 1, (MAX_SCREENSHOT_WIDTH, _MAX_HEIGHT)).tolist()
    return float(low[0]), float(low[1]), width, height


def _pixels(screenshot: bytes) -> NDArray[np.uint8]:
    with Image.open(io.BytesIO(screenshot)) as image:
        return np.asarray(image)[..., :3]
