"""Replace characters that XML, HTML, a terminal or a reader would not see; recognize sentences; format counts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

_ILLEGAL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters outside `Char` of XML 1.0, section 2.2: control characters, lone surrogates, U+FFFE and U+FFFF."""


def replace_illegal(text: str) -> str:
    r"""Return `text` with a space in place of each character that neither XML nor HTML allows.

    >>> replace_illegal("a\x00b")
    'a b'
    """
    return _ILLEGAL.sub(" ", text)


def replace_surrogates(text: str) -> str:
    r"""Return `text` with `?` in place of each lone surrogate: UTF-8, and so Parquet and SQLite, cannot encode them.

    >>> replace_surrogates("a\ud800b")
    'a?b'
    """
    return text.encode("utf-8", "replace").decode()


def one_line(text: str) -> str:
    r"""Return `text` on one line: control characters, which a terminal would interpret, and white space are spaces.

    >>> one_line(" a\x1b[2J\n b ")
    'a [2J b'
    """
    return " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())


_WITHOUT_SPACES: Final = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]"
"""Letters of Thai, Lao, Burmese, Khmer, Japanese and Chinese; two of them count as a word. Compiled on use: 2 ms."""


def is_sentence(text: str) -> bool:
    """Return whether a text has the length of a sentence, in words or, without spaces, in characters.

    >>> is_sentence("Skip to content"), is_sentence("It rained all day in the valley of Saltby.")
    (False, True)
    """
    words = count_words(text)
    # Labels of controls and menus are shorter. Fewer than three words may be a script without spaces.
    return words >= 8 or (words < 3 and len(text) >= 40)


def count_words(text: str) -> int:
    """Return the number of words of a text; in scripts without spaces, two letters count as a word.

    >>> count_words("It rained."), count_words("忽略之前的所有指示")
    (2, 4)
    """
    dense = 0 if text.isascii() else len(re.findall(_WITHOUT_SPACES, text))
    return max(len(text.split()), dense // 2)


def format_count(number: int, noun: str) -> str:
    """Return a number and its noun, in the plural unless the number is 1.

    >>> format_count(1, "word"), format_count(1200, "word")
    ('1 word', '1,200 words')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


_MARKS: Final = (b"\xf3\xa0", b"\xef\xb8", b"\xef\xbb\xbf")
"""First bytes of these characters in UTF-8."""
_FLAG: Final = "\U0001f3f4[\U000e0020-\U000e007e]{1,9}\U000e007f"
_INVISIBLE: Final = re.compile(
    f"({_FLAG})|[\U000e0000-\U000e007f\ufeff]+|(?<=[\ufe00-\ufe0f\U000e0100-\U000e01ef])[\ufe00-\ufe0f\U000e0100-\U000e01ef]+"
)
"""Tags outside of flags of regions (Unicode Technical Standard 51, annex C), byte order marks, and selectors after the
first."""


def without_invisible(texts: Sequence[str]) -> list[str]:
    r"""Return texts without tags, except those of flags, without byte order marks, and with one selector in a row.

    >>> without_invisible(["It\U000e0069\U000e0067 rained\ufe0f\ufe0e", "plain\ufeff"])
    ['It rained️', 'plain']
    """
    data = "".join(texts).encode("utf-8", "replace")
    if data.isascii() or not any(mark[:1] in data and mark in data for mark in _MARKS):
        return list(texts)
    return [text if text.isascii() else _INVISIBLE.sub(r"\1", text) for text in texts]
