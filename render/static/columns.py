"""Convert the elements, attributes and texts of a parsed document to columns."""

from __future__ import annotations

import re
from itertools import chain, compress, count, islice, repeat
from typing import TYPE_CHECKING, cast
from urllib.parse import urljoin

import numpy as np
from lxml import etree

from vclean.characters import format_count
from vclean.errors import LimitError
from vclean.render.snapshot import ATTRIBUTES, MAX_ID, NAMING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

VALUE_LIMIT = 2000
"""Length in characters to which attribute values are truncated; `data:` URLs and inline JSON may have megabytes."""

_ATTRIBUTE = {name: index for index, name in enumerate(ATTRIBUTES)}
_STYLE = _ATTRIBUTE["style"]
_NAMING = re.compile(NAMING)
_IS_LINK = np.isin(ATTRIBUTES, ("href", "src", "cite", "data-src", "data-lazy-src", "data-original"))
_AFFECTS_STYLE = np.isin(ATTRIBUTES, ("style", "hidden", "open", "popover"))
_ABSOLUTE = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_ORIGIN = re.compile(r"https?://[a-z0-9.-]+(?::[0-9]+)?(?=/|$)")
_FROM_ROOT = re.compile(r"/(?:[\w%~=+,-][\w%~=+,.-]*/)*(?:[\w%~=+,-][\w%~=+,.-]*)?(?:\?[\w%~=+,.&/-]+)?")
"""Root-relative links that need only the origin; `urljoin` has the same result at ten times the cost."""


def elements_of(root: etree._Element, max_nodes: int) -> list[etree._Element]:
    """Return all elements in document order.

    Raises:
        LimitError: there are more than `max_nodes`.
    """
    elements = list(islice(root.iter("*"), max_nodes + 1))
    if len(elements) > max_nodes:
        raise LimitError(f"page has more than {format_count(max_nodes, 'element')}: raise --max-nodes")
    return elements


def parents_of(elements: Sequence[etree._Element]) -> list[int]:
    """Return the parent of every element; -1 for the first, which is the root."""
    number = {element: index for index, element in enumerate(elements)}
    parents = cast("Iterator[etree._Element]", map(etree._Element.getparent, elements[1:]))
    return [-1, *map(number.__getitem__, parents)]


class Links:
    """Resolver of links against a base URL, which may be empty."""

    def __init__(self, base: str) -> None:
        self._base = base
        plain = _ORIGIN.match(base)
        self._origin = plain[0] if plain else ""

    def absolute(self, link: str) -> str:
        """Return the absolute URL of a link; an invalid link is returned unchanged."""
        if not self._base or _ABSOLUTE.match(link):
            return link
        if self._origin and _FROM_ROOT.fullmatch(link):
            return self._origin + link
        return join(self._base, link)


def join(base: str, link: str) -> str:
    """Resolve a link against `base`; an invalid link is returned unchanged."""
    try:
        return urljoin(base, link.strip())
    except ValueError:
        return link


class Attributes:
    """Attributes of a snapshot: `node` int32 (A,), `name` int32 (A,), and `value`, A strings."""

    def __init__(self, elements: Sequence[etree._Element], links: Links) -> None:
        nodes, names, values = _select_attributes(elements)
        self.node = np.array(nodes, dtype=np.int32)
        self.name = np.array(names, dtype=np.int32)
        self._full_values = values
        self.value = [value[:VALUE_LIMIT] for value in self._absolute(links)]

    def _absolute(self, links: Links) -> list[str]:
        values = self._full_values.copy()
        rows = np.flatnonzero(_IS_LINK[self.name]).tolist()
        absolute = {link: links.absolute(link) for link in {values[row] for row in rows}}
        for row in rows:
            values[row] = absolute[values[row]]
        return values

    def style_keys(self, tags: Sequence[str], declared: Mapping[int, str] | None = None) -> list[str]:
        """Return the style keys of the N elements for `resolve_styles`.

        Args:
            tags: the tags of the elements.
            declared: the declarations of style sheets by element, which end in a semicolon.
        """
        style_keys, declared = list(tags), declared or {}
        for node, declarations in declared.items():
            style_keys[node] += f" {declarations}"
        for node, inline in self._style_inputs().items():
            style_keys[node] += inline if node in declared else f" {inline}"
        return style_keys

    def values_of(self, name: str) -> dict[int, str]:
        """Return the values of an attribute in `ATTRIBUTES` by element."""
        rows = np.flatnonzero(self.name == _ATTRIBUTE[name]).tolist()
        return dict(zip(self.node[rows].tolist(), map(self._full_values.__getitem__, rows), strict=True))

    def _style_inputs(self) -> dict[int, str]:
        """Return inline style, `;hidden`, `;open` and `;popover` of the elements that have any, in this order."""
        inline: dict[int, str] = {}
        rows = np.flatnonzero(_AFFECTS_STYLE[self.name])
        for row, node, name in zip(rows.tolist(), self.node[rows].tolist(), self.name[rows].tolist(), strict=True):
            others = inline.get(node, "")
            inline[node] = f"{self._full_values[row]};{others}" if name == _STYLE else f"{others};{ATTRIBUTES[name]}"
        return inline


def _select_attributes(elements: Sequence[etree._Element]) -> tuple[list[int], list[int], list[str]]:
    """Return the elements, names and values of the attributes in `ATTRIBUTES`; iterates to save memory."""
    nodes, names, values = [], [], []
    ids = set(map(etree._Element.get, elements, repeat("id"))) - {"", None}
    pairs = cast("Iterator[list[tuple[str, str]]]", map(etree._Element.items, elements))
    for node, items in enumerate(pairs):
        for attribute, value in items:
            name = _ATTRIBUTE.get(attribute)
            if name is None and len(value) <= MAX_ID and _NAMING.search(attribute) and ("#" in value or value in ids):
                name = _ATTRIBUTE["data-names"]
            if name is not None:
                nodes.append(node)
                names.append(name)
                values.append(value)
    return nodes, names, values


class TextNodes:
    """Texts of N elements in document order: T `text`, `parent` and `after`, int32 (T,), as in a snapshot.

    Args:
        elements: the elements.
        parent: int32 (N,), their parents.
        end: int32 (N,), one past the last element of their subtrees.
    """

    def __init__(self, elements: Sequence[etree._Element], parent: NDArray[np.int32], end: NDArray[np.int32]) -> None:
        texts = [element.text for element in elements]
        tails = [element.tail for element in elements]
        tails[0] = None  # the tail of the root is outside the document
        with_text, with_tail = _nonempty(texts), _nonempty(tails)
        after = np.concatenate([with_text, end[with_tail] - 1])
        # Of the texts after the same element, its text comes first, then the tails of the elements that end with it,
        # innermost first.
        rank = np.concatenate([np.zeros_like(with_text), len(elements) - with_tail])
        order = np.argsort(after * np.int64(len(elements)) + rank)
        unsorted = list(filter(None, chain(texts, tails)))
        self.text = [unsorted[index] for index in order.tolist()]
        self.parent = np.concatenate([with_text, parent[with_tail]])[order]
        self.after = after[order]


def _nonempty(texts: Sequence[str | None]) -> NDArray[np.int32]:
    """Return the indices of the texts that are not empty."""
    return np.array(list(compress(count(), texts)), dtype=np.int32)
