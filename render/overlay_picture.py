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
_LONGEST_WEBP: Final = 16_383
"""The most px a side of a WebP picture can have, by the format's 14 bits."""


def data_address(picture: bytes, budget: int = BUDGET) -> tuple[str, tuple[int, int]]:
    """The picture (PNG or JPEG) as a `data:` address, and its width and height in px before it was made smaller.

    It is coded with loss, as WebP, or as JPEG where it is too long for that, at the best of a few qualities that fits
    the budget; one that fits at none of them is halved in size until it does.

    Raises:
        OutputError: the picture cannot be read.
    """
    page = open_picture(picture)
    with readable():
        image = page.convert("RGB")
    kind, coded = _fitting(image, budget)
    return f"data:image/{kind};base64,{base64.b64encode(coded).decode()}", page.size


def _fitting(image: Image.Image, budget: int) -> tuple[str, bytes]:
    kind = "webp" if max(image.size) <= _LONGEST_WEBP else "jpeg"
    for quality in _QUALITIES:
        coded = _coded(image, kind, quality)
        if len(coded) <= budget or min(image.size) == 1:
            return kind, coded
    return _fitting(image.reduce(2), budget)


def _coded(image: Image.Image, kind: str, quality: int) -> bytes:
    out = io.BytesIO()
    options = {"method": 2} if kind == "webp" else {"optimize": True}
    image.save(out, kind, quality=quality, **options)
    return out.getvalue()
