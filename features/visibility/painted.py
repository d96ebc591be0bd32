"""Find the texts of a rendered page that are laid out but cannot be seen: by their size, color, or what covers them.

Computed styles and geometry decide. Most texts are decided for the whole page at once: those in a color that differs
from the opaque background of an ancestor, with no other painted element at their center. The others are compared one
by one with what is painted below and above them.
"""

from __future__ import annotations

import math
from itertools import compress
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.visibility.boxes import points_in_boxes
from vclean.features.visibility.candidate_texts import CandidateTexts
from vclean.features.visibility.colors import color_contrast
from vclean.features.visibility.element_painting import ElementPainting
from vclean.features.visibility.overlays import overlay_roots
from vclean.features.visibility.paint_layers import PaintLayers
from vclean.features.visibility.painters import Painters
from vclean.features.visibility.text_contrast import TextContrast
from vclean.features.visibility.text_geometry import out_of_reach, unreadable, without_lines
from vclean.render.css_colors import WHITE, colors_in
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_MIXED_ALPHA: Final = 0.5
_MIXED_CONTRAST: Final = 2.0
"""Differences between the colors of a gradient; letters may be seen before the ones and not before the others."""
LEAST_CHARACTERS: Final = 8
"""Fewest characters of doubtful texts for which a page is painted: an instruction has more, a label fewer."""


def hidden_techniques(snapshot: Snapshot) -> NDArray[np.uint8]:
    """Return the technique that hides each text, uint8 (T,) of `Hidden`; 0 for texts that are shown.

    Texts of white space have the technique of their parents. A page that was not rendered has no geometry: its texts
    have the technique that attributes and inline styles give.
    """
    technique = snapshot.text_hidden.copy()
    if not (snapshot.rendered and math.isfinite(snapshot.width)):
        return technique
    texts = CandidateTexts(snapshot)
    technique[texts.without_lines] = without_lines(texts)
    if len(texts):
        for codes in (unreadable(texts), out_of_reach(texts), _PaintedTexts(texts).techniques()):
            shown = technique[texts.index] == Hidden.NO
            technique[texts.index[shown]] = codes[shown]
    return technique


def doubtful_texts(snapshot: Snapshot) -> dict[int, int]:
    """Return the texts that pixels decide on, with the `Hidden` code of those that prove to be unseen.

    Styles do not determine what images, filters from drawings and the like show: the browser has to paint the page with
    and without these texts. It is not worth it for the texts of overlays, which are no content, and for a word or two.
    """
    if not (snapshot.rendered and (_has_unclear_effects(snapshot) or _has_text_on_images(snapshot))):
        return {}
    texts = CandidateTexts(snapshot)
    painted = _PaintedTexts(texts)
    if len(texts):
        painted.techniques()
    return _worth_painting(snapshot, painted.doubts)


def _worth_painting(snapshot: Snapshot, doubts: dict[int, int]) -> dict[int, int]:
    """Return the doubts outside overlays; none if they are about few characters."""
    if not doubts:
        return doubts
    overlays = overlay_roots(snapshot)[snapshot.text_parent[list(doubts)]]
    outside = dict(compress(doubts.items(), overlays < 0))
    return outside if snapshot.text_length[list(outside)].sum() >= LEAST_CHARACTERS else {}


def _has_unclear_effects(snapshot: Snapshot) -> bool:
    """Return whether styles of the page leave open what its texts look like."""
    if len(snapshot.unclear) or any(map(_is_mixed, set(snapshot.styles.column("background-image")))):
        return True
    masks, strokes = snapshot.styles.column("mask-image"), snapshot.styles.column("-webkit-text-stroke-width")
    return (
        any(value not in ("", "none") for value in masks)
        or any(value not in ("", "0px") for value in strokes)
        or any("url(" in value for value in snapshot.styles.column("filter"))
        or any(value.startswith("matrix3d(") for value in snapshot.styles.column("transform"))
    )


def _is_mixed(image: str) -> bool:
    """Return whether a background has a gradient of colors that differ in lightness or alpha."""
    stops = colors_in(image) if "gradient(" in image else ()
    if len(set(stops)) < 2:
        return False
    alphas = [stop.alpha for stop in stops]
    shown = [stop.over(WHITE) for stop in stops]
    return max(alphas) - min(alphas) > _MIXED_ALPHA or any(
        color_contrast(shown[0], other) > _MIXED_CONTRAST for other in shown[1:]
    )


def _has_text_on_images(snapshot: Snapshot) -> bool:
    """Return whether the center of a line is on an image with known data, or on an area that styles do not determine.

    Other images may not be loaded.
    """
    painting = ElementPainting(snapshot)
    is_image = painting.is_picture | painting.has_embedded_background[snapshot.style]
    areas = snapshot.areas
    boxes = np.append(snapshot.box[is_image & (snapshot.hidden == Hidden.NO)], areas.box[~areas.is_plain], axis=0)
    boxes = boxes[(boxes[:, 2:] > 1).all(axis=1)]
    centers = snapshot.line_box[:, :2] + snapshot.line_box[:, 2:] / np.float32(2)
    return any(len(lines) for lines, _ in points_in_boxes(centers, boxes))


class _PaintedTexts:
    """Decide on K texts by what is painted.

    Attributes:
        doubts: the texts of the snapshot that pixels decide on, with the `Hidden` code of those that prove to
            be unseen; complete after `techniques`.
    """

    def __init__(self, texts: CandidateTexts) -> None:
        self._texts = texts
        self._painting = ElementPainting(texts.snapshot)
        self._painters = Painters(self._painting)
        self._layers = PaintLayers(texts, self._painters)
        self._contrast = TextContrast(self._painters)
        self.doubts: dict[int, int] = {}

    def techniques(self) -> NDArray[np.uint8]:
        """Return the technique by which painting hides each text, `Hidden` or 0, uint8 (K,)."""
        has_effect = self._painting.has_effect[self._texts.parent]
        is_shown = self._contrast.is_readable(self._texts) & ~has_effect & ~self._layers.is_overlapped
        techniques = np.zeros(len(self._texts), dtype=np.uint8)
        for text in np.flatnonzero(~is_shown).tolist():
            techniques[text] = self._technique(text)
        return techniques

    def _technique(self, text: int) -> int:
        """Return the technique by which painting hides one text, 0 if it is visible; record doubts."""
        ancestors = self._texts.snapshot.ancestors(int(self._texts.parent[text]))
        text_clip = self._painting.text_clip(ancestors)
        below, above = self._layers.split(text, ancestors, text_clip)
        covers = [painter for painter in above if self._layers.covers(painter, text)]
        if any(map(self._painters.is_plain, covers)):
            return Hidden.COVERED
        if covers:
            return self._doubt(text, Hidden.COVERED)
        if self._layers.cover_together(above, text):
            return Hidden.COVERED
        lowest = max((row for row, painter in enumerate(below) if self._layers.hides_below(painter, text)), default=0)
        backdrops = self._contrast.backdrops(below[lowest:])
        if backdrops is None:
            return self._doubt(text, Hidden.COLOR)
        technique = self._contrast.technique(ancestors, text_clip, backdrops) if backdrops else Hidden.NO
        if technique:
            is_on_missing = technique == Hidden.COLOR and self._painting.is_on_missing_image(ancestors)
            return Hidden.NO if is_on_missing else technique
        is_mixed = backdrops and self._contrast.is_mixed(ancestors[0], text_clip, backdrops)
        return self._doubt(text, self._contrast.unclear_effect(ancestors) or (Hidden.COLOR if is_mixed else Hidden.NO))

    def _doubt(self, text: int, technique: Hidden) -> int:
        """Record a text that pixels decide on, if anything may hide it; until then it is visible."""
        if technique:
            self.doubts[int(self._texts.index[text])] = technique
        return Hidden.NO
