"""What a page's elements are called, every name looked at once: the names in attributes, and the words in the names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain, repeat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from zlib import crc32

import numpy as np

from vclean.features import tree
from vclean.features.groups import RaggedArray
from vclean.features.text.characters import mix

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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
class ElementNames:
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
    of_value: RaggedArray
    short: NDArray[np.int64]
    first: dict[str, int]
    of_name: RaggedArray
    image: NDArray[np.int64]
    file: NDArray[np.int64]

    @classmethod
    def from_snapshot(cls, snapshot: Snapshot) -> ElementNames:
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
        words, of_name = split_words(list(names))
        image, file = (np.fromiter(of, np.int64, len(files)) for of in (files.keys(), files.values()))
        return cls(snapshot, list(names), words, _rows(rows), short, first, of_name, image, file)


def _rows(rows: Sequence[Sequence[int]]) -> RaggedArray:
    start = np.cumsum([0, *map(len, rows)])
    return RaggedArray(start, np.fromiter(chain.from_iterable(rows), np.int32, int(start[-1])))


def split_words(names: Sequence[str]) -> tuple[list[str], RaggedArray]:
    """The different words in `names` (L,), in lower case, and which of them every name has."""
    parts = _parts(names)
    place = {"": 0, "\n": 1}
    number = {part: place.setdefault(part.lower(), len(place)) if len(part) > 1 else 0 for part in dict.fromkeys(parts)}
    number["\n"] = 1
    found = np.fromiter(map(number.__getitem__, parts), np.int32, len(parts))
    is_word = found > 1
    start = np.zeros(len(names) + 1, dtype=np.int64)
    start[1:] = np.cumsum(is_word)[found == 1]
    return list(place)[2:], RaggedArray(start, found[is_word] - np.int32(2))


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


def sorted_unique(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """The different `keys`, ascending; of a few thousand, `np.unique` takes ten times as long."""
    keys = np.sort(keys)
    new = np.ones(len(keys), dtype=bool)
    np.not_equal(keys[1:], keys[:-1], out=new[1:])
    return keys[new]


NAME_CACHE_SIZE: Final = 10_000
"""Tags, classes, ids and the like, in each place that works something out for them.

Ten times as many grow a worker of the farm by 0.4 MB a page for thousands of pages, and save three per cent of its CPU.
"""


def name_hashes(names: Collection[str]) -> NDArray[np.uint64]:
    """uint64, a number for every name, the same on every machine."""
    data = [name.encode("utf-8", "surrogatepass") for name in names]
    low, high = map(crc32, data), map(crc32, data, repeat(0x5BD1E995))
    return np.fromiter(low, np.uint64, len(data)) | np.fromiter(high, np.uint64, len(data)) << np.uint64(32)


def tag_hashes(snapshot: Snapshot) -> NDArray[np.uint64]:
    """uint64 (N,): a number for each element's tag."""
    return name_hashes(snapshot.tags)[snapshot.tag]


def class_hashes(naming: ElementNames) -> NDArray[np.uint64]:
    """uint64 (N,): a number for each element's tag and classes, whatever their order."""
    classes, first = naming.snapshot.values("class"), naming.first["class"]
    owner, name = naming.of_value.take(np.arange(first, first + len(classes.different)))
    value, name = np.divmod(sorted_unique(owner * len(naming.names) + name), max(len(naming.names), 1))
    sums = np.zeros(len(classes.different), dtype=np.uint64)
    np.add.at(sums, value, name_hashes(naming.names)[name])
    hashes = tag_hashes(naming.snapshot)
    hashes[classes.node] += sums[classes.number]
    return hashes


def path_signature(snapshot: Snapshot, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """uint64 (N,): one number for the chain of `hashes` (N,) from the root to each element.

    The sum of the mixed hashes over the path, modulo 2^64; mixing with the depth makes the order count.
    """
    mixed = mix(hashes + snapshot.depth.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return tree.path_sum(mixed.view(np.int64), snapshot.end).view(np.uint64)
