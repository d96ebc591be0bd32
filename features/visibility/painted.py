"""Find the texts of a rendered page that are laid out but cannot be seen: by their size, color, or what covers them.

Computed styles and geometry decide. Most texts are settled for the whole page at once: those in a color that differs
from the opaque background of an ancestor, with no other painted element at their place. The others are looked at one
by one, with what is painted behind and above them in paint order.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree
from vclean.features.visibility.colors import (
    LEAST_CONTRAST,
    WHITE,
    Color,
    blended,
    color_contrast,
    colors_in,
    contrast,
    filter_functions,
    filtered,
    parse_color,
)
from vclean.features.visibility.paint_order import PaintOrder
from vclean.render.snapshot import Hidden
from vclean.render.static.styles import REPLACED_TAGS, SKIPPED_TAGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.visibility.paint_order import Key
    from vclean.render.snapshot import Snapshot

LEAST_FONT_SIZE: Final = 5.0
"""CSS px, after transforms; smaller letters cannot be read."""
LEAST_ADVANCE: Final = 0.12
"""Mean width of a character in font sizes; below it letters lie on top of each other. Narrow fonts have .3."""
LEAST_OPACITY: Final = 0.02

_LEAST_BLUR: Final = 2.0
_BLUR_SHARE: Final = 0.3
"""Of the font size: letters with a blur of a larger radius cannot be read."""

_LINE_HEIGHT: Final = 1.15
"""Height of a line box of text in font sizes, for common fonts: 1.11 (Times) to 1.36 (Noto)."""
_USUAL_HEIGHTS: Final = (0.6, 1.9)
"""Between these, the height of a line is taken for that of its font and not for a transform's."""
_FAR_RIGHT: Final = 2.0
"""Widths of the viewport; what lies further to the right, outside tables, is not scrolled to."""
_FAR_DOWN: Final = 5000.0
"""CSS px of empty page above the last texts of a page, after which nobody looks for more."""
_FEW: Final = 0.1
_COVER_SHARE: Final = 0.9
_UNJUDGED_TAGS: Final = frozenset(("datalist", "optgroup", "option", "rp", "select"))
_IMAGE_TAGS: Final = ("canvas", "svg", "video")
_PAIRS: Final = 4_000_000
"""Pairs of painted elements and texts that are compared at once."""


def hidden_techniques(snapshot: Snapshot) -> NDArray[np.uint8]:
    """Return the technique that hides each text, uint8 (T,) of `Hidden`; 0 for texts that are shown.

    Texts of white space have the technique of their parents. A page that was not rendered has no geometry: its texts
    have the technique that attributes and inline styles give.
    """
    technique = snapshot.text_hidden.copy()
    if snapshot.rendered and math.isfinite(snapshot.width):
        texts = _PaintedTexts(snapshot)
        for rows, code in (texts.unreadable(), texts.out_of_reach(), texts.out_of_sight()):
            new = technique[rows] == Hidden.NO
            technique[rows[new]] = code[new]
    return technique


def doubtful_texts(snapshot: Snapshot) -> dict[int, int]:
    """Return the texts that an image is behind or above, with the `Hidden` code of those that prove to be unseen.

    What an image shows is not known from styles: the browser has to paint the page with and without these texts.
    """
    if not (snapshot.rendered and _has_text_on_images(snapshot)):
        return {}
    texts = _PaintedTexts(snapshot)
    texts.out_of_sight()
    return dict(texts.doubts)


def _has_text_on_images(snapshot: Snapshot) -> bool:
    """Return whether a line of text is at the place of an image whose data are there: others may not be loaded."""
    data = ["url(" in image and "data:" in image for image in snapshot.styles.column("background-image")]
    images = snapshot.is_tag(_IMAGE_TAGS) | np.array(data, dtype=bool)[snapshot.style]
    images[snapshot.image] = True
    box = snapshot.box[images & (snapshot.hidden == Hidden.NO)]
    box = box[(box[:, 2] > 1) & (box[:, 3] > 1)]
    center = snapshot.line_box[:, :2] + snapshot.line_box[:, 2:] / 2
    return any(
        bool(((corner <= center) & (center < corner + size)).all(axis=1).any())
        for corner, size in zip(box[:, :2], box[:, 2:], strict=True)
    )


Found = tuple["NDArray[np.intp]", "NDArray[np.uint8]"]
"""Text nodes, and the technique that hides each."""


class _PaintedTexts:
    """The texts of a page that are neither blank nor hidden by layout."""

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        judged = (snapshot.text_hidden == Hidden.NO) & ~self._is_exempt[snapshot.text_parent]
        number = len(snapshot.texts)
        count = np.bincount(snapshot.line_text, minlength=number)
        without = [row for row in np.flatnonzero(judged & (count == 0)).tolist() if snapshot.texts[row].strip()]
        self.without_lines = np.array(without, dtype=np.intp)
        self.rows = np.flatnonzero(judged & (count > 0))
        self.parent = snapshot.text_parent[self.rows]
        self.doubts: dict[int, int] = {}

    # ---- size and place ----

    def unreadable(self) -> Found:
        """Return the texts whose letters are too small, turned away, or on top of each other."""
        snapshot, rows = self.snapshot, self.rows
        font_size = snapshot.styles.number("font-size")[snapshot.style]
        gone = self.without_lines
        small = font_size[snapshot.text_parent[gone]] < 1
        code = [np.where(small, Hidden.FONT_SIZE, Hidden.TRANSFORM)]
        found = [gone]
        if len(rows):
            size = font_size[self.parent]
            box = snapshot.line_box[self._longest]
            vertical = (box[:, 3] > 2 * size) & (box[:, 2] < box[:, 3])
            height = np.where(vertical, box[:, 2], box[:, 3])
            ratio = height / (_LINE_HEIGHT * np.maximum(size, 0.1))
            scaled = (ratio < _USUAL_HEIGHTS[0]) | (ratio > _USUAL_HEIGHTS[1])
            effective = np.where(scaled, height / _LINE_HEIGHT, size)
            tiny = effective < LEAST_FONT_SIZE
            length = np.array([len(snapshot.texts[row].strip()) for row in rows.tolist()])
            advance = self._extent / (length * np.maximum(effective, 0.1))
            heaped = (advance < LEAST_ADVANCE) & (length > 4) & ~tiny
            found += [rows[tiny], rows[heaped], *([rows[self._is_turned_away]] if self._is_turned_away.any() else [])]
            code.append(np.where(size[tiny] < LEAST_FONT_SIZE, Hidden.FONT_SIZE, Hidden.TRANSFORM))
            code.append(np.full(int(heaped.sum()), Hidden.SPACING))
            if self._is_turned_away.any():
                code.append(np.full(int(self._is_turned_away.sum()), Hidden.TRANSFORM))
        return np.concatenate(found), np.concatenate(code).astype(np.uint8)

    def out_of_reach(self) -> Found:
        """Return the texts at places that no scrolling reaches, or that nobody scrolls to."""
        snapshot, rows, box = self.snapshot, self.rows, self._box
        if not len(rows):
            return rows, np.zeros(0, dtype=np.uint8)
        right, bottom = box[:, 0] + box[:, 2], box[:, 1] + box[:, 3]
        left_edge = float(min(snapshot.box[0, 0], 0)) if len(snapshot) else 0.0
        off = ((right <= left_edge) | (bottom <= 0)) & (box[:, 2] > 0) | (box[:, 0] >= snapshot.width)
        viewport = float(snapshot.settings.get("width", snapshot.width))
        reach = _FAR_RIGHT * viewport
        if (box[:, 0] >= min(viewport, reach)).any():
            overflow = snapshot.styles.column("overflow-x")
            locked = any(overflow[row] in ("hidden", "clip") for row in snapshot.style[:1].tolist() + self._body_style)
            limit = viewport if locked else reach
            in_table = tree.path_sum(snapshot.is_tag(("table", "pre")), snapshot.end)[self.parent] > 0
            off |= (box[:, 0] >= limit) & ~in_table
        off |= _far_below(box[:, 1], bottom)
        return rows[off], np.full(int(off.sum()), Hidden.OFF_PAGE, dtype=np.uint8)

    # ---- color and covering ----

    def out_of_sight(self) -> Found:
        """Return the texts that cannot be told from what is behind them, or are covered."""
        rows = self.rows
        if not len(rows):
            return rows, np.zeros(0, dtype=np.uint8)
        code = np.zeros(len(rows), dtype=np.uint8)
        doubtful = ~self._is_plain()
        for place in np.flatnonzero(doubtful).tolist():
            code[place] = self._technique(place)
        found = code > 0
        return rows[found], code[found]

    def _is_plain(self) -> NDArray[np.bool_]:
        """Return which texts are surely visible: in a color that differs from an opaque one right behind it."""
        snapshot, parent = self.snapshot, self.parent
        near = tree.nearest_ancestor(self._paints, snapshot.parent)[parent]
        canvas = ~self._paints[near]
        behind = self._background[snapshot.style[near]][:, :3].copy()
        behind[canvas] = self._canvas[:3]
        opaque = canvas | (self._background[snapshot.style[near], 3] == 1) & ~self._has_image[snapshot.style[near]]
        inside = canvas | _contains(snapshot.box[near], self._center)
        color = self._color[snapshot.style[parent]]
        alpha = np.nan_to_num(color[:, 3:] * self._opacity[parent, None], nan=0.0)
        mixed = color[:, :3] * alpha + behind * (1 - alpha)
        # Where hues differ and luminances do not, the text is looked at by itself.
        readable = contrast(np.nan_to_num(mixed, nan=128), np.nan_to_num(behind, nan=128)) >= LEAST_CONTRAST
        return np.asarray(opaque & inside & readable & ~self._is_affected[parent] & ~self._is_overlapped)

    def _technique(self, place: int) -> int:
        """Return the technique that hides one text, 0 if it is visible."""
        parent = int(self.parent[place])
        center = self._center[place]
        key = self._order.text(parent)
        ancestors = self.snapshot.ancestors(parent)
        around = [element for element in ancestors if self._paints[element]]
        others = self._overlapping.get(place, [])
        below: list[tuple[Key, int]] = []
        above: list[tuple[Key, int]] = []
        clipping = self._text_clipping(ancestors)
        for element in (*around, *others):
            if element == clipping or not _holds(self.snapshot.box[element], center):
                continue
            at = self._key(element)
            (above if at > key else below).append((at, element))
        covers = [element for _, element in above if self._covers(element, place)]
        if any(not self._is_image[element] for element in covers):
            return Hidden.COVERED
        if covers:
            self.doubts[int(self.rows[place])] = Hidden.COVERED
            return Hidden.NO
        backdrop = self._backdrop([element for _, element in sorted(below)])
        if backdrop is None:
            self.doubts[int(self.rows[place])] = Hidden.COLOR
        return self._color_technique(parent, ancestors, clipping, backdrop) if backdrop else Hidden.NO

    def _color_technique(
        self, parent: int, ancestors: Sequence[int], clipping: int | None, backdrop: Sequence[tuple[Color, int]]
    ) -> int:
        """Return the technique that makes a text disappear before its backdrop.

        Args:
            parent: the text's parent.
            ancestors: the parent and its ancestors, innermost first.
            clipping: the ancestor whose background is clipped to the text, or None.
            backdrop: the colors that may be behind it, with the element that paints each, -1 for the canvas.
        """
        inks = self._inks(parent, clipping)
        opacity = float(self._opacity[parent])
        pairs = [(ink, behind, source) for ink in inks for behind, source in backdrop]
        faded = [(ink.faded(opacity), behind, source) for ink, behind, source in pairs]
        effect = self._effect(ancestors, faded)
        if effect is None:
            return Hidden.NO
        for technique, layers in ((Hidden.COLOR, pairs), (Hidden.OPACITY, faded)):
            if not _any_differ(layers):
                return technique
        return effect

    def _inks(self, parent: int, clipping: int | None) -> list[Color]:
        """Return the colors that a text's letters are painted in: of the fill, the shadows and the stroke."""
        row = int(self.snapshot.style[parent])
        color = self._color[row]
        inks = [Color(*color.tolist())] if np.isfinite(color).all() else [Color(255, 0, 255)]
        shadow = self._style("text-shadow", row)
        inks += colors_in(shadow) if shadow not in ("", "none") else ()
        if self._style("-webkit-text-stroke-width", row) not in ("", "0px"):
            inks += colors_in(self._style("-webkit-text-stroke-color", row))
        if clipping is not None:
            at = int(self.snapshot.style[clipping])
            inks += [Color(*self._background[at].tolist()), *self._stops(at)]
            if "url(" in self._style("background-image", at):
                inks.append(Color(255, 0, 255))  # an image: of no known color, and so visible
        return inks

    def _effect(self, ancestors: Sequence[int], pairs: Sequence[tuple[Color, Color, int]]) -> int | None:
        """Return the filter, mask or blend mode that hides a text, innermost first; None if it is visible.

        Args:
            ancestors: of the text, innermost first.
            pairs: the colors of its letters, what may be behind each, and the element that paints that.
        """
        technique: int | None = Hidden.COLOR if not _any_differ(pairs) else None
        for element in ancestors:
            row = int(self.snapshot.style[element])
            if _is_masked_away(self._style("mask-image", row)):
                return Hidden.MASK
            functions = filter_functions(self._style("filter", row))
            mode = self._style("mix-blend-mode", row)
            if functions:
                limit = max(_LEAST_BLUR, _BLUR_SHARE * float(self._font_size[self.snapshot.style[ancestors[0]]]))
                if any(name == "blur" and amount > limit for name, amount in functions):
                    return Hidden.FILTER
                pairs = [
                    (
                        filtered(ink, functions),
                        filtered(behind, functions) if self._is_in(source, element) else behind,
                        source,
                    )
                    for ink, behind, source in pairs
                ]
                technique = None if _any_differ(pairs) else technique or Hidden.FILTER
            if mode not in ("", "normal"):
                pairs = [self._blend(pair, mode, element) for pair in pairs]
                technique = None if _any_differ(pairs) else technique or Hidden.BLEND
        return technique

    def _blend(self, pair: tuple[Color, Color, int], mode: str, element: int) -> tuple[Color, Color, int]:
        """Blend a text, and what is behind it inside `element`, with what is behind the element."""
        ink, behind, source = pair
        if not self._is_in(source, element):
            return blended(ink, behind, mode), behind, source
        canvas = Color(*self._canvas)
        return blended(ink, canvas, mode), blended(behind, canvas, mode), source

    def _is_in(self, source: int, element: int) -> bool:
        return bool(element <= source < self.snapshot.end[element])

    def _backdrop(self, elements: Sequence[int]) -> list[tuple[Color, int]] | None:
        """Return the opaque colors that may be behind a text, given what is painted there, lowest first.

        Empty where an image is behind it that may not have been loaded, None where an image is whose pixels tell.
        """
        colors: list[tuple[Color, int]] = [(Color(*self._canvas), -1)]
        for element in elements:
            row = int(self.snapshot.style[element])
            if self._is_image[element]:
                return None
            opacity = float(self._opacity[element])
            color = self._background[row]
            if np.isfinite(color).all() and color[3] > 0:
                ink = Color(*color.tolist()).faded(opacity)
                colors = [(ink.over(behind), element if ink.alpha > 0.5 else source) for behind, source in colors]
            image = self._style("background-image", row)
            if "url(" in image:
                return None if "data:" in image else []
            if stops := self._stops(row):
                colors = [(stop.faded(opacity).over(behind), element) for stop in stops for behind, _ in colors][:64]
        return colors

    def _covers(self, element: int, place: int) -> bool:
        """Return whether an element that lies above a text hides all its lines."""
        row = int(self.snapshot.style[element])
        solid = self._background[row, 3] == 1 or self._is_image[element]
        stops = self._stops(row)
        solid = solid or (bool(stops) and all(stop.alpha == 1 for stop in stops))
        if not solid or self._opacity[element] < 1 - LEAST_OPACITY:
            return False
        if self._fixed[element] and not self._fixed[self.parent[place]] and not self._fills_viewport(element):
            return False  # scrolling moves the text out from below it
        lines = self._lines(place)
        return bool((_overlap(self.snapshot.box[element], lines) >= _COVER_SHARE * lines[:, 2] * lines[:, 3]).all())

    def _fills_viewport(self, element: int) -> bool:
        settings, box = self.snapshot.settings, self.snapshot.box[element]
        return bool(
            box[2] >= _COVER_SHARE * settings.get("width", 0) and box[3] >= _COVER_SHARE * settings.get("height", 0)
        )

    def _key(self, element: int) -> Key:
        background = self._order.background(element)
        if not self._is_image[element]:
            return background
        return (*background[:-1], (0.3, element))

    def _text_clipping(self, ancestors: Sequence[int]) -> int | None:
        """Return the nearest ancestor whose background is clipped to its text, or None."""
        if not self._clips_to_text.any():
            return None
        return next((element for element in ancestors if self._clips_to_text[self.snapshot.style[element]]), None)

    def _lines(self, place: int) -> NDArray[np.float32]:
        row = self.rows[place]
        begin, end = np.searchsorted(self.snapshot.line_text, (row, row + 1))
        return self.snapshot.line_box[begin:end]

    def _style(self, name: str, row: int) -> str:
        return self._columns[name][row]

    def _stops(self, row: int) -> tuple[Color, ...]:
        image = self._style("background-image", row)
        return colors_in(image) if "gradient(" in image else ()

    # ---- columns ----

    @cached_property
    def _order(self) -> PaintOrder:
        return PaintOrder(self.snapshot)

    @cached_property
    def _is_exempt(self) -> NDArray[np.bool_]:
        """Return which elements contain no text of the page, or are painted by the system, bool (N,)."""
        own = self.snapshot.is_tag(_UNJUDGED_TAGS | REPLACED_TAGS | SKIPPED_TAGS)
        return tree.path_sum(own, self.snapshot.end) > 0 if own.any() else own

    @cached_property
    def _columns(self) -> dict[str, list[str]]:
        styles = self.snapshot.styles
        return {name: styles.column(name) for name in styles.names}

    @cached_property
    def _first_line(self) -> NDArray[np.intp]:
        """Return the first line of each text, (K,)."""
        return np.searchsorted(self.snapshot.line_text, self.rows)

    @cached_property
    def _longest(self) -> NDArray[np.intp]:
        """Return the line of each text with the largest area, (K,)."""
        box, first = self.snapshot.line_box, self._first_line
        area = box[:, 2] * box[:, 3]
        best = np.maximum.reduceat(area, first) if len(first) == len(self.snapshot.line_text) else None
        if best is not None:
            return first
        owner = self.snapshot.line_text
        order = np.lexsort((np.arange(len(area)), -area, owner))
        return order[np.searchsorted(owner[order], self.rows)]

    @cached_property
    def _extent(self) -> NDArray[np.float32]:
        """Return the length of each text's lines together, CSS px, (K,)."""
        box = self.snapshot.line_box
        total = np.bincount(
            self.snapshot.line_text, weights=np.maximum(box[:, 2], box[:, 3]), minlength=len(self.snapshot.texts)
        )
        return total[self.rows].astype(np.float32)

    @cached_property
    def _center(self) -> NDArray[np.float32]:
        box = self.snapshot.line_box[self._longest]
        return np.asarray(box[:, :2] + box[:, 2:] / np.float32(2))

    @cached_property
    def _box(self) -> NDArray[np.float32]:
        """Return the union of each text's lines, float32 (K, 4)."""
        number = len(self.snapshot.texts)
        low = np.full((number, 2), np.inf, dtype=np.float32)
        high = np.full((number, 2), -np.inf, dtype=np.float32)
        box, owner = self.snapshot.line_box, self.snapshot.line_text
        first = np.flatnonzero(np.diff(owner, prepend=-1))
        if len(first):
            low[owner[first]] = np.minimum.reduceat(box[:, :2], first, axis=0)
            high[owner[first]] = np.maximum.reduceat(box[:, :2] + box[:, 2:], first, axis=0)
        union: NDArray[np.float32] = np.hstack([low, high - low])[self.rows]
        return union

    @cached_property
    def _background(self) -> NDArray[np.float32]:
        return _full_colors(self._columns["background-color"])

    @cached_property
    def _color(self) -> NDArray[np.float32]:
        """Return the fill color of letters, float32 (S, 4)."""
        fills = self._columns["-webkit-text-fill-color"]
        return _full_colors([fill or color for fill, color in zip(fills, self._columns["color"], strict=True)])

    @cached_property
    def _font_size(self) -> NDArray[np.float32]:
        return self.snapshot.styles.number("font-size")

    @cached_property
    def _has_image(self) -> NDArray[np.bool_]:
        return np.array([value not in ("", "none") for value in self._columns["background-image"]], dtype=bool)

    @cached_property
    def _clips_to_text(self) -> NDArray[np.bool_]:
        return np.array(["text" in value for value in self._columns["background-clip"]], dtype=bool)

    @cached_property
    def _opacity(self) -> NDArray[np.float32]:
        """Return the product of the opacities of each element and its ancestors, float32 (N,)."""
        snapshot = self.snapshot
        opacity = np.nan_to_num(snapshot.styles.number("opacity"), nan=1.0)
        if (opacity == 1).all():
            return np.ones(len(snapshot), dtype=np.float32)
        logs = np.log(np.maximum(opacity, 1e-6), dtype=np.float64)[snapshot.style]
        return np.exp(np.minimum(tree.path_sum(logs, snapshot.end), 0)).round(6).astype(np.float32)

    @cached_property
    def _body_style(self) -> list[int]:
        rows: list[int] = self.snapshot.style[self.snapshot.is_tag(("body",))][:1].tolist()
        return rows

    @cached_property
    def _canvas(self) -> tuple[float, ...]:
        """Return the color of the page behind everything: the background of the root or the body, over white.

        Its alpha is 1. (CSS Backgrounds 3, 2.11.)
        """
        color = WHITE
        for row in (*self.snapshot.style[:1].tolist(), *self._body_style):
            own = self._background[row]
            if own[3] > 0 or self._has_image[row]:
                return Color(*own.tolist()).over(color) if np.isfinite(own).all() else color
        return color

    @cached_property
    def _is_image(self) -> NDArray[np.bool_]:
        """Return which elements paint an image, of unknown colors, bool (N,)."""
        mask = self.snapshot.is_tag(_IMAGE_TAGS)
        mask[self.snapshot.image] = True
        return mask

    @cached_property
    def _paints(self) -> NDArray[np.bool_]:
        """Return which elements paint something at their place, bool (N,); the page's own background is no such."""
        snapshot = self.snapshot
        rows = (np.nan_to_num(self._background[:, 3], nan=1.0) > 0) | self._has_image
        rows &= ~self._clips_to_text
        paints = (rows[snapshot.style] | self._is_image) & (snapshot.hidden == Hidden.NO)
        paints &= (snapshot.box[:, 2:] > 1).all(axis=1)
        canvas = snapshot.is_tag(("html", "body"))
        plain = ~self._has_image[snapshot.style]
        return np.asarray(paints & ~(canvas & plain))

    @cached_property
    def _fixed(self) -> NDArray[np.bool_]:
        fixed = self.snapshot.styles.is_in("position", ("fixed",))[self.snapshot.style]
        return tree.path_sum(fixed, self.snapshot.end) > 0 if fixed.any() else fixed

    @cached_property
    def _is_affected(self) -> NDArray[np.bool_]:
        """Return which elements an effect or a negative level applies to, bool (N,)."""
        snapshot = self.snapshot
        plain = ("", "none", "normal")
        rows = ~snapshot.styles.is_in("filter", plain) | ~snapshot.styles.is_in("mask-image", plain)
        rows |= ~snapshot.styles.is_in("mix-blend-mode", plain)
        rows |= np.array([value.startswith("-") for value in self._columns["z-index"]], dtype=bool)
        rows |= self._clips_to_text
        own = rows[snapshot.style]
        return tree.path_sum(own, snapshot.end) > 0 if own.any() else own

    @cached_property
    def _is_turned_away(self) -> NDArray[np.bool_]:
        """Return which texts have their back to the reader, and no back that is visible, bool (K,)."""
        snapshot = self.snapshot
        hides = ~snapshot.styles.is_in("backface-visibility", ("", "visible"))
        if not hides[snapshot.style].any():
            return np.zeros(len(self.rows), dtype=bool)
        turned = np.array([_faces_away(value) for value in self._columns["transform"]], dtype=bool)
        odd = tree.path_sum(turned[snapshot.style], snapshot.end) % 2 == 1
        return np.asarray((tree.path_sum(hides[snapshot.style] & odd, snapshot.end) > 0)[self.parent])

    @cached_property
    def _overlapping(self) -> dict[int, list[int]]:
        """Return, by place of a text, the painted elements at its center that are no ancestors of it."""
        snapshot, center, parent = self.snapshot, self._center, self.parent
        painters = np.flatnonzero(self._paints)
        pairs: dict[int, list[int]] = {}
        step = max(1, _PAIRS // max(len(center), 1))
        for begin in range(0, len(painters), step):
            part = painters[begin : begin + step]
            box = snapshot.box[part]
            inside = (box[:, None, 0] <= center[None, :, 0]) & (center[None, :, 0] < box[:, None, 0] + box[:, None, 2])
            inside &= (box[:, None, 1] <= center[None, :, 1]) & (center[None, :, 1] < box[:, None, 1] + box[:, None, 3])
            inside &= ~((part[:, None] <= parent[None, :]) & (parent[None, :] < snapshot.end[part][:, None]))
            for painter, place in zip(*(axis.tolist() for axis in np.nonzero(inside)), strict=True):
                pairs.setdefault(place, []).append(int(part[painter]))
        return pairs

    @cached_property
    def _is_overlapped(self) -> NDArray[np.bool_]:
        mask = np.zeros(len(self.rows), dtype=bool)
        mask[list(self._overlapping)] = True
        return mask


def _full_colors(values: Sequence[str]) -> NDArray[np.float32]:
    """Return computed colors as float32 (S, 4); NaN where one is not known."""
    unknown = (math.nan,) * 4
    rows = [tuple(parse_color(value) or unknown) for value in values]
    return np.array(rows, dtype=np.float32).reshape(len(rows), 4)


def _far_below(top: NDArray[np.float32], bottom: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which of K texts lie below a large empty part of the page, if they are few."""
    order = np.argsort(top, kind="stable")
    reached = np.maximum.accumulate(bottom[order])
    gaps = np.flatnonzero(top[order][1:] - reached[:-1] > _FAR_DOWN)
    far = np.zeros(len(top), dtype=bool)
    if len(gaps) and len(top) - gaps[0] - 1 <= max(1, _FEW * len(top)):
        far[order[gaps[0] + 1 :]] = True
    return far


def _contains(box: NDArray[np.float32], point: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return whether box k contains point k, bool (K,)."""
    return np.asarray(((box[:, :2] <= point) & (point < box[:, :2] + box[:, 2:])).all(axis=1))


def _holds(box: NDArray[np.float32], point: NDArray[np.float32]) -> bool:
    return bool(box[0] <= point[0] < box[0] + box[2] and box[1] <= point[1] < box[1] + box[3])


def _overlap(box: NDArray[np.float32], lines: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the area that a box shares with each of L lines, (L,)."""
    low = np.maximum(box[:2], lines[:, :2])
    high = np.minimum(box[:2] + box[2:], lines[:, :2] + lines[:, 2:])
    return np.asarray(np.maximum(high - low, 0).prod(axis=1))


def _any_differ(pairs: Sequence[tuple[Color, Color, int]]) -> bool:
    return any(_differ(ink, behind) for ink, behind, _ in pairs)


def _differ(ink: Color, behind: Color) -> bool:
    if ink.alpha < LEAST_OPACITY:
        return False
    return color_contrast(ink.over(behind), behind) >= LEAST_CONTRAST


def _is_masked_away(mask: str) -> bool:
    """Return whether a computed `mask-image` lets nothing through: a gradient of transparent stops."""
    stops = colors_in(mask) if "gradient(" in mask and "url(" not in mask else ()
    return bool(stops) and all(stop.alpha < LEAST_OPACITY for stop in stops)


def _faces_away(transform: str) -> bool:
    """Return whether a computed 3D transform turns the back of an element to the reader (CSS Transforms 2, 9)."""
    if not transform.startswith("matrix3d("):
        return False
    entries = [float(part) for part in transform[9:].rstrip(")").split(",")]
    return entries[0] * entries[5] - entries[1] * entries[4] < 0
