"""Decide which texts of a rendered page are painted for readers to see, and leave the doubtful ones to pixels.

Computed styles decide what they decide alone: letters in a color that differs from the one behind them. What images,
gradients, filters, masks and overlapping boxes show is left to screenshots (`vclean.render.browser.reading`).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vclean.render import tree
from vclean.render.css_colors import Color, colors_in, contrast
from vclean.render.snapshot import SITE_TAGS, Hidden
from vclean.render.static.styles import REPLACED_TAGS, SKIPPED_TAGS
from vclean.render.visibility.overlays import find_overlays
from vclean.render.visibility.painting import NO_EFFECT, Painting, points_in_boxes, turned_away, viewport_styles

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot
    from vclean.render.visibility.painting import Key

    Mask = NDArray[np.bool_]


_EXEMPT_TAGS: Final = frozenset(("datalist", "optgroup", "option", "rp", "select")) | REPLACED_TAGS | SKIPPED_TAGS
"""Elements that contain no text of the page, or that the system paints."""
LEAST_FONT_SIZE: Final = 5.0
"""CSS px, after transforms; smaller letters cannot be read."""
LEAST_ADVANCE: Final = 0.12
"""Mean width of a character in font sizes; below it letters lie on top of each other. Narrow fonts have .3."""
MOST_ADVANCE: Final = 100.0
"""Mean width of a character in font sizes; a transform that stretches letters as far leaves no letters."""

_LEAST_MEASURED: Final = 5
"""Characters of a text; the mean advance of fewer is uncertain."""
_LINE_HEIGHT: Final = 1.15
"""Height of a line box of text in font sizes, for common fonts: 1.11 (Times) to 1.36 (Noto)."""
_UNSCALED_HEIGHTS: Final = (0.6, 1.9)
"""Heights of lines, in those of the font, that fonts explain; transforms explain others."""
_FAR_RIGHT: Final = 2.0
"""Widths of the viewport; readers do not scroll further to the right, except in tables."""
_ROOTS: Final = (0, 1)
"""The root and the body: rendering reads no head."""
_FAR_DOWN: Final = 5000.0
"""CSS px of empty page above the last texts of a page, after which readers do not look for more."""
_FEW: Final = 0.1
"""Largest share of the texts of a page that may be far down."""


class CandidateTexts:
    """Select the texts that are neither blank nor hidden by layout: K with lines, W without.

    Attributes:
        snapshot: the rendered page.
        index: intp (K,), the candidates with lines among the texts of the snapshot, ascending.
        parent: int32 (K,), the parent of each.
        length: int64 (K,), the characters of each without white space around them; 0 for control characters that Python
            counts as white space and HTML does not, such as U+001F.
        box: float32 (K, 4), the union of the lines of each.
        without_lines: intp (W,), the candidates without lines.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot
        exempt = tree.inside(snapshot.is_tag(_EXEMPT_TAGS), snapshot.end)
        candidate = (snapshot.text_hidden == Hidden.NO) & ~exempt[snapshot.text_parent]
        lines = np.bincount(snapshot.line_text, minlength=len(snapshot.texts))
        self.without_lines = np.flatnonzero(candidate & (lines == 0) & (snapshot.text_length > 0))
        self.index = np.flatnonzero(candidate & (lines > 0))
        self.parent = snapshot.text_parent[self.index]
        self.length = snapshot.text_length[self.index]
        self.box = snapshot.text_box[self.index]

    def __len__(self) -> int:
        return len(self.index)

    @cached_property
    def largest_line(self) -> NDArray[np.intp]:
        """Return the line of each candidate with the largest area, intp (K,)."""
        box, owner = self.snapshot.line_box, self.snapshot.line_text
        area = box[:, 2] * box[:, 3]
        order = np.lexsort((np.arange(len(area)), -area, owner))
        return order[np.searchsorted(owner[order], self.index)]


def without_lines(texts: CandidateTexts) -> NDArray[np.uint8]:
    """Return the technique that takes the lines from each text without lines, `Hidden`, uint8 (W,)."""
    snapshot = texts.snapshot
    font_size = snapshot.styles.number("font-size")[snapshot.style]
    small = font_size[snapshot.text_parent[texts.without_lines]] < 1
    return np.where(small, Hidden.FONT_SIZE, Hidden.TRANSFORM).astype(np.uint8)


def unreadable(texts: CandidateTexts) -> NDArray[np.uint8]:
    """Return the technique that makes letters too small, turned away or overprinted, `Hidden` or 0, uint8 (K,)."""
    snapshot = texts.snapshot
    size = snapshot.styles.number("font-size")[snapshot.style[texts.parent]]
    effective = _effective_font_size(texts, size)
    small = effective < LEAST_FONT_SIZE
    # A drop cap makes the box of its lines higher, and the letters of the text no larger.
    letters = np.maximum(np.minimum(effective, size), 0.1)
    lines = np.maximum(snapshot.line_box[:, 2], snapshot.line_box[:, 3])
    extent = np.bincount(snapshot.line_text, lines, len(snapshot.texts))[texts.index].astype(np.float32)
    advance = extent / (np.maximum(texts.length, 1) * letters)
    overprinted = (advance < LEAST_ADVANCE) & (texts.length >= _LEAST_MEASURED)
    torn = advance > MOST_ADVANCE
    by_size = np.where(size < LEAST_FONT_SIZE, Hidden.FONT_SIZE, Hidden.TRANSFORM)
    cases = [turned_away(snapshot)[texts.parent] | torn, small, overprinted]
    return np.select(cases, [Hidden.TRANSFORM, by_size, Hidden.SPACING], Hidden.NO).astype(np.uint8)


def _effective_font_size(texts: CandidateTexts, size: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the font size after transforms, CSS px, (K,): from the height of lines where `size` cannot explain it."""
    box = texts.snapshot.line_box[texts.largest_line]
    vertical = (box[:, 3] > 2 * size) & (box[:, 2] < box[:, 3])
    height = np.where(vertical, box[:, 2], box[:, 3])
    ratio = height / (_LINE_HEIGHT * np.maximum(size, 0.1))
    scaled = (ratio < _UNSCALED_HEIGHTS[0]) | (ratio > _UNSCALED_HEIGHTS[1])
    return np.where(scaled, height / _LINE_HEIGHT, size)


def out_of_reach(texts: CandidateTexts) -> NDArray[np.uint8]:
    """Return `Hidden.OFF_PAGE` for texts that a reader cannot or would not scroll to, else 0, uint8 (K,)."""
    snapshot, box = texts.snapshot, texts.box
    right, bottom = box[:, 0] + box[:, 2], box[:, 1] + box[:, 3]
    left_edge = min(float(snapshot.box[0, 0]), 0.0)
    beside = (box[:, 0] >= snapshot.width) | _far_right(texts)
    off_page = ((right <= left_edge) | (bottom <= 0)) & (box[:, 2] > 0) | _far_below(box[:, 1], bottom)
    if beside.any():  # in a part of the page that scrolls sideways, or in a table, readers get there
        scrolls = snapshot.styles.is_in("overflow-x", ("auto", "scroll"))[snapshot.style]
        scrolls = scrolls & ~snapshot.is_tag(("html", "body")) | snapshot.is_tag(("table", "pre"))
        off_page |= beside & ~tree.inside(scrolls, snapshot.end)[texts.parent]
    return np.where(off_page, Hidden.OFF_PAGE, Hidden.NO).astype(np.uint8)


def _far_right(texts: CandidateTexts) -> NDArray[np.bool_]:
    """Return which texts begin further to the right than a reader scrolls a page, bool (K,).

    In a page from right to left they begin as far to the left.
    """
    snapshot, left = texts.snapshot, texts.box[:, 0]
    directions = snapshot.attributes("dir")
    if any(directions.get(element, "").lower() == "rtl" for element in _ROOTS):
        left = snapshot.width - left - texts.box[:, 2]
    viewport = float(snapshot.settings.get("width", snapshot.width))
    overflow = snapshot.styles.column("overflow-x")
    is_locked = any(overflow[style] in ("hidden", "clip") for style in viewport_styles(snapshot))
    limit = viewport if is_locked else _FAR_RIGHT * viewport
    return np.asarray(left >= limit)


def _far_below(top: NDArray[np.float32], bottom: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return which of K texts lie below a large empty part of the page, if they are few, bool (K,)."""
    order = np.argsort(top, kind="stable")
    reached = np.maximum.accumulate(bottom[order])
    gaps = np.flatnonzero(top[order][1:] - reached[:-1] > _FAR_DOWN)
    far = np.zeros(len(top), dtype=bool)
    if len(gaps) and len(top) - gaps[0] - 1 <= max(1, _FEW * len(top)):
        far[order[gaps[0] + 1 :]] = True
    return far


LEAST_CONTRAST: Final = 1.2
"""Lowest contrast of text with its background that a reader can see: `#eee` on white has 1.16, `#ddd` 1.36."""
_CLEAR_CONTRAST: Final = 1.6
"""Contrast with each color of a gradient: less is left to pixels."""
_LEAST_HUE: Final = 110.0
"""Distance of two colors in RGB that readers distinguish though their luminance is the same."""
_OPAQUE: Final = 0.98
_FAINT: Final = 0.4
"""Alpha of what lies above letters and leaves them readable."""
_LEVELS: Final = 30
"""Painters around one text that are looked at."""
_MAX_PAIRS: Final = 1_000_000
"""Pairs of a text and a painter at its center: on a page with more, pixels decide on all texts."""
_PICTURE_LEVELS: Final = 6
"""Levels above a text up to the element that has both the text and the image that it is placed on."""
_LOW: Final = 40.0
"""CSS px, of an image without its data: its alternative text, or nothing."""


class PaintedTexts:
    """Decide on K texts by what is painted behind and above them.

    Args:
        texts: the texts.
        painting: what the elements of their page paint.
        overlay: int32 (N,), the overlay around each element of their page, -1 for none.
    """

    def __init__(self, texts: CandidateTexts, painting: Painting, overlay: NDArray[np.int32]) -> None:
        self._overlay = overlay
        self._is_crowded = False
        self._texts = texts
        self._snapshot = snapshot = texts.snapshot
        self._painting = painting
        self._element: NDArray[np.intp] = np.append(np.arange(len(snapshot)), snapshot.area)
        self._box = np.append(snapshot.box, snapshot.area_box, axis=0)
        unknown = painting.is_picture | (painting.has_image[snapshot.style] & ~painting.is_missing)
        self._is_unknown = np.append(unknown, np.ones(len(snapshot.area), dtype=bool))
        self._alpha = painting.background[snapshot.style, 3] * painting.opacity

    def judge(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return the `Hidden` code of what hides each text, or 0, and of what may hide it, uint8 (K,) each."""
        texts, (text, painter, is_above) = self._texts, self._layers()
        covered, may_be_covered = self._covered(text[is_above], painter[is_above])
        differs, is_unknown, is_missing = self._contrast(text[~is_above], painter[~is_above])
        effect = self._painting.effect[texts.parent]
        shadows = np.array(self._snapshot.styles.column("text-shadow"))
        has_shadow = ~np.isin(shadows, NO_EFFECT)[self._snapshot.style[texts.parent]]
        is_missing |= self._scroll_over_backdrops
        is_plain = (effect == 0) & ~has_shadow & ~is_unknown & ~is_missing & ~may_be_covered
        in_color = is_plain & ~differs
        in_color[in_color] = ~self._on_missing_images(np.flatnonzero(in_color))
        hidden = np.select([covered, in_color], [Hidden.COVERED, Hidden.COLOR], Hidden.NO)
        doubts = np.select(
            [hidden > 0, may_be_covered, effect > 0, is_unknown | has_shadow & ~differs & ~is_missing],
            [Hidden.NO, Hidden.COVERED, effect, Hidden.COLOR],
            Hidden.NO,
        )
        return hidden.astype(np.uint8), doubts.astype(np.uint8)

    # ---- what is painted at the centers of texts ----

    def _layers(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Mask]:
        """Return pairs of a text and what is painted at its center, and whether that is painted after the text.

        Texts ascend; of what is painted at one, the uppermost is first. Areas follow the N elements.
        """
        texts, count = self._texts, len(self._snapshot)
        text, painter, is_around = self._painters_at_centers()
        negative = np.char.startswith(np.array(self._snapshot.styles.column("z-index"), dtype=str), "-")
        is_ranked = tree.inside(negative[self._snapshot.style], self._snapshot.end)[texts.parent]
        is_ranked[text[~is_around]] = True
        rank, own_rank = painter.astype(np.float64), np.full(len(texts), np.inf)
        ranked = is_ranked[text]
        if ranked.any():
            rank[ranked], own_rank[is_ranked] = self._ranks(painter[ranked], texts.parent[is_ranked], count)
        order = np.lexsort((-rank, text))
        return text[order], painter[order], (rank > own_rank[text])[order]

    def _ranks(
        self, painters: NDArray[np.intp], parents: NDArray[np.int32], count: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return places in the paint order: of P painters, and of the texts of K elements; greater ones are above."""
        painting = self._painting
        # An area may be anywhere in the order: the uppermost place leaves it to pixels.
        key_of: dict[int, Key] = dict.fromkeys(painters.tolist(), ((float("inf"), 0.0),))
        for each in np.unique(painters[painters < count]).tolist():
            key_of[each] = painting.content_key(each) if painting.is_picture[each] else painting.background_key(each)
        content = {each: painting.content_key(each) for each in np.unique(parents).tolist()}
        place = {key: number for number, key in enumerate(sorted({*key_of.values(), *content.values()}))}
        return (
            np.array([place[key_of[each]] for each in painters.tolist()], dtype=np.float64),
            np.array([place[content[each]] for each in parents.tolist()], dtype=np.float64),
        )

    def _painters_at_centers(self) -> tuple[NDArray[np.intp], NDArray[np.intp], Mask]:
        """Return the pairs of a text and what paints at its center, and whether that is an element around the text.

        What an overlay paints lies above texts until a reader closes it; from below what is fixed a text scrolls out.
        """
        snapshot, texts, painting, overlay = self._snapshot, self._texts, self._painting, self._overlay
        painters = np.append(np.flatnonzero(painting.paints), np.arange(len(snapshot), len(self._box)))
        # The box of an inline element is around all its lines, and what else is on them; it covers no other text.
        is_large = np.append(~painting.is_inline | painting.is_picture, np.ones(len(snapshot.area), dtype=bool))
        pairs = [(painters[:0], painters[:0], is_large[:0])]
        for text, row in points_in_boxes(snapshot.line_center[texts.largest_line], self._box[painters]):
            painter, parent = painters[row], texts.parent[text]
            element = self._element[painter]
            is_around = (painter < len(snapshot)) & (element <= parent) & (parent < snapshot.end[element])
            counts = is_large[painter] & ((overlay[element] < 0) | (overlay[element] == overlay[parent]))
            counts &= (
                ~painting.is_fixed[element] | painting.is_fixed[parent] | painting.fill_viewport(self._box[painter])
            )
            counts |= is_around
            pairs.append((text[counts], painter[counts], is_around[counts]))
            if sum(int((~around).sum()) for _, _, around in pairs) > _MAX_PAIRS:
                self._is_crowded = True
                break
        text, painter, is_around = map(np.concatenate, zip(*pairs, strict=True))
        return text, painter, is_around

    # ---- what covers them ----

    def _covered(self, text: NDArray[np.intp], painter: NDArray[np.intp]) -> tuple[Mask, Mask]:
        """Return which texts are below something opaque, and which ones may be, bool (K,) each.

        P pairs of a text and what is painted above it are given, intp (P,) each.
        """
        element, texts, count = self._element[painter], self._texts, len(self._snapshot)
        alpha = np.where(painter < count, self._alpha[element], self._painting.opacity[element])
        alpha[self._is_unknown[painter]] = self._painting.opacity[element[self._is_unknown[painter]]]
        box, letters = self._box[painter], texts.box[text]
        whole = (box[:, :2] <= letters[:, :2] + 1).all(axis=1)
        whole &= (box[:, :2] + box[:, 2:] >= letters[:, :2] + letters[:, 2:] - 1).all(axis=1)
        is_sure = whole & (alpha >= _OPAQUE) & ~self._is_unknown[painter] & (self._painting.effect[element] == 0)
        fills = self._snapshot.styles.is_in("background-clip", ("", "border-box", "padding-box"))
        is_sure &= fills[self._snapshot.style[element]]
        covered, doubtful = (np.zeros(len(texts), dtype=bool) for _ in range(2))
        covered[text[is_sure]] = True
        doubtful |= self._is_crowded
        doubtful[text[(alpha > _FAINT) & ~self._painting.is_missing[element]]] = True
        return covered, doubtful & ~covered

    # ---- what is behind them ----

    def _contrast(self, text: NDArray[np.intp], painter: NDArray[np.intp]) -> tuple[Mask, Mask, Mask]:
        """Return which texts differ from what is behind them, have something unknown there, or a missing image.

        P pairs of a text and what is painted below it are given, the uppermost first, intp (P,) each. The colors behind
        a text are mixed from the uppermost one down to an opaque one, or the canvas.
        """
        painting, texts, count = self._painting, self._texts, len(self._snapshot)
        behind, left = np.zeros((len(texts), 3), dtype=np.float32), np.ones(len(texts), dtype=np.float32)
        unknown, missing = np.full(len(texts), -1), np.zeros(len(texts), dtype=bool)
        first = np.searchsorted(text, np.arange(len(texts)))
        last = np.searchsorted(text, np.arange(len(texts)), side="right")
        for level in range(_LEVELS):
            rows = np.flatnonzero((first + level < last) & (left > 1 - _OPAQUE) & (unknown < 0))
            if not len(rows):
                break
            painters = painter[first[rows] + level]
            is_unknown = self._is_unknown[painters]
            unknown[rows[is_unknown]] = painters[is_unknown]
            rows, painters = rows[~is_unknown], painters[~is_unknown]
            missing[rows] |= painting.is_missing[painters]
            alpha = self._alpha[painters] * left[rows]
            behind[rows] += alpha[:, None] * painting.background[self._snapshot.style[painters], :3]
            left[rows] -= alpha
        behind += left[:, None] * np.array(painting.canvas[:3], dtype=np.float32)
        color = painting.letters[self._snapshot.style[texts.parent]]
        alpha = np.nan_to_num(color[:, 3] * painting.opacity[texts.parent], nan=1.0)[:, None]
        letters = np.nan_to_num(color[:, :3], nan=128) * alpha + behind * (1 - alpha)
        differs = (contrast(letters, behind) >= LEAST_CONTRAST) | (np.abs(letters - behind).sum(axis=1) >= _LEAST_HUE)
        is_unknown = unknown >= 0
        gradients = np.flatnonzero(is_unknown & (unknown < count))
        if len(gradients):
            is_unknown[gradients] = ~self._differ_from_gradients(gradients, unknown[gradients], color)
        return differs | (unknown >= 0), is_unknown, missing & (unknown < 0)

    def _differ_from_gradients(
        self, rows: NDArray[np.intp], painters: NDArray[np.intp], color: NDArray[np.float32]
    ) -> Mask:
        """Return which of R texts differ from all colors of the gradient behind them, bool (R,)."""
        painting, style = self._painting, self._snapshot.style[painters]
        differs = np.zeros(len(rows), dtype=bool)
        for image in np.unique(style).tolist():
            stops = colors_in(painting.images[image]) if "url(" not in painting.images[image] else ()
            base = Color(*painting.background[image].tolist()).over(painting.canvas)
            shown = np.array([stop.over(base)[:3] for stop in stops], dtype=np.float32).reshape(-1, 3)
            texts = np.flatnonzero(style == image)
            letters, behind = np.broadcast_arrays(color[rows[texts], None, :3], shown)
            differs[texts] = len(shown) > 0 and (contrast(letters, behind) >= _CLEAR_CONTRAST).all(axis=1)
        is_opaque = color[rows, 3] * painting.opacity[self._texts.parent[rows]] > _OPAQUE
        return np.asarray(differs & is_opaque & ~painting.is_picture[painters])

    @property
    def _scroll_over_backdrops(self) -> Mask:
        """Return which texts a reader scrolls to over something fixed that fills the viewport, bool (K,)."""
        painting, snapshot = self._painting, self._snapshot
        fixed = np.append(
            painting.paints & painting.is_fixed & (self._overlay < 0), np.ones(len(snapshot.area), dtype=bool)
        )
        has_backdrop = painting.fill_viewport(self._box[fixed]).any()
        center = snapshot.line_center[self._texts.largest_line]
        return np.asarray(has_backdrop & (center[:, 1] > snapshot.settings.get("height", 0)))

    def _on_missing_images(self, rows: NDArray[np.intp]) -> Mask:
        """Return which of R texts may be placed over an image that has not been loaded and has no size without it.

        The text or the image is positioned, and both are in the same small part of the page.
        """
        snapshot = self._snapshot
        low = self._painting.is_missing & (snapshot.box[:, 3] < _LOW) & snapshot.is_tag(("img",))
        placed = snapshot.styles.is_in("position", ("absolute", "fixed"))[snapshot.style]
        has_low, has_placed = (tree.subtree_sum(mask, snapshot.end) > 0 for mask in (low, low & placed))
        element = self._texts.parent[rows]
        is_placed, found = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
        for _ in range(_PICTURE_LEVELS):
            found |= has_placed[element] | has_low[element] & is_placed
            is_placed |= placed[element]
            element = np.maximum(snapshot.parent[element], 0)
        return found


_LEAST_CHARACTERS: Final = 30
"""Fewest characters of doubtful texts outside menus for which a page is painted: an instruction has more."""


class Decision(NamedTuple):
    """Decision on the T texts of a page.

    Attributes:
        hidden: uint8 (T,), `Hidden`, what hides each text; 0 for those that are shown or doubtful.
        overlays: int32 (O,), the elements that float above the page, ascending.
        doubts: the texts that pixels decide on, with the `Hidden` code of those that prove to be unseen.
    """

    hidden: NDArray[np.uint8]
    overlays: NDArray[np.int32]
    doubts: dict[int, int]


def decide(snapshot: Snapshot) -> Decision:
    """Decide on the texts of a rendered page by layout and styles.

    Overlays are no content, and a word or two, links and menus are not worth a screenshot: they count as shown.
    """
    painting = Painting(snapshot)
    hidden, overlays = snapshot.text_hidden.copy(), find_overlays(painting)
    decision = Decision(hidden, overlays, {})
    if not math.isfinite(snapshot.width):
        return decision
    texts = CandidateTexts(snapshot)
    hidden[texts.without_lines] = without_lines(texts)
    if not len(texts):
        return decision
    overlay = snapshot.inside(overlays)
    painted, doubts = PaintedTexts(texts, painting, overlay).judge()
    for codes in (unreadable(texts), out_of_reach(texts), painted):
        shown = hidden[texts.index] == Hidden.NO
        hidden[texts.index[shown]] = codes[shown]
    of_site = tree.inside(snapshot.is_tag(SITE_TAGS), snapshot.end)[texts.parent]
    is_doubtful = (doubts > 0) & (hidden[texts.index] == Hidden.NO) & (overlay[texts.parent] < 0) & ~of_site
    if texts.length[is_doubtful].sum() >= _LEAST_CHARACTERS:
        index = texts.index[is_doubtful].tolist()
        decision.doubts.update(zip(index, doubts[is_doubtful].tolist(), strict=True))
    return decision
