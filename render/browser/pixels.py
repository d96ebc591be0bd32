"""Compare a page painted with and without some of its texts: a text that makes no difference cannot be seen."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.render.browser.driver import Session

_MAX_HEIGHT: Final = 4096
"""CSS px of the part of a page that is compared; texts further down are taken for visible."""
_LEAST_CHANGE: Final = 24
"""Of 255, in a channel: a smaller change of a pixel is not seen."""
_LEAST_SHARE: Final = 0.005
"""Of the pixels of a line: letters in a thin font change 5 % and more."""
_LEAST_PIXELS: Final = 6


class Comparison:
    """The part of a page around some lines, painted twice.

    Args:
        lines: float32 (L, 4), x, y, width and height of the lines to compare, CSS px.
        owner: int (L,), the text of each line.
    """

    def __init__(self, lines: NDArray[np.float32], owner: NDArray[np.int32]) -> None:
        self._lines = lines
        self._owner = owner
        low = np.floor(np.maximum(lines[:, :2].min(axis=0), 0))
        high = np.ceil((lines[:, :2] + lines[:, 2:]).max(axis=0))
        self._left, self._top = low.tolist()
        self._width = max(1.0, float(high[0] - low[0]))
        self._height = max(1.0, min(float(high[1] - low[1]), _MAX_HEIGHT))

    async def paint(self, session: Session) -> NDArray[np.int16]:
        """Take a screenshot of that part of the page, int16 (height, width, 3)."""
        clip = {"x": self._left, "y": self._top, "width": self._width, "height": self._height, "scale": 1}
        options = {"format": "png", "clip": clip, "captureBeyondViewport": True, "optimizeForSpeed": True}
        png = base64.b64decode((await session.send("Page.captureScreenshot", options))["data"])
        with Image.open(io.BytesIO(png)) as image:
            return np.asarray(image.convert("RGB"), dtype=np.int16)

    def unseen(self, with_texts: NDArray[np.int16], without: NDArray[np.int16]) -> Sequence[int]:
        """Return the texts whose lines look the same in both screenshots."""
        changed = np.abs(with_texts - without).max(axis=2) >= _LEAST_CHANGE
        seen = set()
        for box, text in zip(self._lines.tolist(), self._owner.tolist(), strict=True):
            x, y = round(box[0] - self._left), round(box[1] - self._top)
            part = changed[max(y, 0) : y + round(box[3]), max(x, 0) : x + round(box[2])]
            if not part.size or part.sum() >= max(_LEAST_PIXELS, _LEAST_SHARE * part.size):
                seen.add(text)
        return [text for text in dict.fromkeys(self._owner.tolist()) if text not in seen]
