"""Replace images in records by hashes, and detect images that cannot be compared."""

from __future__ import annotations

import base64
import hashlib
import io
import re

from PIL import Image

STRIP = 100
"""Height of the image in interactive overlays, in px."""

_ANIMATION = re.compile(rb"@(-\w+-)?keyframes|<marquee|<blink|<animate|data:image/(gif|webp|apng)", re.IGNORECASE)
_IMAGE = re.compile(r"data:(image/\w+);base64,([A-Za-z0-9+/=]{40,})")


def white_strip(image: bytes) -> bytes:
    """Return a white PNG as wide as an image and at most `STRIP` px high.

    It replaces the screenshot of interactive overlays, because compressing that again would take most of the time.
    """
    width, height = Image.open(io.BytesIO(image)).size
    file = io.BytesIO()
    Image.new("1", (width, min(height, STRIP)), 1).save(file, "PNG")
    return file.getvalue()


def is_animated(html: bytes | str) -> bool:
    """Return whether a page may contain animations; two screenshots of such a page may differ."""
    return _ANIMATION.search(html if isinstance(html, bytes) else html.encode("utf-8", "replace")) is not None


def without_images(text: str, screenshot: bytes = b"") -> str:
    """Return the text with each embedded image replaced by a hash, and the screenshot by the word `PICTURE`."""
    if screenshot:
        text = text.replace(base64.b64encode(screenshot).decode(), "PICTURE")
    return _IMAGE.sub(lambda match: f"data:{match[1]};sha256,{digest(match[2].encode())}", text)


def digest(data: bytes) -> str:
    """Return the SHA-256 hash of `data` in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()
