"""Recognize well-known words in an element's classes and ids, its tag and its ARIA role, as bits.

The words are in `data/name_groups.tsv`. They are used by themes and extraction tools; none is specific to one site.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.names.element_names import NAME_CACHE_SIZE
from vclean.files import read_table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from vclean.features.names.element_names import ElementNames
    from vclean.render.snapshot import Snapshot

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

_WORDS: Final = {group: frozenset(words.split()) for group, words in read_table(__file__, "name_groups.tsv")}
NAME_GROUPS: Final = tuple(_WORDS)
"""Groups of words, in bit order."""
KINDS: Final = (*(f"tag_{name}" for name in _TAGS), *(f"aria_{name}" for name in _ARIA))
"""Groups of tags, then ARIA roles, in bit order."""

_EXACT: Final = {word: bit for bit, words in enumerate(_WORDS.values()) for word in words if word[-1] != "*"}
_STEMS: Final = {word[:-1]: bit for bit, words in enumerate(_WORDS.values()) for word in words if word[-1] == "*"}
_LENGTHS: Final = sorted({len(stem) for stem in _STEMS}, reverse=True)
_BEGINNINGS: Final = {stem[: _LENGTHS[-1]] for stem in _STEMS}
_TAG_BIT: Final = {tag: bit for bit, tags in enumerate(_TAGS.values()) for tag in tags.split()}
_ARIA_BIT: Final = {role: bit for bit, role in enumerate(_ARIA, start=len(_TAGS))}
_NAMED: Final = ("class", "id", "itemprop", "name")


def name_bits(page_names: ElementNames) -> NDArray[np.uint64]:
    """Return as bits the `NAME_GROUPS` in the class, id, name, itemprop or image file name of elements: uint64 (N,)."""
    return element_bits(page_names, _bit)


def element_bits(page_names: ElementNames, bit_of_word: Callable[[str], int]) -> NDArray[np.uint64]:
    """Return the union of the bits of the words in the names of each element: uint64 (N,)."""
    bits = np.zeros(len(page_names.snapshot), dtype=np.uint64)
    name_groups = page_names.name_words.union(np.array(list(map(bit_of_word, page_names.words)), dtype=np.uint64))
    value_groups = page_names.value_names.union(name_groups)[page_names.short]
    for attribute in _NAMED:
        values = page_names.snapshot.values(attribute)
        bits[values.node] |= value_groups[values.index + page_names.first[attribute]]
    bits[page_names.image] |= name_groups[page_names.file]
    return bits


def kind_bits(snapshot: Snapshot) -> NDArray[np.uint64]:
    """Return as bits which of `KINDS` match each element's tag and ARIA role: uint64 (N,)."""
    by_tag = [1 << _TAG_BIT[tag] if tag in _TAG_BIT else 0 for tag in snapshot.tags]
    bits = np.array(by_tag, dtype=np.uint64)[snapshot.tag]
    roles = snapshot.values("role")
    bits[roles.node] |= np.array([_aria_bits(role) for role in roles.distinct], dtype=np.uint64)[roles.index]
    return bits


@lru_cache(maxsize=NAME_CACHE_SIZE)
def _bit(word: str) -> int:
    """Return the bit of a word's group: that of the whole word, else of its longest known prefix, else 0."""
    if word in _EXACT:
        return 1 << _EXACT[word]
    if word[: _LENGTHS[-1]] not in _BEGINNINGS:
        return 0
    return next((1 << _STEMS[word[:n]] for n in _LENGTHS if word[:n] in _STEMS), 0)


def _aria_bits(value: str) -> int:
    """Return the bit of an ARIA role, 0 if it is not in `_ARIA`."""
    role = value.strip().lower()
    return 1 << _ARIA_BIT[role] if role in _ARIA_BIT else 0


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
