"""The picture of a page, made small enough to be part of a file that is mailed and opened in a browser."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING, Final

from vclean.render.overlay_png import open_picture, readable

if TYPE_CHECKING:
    from PIL import Image

BUDGET: Final = 2_500_000
"""Bytes that a picture should not be more than; as text in a page it takes a third more."""

_QUALITIES: Final = (80, 60, 40, 20)
_LONGEST: Final = 16_383
"""The most px a side of a WebP picture can have, by the format's 14 bits; pages have one more at most."""
_EFFORT: Final = 2
"""Of 6: half the time of the usual 4 for files a few percent larger."""


def data_address(picture: bytes, budget: int = BUDGET) -> tuple[str, tuple[int, int]]:
    """The picture (PNG or JPEG) as a `data:` address, and its width and height in px before it was made smaller.

    It is coded with loss, as WebP, at the best of a few qualities that fits the budget; one that fits at none is
    halved in size until it does. A last row or column more than WebP can hold is left out.

    Raises:
        OutputError: the picture cannot be read.
    """
    page = open_picture(picture)
    with readable():
        image = page.convert("RGB")
    return f"data:image/webp;base64,{base64.b64encode(_fitting(image, budget)).decode()}", page.size


def _fitting(image: Image.Image, budget: int) -> bytes:
    if max(image.size) > _LONGEST + 1:
        return _fitting(image.reduce(2), budget)
    inside = image.crop((0, 0, min(image.width, _LONGEST), min(image.height, _LONGEST)))
    for quality in _QUALITIES:
        coded = _coded(inside, quality)
        if len(coded) <= budget or min(image.size) == 1:
            return coded
    return _fitting(image.reduce(2), budget)


def _coded(image: Image.Image, quality: int) -> bytes:
    out = io.BytesIO()
    image.save(out, "webp", quality=quality, method=_EFFORT)
    return out.getvalue()
