"""Finding the terms of a list in the words of a page: single words and phrases, in any script.

A term is a sequence of words, so that in scripts without spaces, where every letter is a word, it is found as a
substring.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.text.characters import EncodedTexts, mix

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.features.text.characters import Words

_FILTER_BITS = 16


@dataclass(frozen=True, eq=False)
class Terms:
    """Lists of terms, as the hashes of all beginnings of all terms.

    Attributes:
        names: of the lists.
        prefix: uint64 (P,), ascending.
        lists: uint32 (P,), the lists that have the whole term, one bit each by the place of their name; 0 where the
            prefix is no term.
        longer: bool (P,), whether a longer prefix begins with this one.
        first: bool (2 ** 16,), by the first bits of its hash whether a word can begin a term.
    """

    names: tuple[str, ...]
    prefix: NDArray[np.uint64]
    lists: NDArray[np.uint32]
    longer: NDArray[np.bool_]
    first: NDArray[np.bool_]

    @classmethod
    def from_lists(cls, lists: Mapping[str, Sequence[str]]) -> Terms:
        """Terms by the name of their list; letter case and punctuation between words do not count."""
        place = np.repeat(np.arange(len(lists)), [len(terms) for terms in lists.values()])
        found: dict[int, int] = {}
        longer: set[int] = set()
        first = np.zeros(1 << _FILTER_BITS, dtype=bool)
        for value, whole, begins, owner in _prefixes([term for terms in lists.values() for term in terms]):
            found[value] = found.get(value, 0) | (1 << int(place[owner]) if whole else 0)
            longer |= set() if whole else {value}
            first[value >> 64 - _FILTER_BITS] |= begins
        order = sorted(found)
        codes = np.array([found[value] for value in order], dtype=np.uint32)
        more = np.array([value in longer for value in order], dtype=bool)
        return cls(tuple(lists), np.array(order, dtype=np.uint64), codes, more, first)

    def find(self, words: Words) -> Found:
        """Every place where a term stands within one text."""
        here = np.flatnonzero(self.first[words.hash >> np.uint64(64 - _FILTER_BITS)])
        value, length, found = words.hash[here], 1, []
        while len(here):
            place = np.minimum(np.searchsorted(self.prefix, value), len(self.prefix) - 1)
            place[self.prefix[place] != value] = -1
            whole = (place >= 0) & (self.lists[place] > 0)
            found.append((here[whole], np.full(int(whole.sum()), length), self.lists[place[whole]]))
            here, value = self._longer(words, here, value, place, length)
            length += 1
        return Found(words, self.names, *_put_together(found))

    def _longer(
        self, words: Words, here: NDArray[np.int64], value: NDArray[np.uint64], place: NDArray[np.int64], length: int
    ) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
        """Where prefixes of `length` words go on in the same text, and the hashes with the next word."""
        within = (place >= 0) & self.longer[place] & (here < len(words) - length)
        here, value = here[within], value[within]
        same = words.owner[here + length] == words.owner[here]
        here, value = here[same], value[same]
        return here, _joined(value, words.hash[here + length])


@dataclass(frozen=True, eq=False)
class Found:
    """M occurrences of terms in `words`.

    Attributes:
        start: int64 (M,), the first word of each; length: int64 (M,), its words.
        lists: uint32 (M,), the lists that have it, one bit each by the place in `names`.
    """

    words: Words
    names: tuple[str, ...]
    start: NDArray[np.int64]
    length: NDArray[np.int64]
    lists: NDArray[np.uint32]

    def count(self, name: str) -> NDArray[np.float32]:
        """float32 (B,): the occurrences of terms of a list in every text."""
        start = self.start[self._listed(name)]
        return np.bincount(self.words.owner[start], minlength=len(self.words.texts.start)).astype(np.float32)

    def covered(self, name: str, weight: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """float32 (B,): the words of every text that are part of a term of a list; their `weight` (W,) where given."""
        listed = self._listed(name)
        change = np.zeros(len(self.words) + 1, dtype=np.int64)
        np.add.at(change, self.start[listed], 1)
        np.add.at(change, self.start[listed] + self.length[listed], -1)
        inside = (np.cumsum(change[:-1]) > 0).astype(np.float32)
        return self.words.per_text(inside if weight is None else inside * weight)

    def _listed(self, name: str) -> NDArray[np.bool_]:
        return (self.lists & np.uint32(1 << self.names.index(name))) > 0


def _prefixes(terms: Sequence[str]) -> Iterator[tuple[int, bool, bool, int]]:
    """The hash of each term's first word, of its first two, and so on.

    With each: whether it is the whole term, whether it is a single word, and the place of the term in `terms`.
    """
    words = EncodedTexts.from_texts([*terms, ""]).words
    count = words.per_text().astype(np.int64)
    start = np.cumsum(count) - count
    owner, length = np.flatnonzero(count), 1
    value = words.hash[start[owner]]
    while len(owner):
        for hashed, term in zip(value.tolist(), owner.tolist(), strict=True):
            yield hashed, bool(count[term] == length), length == 1, term
        more = count[owner] > length
        owner = owner[more]
        value = _joined(value[more], words.hash[start[owner] + length])
        length += 1


def _joined(value: NDArray[np.uint64], following: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The hashes of sequences one word longer; of two words it is `Words.bigram`."""
    return mix(value * np.uint64(3) + following)


def _put_together(
    found: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    nothing = np.zeros(0, dtype=np.int64)
    start, length, lists = zip((nothing, nothing, nothing.astype(np.uint32)), *found, strict=True)
    return np.concatenate(start), np.concatenate(length), np.concatenate(lists)
