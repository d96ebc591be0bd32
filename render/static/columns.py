"""Convert the elements of a parsed document, their attributes and texts to columns."""

from __future__ import annotations

import re
from itertools import chain, compress, count, islice
from typing import TYPE_CHECKING, cast
from urllib.parse import urljoin

import numpy as np
from lxml import etree

from vclean.errors import LimitError
from vclean.render.snapshot import ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

VALUE_LIMIT = 2000
"""Attribute values are cut here, in characters: `data:` URLs and inline JSON run to megabytes."""

_ATTRIBUTE = {name: index for index, name in enumerate(ATTRIBUTES)}
_STYLE = _ATTRIBUTE["style"]
_LINKS = np.isin(ATTRIBUTES, ("href", "src", "cite"))
_DECISIVE = np.isin(ATTRIBUTES, ("style", "hidden", "open"))
_ABSOLUTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]+)?(?=/|$)")
_FROM_ROOT = re.compile(r"/(?:[\w%~=+,-][\w%~=+,.-]*/)*(?:[\w%~=+,-][\w%~=+,.-]*)?(?:\?[\w%~=+,.&/-]+)?")
"""Links that only lack the origin: `urljoin` gives the same for them, at ten times the cost."""


def elements_of(root: etree._Element, max_nodes: int) -> list[etree._Element]:
    """Return all elements in document order.

    Raises:
        LimitError: there are more than `max_nodes`.
    """
    elements = list(islice(root.iter("*"), max_nodes + 1))
    if len(elements) > max_nodes:
        raise LimitError(f"page has more than {max_nodes:,} elements: raise --max-nodes")
    return elements


def parents_of(elements: Sequence[etree._Element]) -> list[int]:
    """Return the parent of every element; -1 for the first, which is the root."""
    number = {element: index for index, element in enumerate(elements)}
    above = cast("Iterator[etree._Element]", map(etree._Element.getparent, elements[1:]))
    return [-1, *map(number.__getitem__, above)]


class Links:
    """Makes links absolute, relative to a base address, which may be empty."""

    def __init__(self, base: str) -> None:
        self._base = base
        plain = _ORIGIN.match(base)
        self._origin = plain[0] if plain else ""

    def absolute(self, link: str) -> str:
        """Return the address of a link; a broken link stays unchanged."""
        if not self._base or _ABSOLUTE.match(link):
            return link
        if self._origin and _FROM_ROOT.fullmatch(link):
            return self._origin + link
        return join(self._base, link)


def join(base: str, link: str) -> str:
    """Resolve a link against `base`; a broken link stays unchanged."""
    try:
        return urljoin(base, link.strip())
    except ValueError:
        return link


class Attributes:
    """The attributes of a snapshot: `node` int32 (A,), `name` int32 (A,), and `value`, A strings."""

    def __init__(self, elements: Sequence[etree._Element], links: Links) -> None:
        nodes, names, values = _kept_attributes(elements)
        self.node = np.array(nodes, dtype=np.int32)
        self.name = np.array(names, dtype=np.int32)
        self._whole = values
        self.value = [value[:VALUE_LIMIT] for value in self._absolute(links)]

    def _absolute(self, links: Links) -> list[str]:
        values = self._whole.copy()
        rows = np.flatnonzero(_LINKS[self.name]).tolist()
        absolute = {link: links.absolute(link) for link in {values[row] for row in rows}}
        for row in rows:
            values[row] = absolute[values[row]]
        return values

    def style_keys(self, tags: Sequence[str]) -> list[str]:
        """Return the style keys of the N elements for `resolve_styles`, given their tags."""
        style_keys = list(tags)
        for node, inline in self._decisive().items():
            style_keys[node] += f" {inline}"
        return style_keys

    def _decisive(self) -> dict[int, str]:
        """Return inline style, followed by `;hidden` and `;open`, of each element that has any of them."""
        inline: dict[int, str] = {}
        rows = np.flatnonzero(_DECISIVE[self.name])
        for row, node, name in zip(rows.tolist(), self.node[rows].tolist(), self.name[rows].tolist(), strict=True):
            others = inline.get(node, "")
            inline[node] = f"{self._whole[row]};{others}" if name == _STYLE else f"{others};{ATTRIBUTES[name]}"
        return inline


def _kept_attributes(elements: Sequence[etree._Element]) -> tuple[list[int], list[int], list[str]]:
    """Return element, name and value of the attributes in `ATTRIBUTES`; the pairs of one element exist at a time."""
    nodes, names, values = [], [], []
    pairs = cast("Iterator[list[tuple[str, str]]]", map(etree._Element.items, elements))
    for node, items in enumerate(pairs):
        for attribute, value in items:
            name = _ATTRIBUTE.get(attribute)
            if name is not None:
                nodes.append(node)
                names.append(name)
                values.append(value)
    return nodes, names, values


class TextNodes:
    """The T texts of N elements in document order: `text`, `parent` and `after`, int32 (T,), as in a snapshot.

    Args:
        elements: the elements.
        parent: int32 (N,), their parents.
        end: int32 (N,), one past the last element of their subtrees.
    """

    def __init__(self, elements: Sequence[etree._Element], parent: NDArray[np.int32], end: NDArray[np.int32]) -> None:
        inside = [element.text for element in elements]
        behind = [element.tail for element in elements]
        behind[0] = None  # it is outside the document
        owner, left = _filled(inside), _filled(behind)
        after = np.concatenate([owner, end[left] - 1])
        # Of the texts that the same element precedes, its own comes first, then what follows the elements it ends.
        rank = np.concatenate([np.zeros_like(owner), len(elements) - left])
        order = np.argsort(after * np.int64(len(elements)) + rank)
        texts = list(filter(None, chain(inside, behind)))
        self.text = [texts[place] for place in order.tolist()]
        self.parent = np.concatenate([owner, parent[left]])[order]
        self.after = after[order]


def _filled(texts: Sequence[str | None]) -> NDArray[np.int32]:
    return np.array(list(compress(count(), texts)), dtype=np.int32)
