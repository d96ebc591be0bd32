"""Replace characters that XML, HTML or a terminal would not print."""

from __future__ import annotations

import re

_ILLEGAL = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters outside `Char` of XML 1.0, section 2.2: control characters, lone surrogates, U+FFFE and U+FFFF."""


def replace_illegal(text: str) -> str:
    r"""Return `text` with a space in place of each character that neither XML nor HTML allows.

    >>> replace_illegal("a\x00b")
    'a b'
    """
    return _ILLEGAL.sub(" ", text)


def one_line(text: str) -> str:
    r"""Return `text` on one line: control characters, which a terminal would interpret, and white space are spaces.

    >>> one_line(" a\x1b[2J\n b ")
    'a [2J b'
    """
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
