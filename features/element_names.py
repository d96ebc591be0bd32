"""Read the names of a page's elements once: names in attributes, their words, and well-known words as bits.

The well-known words are in `data/name_groups.tsv`. Themes and extraction tools use them; none belongs to one site.
"""

from __future__ import annotations

import re
from itertools import repeat
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final
from zlib import crc32

import numpy as np

from vclean.features import _names
from vclean.features.columns import RaggedArray
from vclean.features.text.characters import mix
from vclean.files import read_table
from vclean.page import split_url
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot


NAME_ATTRIBUTES: Final = ("class", "id", "role", "itemprop", "itemtype", "rel", "name")
"""Attributes that contain names of elements."""
TOKEN_ATTRIBUTES: Final = NAME_ATTRIBUTES[:-1]
"""Attributes with the tokens of the path model, see `vclean.features.hashed_tokens`."""
WORD_PREFIX: Final = crc32(b"w:")
"""Checksum before the words of names."""

_MAX_LENGTH: Final = 300
"""Characters of an attribute value that are read for words; longer values are not names."""

_PART: Final = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+|[^\W\d_]+")
_PLAIN_ADDRESS: Final = re.compile(r"https?://[A-Za-z0-9.-]+/(?:[^?#\s]*/)?([^/?#\s]*)(?=[?#]|\Z)")
"""HTTP URL without unusual parts; the group is the text after the last slash of the path."""


class ElementNames:
    """Names in the `NAME_ATTRIBUTES` of a page: P attribute values, V distinct words.

    Args:
        snapshot: the page.

    Attributes:
        snapshot: the page.
        words: the V distinct words of two or more letters in the names, lower-cased; `mainNav-2` has `main` and `nav`.
        value_words: the words of each value, as indices into `words`. Values are numbered attribute by attribute.
            Copies of values that are too long, truncated, and the file stems of images follow.
        value_tokens: the tokens of each value, as indices into `buckets`: its first names, and their words.
        buckets: int32, the hash bucket of each token.
        class_sums: uint64 (P,), the sum of the hashes of the distinct names of each value.
        short: int64, the row of `value_words` with the words that count for each value.
        first: the number of the first value of each attribute.
        image: int64 (I,), the `<img>` elements with a source.
        file: int64 (I,), the file stem of each image, as a value.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot, self.first = snapshot, dict[str, int]()
        values: list[str] = []
        groups: list[tuple[int, int, bool]] = []
        for attribute in NAME_ATTRIBUTES:
            self.first[attribute] = len(values)
            values += snapshot.values(attribute).distinct
            groups.append((len(values), crc32(f"{attribute}:".encode()), attribute in TOKEN_ATTRIBUTES))
        self.short = np.arange(len(values))
        for index in [index for index, value in enumerate(values) if len(value) > _MAX_LENGTH]:
            self.short[index] = len(values)
            values.append(values[index][:_MAX_LENGTH])
        images = snapshot.is_tag(("img",))
        sources = {node: source for node, source in snapshot.attributes("src").items() if images[node]}
        stems = [_file_stem(source[:_MAX_LENGTH]) for source in sources.values()]
        number = {stem: len(values) + index for index, stem in enumerate(dict.fromkeys(stems))}
        values += number
        groups.append((len(values), 0, False))
        self.image = np.array(list(sources), dtype=np.int64)
        self.file = np.array([number[stem] for stem in stems], dtype=np.int64)
        self.words, *arrays, class_sums = _names.names_of(values, groups, WORD_PREFIX, words_of_name)
        word_start, value_words, token_start, value_tokens, buckets = (np.frombuffer(each, np.int32) for each in arrays)
        self.value_words = RaggedArray(word_start.astype(np.int64), value_words)
        self.value_tokens = RaggedArray(token_start.astype(np.int64), value_tokens)
        self.buckets, self.class_sums = buckets, np.frombuffer(class_sums, np.uint64)


def words_of_name(name: str) -> list[str]:
    """Return the words of a name, in lower case: its runs of letters of one case, or with one capital in front.

    Words of one letter are left out.
    """
    return [part.lower() for part in _PART.findall(name) if len(part) > 1]


def _file_stem(address: str) -> str:
    """Return the file name in a URL without its extension; an empty string for an invalid URL."""
    match = _PLAIN_ADDRESS.match(address)
    if match and match[1] not in {"", "."}:
        return match[1].rpartition(".")[0] or match[1]
    return PurePosixPath(split_url(address).path).stem.replace("\n", " ")


NAME_CACHE_SIZE: Final = 10_000
"""Number of tags, classes, ids and similar names kept in each cache.

Ten times as many make a farm worker grow by 0.4 MB per page for thousands of pages, and save 3 % of its CPU time.
"""


def name_hashes(names: Collection[str]) -> NDArray[np.uint64]:
    """Return a hash of each name, equal on all machines: uint64."""
    data = [name.encode("utf-8", "surrogatepass") for name in names]
    low, high = map(crc32, data), map(crc32, data, repeat(0x5BD1E995))
    return np.fromiter(low, np.uint64, len(data)) | np.fromiter(high, np.uint64, len(data)) << np.uint64(32)


def class_hashes(page_names: ElementNames) -> NDArray[np.uint64]:
    """Return a hash of each element's tag and set of classes: uint64 (N,)."""
    classes, first = page_names.snapshot.values("class"), page_names.first["class"]
    hashes = name_hashes(page_names.snapshot.tags)[page_names.snapshot.tag]
    hashes[classes.node] += page_names.class_sums[classes.index + first]
    return hashes


def path_signature(snapshot: Snapshot, hashes: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a hash of the chain of `hashes` (N,) from the root to each element: uint64 (N,).

    It is the sum of the mixed hashes along the path, modulo 2^64. Each hash is mixed with the depth, so that the order
    of the chain matters.
    """
    mixed = mix(hashes + snapshot.depth.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15))
    return tree.path_sum(mixed.view(np.int64), snapshot.end).view(np.uint64)


_TAGS: Final = {
    "nav": "nav menu", "aside": "aside", "header": "header hgroup", "footer": "footer", "main": "main",
    "article": "article", "section": "section", "form": "form fieldset", "input": "input select textarea button",
    "table": "table tbody thead tfoot", "row": "tr", "cell": "td th", "list": "ul ol dl dir", "item": "li dt dd",
    "p": "p", "h1": "h1", "h2": "h2", "h3": "h3 h4 h5 h6", "div": "div", "a": "a", "inline": "span font b strong i em",
    "image": "img svg picture figure canvas area map", "video": "video object embed iframe applet audio",
    "center": "center", "address": "address", "quote": "blockquote q", "code": "pre code", "body": "body html",
}  # fmt: skip
_ARIA: Final = ("navigation", "complementary", "contentinfo", "banner", "main", "article", "search", "form", "dialog",
                "list", "img", "menu")  # fmt: skip


class WordGroups(dict[str, int]):
    """Bit of the group of each word that was looked up: by the whole word, else by its longest stem; 0 if none.

    Args:
        words: the words of each group, separated by spaces; stems end in `*`.
    """

    def __init__(self, words: Mapping[str, str]) -> None:
        self._bits = {word: 1 << bit for bit, group in enumerate(words.values()) for word in group.split()}

    def __missing__(self, word: str) -> int:
        """Look up a word."""
        if len(self) >= NAME_CACHE_SIZE:
            self.clear()
        stems = (self._bits.get(word[:end] + "*", 0) for end in range(len(word), 0, -1))
        return self.setdefault(word, self._bits.get(word) or next(filter(None, stems), 0))


_WORDS: Final = dict(read_table(__file__, "name_groups.tsv"))
_GROUPS: Final = WordGroups(_WORDS)
NAME_GROUPS: Final = tuple(_WORDS)
"""Groups of words, in bit order."""
KINDS: Final = (*(f"tag_{name}" for name in _TAGS), *(f"aria_{name}" for name in _ARIA))
"""Groups of tags, then ARIA roles, in bit order."""

_TAG_BITS: Final = {tag: 1 << bit for bit, tags in enumerate(_TAGS.values()) for tag in tags.split()}
_ARIA_BITS: Final = {role: 1 << bit for bit, role in enumerate(_ARIA, start=len(_TAGS))}
_NAMED: Final = ("class", "id", "itemprop", "name")


def element_bits(page_names: ElementNames, groups: WordGroups = _GROUPS) -> NDArray[np.uint64]:
    """Return as bits the groups with a word in class, id, name, itemprop or image file name of elements: uint64 (N,).

    By default, the groups are `NAME_GROUPS`.
    """
    words = page_names.value_words
    value_groups = np.frombuffer(_names.bits_of(page_names.words, groups, words.start, words.values), np.uint64)
    bits = np.zeros(len(page_names.snapshot), dtype=np.uint64)
    for attribute in _NAMED:
        values = page_names.snapshot.values(attribute)
        bits[values.node] |= value_groups[page_names.short[values.index + page_names.first[attribute]]]
    bits[page_names.image] |= value_groups[page_names.file]
    return bits


def kind_bits(snapshot: Snapshot) -> NDArray[np.uint64]:
    """Return as bits which of `KINDS` match each element's tag and ARIA role: uint64 (N,)."""
    bits = np.array([_TAG_BITS.get(tag, 0) for tag in snapshot.tags], dtype=np.uint64)[snapshot.tag]
    roles = snapshot.values("role")
    by_role = [_ARIA_BITS.get(role.strip().lower(), 0) for role in roles.distinct]
    bits[roles.node] |= np.array(by_role, dtype=np.uint64)[roles.index]
    return bits


def ancestor_bits(bits: NDArray[np.uint64], parent: NDArray[np.int32]) -> NDArray[np.uint64]:
    """Return the bitwise or of the bits of each element's ancestors: uint64 (N,). Uses pointer doubling."""
    jump = np.maximum(parent, 0)
    union = np.where(parent < 0, np.uint64(0), bits[jump])  # the root has no ancestors
    while jump.any():
        union |= union[jump]
        jump = jump[jump]
    return union


def unpack(bits: NDArray[np.uint64], count: int) -> NDArray[np.bool_]:
    """Return the lowest `count` bits as columns: bool (len(bits), count)."""
    octets = bits.astype("<u8").view(np.uint8).reshape(len(bits), 8)
    return np.unpackbits(octets, axis=1, count=count, bitorder="little").view(bool)
