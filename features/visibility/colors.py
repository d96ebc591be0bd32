"""Compute colors as a browser paints them: compositing, contrast, gradients, filters and blend modes.

Colors are sRGB, red, green and blue from 0 to 255, alpha from 0 to 1. Formulas are from WCAG 2.2 (contrast), CSS Color
4 (spaces), Compositing and Blending 1 (blend modes) and Filter Effects 1 (filters).
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

LEAST_CONTRAST: Final = 1.2
"""Text of a lower contrast cannot be told from what is behind it: `#eee` on white has 1.16, `#ddd` 1.36."""

_COLOR = re.compile(r"(?:rgba?|color|oklab|oklch|lab|lch)\([^()]*\)")
_FUNCTION = re.compile(r"([a-z-]+)\(((?:[^()]|\([^()]*\))*)\)")
_CACHED: Final = 4096


class Color(NamedTuple):
    """Red, green and blue, 0 to 255, and alpha, 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def over(self, behind: Color) -> Color:
        """Return the color of this one painted over an opaque one (Compositing 1, 5.1)."""
        red, green, blue = (self.alpha * a + (1 - self.alpha) * b for a, b in zip(self[:3], behind[:3], strict=True))
        return Color(red, green, blue)

    def faded(self, opacity: float) -> Color:
        """Return the color with its alpha multiplied by `opacity`."""
        return self._replace(alpha=self.alpha * opacity)


WHITE: Final = Color(255, 255, 255)


def luminance(rgb: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the relative luminance of opaque colors (K, 3), 0 to 1, shape (K,) (WCAG 2.2, relative luminance)."""
    part = rgb / np.float32(255)
    linear = np.where(
        part <= 0.04045, part / np.float32(12.92), ((part + np.float32(0.055)) / np.float32(1.055)) ** 2.4
    )
    return np.asarray(linear @ np.array([0.2126, 0.7152, 0.0722], dtype=np.float32))


def contrast(one: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the contrast ratio of opaque colors (K, 3), 1 to 21, shape (K,) (WCAG 2.2, contrast ratio)."""
    a, b = luminance(one) + np.float32(0.05), luminance(other) + np.float32(0.05)
    return np.asarray(np.maximum(a, b) / np.minimum(a, b))


@lru_cache(maxsize=_CACHED)
def color_contrast(one: Color, other: Color) -> float:
    """Return the contrast ratio of two opaque colors, 1 to 21; two of equal luminance count by their hues.

    The formula of WCAG is about luminance alone, and red on a green of the same luminance can be told apart.
    """
    a, b = np.array([one[:3]], dtype=np.float32), np.array([other[:3]], dtype=np.float32)
    return max(float(contrast(a, b)[0]), 1 + hue_distance(one, other))


def hue_distance(one: Sequence[float], other: Sequence[float]) -> float:
    """Return how far apart two colors are beside their luminance: 0 to about 1, .2 where it is easily seen."""
    return max(0.0, (math.dist(one[:3], other[:3]) - 48) / 400)


@lru_cache(maxsize=_CACHED)
def parse_color(text: str) -> Color | None:
    """Return a computed color; None where it is none, or in a space that is not read.

    >>> parse_color("rgba(0, 0, 0, 0.5)"), parse_color("oklch(1 0 0)")
    (Color(red=0.0, green=0.0, blue=0.0, alpha=0.5), Color(red=255, green=255, blue=255, alpha=1.0))
    """
    name, _, inside = text.strip().partition("(")
    parts = re.split(r"[\s,/]+", inside.rstrip(")").strip())
    space = parts.pop(0) if name == "color" else name
    try:
        numbers = [_number(part) for part in parts]
    except ValueError:
        return None
    if len(numbers) not in (3, 4) or space not in _SPACES:
        return None
    alpha = numbers[3] if len(numbers) == 4 else 1.0
    red, green, blue = _SPACES[space](*numbers[:3])
    return Color(red, green, blue, alpha)


def _number(part: str) -> float:
    if part == "none":
        return 0.0
    return float(part.removesuffix("%")) / 100 if part.endswith("%") else float(part.removesuffix("deg"))


def _from_linear(*linear: float) -> tuple[float, ...]:
    encoded = (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055 for part in linear)
    return tuple(round(255 * min(max(part, 0.0), 1.0)) for part in encoded)


def _oklab(lightness: float, a: float, b: float) -> tuple[float, ...]:
    """Convert Oklab to sRGB (CSS Color 4, 9.4)."""
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return _from_linear(
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _lab(lightness: float, a: float, b: float) -> tuple[float, ...]:
    """Convert CIE Lab to sRGB (CSS Color 4, 9.1), without its change of white point: exact enough to be told apart."""
    lightness = lightness * 100 if lightness <= 1 else lightness
    fy = (lightness + 16) / 116
    parts = (fy + a / 500, fy, fy - b / 200)
    x, y, z = (part**3 if part > 6 / 29 else 3 * (6 / 29) ** 2 * (part - 4 / 29) for part in parts)
    x, z = x * 0.95047, z * 1.08883
    return _from_linear(
        3.2406 * x - 1.5372 * y - 0.4986 * z,
        -0.9689 * x + 1.8758 * y + 0.0415 * z,
        0.0557 * x - 0.2040 * y + 1.0570 * z,
    )


def _polar(space: Callable[..., tuple[float, ...]]) -> Callable[..., tuple[float, ...]]:
    def convert(lightness: float, chroma: float, hue: float) -> tuple[float, ...]:
        angle = math.radians(hue)
        return space(lightness, chroma * math.cos(angle), chroma * math.sin(angle))

    return convert


def _srgb(*parts: float) -> tuple[float, ...]:
    return tuple(255 * min(max(part, 0.0), 1.0) for part in parts)


_SPACES: Final[dict[str, Callable[..., tuple[float, ...]]]] = {
    "rgb": lambda *parts: parts,
    "rgba": lambda *parts: parts,
    "srgb": _srgb,
    "srgb-linear": _from_linear,
    "display-p3": _srgb,  # near enough to be told apart
    "oklab": _oklab,
    "oklch": _polar(_oklab),
    "lab": _lab,
    "lch": _polar(_lab),
}


@lru_cache(maxsize=_CACHED)
def colors_in(value: str) -> tuple[Color, ...]:
    """Return the colors that a computed value names: the stops of gradients, the colors of shadows."""
    return tuple(color for text in _COLOR.findall(value) if (color := parse_color(text)) is not None)


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
