"""Read what controls and their panels are found by: tags, names, places and neighbours of elements."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.names.element_names import NAME_CACHE_SIZE
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Mapping

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_MOST_CHILDREN: Final = 1000
_FIRST: Final = 12
"""First elements inside an element, among which its controls are looked for."""


class PageElements:
    """Describe the N elements of a page, by their numbers; -1 is none.

    Attributes:
        snapshot: the page.
        parent: the parents of the elements.
        end: one past the last elements of their subtrees.
        seen: whether no style hides them.

    Args:
        snapshot: the page.
        revealed: bool (N,), hidden elements that count as in sight, because a reader has opened the panel around them.
    """

    def __init__(self, snapshot: Snapshot, revealed: NDArray[np.bool_] | None = None) -> None:
        self.snapshot = snapshot
        self.parent: list[int] = snapshot.parent.tolist()
        self.end: list[int] = snapshot.end.tolist()
        seen = snapshot.hidden == Hidden.NO
        in_sight = seen & has_place(snapshot)
        self.seen: list[bool] = (seen if revealed is None else seen | revealed).tolist()
        self._in_sight: list[bool] = (in_sight if revealed is None else in_sight | revealed).tolist()
        self._siblings: dict[int, dict[int, int]] = {}
        self._names: dict[int, str] = {}
        self._class, self._id, self._role = map(snapshot.attributes, ("class", "id", "role"))

    def is_in_sight(self, element: int) -> bool:
        """Return whether an element is seen and takes place."""
        return self._in_sight[element]

    def tag(self, element: int) -> str:
        """Return the tag of an element."""
        return self._tags[element]

    @cached_property
    def is_undisplayed(self) -> list[bool]:
        """Return which elements have `display: none` themselves; their descendants need not."""
        snapshot = self.snapshot
        undisplayed = snapshot.styles.is_in("display", ("none",))[snapshot.style]
        if not snapshot.rendered:  # without a browser, the contents of closed details have it too
            in_details = snapshot.is_tag(("details",))[np.maximum(snapshot.parent, 0)]
            styled = {each for each, style in self.attributes("style").items() if "display" in style.lower()}
            in_details[[*styled, *self.attributes("hidden")]] = False
            undisplayed &= ~in_details
        found: list[bool] = undisplayed.tolist()
        return found

    @cached_property
    def _tags(self) -> list[str]:
        return [self.snapshot.tags[tag] for tag in self.snapshot.tag.tolist()]

    def attributes(self, name: str) -> Mapping[int, str]:
        """Return the values of an attribute by element."""
        return self.snapshot.attributes(name)

    def role(self, element: int) -> str:
        """Return the declared role of an element, in lower case."""
        return self._role.get(element, "").lower()

    def classes(self, element: int) -> list[str]:
        """Return the classes of an element."""
        return self._class.get(element, "").split()

    def name(self, element: int) -> str:
        """Return classes, id and role of an element in one string, and its tag if it is a custom element."""
        name = self._names.get(element)
        if name is None:
            tag = self.tag(element)
            name = f"{self._class.get(element, '')} {self._id.get(element, '')} {self._role.get(element, '')}"
            self._names[element] = name = f"{name} {tag}" if "-" in tag else name
        return name

    def children(self, element: int) -> list[int]:
        """Return the first thousand children of an element; none for -1."""
        if element < 0:
            return []
        children: list[int] = []
        child = element + 1
        while child < self.end[element] and len(children) < _MOST_CHILDREN:
            children.append(child)
            child = self.end[child]
        return children

    def siblings(self, parent: int) -> dict[int, int]:
        """Return the children of an element with their positions, in order."""
        if parent not in self._siblings:
            self._siblings[parent] = {child: position for position, child in enumerate(self.children(parent))}
        return self._siblings[parent]

    def following_siblings(self, element: int) -> Iterator[int]:
        """Yield the siblings after an element."""
        parent, sibling = self.parent[element], self.end[element]
        while parent >= 0 and sibling < self.end[parent]:
            yield sibling
            sibling = self.end[sibling]

    def sibling_before(self, element: int) -> int | None:
        """Return the sibling right before an element."""
        siblings = self.siblings(self.parent[element])
        position = siblings.get(element, 0)
        return list(siblings)[position - 1] if position else None

    def first_inside(self, elements: Iterable[int]) -> Iterator[int]:
        """Yield elements and the first descendants of each."""
        for element in elements:
            yield from range(element, min(self.end[element], element + _FIRST))

    def text_length(self, element: int) -> int:
        """Return the characters of the texts inside an element."""
        before = self._characters_before
        return before[self.end[element]] - before[element]

    @cached_property
    def _characters_before(self) -> list[int]:
        """Return the characters of the texts of all elements before each, N + 1 numbers."""
        snapshot = self.snapshot
        own = np.bincount(snapshot.text_parent, weights=snapshot.text_length, minlength=len(snapshot))
        characters: list[int] = np.append(0, np.cumsum(own)).astype(int).tolist()
        return characters


def has_place(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements take place on the page, bool (N,); all if it was not rendered."""
    if not snapshot.rendered:
        return np.ones(len(snapshot), dtype=bool)
    contents = snapshot.styles.is_in("display", ("contents",))[snapshot.style]
    return np.asarray((snapshot.box[:, 2:] > 1).all(axis=1) | contents)


@lru_cache(maxsize=NAME_CACHE_SIZE)
def matches(pattern: re.Pattern[str], names: str) -> bool:
    """Return whether a pattern occurs in the names of an element; cached, because names repeat."""
    return pattern.search(names) is not None
