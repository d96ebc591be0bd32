"""Decide which texts of a rendered page are painted for readers to see, and leave the doubtful ones to pixels.

Computed styles decide what they decide alone: letters in a color that differs from the one behind them. What images,
gradients, filters, masks and overlapping boxes show is left to screenshots (`vclean.render.browser.pixels`).
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vclean.render import tree
from vclean.render.css_colors import Color, colors_in, contrast
from vclean.render.snapshot import SITE_TAGS, Hidden
from vclean.render.visibility.geometry import (
    CandidateTexts,
    out_of_reach,
    points_in_boxes,
    unreadable,
    without_lines,
)
from vclean.render.visibility.overlays import find_overlays
from vclean.render.visibility.painting import NO_EFFECT, Painting

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

    Mask = NDArray[np.bool_]


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


_UPPERMOST: Final = ((float("inf"), 0.0),)


class _Layers(NamedTuple):
    """Pair each text with what is painted at its center, the uppermost first.

    Attributes:
        text: intp (P,), the text, ascending.
        painter: intp (P,), the element, or N + the number of an area.
        is_above: bool (P,), whether it is painted after the text.
    """

    text: NDArray[np.intp]
    painter: NDArray[np.intp]
    is_above: Mask


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
        self._order = painting.order
        self._element: NDArray[np.intp] = np.append(np.arange(len(snapshot)), snapshot.area)
        self._box = np.append(snapshot.box, snapshot.area_box, axis=0)
        unknown = painting.is_picture | (painting.has_image[snapshot.style] & ~painting.is_missing)
        self._is_unknown = np.append(unknown, np.ones(len(snapshot.area), dtype=bool))
        self._alpha = painting.background[snapshot.style, 3] * painting.opacity

    def judge(self) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return the `Hidden` code of what hides each text, or 0, and of what may hide it, uint8 (K,) each."""
        texts, layers = self._texts, self._layers
        covered, may_be_covered = self._covered(layers)
        differs, is_unknown, is_missing = self._contrast(layers)
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

    @cached_property
    def _layers(self) -> _Layers:
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
        return _Layers(text[order], painter[order], (rank > own_rank[text])[order])

    def _ranks(
        self, painters: NDArray[np.intp], parents: NDArray[np.int32], count: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return places in the paint order: of P painters, and of the texts of K elements; greater ones are above."""
        pictures = self._painting.is_picture
        keys = {}
        for each in np.unique(painters).tolist():
            if each < count:
                keys[each, False] = self._order.content(each) if pictures[each] else self._order.background(each)
            else:  # an area may be anywhere in the order: the uppermost place leaves it to pixels
                keys[each, False] = _UPPERMOST
        for each in np.unique(parents).tolist():
            keys[each, True] = self._order.content(each)
        place = {name: number for number, name in enumerate(sorted(keys, key=keys.__getitem__))}
        return (
            np.array([place[each, False] for each in painters.tolist()], dtype=np.float64),
            np.array([place[each, True] for each in parents.tolist()], dtype=np.float64),
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
        for text, row in points_in_boxes(texts.center, self._box[painters]):
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

    def _covered(self, layers: _Layers) -> tuple[Mask, Mask]:
        """Return which texts are below something opaque, and which ones may be, bool (K,) each."""
        text, painter, count = layers.text[layers.is_above], layers.painter[layers.is_above], len(self._snapshot)
        element, texts = self._element[painter], self._texts
        alpha = np.where(painter < count, self._alpha[element], self._painting.opacity[element])
        alpha[self._is_unknown[painter]] = self._painting.opacity[element[self._is_unknown[painter]]]
        box, letters = self._box[painter], texts.box[text]
        whole = (box[:, :2] <= letters[:, :2] + 1).all(axis=1)
        whole &= (box[:, :2] + box[:, 2:] >= letters[:, :2] + letters[:, 2:] - 1).all(axis=1)
        is_sure = whole & (alpha >= _OPAQUE) & ~self._is_unknown[painter] & (self._painting.effect[element] == 0)
        is_sure &= ~self._painting.fills_partly[self._snapshot.style[element]]
        covered, doubtful = (np.zeros(len(texts), dtype=bool) for _ in range(2))
        covered[text[is_sure]] = True
        doubtful |= self._is_crowded
        doubtful[text[(alpha > _FAINT) & ~self._painting.is_missing[element]]] = True
        return covered, doubtful & ~covered

    # ---- what is behind them ----

    def _contrast(self, layers: _Layers) -> tuple[Mask, Mask, Mask]:
        """Return which texts differ from what is behind them, have something unknown there, or a missing image.

        The colors behind a text are mixed from the uppermost one down to an opaque one, or the canvas.
        """
        painting, texts, count = self._painting, self._texts, len(self._snapshot)
        below = ~layers.is_above
        text, painter = layers.text[below], layers.painter[below]
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
        if not painting.fill_viewport(self._box[fixed]).any():
            return np.zeros(len(self._texts), dtype=bool)
        return np.asarray(self._texts.center[:, 1] > snapshot.settings.get("height", 0))

    def _on_missing_images(self, rows: NDArray[np.intp]) -> Mask:
        """Return which of R texts may be placed over an image that has not been loaded and has no size without it.

        The text or the image is positioned, and both are in the same small part of the page.
        """
        snapshot = self._snapshot
        low = self._painting.is_missing & (snapshot.box[:, 3] < _LOW) & snapshot.is_tag(("img",))
        if not low.any():
            return np.zeros(len(rows), dtype=bool)
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
