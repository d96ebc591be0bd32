"""What a page's elements are called, every name looked at once: the names in attributes, and the words in the names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

NAMED: Final = ("class", "id", "role", "itemprop", "itemtype", "rel", "name")
"""The attributes that say what an element is called."""

_LONGEST: Final = 300
"""Characters of a value that are read for words; what is longer is no name."""

_PART: Final = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|[^\W\d_]+|\n")
_ASCII_PART: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\n")
"""The same in a text of ASCII characters, in half the time."""
_PLAIN_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9.-]+/(?:[^?#\s]*/)?([^/?#\s]*)(?=[?#]|\Z)")
"""An address of a usual form, and what stands behind its path's last slash."""


@dataclass(frozen=True, eq=False)
class Rows:
    """R rows of different length: row `i` is `number[start[i]:start[i + 1]]`; int64 (R + 1,), int32 (M,)."""

    start: NDArray[np.int64]
    number: NDArray[np.int32]

    def take(
        self, rows: NDArray[np.integer[Any]], most: int | None = None
    ) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The entries of `rows`, of each the first `most`: of every entry the place in `rows`, and the entry."""
        length = np.diff(self.start)[rows]
        if most is not None:
            length = np.minimum(length, most)
        owner = np.repeat(np.arange(len(rows)), length)
        return owner, self.number[np.arange(len(owner)) + (self.start[rows] - np.cumsum(length) + length)[owner]]

    def union(self, bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """uint64 (R,): the `bits` of the entries of each row together."""
        found = np.zeros(len(self.start) - 1, dtype=np.uint64)
        np.bitwise_or.at(found, np.repeat(np.arange(len(found)), np.diff(self.start)), bits[self.number])
        return found


@dataclass(frozen=True, eq=False)
class Naming:
    """The names in the attributes `NAMED` of a page: P values, L names, V words.

    Attributes:
        snapshot: the page.
        names: L different names, the stems of the files of images among them.
        words: V different words of two letters or more in the names, in lower case; `mainNav-2` has `main` and `nav`.
        of_value: the names of every value, as places in `names`; values are numbered attribute by attribute. Behind
            them come the beginnings of values that are too long.
        short: int64 (P,), the row of `of_value` that counts for words.
        first: the number of the first value of each attribute.
        of_name: the words of every name, as places in `words`.
        image: int64 (I,), elements that show a file; file: int64 (I,), its stem, as a place in `names`.
    """

    snapshot: Snapshot
    names: Sequence[str]
    words: Sequence[str]
    of_value: Rows
    short: NDArray[np.int64]
    first: dict[str, int]
    of_name: Rows
    image: NDArray[np.int64]
    file: NDArray[np.int64]

    @classmethod
    def of(cls, snapshot: Snapshot) -> Naming:
        """Read the names of a page."""
        first: dict[str, int] = {}
        values: list[str] = []
        for attribute in NAMED:
            first[attribute] = len(values)
            values += snapshot.values(attribute).different
        short = np.arange(len(values))
        for place in [place for place, value in enumerate(values) if len(value) > _LONGEST]:
            short[place] = len(values)
            values.append(values[place][:_LONGEST])
        names: dict[str, int] = {}
        rows = [[names.setdefault(name, len(names)) for name in value.split()] for value in values]
        images = snapshot.is_tag(("img",))
        files = {
            node: names.setdefault(_stem(source[:_LONGEST]), len(names))
            for node, source in snapshot.attributes("src").items()
            if images[node]
        }
        words, of_name = words_of(list(names))
        image, file = (np.fromiter(of, np.int64, len(files)) for of in (files.keys(), files.values()))
        return cls(snapshot, list(names), words, _rows(rows), short, first, of_name, image, file)


def _rows(rows: Sequence[Sequence[int]]) -> Rows:
    start = np.cumsum([0, *map(len, rows)])
    return Rows(start, np.fromiter(chain.from_iterable(rows), np.int32, int(start[-1])))


def words_of(names: Sequence[str]) -> tuple[list[str], Rows]:
    """The different words in `names` (L,), in lower case, and which of them every name has."""
    parts = _parts(names)
    place = {"": 0, "\n": 1}
    number = {part: place.setdefault(part.lower(), len(place)) if len(part) > 1 else 0 for part in dict.fromkeys(parts)}
    number["\n"] = 1
    found = np.fromiter(map(number.__getitem__, parts), np.int32, len(parts))
    is_word = found > 1
    start = np.zeros(len(names) + 1, dtype=np.int64)
    start[1:] = np.cumsum(is_word)[found == 1]
    return list(place)[2:], Rows(start, found[is_word] - np.int32(2))


def _parts(names: Sequence[str]) -> list[str]:
    """The runs of letters of one case, or with a capital in front, in all names; a line feed after each name."""
    joined = "".join([name + "\n" for name in names])
    return (_ASCII_PART if joined.isascii() else _PART).findall(joined)


def _stem(address: str) -> str:
    """The name of the file at an address, without its ending; nothing where the address is broken."""
    plain = _PLAIN_ADDRESS.match(address)
    if plain and plain[1] not in {"", "."}:
        return plain[1].rpartition(".")[0] or plain[1]
    try:
        return PurePosixPath(urlsplit(address).path).stem.replace("\n", " ")
    except ValueError:
        return ""


def distinct(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different `keys`, ascending; of a few thousand, `np.unique` takes ten times as long."""
    keys = np.sort(keys)
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    return keys[new]
