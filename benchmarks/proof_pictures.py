"""Pictures in a record: what stands for them, and which of them cannot be compared."""

from __future__ import annotations

import base64
import hashlib
import io
import re

from PIL import Image

STRIP = 100
"""Height of the picture in pages to explore, in px."""

_MOVING = re.compile(rb"@(-\w+-)?keyframes|<marquee|<blink|<animate|data:image/(gif|webp|apng)", re.IGNORECASE)
_PICTURE = re.compile(r"data:(image/\w+);base64,([A-Za-z0-9+/=]{40,})")


def strip(picture: bytes) -> bytes:
    """Return a white picture as wide as another and `STRIP` px high.

    vclean compresses the picture of a page to explore anew, which would take most of the time here.
    """
    width, height = Image.open(io.BytesIO(picture)).size
    file = io.BytesIO()
    Image.new("1", (width, min(height, STRIP)), 1).save(file, "PNG")
    return file.getvalue()


def moves(html: bytes | str) -> bool:
    """Return whether a page may show something that moves, so that no two pictures of it need be the same."""
    return _MOVING.search(html if isinstance(html, bytes) else html.encode("utf-8", "replace")) is not None


def without_pictures(text: str, known: bytes = b"") -> str:
    """Return the text with a hash in place of each picture in it, and `PICTURE` in place of the one that is known."""
    if known:
        text = text.replace(base64.b64encode(known).decode(), "PICTURE")
    return _PICTURE.sub(lambda found: f"data:{found[1]};sha256,{digest(found[2].encode())}", text)


def digest(data: bytes) -> str:
    """Return a hash of some bytes, as hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()
