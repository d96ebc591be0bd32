"""Compute colors as a browser paints them: contrast, filters and blend modes.

Colors are sRGB, red, green and blue from 0 to 255, alpha from 0 to 1. Formulas are from WCAG 2.2 (contrast),
Compositing and Blending 1 (blend modes) and Filter Effects 1 (filters).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.render.css_colors import Color

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

LEAST_CONTRAST: Final = 1.2
"""Lowest contrast of text with its background that a reader can see: `#eee` on white has 1.16, `#ddd` 1.36."""

_FUNCTION = re.compile(r"([a-z-]+)\(((?:[^()]|\([^()]*\))*)\)")
_CACHED: Final = 4096


def luminance(rgb: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the relative luminance of opaque colors (..., 3), 0 to 1 (WCAG 2.2, relative luminance)."""
    part = rgb / np.float32(255)
    linear = np.where(part <= 0.04045, part / 12.92, ((part + 0.055) / 1.055) ** 2.4)
    return (linear @ np.array([0.2126, 0.7152, 0.0722], dtype=np.float32)).astype(np.float32)


def contrast_ratio(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the contrast ratio of two luminances, 1 to 21 (WCAG 2.2, contrast ratio)."""
    return np.asarray((np.maximum(one, other) + 0.05) / (np.minimum(one, other) + 0.05), dtype=np.float32)


def contrast(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the contrast ratio of opaque colors (..., 3), 1 to 21."""
    return contrast_ratio(luminance(one), luminance(other))


@lru_cache(maxsize=_CACHED)
def color_contrast(one: Color, other: Color) -> float:
    """Return the contrast ratio of two opaque colors, 1 to 21; two of equal luminance count by their hues.

    The formula of WCAG is about luminance alone, but readers distinguish red from a green of the same luminance.
    """
    a, b = np.array([one[:3]], dtype=np.float32), np.array([other[:3]], dtype=np.float32)
    return max(float(contrast(a, b)[0]), 1 + hue_distance(one, other))


def hue_distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how far apart two colors are beside their luminance: 0 to about 1, .2 where it is easily seen."""
    return max(0.0, (math.dist(one[:3], other[:3]) - 48) / 400)


# ---- filters ----


@lru_cache(maxsize=_CACHED)
def filter_functions(value: str) -> tuple[tuple[str, float], ...]:
    """Return the functions of a computed `filter` with their amounts: `blur` in CSS px, the others as factors."""
    functions = []
    for name, inside in _FUNCTION.findall(value):
        try:
            amount = float(inside.removesuffix("px").removesuffix("deg"))
        except ValueError:
            amount = math.nan
        functions.append((name, amount))
    return tuple(functions)


def filtered(color: Color, functions: Sequence[tuple[str, float]]) -> Color:
    """Apply filter functions to a color (Filter Effects 1, 12); those that move pixels leave it as it is."""
    for name, amount in functions:
        if not math.isnan(amount):
            color = _filter_once(color, name, amount)
    return color


def _filter_once(color: Color, name: str, amount: float) -> Color:
    """Apply one filter function to a color."""
    rgb = np.array(color[:3])
    gray = float(rgb @ (0.2126, 0.7152, 0.0722))
    if name == "opacity":
        return color.faded(min(max(amount, 0.0), 1.0))
    if name == "brightness":
        rgb = rgb * amount
    elif name == "contrast":
        rgb = (rgb - 127.5) * amount + 127.5
    elif name == "grayscale":
        rgb = rgb + (gray - rgb) * min(amount, 1.0)
    elif name == "saturate":
        rgb = gray + (rgb - gray) * amount
    elif name == "invert":
        rgb = rgb + (255 - 2 * rgb) * min(amount, 1.0)
    red, green, blue = np.clip(rgb, 0, 255).tolist()
    return Color(red, green, blue, color.alpha)


# ---- blend modes ----

_BLENDS: Final[dict[str, Callable[[float, float], float]]] = {
    "multiply": lambda back, front: back * front,
    "screen": lambda back, front: back + front - back * front,
    "darken": min,
    "lighten": max,
    "difference": lambda back, front: abs(back - front),
    "exclusion": lambda back, front: back + front - 2 * back * front,
    "color-dodge": lambda back, front: 0.0 if back == 0 else 1.0 if front >= 1 else min(1.0, back / (1 - front)),
    "color-burn": lambda back, front: 1.0 if back >= 1 else 0.0 if front <= 0 else 1 - min(1.0, (1 - back) / front),
    "hard-light": lambda back, front: 2 * back * front if front <= 0.5 else _BLENDS["screen"](back, 2 * front - 1),
    "overlay": lambda back, front: 2 * back * front if back <= 0.5 else _BLENDS["screen"](2 * back - 1, front),
    "soft-light": lambda back, front: back - (1 - 2 * front) * back * (1 - back) if front <= 0.5 else back,
    "plus-lighter": lambda back, front: min(1.0, back + front),
}


def blended(front: Color, back: Color, mode: str) -> Color:
    """Return the color that `mode` makes of a color over an opaque one (Compositing 1, 10).

    Modes that mix hue, saturation or luminosity leave the color as it is.
    """
    mix = _BLENDS.get(mode)
    if mix is None:
        return front
    red, green, blue = (255 * mix(b / 255, f / 255) for f, b in zip(front[:3], back[:3], strict=True))
    return Color(red, green, blue, front.alpha)
