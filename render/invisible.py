"""Remove characters without a glyph that can carry text past a reader: tags, and runs of variation selectors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_MARKS: Final = (b"\xf3\xa0", b"\xef\xb8")
"""First bytes of these characters in UTF-8."""
_FLAG: Final = "\U0001f3f4[\U000e0020-\U000e007e]{1,9}\U000e007f"
_INVISIBLE: Final = re.compile(
    f"({_FLAG})|[\U000e0000-\U000e007f]+|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)
"""Tags outside of flags of regions (Unicode Technical Standard 51, annex C), and selectors after the first."""


def without_invisible(texts: Sequence[str]) -> list[str]:
    r"""Return texts without tag characters, but for those of flags, and with one variation selector in a row at most.

    >>> without_invisible(["It\U000e0069\U000e0067 rained\ufe0f\ufe0e", "plain"])
    ['It rained️', 'plain']
    """
    data = "".join(texts).encode("utf-8", "replace")
    if data.isascii() or not any(mark in data for mark in _MARKS):
        return list(texts)
    return [text if text.isascii() else _INVISIBLE.sub(_flag, text) for text in texts]


def _flag(match: re.Match[str]) -> str:
    return match[1] or ""
