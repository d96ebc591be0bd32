"""Encode all texts of a page as one array of code points, and find their characters, words, hashes and numbers.

`_characters.c` reads all characters in one pass: it finds the words, and counts both by text. Only dates, prices and
telephone numbers are found by patterns, in the formats of several countries.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING
from unicodedata import category, digit, normalize

import numpy as np

from vclean.features.text._characters import read_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.columns import Values

(ALPHA, UPPER, LOWER, DIGIT, PUNCT, SPACE, SYMBOL, UNSPACED, MARK, COMBINING, COMMA, SENTENCE_END, UNCONDITIONAL_END,
 COLON, CLOSER, CURRENCY, PIPE, BULLET, OPENING_ANGLE, CLOSING_ANGLE,
 RIGHTS) = (1 << bit for bit in range(21))  # fmt: skip
"""Bits of character classes.

`UPPER` and `LOWER`: letters of scripts with case. `UNSPACED`: letters of scripts written without spaces; each letter
counts as a word. `MARK`: combining marks (`COMBINING`) and joiners, which belong to the character before them.
`SENTENCE_END`: marks that can end a sentence. `UNCONDITIONAL_END`: marks that end a sentence whatever character
follows. `CLOSER`: closing quotes and brackets. `PIPE`: separators of menu
entries. `OPENING_ANGLE`, `CLOSING_ANGLE`: quotation marks like angles. `RIGHTS`: signs of copyright and trade marks.
"""

_BITS = {"L": ALPHA, "M": ALPHA | MARK | COMBINING, "N": DIGIT, "P": PUNCT, "Z": SPACE, "C": SPACE, "S": SYMBOL}
_FINE_BITS = {"Sc": CURRENCY, "Pe": CLOSER, "Pi": CLOSER, "Pf": CLOSER}
_UNSPACED_RANGES = (
    (0x0E00, 0x0F00), (0x1000, 0x10A0), (0x1780, 0x1800), (0x1950, 0x19E0), (0x1A20, 0x1AB0), (0x2E80, 0x2FE0),
    (0x3005, 0x3008), (0x3031, 0x3036), (0x303B, 0x303D), (0x3040, 0x3130), (0x31A0, 0x31C0), (0x31F0, 0x3200),
    (0x3400, 0x4DC0), (0x4E00, 0xA000), (0xA9E0, 0xAA00), (0xAA60, 0xAAE0), (0xF900, 0xFB00), (0xFF66, 0xFFA0),
    (0x16FE0, 0x18D80), (0x1AFF0, 0x1B170),
)  # fmt: skip
"""Thai, Lao, Myanmar, Khmer, the Tai scripts, kana, bopomofo, Han and Tangut: scripts without spaces between words.

Most are of class SA or ID in Unicode line breaking (UAX #14).
"""
_JOINERS = "\u00ad\u200c\u200d\u2060"
"""Soft hyphen, joiners, non-joiners and word joiner, which occur inside words (UAX #29, rule WB4)."""
_LETTER_LIKE = "\u055b\u055c\u055e\u05f3"
"""Armenian and Hebrew marks that occur inside words (value ALetter of UAX #29)."""
_COMPATIBILITY = (0xFB00, 0x10000)
"""Code points of presentation forms and of half-width and full-width forms, which are folded to normal letters."""

_ASCII_SENTENCE_ENDS = ".!?…"
_SENTENCE_TERMINALS = "\u037e։؝؞؟۔܀܁܂߹࠷࠹࠽࠾।॥။።፧፨᙮᜵᜶។៕᠃᠉᥄᥅᪨᪩᪪᪫᭚᭛᭞᭟᰻᰼᱾᱿‼‽⁇⁈⁉⸮⸼。꓿꘎꘏꛳꛷꡶꡷꣎꣏꤯꧈꧉꩝꩞꩟꫰꫱꯫︒︕︖﹒﹖﹗！．？｡"
"""Sentence_Terminal characters of Unicode, without ASCII marks and without the mark that is a comma in Burmese."""
_CHARACTERS = {
    COMMA: ",;،؛、，；､﹐﹑﹔՝߸፣፤፥᠂᠈၊꘍",
    SENTENCE_END: _ASCII_SENTENCE_ENDS + _SENTENCE_TERMINALS,
    UNCONDITIONAL_END: _SENTENCE_TERMINALS,
    COLON: ":：﹕︓፦៖",
    CLOSER: "\"'＂＇",
    PIPE: "|‹›·•¦｜│",
    BULLET: "•·-–—*▪■●○◦‣»›→►▶✓✔+∙❖➤➔★☆◆◇※－＊",
    OPENING_ANGLE: "«",
    CLOSING_ANGLE: "»",
    RIGHTS: "©®™℗",
}

_MARKS = {
    character: sum(bit for bit, characters in _CHARACTERS.items() if character in characters)
    for character in "".join(_CHARACTERS.values())
}
_IDEOGRAPHS = 0x20000
"""First code point of the planes that contain ideographs (CJK Extension B ff.)."""

_TABLE = np.zeros((sys.maxunicode + 1, 2), dtype=np.uint32)
_KIND, _FOLDED = _TABLE.T
_DIGIT = np.zeros(sys.maxunicode + 1, dtype=np.uint8)
"""The results of `describe` for all characters so far; a kind of 0 is unknown. The system gives them memory on use."""

_TEXT = np.dtype([("shape", "u8"), ("characters", "u4", 32), ("words", "u4", 32)])
_WORD = np.dtype([("start", "i8"), ("end", "i8"), ("hash", "u8"), ("bigram", "u8"), ("owner", "i4")], align=True)
"""Rows of `_characters.c`: texts and words."""


def describe(code: int) -> tuple[int, int, int]:
    """Return the class bits of a code point, the folded code point, and the value of a digit, 255 for others.

    A folded character is in lower case and normal width; every digit of any script is folded to `0`.
    """
    if code >= _IDEOGRAPHS:
        return ALPHA | UNSPACED, code, 255
    character = chr(code)
    name, folded = category(character), code
    kind = _BITS[name[0]] | _FINE_BITS.get(name, 0) | _MARKS.get(character, 0)
    if character in _JOINERS:
        kind = SPACE | MARK
    elif character in _LETTER_LIKE:
        kind |= ALPHA
    if _COMPATIBILITY[0] <= code < _COMPATIBILITY[1] and len(normalized := normalize("NFKC", character)) == 1:
        folded = ord(normalized)
    if kind & ALPHA:
        letter = chr(folded)
        lower = letter.lower()
        kind |= UNSPACED * any(first <= code < last for first, last in _UNSPACED_RANGES)
        kind |= UPPER if lower != letter else LOWER * (letter.title() != letter)
        folded = ord(lower[0])
    is_digit = kind & DIGIT > 0
    return kind, ord("0") if is_digit else folded, digit(character, 255) if is_digit else 255


class EncodedTexts:
    """Texts of B blocks as one array of C code points, with a line feed after each text.

    Args:
        texts: the texts.

    Attributes:
        code: uint32 (C,), code points.
        start: int64 (B,), the index of the first character of each text.
    """

    def __init__(self, texts: Sequence[str]) -> None:
        joined = "\n".join(texts) + "\n"
        self.code = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        length = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1
        self.start = np.cumsum(length) - length

    @cached_property
    def _read(self) -> tuple[NDArray[np.uint32], NDArray[np.void], NDArray[np.void]]:
        """Return the class bits of the characters, and rows of `_TEXT` and `_WORD`."""
        kind, rows = np.zeros_like(self.code), np.zeros(len(self.start), _TEXT)
        words = read_texts(self.code, self.start, _TABLE, kind, rows, _learn, ALPHA | DIGIT, MARK, UNSPACED)
        return kind, rows, np.frombuffer(words, _WORD)

    @property
    def kind(self) -> NDArray[np.uint32]:
        """Return the class bits of each character: uint32 (C,)."""
        return self._read[0]

    @property
    def rows(self) -> NDArray[np.void]:
        """Return what was counted in each text, see `Text` in `_characters.c`: (B,)."""
        return self._read[1]

    @property
    def length(self) -> NDArray[np.int64]:
        """Return the number of characters of each text: int64 (B,)."""
        return np.diff(self.start, append=len(self.code)) - 1

    def digit(self, positions: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return the value of the digit at each of P positions, 255 for other characters: uint8 (P,)."""
        return _DIGIT[self.code[positions]]

    def find(self, bits: int) -> NDArray[np.int64]:
        """Return the positions of all characters with one of the class `bits`, ascending: int64 (P,)."""
        return np.flatnonzero((self.kind & np.uint32(bits)) > 0)

    def count(self, positions: NDArray[np.int64] | Sequence[int]) -> NDArray[np.float32]:
        """Return how many of the positions are in each text: float32 (B,)."""
        owner = np.searchsorted(self.start, positions, side="right") - 1
        return np.bincount(owner, minlength=len(self.start)).astype(np.float32)

    def count_class(self, *classes: int, of: str = "characters") -> NDArray[np.float32]:
        """Return the number of characters of each text in `classes`, of which no two have a common one: float32 (B,).

        With `of="words"`, count the words that begin with such a character.
        """
        counts = self.rows[of].T
        return np.asarray(sum(counts[each.bit_length() - 1] for each in classes), dtype=np.float32)

    @property
    def words(self) -> Words:
        """Return the words of all texts; not stored here, because they refer to the texts."""
        columns = {name: np.ascontiguousarray(self._read[2][name]) for name in _WORD.fields or ()}
        return Words(self, **{**columns, "bigram": columns["bigram"][:-1]})


def _learn(code: int) -> None:
    """Add a character to the tables."""
    kind, _FOLDED[code], _DIGIT[code] = describe(code)
    _KIND[code] = kind  # last: another thread may read the tables


@dataclass(frozen=True, eq=False)
class Words:
    """W words of encoded texts.

    Attributes:
        texts: the texts.
        start: int64 (W,), the index of the first character of each word in `texts.code`.
        end: int64 (W,), one past the index of the last character.
        hash: uint64 (W,), a polynomial hash of each folded word, modulo 2^64, see `mix`.
        bigram: uint64 (W - 1,), a hash of each word and the next.
        owner: int32 (W,), the text of each word.
    """

    texts: EncodedTexts
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    hash: NDArray[np.uint64]
    bigram: NDArray[np.uint64]
    owner: NDArray[np.int32]

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.start)

    def per_text(self, values: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return the number of words, or the sum of `values` over them, per text: float32 (B,)."""
        return np.bincount(self.owner, values, minlength=len(self.texts.start)).astype(np.float32)


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits of `values` (the finalizer of splitmix64, Steele et al. 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


_DATE = re.compile(
    r"(?=\d{1,4}+ ?[./:年년月월時时點点시h-])"  # most numbers end here
    r"(?:\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4}|\d{1,2}:\d\d|\d{4}[./-] ?\d{1,2}[./-] ?\d{1,2}"
    r"|\d{1,4} ?[年년] ?\d{1,2} ?[月월](?: ?\d{1,2} ?[日일號号])?|\d{4} ?[年년]|\d{1,2} ?[月월] ?\d{1,2} ?[日일號号]"
    r"|\d{1,2} ?[时時點点시] ?\d{1,2} ?[分분]|\d{1,2} ?h ?\d\d\b)"
)
_BESIDE_DIGIT = re.compile(r"(?:(?<=\d)|(?<=\d ))|.(?= ?\d)")
_MONEY = re.compile(
    r"\d++ ?+[千万億亿萬만천]?+(?:(?:USD|EUR|GBP|CHF|JPY|CNY|INR|RUB|PLN|CZK|SEK|NOK|DKK|HUF|RON|TRY|BRL)\b"
    r"|(?:kr|Ft|lei|Rs|Rp|TL|đ)\b|Kč|zł|руб|грн|лв|тг|дин|元|円|块|圓|원|บาท|درهم|دينار|ريال|جنيه|ليرة|ریال|تومان|रुपये|रुपए|টাকা)"
)
"""Currencies written after an amount: ISO 4217 codes that are common on pages, and names."""
_MONEY_BEFORE = re.compile(r"(?<!\S)(?:Rs\.?|Rp\.?|kr|CHF|EUR|USD|GBP) ?\Z")
_PHONE = re.compile(
    r"(?<=\+)\d{1,3}[ .-]?\(?\d"
    r"|(?<![.,/-])(?:\d{3}\)?[ .-]\d{3}[ .-]\d{4}|(?!\d\d-\d\d-\d{4})0\d{1,4}\)?(?:[ -]\d{2,4}){2,4}(?![\d:]))"
)
"""International numbers, North American numbers, and groups of digits that begin with the trunk prefix 0."""


def count_number_patterns(texts: EncodedTexts, plain: str) -> Values:
    """Return the columns `dates`, `prices` and `phones`: float32 (B,) each.

    Args:
        texts: the encoded texts.
        plain: the same texts as one string, with a line feed after each.
    """
    digits = texts.find(DIGIT)
    numbers = digits[np.diff(digits, prepend=-2) > 1].tolist()
    prices = [sign for sign in texts.find(CURRENCY).tolist() if _BESIDE_DIGIT.match(plain, sign)]
    prices += [
        each for each in numbers if _MONEY.match(plain, each) or _MONEY_BEFORE.search(plain[max(each - 6, 0) : each])
    ]
    positions = {"dates": _matches(_DATE, plain, numbers), "prices": prices, "phones": _matches(_PHONE, plain, numbers)}
    return {name: texts.count(at) for name, at in positions.items()}


def _matches(pattern: re.Pattern[str], plain: str, positions: Sequence[int]) -> list[int]:
    """Return the `positions` at which the pattern matches, without positions inside the previous match."""
    matches, end = [], 0
    for position in positions:
        if position >= end and (match := pattern.match(plain, position)):
            matches.append(position)
            end = match.end()
    return matches
