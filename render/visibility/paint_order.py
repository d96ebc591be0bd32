"""Order elements and texts as a browser paints them (CSS 2.2, appendix E).

A page is painted by stacking contexts, each in levels. The paint key of an element or text is the list of its levels
from the root's context inwards; of two, the one with the greater key is painted later and lies above.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.render.snapshot import Snapshot

Key = tuple[tuple[float, float], ...]
"""Pairs of a level and the place in the tree, from the root's stacking context inwards."""

_BACKGROUND: Final = (-float("inf"), 0)
"""Of the element that makes a stacking context: below all in it, negative levels too."""
_BLOCK: Final = 0.1
_FLOAT: Final = 0.2
_INLINE: Final = 0.3
_POSITIONED: Final = 0.5

_PROPERTIES: Final = (
    "position", "float", "display", "z-index", "opacity", "transform", "filter", "mix-blend-mode", "isolation",
    "mask-image",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Stacking:
    """Describe how an element takes part in the painting: its level, and whether it makes a stacking context."""

    level: float
    is_context: bool
    is_atomic: bool


class PaintOrder:
    """Compute paint keys of the elements and texts of a rendered page."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot
        self._keys: dict[int, Key] = {-1: ()}
        self._parent = snapshot.parent.tolist() if len(snapshot) else []

    def background(self, element: int) -> Key:
        """Return the key of an element's background."""
        stacking = self._rows[int(self._snapshot.style[element])]
        if stacking.is_atomic:
            return (*self._inside(element), _BACKGROUND)
        return (*self._inside(self._parent[element]), (stacking.level, element))

    def content(self, element: int) -> Key:
        """Return the key of the inline content of an element: its text nodes, or the image that it is."""
        return (*self._inside(element), (_INLINE, element))

    def _inside(self, element: int) -> Key:
        """Return the stacking contexts that an element's contents are in."""
        chain = []
        while element not in self._keys:
            chain.append(element)
            element = self._parent[element]
        key = self._keys[element]
        for each in reversed(chain):
            stacking = self._rows[int(self._snapshot.style[each])]
            if stacking.is_atomic:
                if stacking.is_context and stacking.level != _POSITIONED:
                    key = self._without_pseudo_contexts(each)
                key = (*key, (stacking.level, each))
            self._keys[each] = key
        return key

    def _without_pseudo_contexts(self, element: int) -> Key:
        """Return the key of the nearest stacking context: positioned elements with `z-index: auto` are none."""
        return self._context_of(self._keys[self._parent[element]])

    def _context_of(self, key: Key) -> Key:
        """Return the key of the nearest stacking context among the elements of a key."""
        while key and not self._rows[int(self._snapshot.style[int(key[-1][1])])].is_context:
            key = key[:-1]
        return key

    @cached_property
    def _rows(self) -> list[_Stacking]:
        """Return how the elements of each style row take part."""
        styles = self._snapshot.styles
        return [_stacking(values) for values in zip(*map(styles.column, _PROPERTIES), strict=True)]


def _stacking(values: Sequence[str]) -> _Stacking:
    """Return how an element takes part, given its values of `_PROPERTIES`."""
    position, floats, display, z_index, opacity, *others = values
    level = float(z_index) if z_index.lstrip("-").isdigit() else None
    makes = (
        opacity not in ("1", "")
        or any(value not in ("none", "normal", "auto", "") for value in others)
        or position in ("fixed", "sticky")
        or level is not None  # of flex and grid items too; elsewhere it is auto for those that are not positioned
    )
    if makes:
        return _Stacking(level or _POSITIONED, is_context=True, is_atomic=True)
    if position not in ("static", ""):
        return _Stacking(_POSITIONED, is_context=False, is_atomic=True)
    if floats not in ("none", ""):
        return _Stacking(_FLOAT, is_context=False, is_atomic=True)
    if display.startswith("inline"):
        return _Stacking(_INLINE, is_context=False, is_atomic=False)
    return _Stacking(_BLOCK, is_context=False, is_atomic=False)
