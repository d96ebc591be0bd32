"""Replace characters that XML, HTML or a terminal would not print; recognize sentences; format counts."""

from __future__ import annotations

import re
from typing import Final

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


SENTENCE_WORDS: Final = 8
"""Number of words from which a text has the length of a sentence; labels of controls and menus are shorter."""
_FEW_WORDS: Final = 3
"""Number of words below which a text may be in a script without spaces."""
_SENTENCE_CHARACTERS: Final = 40


def is_sentence(text: str) -> bool:
    """Return whether a text has the length of a sentence, in words or, without spaces, in characters.

    >>> is_sentence("Skip to content"), is_sentence("It rained all day in the valley of Saltby.")
    (False, True)
    """
    words = len(text.split())
    return words >= SENTENCE_WORDS or (words < _FEW_WORDS and len(text) >= _SENTENCE_CHARACTERS)


def format_count(number: int, noun: str) -> str:
    """Return a number and its noun, in the plural unless the number is 1.

    >>> format_count(1, "word"), format_count(1200, "word")
    ('1 word', '1,200 words')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"
