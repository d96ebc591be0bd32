"""Compute what the elements of a rendered page paint, and in which order a browser paints them (CSS 2.2, appendix E).

A page is painted by stacking contexts, each in levels. The paint key of an element or text is the list of its levels
from the root's context inwards; of two, the one with the greater key is painted later and lies above.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vclean.render import tree
from vclean.render.css_colors import WHITE, Color, color_array
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

    Mask = NDArray[np.bool_]
    Pairs = tuple[NDArray[np.intp], NDArray[np.intp]]
    """Indices of points, and of the box around each."""


_COVER_SHARE: Final = 0.9
"""Share of a side of the viewport that counts as the whole."""
_DARK_CANVAS: Final = Color(18, 18, 18)
"""Of Chromium."""
_LAZY: Final = ("data-src", "data-lazy-src", "data-original", "data-srcset")
"""Attributes of images that a script loads: what is in `src` is a placeholder."""
_MAX_PAIRS: Final = 1_000_000
"""Pairs of a point and a box that are compared at once: about 50 MB."""
NO_EFFECT: Final = ("", "none", "normal")
_EFFECTS: Final = (("filter", Hidden.FILTER), ("mask-image", Hidden.MASK), ("mix-blend-mode", Hidden.BLEND))


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


class _Stacking(NamedTuple):
    """Describe how an element takes part in the painting: its level, and whether it makes a stacking context."""

    level: float
    is_context: bool = False
    is_atomic: bool = True


class Painting:
    """Compute what the elements of a page paint: columns by style row, (S,), and by element, (N,).

    Attributes:
        snapshot: the rendered page.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        self._keys: dict[int, Key] = {-1: ()}

    # ---- by style row ----

    @cached_property
    def background(self) -> NDArray[np.float32]:
        """Return background colors, float32 (S, 4); an unknown one is transparent."""
        return np.nan_to_num(color_array(self.snapshot.styles.column("background-color")))

    @cached_property
    def letters(self) -> NDArray[np.float32]:
        """Return the fill colors of letters, float32 (S, 4), NaN where unknown."""
        styles = self.snapshot.styles
        fills = zip(styles.column("-webkit-text-fill-color"), styles.column("color"), strict=True)
        return color_array([fill or color for fill, color in fills])

    @cached_property
    def images(self) -> tuple[str, ...]:
        """Return the background images by style row, S strings."""
        return self.snapshot.styles.column("background-image")

    @cached_property
    def has_image(self) -> Mask:
        """Return which style rows have a background image or gradient, bool (S,)."""
        return np.array([value not in ("", "none") for value in self.images], dtype=bool)

    @cached_property
    def _clips_to_text(self) -> Mask:
        """Return which style rows paint their background inside letters only, bool (S,)."""
        return np.array(["text" in value for value in self.snapshot.styles.column("background-clip")], dtype=bool)

    # ---- by element ----

    @cached_property
    def is_missing(self) -> Mask:
        """Return which elements have an image that has not been loaded, bool (N,), or is a placeholder."""
        snapshot = self.snapshot
        mask = snapshot.is_tag(("img",))
        mask[snapshot.image] = False
        lazy = [element for name in _LAZY for element in snapshot.attributes(name)]
        mask[lazy] = snapshot.is_tag(("img",))[lazy]
        is_external = np.array(["url(" in value and "data:" not in value for value in self.images], dtype=bool)
        return np.asarray(mask | is_external[snapshot.style])

    @cached_property
    def is_picture(self) -> Mask:
        """Return which elements are images, drawings, videos or frames, of unknown colors, bool (N,)."""
        mask = self.snapshot.is_tag(("canvas", "svg", "video", "iframe", "object", "embed"))
        mask[self.snapshot.image] = True
        return np.asarray(mask & ~self.is_missing)

    @cached_property
    def paints(self) -> Mask:
        """Return which elements paint an image or a background in their box, bool (N,).

        Colors of the root and the body are the canvas, and not in a box.
        """
        snapshot, has_image = self.snapshot, self.has_image[self.snapshot.style]
        fills = ((self.background[:, 3] > 0) | self.has_image) & ~self._clips_to_text
        paints = (fills[snapshot.style] | self.is_picture | self.is_missing) & (snapshot.hidden == Hidden.NO)
        paints &= (snapshot.box[:, 2:] > 1).all(axis=1) & ~turned_away(snapshot)
        return np.asarray(paints & ~(snapshot.is_tag(("html", "body")) & ~has_image))

    @cached_property
    def painter(self) -> NDArray[np.int32]:
        """Return the nearest element that paints among each element and its ancestors, int32 (N,); -1 if none."""
        near = tree.nearest_ancestor(self.paints, self.snapshot.parent)
        return np.where(self.paints[near], near, np.int32(-1))

    @cached_property
    def opacity(self) -> NDArray[np.float32]:
        """Return the product of the opacities of each element and its ancestors, float32 (N,)."""
        snapshot = self.snapshot
        opacity = np.nan_to_num(snapshot.styles.number("opacity"), nan=1.0)
        logs = np.log(np.maximum(opacity, 1e-6), dtype=np.float64)[snapshot.style]
        return np.asarray(np.exp(np.minimum(tree.path_sum(logs, snapshot.end), 0)).round(6), dtype=np.float32)

    @cached_property
    def is_fixed(self) -> Mask:
        """Return which elements stay where they are when the page is scrolled, bool (N,)."""
        fixed = self.snapshot.styles.is_in("position", ("fixed", "sticky"))[self.snapshot.style]
        return tree.inside(fixed, self.snapshot.end)

    @cached_property
    def is_inline(self) -> Mask:
        """Return which elements are inline and in flow, bool (N,): their lines lie beside those of others."""
        styles = self.snapshot.styles
        inline = styles.is_in("display", ("inline",)) & styles.is_in("position", ("", "static"))
        return np.asarray((inline & styles.is_in("float", ("", "none")))[self.snapshot.style])

    @cached_property
    def effect(self) -> NDArray[np.uint8]:
        """Return the code of what changes the painting of each element beside colors, `Hidden` or 0, uint8 (N,).

        These are filters, masks, blend modes, text clips, strokes, transforms in three dimensions, and clip paths;
        those of ancestors count.
        """
        snapshot, styles = self.snapshot, self.snapshot.styles
        rows = np.zeros(len(styles.rows), dtype=np.uint8)
        rows[np.array(styles.column("-webkit-text-stroke-width")) > "0px"] = Hidden.COLOR
        rows[self._clips_to_text] = Hidden.COLOR
        rows[np.char.startswith(np.array(styles.column("transform"), dtype=str), "matrix3d(")] = Hidden.TRANSFORM
        for name, code in _EFFECTS:
            rows[~styles.is_in(name, NO_EFFECT)] = code
        own = rows[snapshot.style]
        own[snapshot.clip_path] = Hidden.CLIPPED
        return own[tree.nearest_ancestor(own > 0, snapshot.parent)]

    @cached_property
    def canvas(self) -> Color:
        """Return the opaque color behind the page: the background of the root or the body (CSS Backgrounds 3, 2.11)."""
        base = _DARK_CANVAS if self.snapshot.dark else WHITE
        paints = (self.background[:, 3] > 0) | self.has_image
        style = next((style for style in viewport_styles(self.snapshot) if paints[style]), None)
        return base if style is None else Color(*self.background[style].tolist()).over(base)

    def fill_viewport(self, box: NDArray[np.float32]) -> Mask:
        """Return which boxes, float32 (..., 4), are as large as the viewport, bool (...)."""
        settings = self.snapshot.settings
        size = np.array([settings.get("width", 0), settings.get("height", 0)], dtype=np.float32)
        return np.asarray((box[..., 2:] >= _COVER_SHARE * size).all(axis=-1))

    # ---- order ----

    def background_key(self, element: int) -> Key:
        """Return the key of an element's background."""
        stacking = self._stackings[int(self.snapshot.style[element])]
        if stacking.is_atomic:
            return (*self._inside(element), _BACKGROUND)
        return (*self._inside(int(self.snapshot.parent[element])), (stacking.level, element))

    def content_key(self, element: int) -> Key:
        """Return the key of the inline content of an element: its text nodes, or the image that it is."""
        return (*self._inside(element), (_INLINE, element))

    def _inside(self, element: int) -> Key:
        """Return the stacking contexts that an element's contents are in."""
        chain = []
        while element not in self._keys:
            chain.append(element)
            element = int(self.snapshot.parent[element])
        key = self._keys[element]
        for each in reversed(chain):
            stacking = self._stackings[int(self.snapshot.style[each])]
            if stacking.is_atomic:
                if stacking.is_context and stacking.level != _POSITIONED:
                    # Positioned elements with `z-index: auto` make no context.
                    while key and not self._stackings[int(self.snapshot.style[int(key[-1][1])])].is_context:
                        key = key[:-1]
                key = (*key, (stacking.level, each))
            self._keys[each] = key
        return key

    @cached_property
    def _stackings(self) -> list[_Stacking]:
        """Return how the elements of each style row take part."""
        styles = self.snapshot.styles
        return [_stacking(values) for values in zip(*map(styles.column, _PROPERTIES), strict=True)]


def points_in_boxes(points: NDArray[np.float32], boxes: NDArray[np.float32]) -> Iterator[Pairs]:
    """Yield the pairs of a point and a box that contains it, in chunks; boxes ascend.

    Points are sorted by y, so that each box is only compared with the points between its top and bottom.

    Args:
        points: float32 (P, 2).
        boxes: float32 (B, 4).
    """
    if not len(boxes):
        return
    order = np.argsort(points[:, 1], kind="stable")
    y = points[order, 1]
    first = np.searchsorted(y, boxes[:, 1])
    count = np.maximum(np.searchsorted(y, boxes[:, 1] + boxes[:, 3]) - first, 0)
    chunk = (np.cumsum(count) - count) // _MAX_PAIRS
    for rows in np.split(np.arange(len(boxes)), np.flatnonzero(np.diff(chunk)) + 1):
        box = np.repeat(rows, count[rows])
        begin = np.cumsum(count[rows]) - count[rows]
        point = order[np.arange(len(box)) + np.repeat(first[rows] - begin, count[rows])]
        inside = (boxes[box, 0] <= points[point, 0]) & (points[point, 0] < boxes[box, 0] + boxes[box, 2])
        yield point[inside], box[inside]


def turned_away(snapshot: Snapshot) -> Mask:
    """Return which elements a 3D transform turns away, with a back that is not painted, bool (N,)."""
    hides_back = ~snapshot.styles.is_in("backface-visibility", ("", "visible"))[snapshot.style]
    turned = np.array([_faces_away(value) for value in snapshot.styles.column("transform")], dtype=bool)
    odd = tree.path_sum(turned[snapshot.style], snapshot.end) % 2 == 1
    return tree.inside(hides_back & odd, snapshot.end)


def _faces_away(transform: str) -> bool:
    """Return whether a computed 3D transform turns the back of an element to the reader (CSS Transforms 2, 9)."""
    if not transform.startswith("matrix3d("):
        return False
    entries = [float(part) for part in transform[9:].rstrip(")").split(",")]
    return entries[0] * entries[5] - entries[1] * entries[4] < 0


def viewport_styles(snapshot: Snapshot) -> list[int]:
    """Return the style rows of the root and the body: the viewport takes their background and overflow."""
    root, body = snapshot.style[:1], snapshot.style[snapshot.is_tag(("body",))][:1]
    rows: list[int] = [*root.tolist(), *body.tolist()]
    return rows


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
        return _Stacking(level or _POSITIONED, is_context=True)
    if position not in ("static", ""):
        return _Stacking(_POSITIONED)
    if floats not in ("none", ""):
        return _Stacking(_FLOAT)
    return _Stacking(_INLINE if display.startswith("inline") else _BLOCK, is_atomic=False)
