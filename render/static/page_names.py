"""Look up the elements of a page by their tags, classes, ids and attributes."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence, Set

    from lxml import etree

_FEW: Final = 50
"""Names that are searched one by one."""


class PageNames:
    """Tags, classes, ids and attributes of the N elements of a page.

    Args:
        elements: the elements.
        tags: the tags of the elements.
        classes: the values of `class` by element.
        ids: the values of `id` by element.
    """

    def __init__(
        self,
        elements: Sequence[etree._Element],
        tags: Sequence[str],
        classes: Mapping[int, str],
        ids: Mapping[int, str],
    ) -> None:
        self._elements = elements
        self._with_attributes: dict[str, list[int]] = {}
        self.tags = tags
        self._classes = classes
        self._ids = ids
        self._distinct_tags = frozenset(tags)
        self._distinct_ids = frozenset(ids.values())
        self._values = frozenset(classes.values())
        self._distinct_classes = frozenset(" ".join(self._values).split())

    def has(self, name: str) -> bool:
        """Return whether an element has a name, `.class` or `#id`, a tag, or an attribute, as `[attribute`."""
        if name.startswith("."):
            return name[1:] in self._distinct_classes
        if name.startswith("["):
            return bool(self._with_attribute(name[1:]))
        return name[1:] in self._distinct_ids if name.startswith("#") else name in self._distinct_tags

    def names(self, node: int) -> frozenset[str]:
        """Return the classes of an element as `.class`, and its id as `#id`."""
        classes = [f".{name}" for name in self._classes.get(node, "").split()]
        return frozenset([*classes, f"#{self._ids[node]}"] if node in self._ids else classes)

    def nodes(self, keys: Set[str]) -> dict[str, list[int]]:
        """Return the elements with each of some names, tags or attributes."""
        nodes: dict[str, list[int]] = {key: [] for key in keys}
        nodes.update({key: self._with_attribute(key[1:]) for key in keys if key.startswith("[")})
        classes = {key[1:] for key in keys if key.startswith(".")}
        for name in classes if len(classes) <= _FEW else ():
            having = {value for value in self._values if name in value and name in value.split()}
            nodes[f".{name}"] = [node for node, value in self._classes.items() if value in having]
        if len(classes) > _FEW:
            matching = {value: classes.intersection(value.split()) for value in self._values}
            for node, value in self._classes.items():
                for name in matching[value]:
                    nodes[f".{name}"].append(node)
        others = chain(enumerate(self.tags), ((node, f"#{value}") for node, value in self._ids.items()))
        if len(classes) < len(keys):
            for node, name in others:
                if name in nodes:
                    nodes[name].append(node)
        return nodes

    def _with_attribute(self, name: str) -> list[int]:
        nodes = self._with_attributes.get(name)
        if nodes is None:
            nodes = [node for node, element in enumerate(self._elements) if element.get(name) is not None]
            self._with_attributes[name] = nodes
        return nodes
