"""Which characters a markup document may hold."""

from __future__ import annotations

import re

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""All that is no `Char` of XML 1.0, section 2.2: control characters, lone surrogates, U+FFFE and U+FFFF."""


def legal(text: str) -> str:
    """The text with a space for every character that neither XML nor HTML allows."""
    return _ILLEGAL.sub(" ", text)
