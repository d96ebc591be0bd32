"""All texts of a page as one array of code points: characters, words and their hashes without a loop over either."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import TYPE_CHECKING
from unicodedata import category

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

TABLE_SIZE = 0x20000
"""The tables cover the first two planes; what lies above is ideographs (CJK Unified Ideographs Extension B and on)."""

ALPHA, UPPER, DIGIT, PUNCT, SPACE, SYMBOL, SINGLE = (1 << bit for bit in range(7))
"""Bits of a character's class. `SINGLE` marks scripts written without spaces, where each character counts as a word."""

_BITS = {"L": ALPHA, "M": ALPHA, "N": DIGIT, "P": PUNCT, "Z": SPACE, "C": SPACE, "S": SYMBOL}
_SINGLE_RANGES = ((0x0E00, 0x0F00), (0x1000, 0x10A0), (0x1780, 0x1800), (0x2E80, 0x2FE0), (0x3040, 0x3100),
                  (0x31F0, 0x3200), (0x3400, 0x4DC0), (0x4E00, 0xA000), (0xF900, 0xFB00))  # fmt: skip
"""Thai, Lao, Myanmar, Khmer, kana and Han: blocks of the Unicode standard whose words no space divides."""

_MULTIPLIER = 0x9E3779B97F4A7C15
_INVERSE = pow(_MULTIPLIER, -1, 1 << 64)
_KEPT_TABLE = 1 << 20


@cache
def character_tables() -> tuple[NDArray[np.uint8], NDArray[np.uint32]]:
    """Class bits uint8 and folded code point uint32 of each code point below `TABLE_SIZE`.

    Folded means in lower case and, for a digit of any script, 0.
    """
    kinds = np.array([_BITS[category(chr(code))[0]] for code in range(TABLE_SIZE)], dtype=np.uint8)
    for low, high in _SINGLE_RANGES:
        kinds[low:high] |= np.where(kinds[low:high] & ALPHA, SINGLE, 0).astype(np.uint8)
    fold = np.arange(TABLE_SIZE, dtype=np.uint32)
    for code in np.flatnonzero(kinds & ALPHA).tolist():
        lower = chr(code).lower()
        if lower != chr(code):
            fold[code] = ord(lower[0])
            kinds[code] |= UPPER
    fold[(kinds & DIGIT) > 0] = ord("0")
    return kinds, fold


@dataclass(frozen=True, eq=False)
class Texts:
    """The texts of B blocks as one run of C code points, a line feed after each.

    Attributes:
        code: uint32 (C,), code points.
        start: int64 (B,), where each text begins; every text is followed by one line feed.
    """

    code: NDArray[np.uint32]
    start: NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str]) -> Texts:
        """Encode `texts`."""
        joined = "\n".join(texts) + "\n"
        code = np.frombuffer(joined.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
        length = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts)) + 1
        return cls(code, np.cumsum(length) - length)

    @cached_property
    def kind(self) -> NDArray[np.uint8]:
        """uint8 (C,): class bits of every character."""
        return character_tables()[0][self._index]

    @cached_property
    def folded(self) -> NDArray[np.uint32]:
        """uint32 (C,): lower-cased characters, every digit a 0."""
        return np.where(self.code < TABLE_SIZE, character_tables()[1][self._index], self.code)

    @cached_property
    def _index(self) -> NDArray[np.uint32]:
        return np.where(self.code < TABLE_SIZE, self.code, 0x4E00).astype(np.uint32)

    def count(self, mask: NDArray[np.bool_]) -> NDArray[np.float32]:
        """float32 (B,): how many characters of each text have `mask` set."""
        return np.add.reduceat(mask, self.start, dtype=np.float32)

    @cached_property
    def words(self) -> Words:
        """The words of all texts."""
        kind = self.kind
        inside = (kind & (ALPHA | DIGIT)) > 0
        single = (kind & SINGLE) > 0
        before = np.concatenate([[False], inside[:-1] & ~single[:-1]])
        start = np.flatnonzero(inside & (~before | single))
        after = np.concatenate([inside[1:] & ~single[1:], [False]])
        end = np.flatnonzero(inside & (~after | single)) + 1
        owner = np.searchsorted(self.start, start, side="right") - 1
        return Words(self, start, end, owner.astype(np.int32))


@dataclass(frozen=True, eq=False)
class Words:
    """W words: `start`, `end` int64 (W,) in the characters of `texts`; `owner` int32 (W,) the text of each."""

    texts: Texts
    start: NDArray[np.int64]
    end: NDArray[np.int64]
    owner: NDArray[np.int32]

    def __len__(self) -> int:
        """The number of words."""
        return len(self.start)

    @cached_property
    def hash(self) -> NDArray[np.uint64]:
        """uint64 (W,): polynomial hash of the folded word modulo 2^64, from one running sum over all characters."""
        powers = _powers(_MULTIPLIER, len(self.texts.code))
        running = np.zeros(len(powers) + 1, dtype=np.uint64)
        np.cumsum(self.texts.folded.astype(np.uint64) * powers, out=running[1:])
        shifted = (running[self.end] - running[self.start]) * _powers(_INVERSE, len(powers))[self.start]
        return mix(shifted)

    def per_text(self, values: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """float32 (B,): the number of words, or the sum of `values` over them, per text."""
        return np.bincount(self.owner, values, minlength=len(self.texts.start)).astype(np.float32)

    @cached_property
    def bigram(self) -> NDArray[np.uint64]:
        """uint64 (W - 1,): hash of each word with the next one."""
        return mix(self.hash[:-1] * np.uint64(3) + self.hash[1:])

    @cached_property
    def bigram_owner(self) -> NDArray[np.int32]:
        """int32 (W - 1,): the text of each pair of words, -1 where the two are in different texts."""
        return np.where(self.owner[:-1] == self.owner[1:], self.owner[:-1], -1).astype(np.int32)


def mix(values: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Spread the bits of `values` (the finaliser of splitmix64, Steele et al. 2014)."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def hash_words(words: Sequence[str]) -> NDArray[np.uint64]:
    """uint64, ascending: the hashes of single words, equal to those of the same words inside a text."""
    found = Texts.of(sorted(words)).words if words else None
    return np.unique(found.hash) if found is not None else np.zeros(0, dtype=np.uint64)


@cache
def _power_table(base: int, size: int) -> NDArray[np.uint64]:
    table = np.full(size, base, dtype=np.uint64)
    table[:1] = 1
    return np.cumprod(table)


def _powers(base: int, count: int) -> NDArray[np.uint64]:
    """`base` to the power 0, 1, ... modulo 2^64; tables of usual sizes (powers of two) are kept."""
    size = 1 << max(count - 1, 1).bit_length()
    make = _power_table if size <= _KEPT_TABLE else _power_table.__wrapped__
    return make(base, size)[:count]
