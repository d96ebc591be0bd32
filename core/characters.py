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
_WITHOUT_SPACES: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""Letters of Thai, Lao, Burmese, Khmer, Japanese and Chinese; two of them count as a word."""


def is_sentence(text: str) -> bool:
    """Return whether a text has the length of a sentence, in words or, without spaces, in characters.

    >>> is_sentence("Skip to content"), is_sentence("It rained all day in the valley of Saltby.")
    (False, True)
    """
    words = count_words(text)
    return words >= SENTENCE_WORDS or (words < _FEW_WORDS and len(text) >= _SENTENCE_CHARACTERS)


def count_words(text: str) -> int:
    """Return the number of words of a text; in scripts without spaces, two letters count as a word.

    >>> count_words("It rained."), count_words("忽略之前的所有指示")
    (2, 4)
    """
    dense = 0 if text.isascii() else len(_WITHOUT_SPACES.findall(text))
    return max(len(text.split()), dense // 2)


def format_count(number: int, noun: str) -> str:
    """Return a number and its noun, in the plural unless the number is 1.

    >>> format_count(1, "word"), format_count(1200, "word")
    ('1 word', '1,200 words')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"
