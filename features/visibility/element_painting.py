"""Compute what the elements of a rendered page paint: columns by style row, (S,), and by element, (N,)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree
from vclean.render.css_colors import WHITE, Color, color_array, colors_in
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

LEAST_OPACITY: Final = 0.02
COVER_SHARE: Final = 0.9
"""Share of a line, or of a side of the viewport, that counts as the whole."""

_PICTURE_LEVELS: Final = 6
"""Levels above a text up to the element that has both the text and the image that it is placed on."""
_LOW: Final = 40.0
"""CSS px, of an image without its data: its alternative text, or nothing."""
_DARK_CANVAS: Final = Color(18, 18, 18)
"""Of Chromium."""

_IMAGE_TAGS: Final = ("canvas", "svg", "video", "iframe", "object", "embed")
_NO_EFFECT: Final = ("", "none", "normal")


class ElementPainting:
    """Compute what each element paints.

    Attributes:
        snapshot: the rendered page.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self.snapshot = snapshot

    # ---- by style row ----

    @cached_property
    def values(self) -> dict[str, tuple[str, ...]]:
        """Return the values of each property by style row, S of each."""
        styles = self.snapshot.styles
        return {name: styles.column(name) for name in styles.names}

    @cached_property
    def background(self) -> NDArray[np.float32]:
        """Return background colors, float32 (S, 4), NaN where unknown."""
        return color_array(self.values["background-color"])

    @cached_property
    def text_color(self) -> NDArray[np.float32]:
        """Return the fill colors of letters, float32 (S, 4), NaN where unknown."""
        fills = self.values["-webkit-text-fill-color"]
        return color_array([fill or color for fill, color in zip(fills, self.values["color"], strict=True)])

    @cached_property
    def font_size(self) -> NDArray[np.float32]:
        """Return font sizes in CSS px, float32 (S,)."""
        return self.snapshot.styles.number("font-size")

    @cached_property
    def has_background_image(self) -> NDArray[np.bool_]:
        """Return which style rows have a background image or gradient, bool (S,)."""
        return np.array([value not in ("", "none") for value in self.values["background-image"]], dtype=bool)

    @cached_property
    def has_embedded_background(self) -> NDArray[np.bool_]:
        """Return which style rows have a background image whose data are in the page, bool (S,)."""
        return np.array(["url(" in value and "data:" in value for value in self.values["background-image"]], dtype=bool)

    @cached_property
    def clips_to_text(self) -> NDArray[np.bool_]:
        """Return which style rows paint their background inside letters only, bool (S,)."""
        return np.array(["text" in value for value in self.values["background-clip"]], dtype=bool)

    def gradient_stops(self, style: int) -> tuple[Color, ...]:
        """Return the colors of the background gradients of a style row."""
        image = self.values["background-image"][style]
        return colors_in(image) if "gradient(" in image else ()

    # ---- by element ----

    @cached_property
    def is_image(self) -> NDArray[np.bool_]:
        """Return which elements are images, drawings, videos or frames, of unknown colors, bool (N,)."""
        mask = self.snapshot.is_tag(_IMAGE_TAGS)
        mask[self.snapshot.image] = True
        return mask

    @cached_property
    def is_picture(self) -> NDArray[np.bool_]:
        """Return which images may paint something at a text, bool (N,)."""
        mask = self.is_image.copy()
        mask[self.snapshot.clear] = False
        return mask

    @cached_property
    def is_missing(self) -> NDArray[np.bool_]:
        """Return which images have not been loaded, bool (N,), or show a placeholder: readers see others there."""
        snapshot = self.snapshot
        mask = snapshot.is_tag(("img",))
        mask[np.setdiff1d(snapshot.image, snapshot.clear)] = False
        declared = snapshot.attributes("data-src")
        mask[[image for image in snapshot.clear.tolist() if image not in declared]] = False
        return mask

    def is_on_missing_image(self, ancestors: Sequence[int]) -> bool:
        """Return whether a text may be placed over an image that has not been loaded and has no size without its data.

        The text or the image is positioned, and both are in the same small part of the page.

        Args:
            ancestors: the parent of the text and the ancestors of that, innermost first.
        """
        missing = self._missing_without_size
        end, before = self.snapshot.end, 0
        is_placed = False
        for element in ancestors[:_PICTURE_LEVELS] if len(missing) else ():
            inside = missing[(missing > element) & (missing < end[element])]
            beside = inside[(inside < before) | (inside >= end[before])] if before else inside
            if len(beside) and (is_placed or self._is_placed[beside].any()):
                return True
            is_placed |= bool(self._is_placed[element])
            before = element
        return False

    @cached_property
    def _missing_without_size(self) -> NDArray[np.intp]:
        """Return the missing images that are lower than a line of text or two."""
        return np.flatnonzero(self.is_missing & (self.snapshot.box[:, 3] < _LOW))

    @cached_property
    def _is_placed(self) -> NDArray[np.bool_]:
        """Return which elements are absolutely positioned, or fixed, bool (N,)."""
        return np.asarray(self.snapshot.styles.is_in("position", ("absolute", "fixed"))[self.snapshot.style])

    @cached_property
    def fills_partly(self) -> NDArray[np.bool_]:
        """Return which style rows have a background that does not fill its box for sure, bool (S,)."""
        return ~self.snapshot.styles.is_in("background-clip", ("", "border-box", "padding-box"))

    @cached_property
    def paints(self) -> NDArray[np.bool_]:
        """Return which elements paint an image or a background in their box, bool (N,).

        Colors of the root and the body are the canvas, and not in a box.
        """
        return self._fill_or_are(self.is_image | self.is_missing)

    @cached_property
    def paints_at_text(self) -> NDArray[np.bool_]:
        """Return which elements may paint something at a text, bool (N,): `paints` without clear images."""
        return self._fill_or_are(self.is_picture | self.is_missing) if len(self.snapshot.clear) else self.paints

    def _fill_or_are(self, images: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which elements have a background or are in a mask of images, bool (N,)."""
        snapshot, has_image = self.snapshot, self.has_background_image[self.snapshot.style]
        fills = (np.nan_to_num(self.background[:, 3], nan=1.0) > 0) | self.has_background_image
        fills &= ~self.clips_to_text
        paints = (fills[snapshot.style] | images) & (snapshot.hidden == Hidden.NO)
        paints &= (snapshot.box[:, 2:] > 1).all(axis=1) & ~turned_away(snapshot)
        return np.asarray(paints & ~(snapshot.is_tag(("html", "body")) & ~has_image))

    @cached_property
    def opacity(self) -> NDArray[np.float32]:
        """Return the product of the opacities of each element and its ancestors, float32 (N,)."""
        snapshot = self.snapshot
        opacity = np.nan_to_num(snapshot.styles.number("opacity"), nan=1.0)
        if (opacity == 1).all():
            return np.ones(len(snapshot), dtype=np.float32)
        logs = np.log(np.maximum(opacity, 1e-6), dtype=np.float64)[snapshot.style]
        return np.exp(np.minimum(tree.path_sum(logs, snapshot.end), 0)).round(6).astype(np.float32)

    @cached_property
    def is_fixed(self) -> NDArray[np.bool_]:
        """Return which elements stay where they are when the page is scrolled, bool (N,)."""
        fixed = self.snapshot.styles.is_in("position", ("fixed",))[self.snapshot.style]
        return tree.path_sum(fixed, self.snapshot.end) > 0 if fixed.any() else fixed

    @cached_property
    def is_inline(self) -> NDArray[np.bool_]:
        """Return which elements are inline and in flow, bool (N,): their lines lie beside those of others."""
        styles = self.snapshot.styles
        inline = styles.is_in("display", ("inline",)) & styles.is_in("position", ("", "static"))
        return np.asarray((inline & styles.is_in("float", ("", "none")))[self.snapshot.style])

    @cached_property
    def has_effect(self) -> NDArray[np.bool_]:
        """Return which elements an effect or a negative `z-index` applies to, bool (N,).

        Effects are filters, masks, blend modes, text clips, strokes, transforms in three dimensions, and what makes
        texts `unclear`.
        """
        styles = self.snapshot.styles
        effects = np.array([value.startswith("-") for value in self.values["z-index"]], dtype=bool) | self.clips_to_text
        for name in ("filter", "mask-image", "mix-blend-mode"):
            effects |= ~styles.is_in(name, _NO_EFFECT)
        effects |= np.array(self.values["-webkit-text-stroke-width"]) > "0px"
        effects |= np.char.startswith(self.values["transform"], "matrix3d(")
        own = effects[self.snapshot.style]
        own[self.snapshot.unclear[:, 0]] = True
        return tree.path_sum(own, self.snapshot.end) > 0 if own.any() else own

    @cached_property
    def canvas(self) -> Color:
        """Return the opaque color behind the page: the background of the root or the body (CSS Backgrounds 3, 2.11)."""
        base = _DARK_CANVAS if self.snapshot.dark else WHITE
        if self._canvas_style is None:
            return base
        background = self.background[self._canvas_style]
        return Color(*background.tolist()).over(base) if np.isfinite(background).all() else base

    @cached_property
    def _canvas_style(self) -> int | None:
        """Return the style row of the element whose background is that of the canvas, None if there is none."""
        paints = (self.background[:, 3] > 0) | self.has_background_image
        return next((style for style in viewport_styles(self.snapshot) if paints[style]), None)

    @property
    def canvas_painter(self) -> int:
        """Return the element that the canvas is part of: the root if a background is propagated to it, else -1.

        A filter of the root changes that background (Filter Effects 1, 5), and not the color of an empty canvas.
        """
        return -1 if self._canvas_style is None else 0

    def text_clip(self, ancestors: Sequence[int]) -> int | None:
        """Return the first of `ancestors` that clips its background to its text, or None."""
        if not self.clips_to_text.any():
            return None
        return next((element for element in ancestors if self.clips_to_text[self.snapshot.style[element]]), None)

    def fills_viewport(self, box: NDArray[np.float32]) -> bool:
        """Return whether a box, float32 (4,), is as large as the viewport."""
        settings = self.snapshot.settings
        return bool(
            box[2] >= COVER_SHARE * settings.get("width", 0) and box[3] >= COVER_SHARE * settings.get("height", 0)
        )


def turned_away(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements a 3D transform turns away, with a back that is not painted, bool (N,)."""
    hides_back = ~snapshot.styles.is_in("backface-visibility", ("", "visible"))[snapshot.style]
    if not hides_back.any():
        return np.zeros(len(snapshot), dtype=bool)
    turned = np.array([_faces_away(value) for value in snapshot.styles.column("transform")], dtype=bool)
    odd = tree.path_sum(turned[snapshot.style], snapshot.end) % 2 == 1
    return np.asarray(tree.path_sum(hides_back & odd, snapshot.end) > 0)


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
