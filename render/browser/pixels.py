"""Compare two screenshots of a page, with and without some of its texts: a text without a difference cannot be seen."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image

from vclean.render.browser.cdp import MAX_SCREENSHOT_WIDTH, capture_screenshot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.render.browser.driver import Session

_MAX_HEIGHT: Final = 4096
"""CSS px of the part of a page that is compared."""
_LEAST_COMPARED: Final = 0.5
"""Share of a line; of a smaller part, which may have no letters, nothing follows."""
_LEAST_CHANGE: Final = 24
"""Of 255, in a channel: from one pixel to the next the text changes the page by less where no letter has an edge, such
as in a blur."""
_LEAST_SHARE: Final = 0.005
"""Of the pixels of a line: letters in a thin font change 5 % and more."""
_LEAST_PIXELS: Final = 6


class PixelComparison:
    """Compare screenshots of the part of a page around some lines.

    The part is at most `MAX_SCREENSHOT_WIDTH` px wide and 4096 px high; texts outside it count as visible.

    Args:
        lines: float32 (L, 4), x, y, width and height of the lines to compare, CSS px.
        owner: int (L,), the text of each line.
    """

    def __init__(self, lines: NDArray[np.float32], owner: NDArray[np.int32]) -> None:
        self._lines = lines
        self._owner = owner
        low = np.floor(np.maximum(lines[:, :2].min(axis=0), 0))
        high = np.ceil((lines[:, :2] + lines[:, 2:]).max(axis=0))
        self._origin = low
        width, height = np.clip(high - low, 1, (MAX_SCREENSHOT_WIDTH, _MAX_HEIGHT)).tolist()
        self.clip: tuple[float, ...] = (*low.tolist(), width, height)
        """x, y, width and height of that part, CSS px."""

    async def paint(self, session: Session) -> NDArray[np.uint8]:
        """Take a screenshot of that part of the page, uint8 (height, width, 3)."""
        with Image.open(io.BytesIO(await capture_screenshot(session, self.clip))) as image:
            return np.asarray(image)[..., :3]

    def unseen(self, with_texts: NDArray[np.uint8], without: NDArray[np.uint8]) -> Sequence[int]:
        """Return the texts that look the same in both screenshots."""
        seen: set[int] = set()
        for line, text in zip(self._lines, self._owner.tolist(), strict=True):
            if text not in seen and self._is_seen(line, with_texts, without):
                seen.add(text)
        return [text for text in dict.fromkeys(self._owner.tolist()) if text not in seen]

    def _is_seen(self, line: NDArray[np.float32], with_texts: NDArray[np.uint8], without: NDArray[np.uint8]) -> bool:
        """Return whether the pixels of a line, float32 (4,), differ in two screenshots, or were not compared."""
        left, top = np.rint(line[:2] - self._origin).astype(int).tolist()
        width, height = np.rint(line[2:]).astype(int).tolist()
        part = slice(max(top, 0), max(top + height, 0)), slice(max(left, 0), max(left + width, 0))
        change = np.abs(with_texts[part].astype(np.int16) - without[part]).max(axis=2, initial=0)
        if not change.size or change.size < _LEAST_COMPARED * width * height:
            return True
        edges = sum(int((np.abs(np.diff(change, axis=axis)) >= _LEAST_CHANGE).sum()) for axis in (0, 1))
        return bool(edges >= max(_LEAST_PIXELS, _LEAST_SHARE * change.size))
