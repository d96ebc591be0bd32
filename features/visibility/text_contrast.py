"""Compare the colors of texts with those behind them, after opacities, filters, masks and blend modes."""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vclean.features import tree
from vclean.features.visibility.boxes import contains
from vclean.features.visibility.colors import (
    LEAST_CONTRAST,
    blended,
    color_contrast,
    contrast,
    filter_functions,
    filtered,
)
from vclean.features.visibility.element_painting import LEAST_OPACITY
from vclean.render.css_colors import Color, colors_in
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.visibility.candidate_texts import CandidateTexts
    from vclean.features.visibility.painters import Painters

_SHADOW: Final = re.compile(r"(?P<color>[a-z-]+\([^)]*\)) (?P<x>-?[\d.]+)px (?P<y>-?[\d.]+)px (?P<blur>[\d.]+)px")
_LEAST_BLUR: Final = 2.0
"""CSS px; no text is lost by a smaller blur."""
_BLUR_SHARE: Final = 0.3
"""Of the font size: letters with a blur of a larger radius cannot be read."""
_THICK_STROKE: Final = 0.1
"""Font sizes: a stroke in the color behind the letters that is as wide may leave nothing of them."""
_LEAST_STROKE: Final = 0.2
"""CSS px; a thinner stroke shows no letters."""
_FAR_SHADOW: Final = 1.0
"""Font sizes; a shadow that is further from its letters is not read with them."""
_WIDE_BLUR: Final = 2.0
"""Font sizes; a shadow with a wider blur has no shape of letters."""
_MAX_COLORS: Final = 64
"""Colors behind a text that are considered, of gradients over gradients."""
_VISIBLE: Final = Color(255, 0, 255)
"""Placeholder for unknown colors: it differs from those of pages."""


class Backdrop(NamedTuple):
    """Pair an opaque color that may be behind a text with the element of its painter, -1 for the canvas."""

    color: Color
    painter: int


class _Pair(NamedTuple):
    """Pair a color of letters with an opaque color that may be behind them, and the element that paints that."""

    letters: Color
    behind: Color
    painter: int

    @property
    def differs(self) -> bool:
        """Return whether a reader sees the letters."""
        if self.letters.alpha < LEAST_OPACITY:
            return False
        return color_contrast(self.letters.over(self.behind), self.behind) >= LEAST_CONTRAST


class TextContrast:
    """Compare the colors of the texts of a page with those behind them.

    Args:
        painters: what is painted on the page.
    """

    def __init__(self, painters: Painters) -> None:
        self._painters = painters
        self._painting = painters.painting
        self._snapshot = painters.snapshot

    def is_readable(self, texts: CandidateTexts) -> NDArray[np.bool_]:
        """Return which texts differ from the opaque color of the nearest ancestor that paints, bool (K,).

        Colors that differ in hue alone are not compared.
        """
        painting, style = self._painting, self._snapshot.style
        painter = tree.nearest_ancestor(painting.paints, self._snapshot.parent)[texts.parent]
        on_canvas = ~painting.paints[painter]
        background = painting.background[style[painter]]
        canvas = np.array(painting.canvas[:3], dtype=np.float32)
        behind = np.where(on_canvas[:, None], canvas, background[:, :3])
        opaque = on_canvas | (background[:, 3] == 1) & ~painting.has_background_image[style[painter]]
        inside = on_canvas | contains(self._snapshot.box[painter], texts.center)
        color = painting.text_color[style[texts.parent]]
        alpha = np.nan_to_num(color[:, 3:] * painting.opacity[texts.parent, None], nan=0.0)
        mixed = color[:, :3] * alpha + behind * (1 - alpha)
        ratio = contrast(np.nan_to_num(mixed, nan=128), np.nan_to_num(behind, nan=128))
        return np.asarray(opaque & inside & (ratio >= LEAST_CONTRAST))

    def backdrops(self, painters: Sequence[int]) -> list[Backdrop] | None:
        """Return the opaque colors that may be behind a text; None if pixels decide.

        The list is empty where an image is behind it that may not have been loaded.

        Args:
            painters: what is painted there, lowest first.
        """
        painting = self._painting
        backdrops = [Backdrop(painting.canvas, painting.canvas_painter)]
        for painter in painters:
            if self._painters.is_missing(painter):
                return []
            if self._painters.is_unclear[painter]:
                return None
            style = int(self._painters.style[painter])
            backdrops = self._over(backdrops, painter, style)
            image = painting.values["background-image"][style]
            if "url(" in image:
                return None if "data:" in image else []
        return backdrops

    def _over(self, backdrops: list[Backdrop], painter: int, style: int) -> list[Backdrop]:
        """Paint the background color and the gradients of a painter over each backdrop."""
        opacity, element = float(self._painters.opacity[painter]), int(self._painters.element[painter])
        background = self._painting.background[style]
        if np.isfinite(background).all() and background[3] > 0:
            fill = Color(*background.tolist()).faded(opacity)
            backdrops = [
                Backdrop(fill.over(below.color), element if fill.alpha > 0.5 else below.painter) for below in backdrops
            ]
        if stops := self._painting.gradient_stops(style):
            faded = [stop.faded(opacity) for stop in stops]
            backdrops = [Backdrop(stop.over(below.color), element) for stop in faded for below in backdrops]
        return backdrops[:_MAX_COLORS]

    def technique(self, ancestors: Sequence[int], text_clip: int | None, backdrops: Sequence[Backdrop]) -> int:
        """Return the technique that makes a text disappear before its backdrops, 0 if it is visible.

        Args:
            ancestors: the parent of the text and the ancestors of that, innermost first.
            text_clip: the ancestor that clips its background to the text, or None.
            backdrops: the colors that may be behind it.
        """
        opacity = float(self._painting.opacity[ancestors[0]])
        colors = self._letter_colors(ancestors[0], text_clip)
        pairs = [_Pair(color, behind, painter) for color in colors for behind, painter in backdrops]
        faded = [pair._replace(letters=pair.letters.faded(opacity)) for pair in pairs]
        effect = self._effect(ancestors, faded)
        if effect is None:
            return Hidden.NO
        if not _any_differ(pairs):
            return Hidden.COLOR
        return effect if _any_differ(faded) else Hidden.OPACITY

    def is_mixed(self, parent: int, text_clip: int | None, backdrops: Sequence[Backdrop]) -> bool:
        """Return whether a gradient has colors before or in which a text is seen, and others in which it is not.

        Args:
            parent: the parent of the text.
            text_clip: the ancestor that clips its background to the text, or None.
            backdrops: the colors that may be behind it.
        """
        colors = self._letter_colors(parent, None)
        clipped = [] if text_clip is None else self._clipped_colors(text_clip)
        groups = [[*colors, color] for color in clipped if color.alpha > 0] or [colors]
        seen = {
            any(_Pair(color, backdrop.color, backdrop.painter).differs for color in group)
            for group in groups
            for backdrop in backdrops
        }
        return len(seen) > 1

    def unclear_effect(self, ancestors: Sequence[int]) -> Hidden:
        """Return what may hide a text without styles that show it, `NO` if nothing does.

        Args:
            ancestors: the parent of the text and the ancestors of that, innermost first.
        """
        values, style = self._painting.values, self._snapshot.style
        width = _number(values["-webkit-text-stroke-width"][style[ancestors[0]]])
        if width > _THICK_STROKE * float(self._painting.font_size[style[ancestors[0]]]):
            return Hidden.COLOR
        for element in ancestors:
            if element in self._unclear:
                return self._unclear[element]
            row = style[element]
            if "url(" in values["filter"][row]:
                return Hidden.FILTER
            if values["mask-image"][row] not in ("", "none"):
                return Hidden.MASK
            if values["transform"][row].startswith("matrix3d("):
                return Hidden.TRANSFORM
        return Hidden.NO

    @cached_property
    def _unclear(self) -> dict[int, Hidden]:
        """Return the elements whose texts may be hidden, with what may hide them."""
        return {element: Hidden(code) for element, code in self._snapshot.unclear.tolist()}

    def _letter_colors(self, parent: int, text_clip: int | None) -> list[Color]:
        """Return the colors that letters are painted in: fill, shadows, stroke, and a background clipped to them.

        Shadows that are far from the letters, or have no shape of them, and hairlines are not seen as letters.
        """
        values, style = self._painting.values, int(self._snapshot.style[parent])
        fill = self._painting.text_color[style]
        colors = [Color(*fill.tolist()) if np.isfinite(fill).all() else _VISIBLE]
        colors += _shadow_colors(values["text-shadow"][style], float(self._painting.font_size[style]))
        if _number(values["-webkit-text-stroke-width"][style]) >= _LEAST_STROKE:
            colors += colors_in(values["-webkit-text-stroke-color"][style])
        return colors if text_clip is None else colors + self._clipped_colors(text_clip)

    def _clipped_colors(self, text_clip: int) -> list[Color]:
        """Return the colors of a background that is clipped to letters."""
        style = int(self._snapshot.style[text_clip])
        colors = [Color(*self._painting.background[style].tolist()), *self._painting.gradient_stops(style)]
        return [*colors, _VISIBLE] if "url(" in self._painting.values["background-image"][style] else colors

    def _effect(self, ancestors: Sequence[int], pairs: Sequence[_Pair]) -> int | None:
        """Return the filter, mask or blend mode that hides a text, innermost first; None if it is visible.

        `Hidden.COLOR` if the text is hidden without them.

        Args:
            ancestors: the parent of the text and the ancestors of that, innermost first.
            pairs: the colors of its letters and of what is behind them.
        """
        values = self._painting.values
        technique: int | None = None if _any_differ(pairs) else Hidden.COLOR
        for element in ancestors:
            style = int(self._snapshot.style[element])
            if _is_masked_away(values["mask-image"][style]):
                return Hidden.MASK
            if functions := filter_functions(values["filter"][style]):
                if self._is_blurred(functions, ancestors[0]):
                    return Hidden.FILTER
                pairs = [self._filter(pair, functions, element) for pair in pairs]
                technique = None if _any_differ(pairs) else technique or Hidden.FILTER
            mode = values["mix-blend-mode"][style]
            if mode not in ("", "normal"):
                pairs = [self._blend(pair, mode, element) for pair in pairs]
                technique = None if _any_differ(pairs) else technique or Hidden.BLEND
        return technique

    def _is_blurred(self, functions: Sequence[tuple[str, float]], parent: int) -> bool:
        """Return whether a filter blurs the letters of a text of `parent` until they cannot be read."""
        font_size = float(self._painting.font_size[self._snapshot.style[parent]])
        radius = max(_LEAST_BLUR, _BLUR_SHARE * font_size)
        return any(name == "blur" and amount > radius for name, amount in functions)

    def _filter(self, pair: _Pair, functions: Sequence[tuple[str, float]], element: int) -> _Pair:
        """Filter the letters, and what is behind them inside `element`."""
        letters, behind, painter = pair
        if self._is_in(painter, element):
            behind = filtered(behind, functions)
        return _Pair(filtered(letters, functions), behind, painter)

    def _blend(self, pair: _Pair, mode: str, element: int) -> _Pair:
        """Blend the letters, and what is behind them inside `element`, with what is behind the element."""
        letters, behind, painter = pair
        if not self._is_in(painter, element):
            return _Pair(blended(letters, behind, mode), behind, painter)
        canvas = self._painting.canvas
        return _Pair(blended(letters, canvas, mode), blended(behind, canvas, mode), painter)

    def _is_in(self, painter: int, element: int) -> bool:
        """Return whether the painter is an element or inside it."""
        return bool(element <= painter < self._snapshot.end[element])


def _any_differ(pairs: Sequence[_Pair]) -> bool:
    """Return whether a reader sees the letters in one of the pairs of colors."""
    return any(pair.differs for pair in pairs)


def _number(length: str) -> float:
    """Return a computed length in CSS px, 0 if there is none."""
    return float(length.removesuffix("px") or 0)


def _shadow_colors(shadows: str, font_size: float) -> list[Color]:
    """Return the colors of a computed `text-shadow` that show letters.

    Args:
        shadows: one or several, such as `rgb(0, 0, 0) 1px 1px 2px`.
        font_size: that of the letters, in CSS px.
    """
    colors: list[Color] = []
    for shadow in _SHADOW.finditer(shadows):
        x, y, blur = (float(shadow[name]) for name in ("x", "y", "blur"))
        if max(abs(x), abs(y)) <= _FAR_SHADOW * font_size and blur <= _WIDE_BLUR * font_size:
            colors += colors_in(shadow["color"])
    return colors


def _is_masked_away(mask: str) -> bool:
    """Return whether a computed `mask-image` lets nothing through: a gradient of transparent stops."""
    stops = colors_in(mask) if "gradient(" in mask and "url(" not in mask else ()
    return bool(stops) and all(stop.alpha < LEAST_OPACITY for stop in stops)
