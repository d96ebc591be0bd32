"""Parse colors as `getComputedStyle` returns them.

Colors are sRGB, red, green and blue from 0 to 255, alpha from 0 to 1. Conversions are from CSS Color 4.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray

_COLOR = re.compile(r"(?:rgba?|color|oklab|oklch|lab|lch)\([^()]*\)")
_CACHED: Final = 4096
_UNKNOWN: Final = (math.nan,) * 4


class Color(NamedTuple):
    """Color with red, green and blue, 0 to 255, and alpha, 0 to 1."""

    red: float
    green: float
    blue: float
    alpha: float = 1.0

    def over(self, behind: Color) -> Color:
        """Return the color of this one painted over an opaque one (Compositing 1, 5.1)."""
        red, green, blue = (self.alpha * a + (1 - self.alpha) * b for a, b in zip(self[:3], behind[:3], strict=True))
        return Color(red, green, blue)


WHITE: Final = Color(255, 255, 255)


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
    if space in ("lch", "oklch") and len(numbers) >= 3:  # the polar forms of spaces (CSS Color 4, 9.2 and 9.5)
        angle = math.radians(numbers[2])
        numbers[1:3] = numbers[1] * math.cos(angle), numbers[1] * math.sin(angle)
        space = space.replace("lch", "lab")
    if len(numbers) not in (3, 4) or space not in _SPACES:
        return None
    alpha = numbers[3] if len(numbers) == 4 else 1.0
    red, green, blue = _SPACES[space](*numbers[:3])
    return Color(red, green, blue, alpha)


def _number(part: str) -> float:
    """Convert a number, percentage or angle; `none` is 0. Raise ValueError if it is none of them."""
    if part == "none":
        return 0.0
    return float(part.removesuffix("%")) / 100 if part.endswith("%") else float(part.removesuffix("deg"))


def _from_linear(*linear: float) -> tuple[float, ...]:
    """Convert linear-light sRGB to sRGB (CSS Color 4, 10.2)."""
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
    """Convert CIE Lab to sRGB (CSS Color 4, 9.1), without its change of white point: exact enough to compare colors."""
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


def _srgb(*parts: float) -> tuple[float, ...]:
    return tuple(255 * min(max(part, 0.0), 1.0) for part in parts)


_SPACES: Final[dict[str, Callable[..., tuple[float, ...]]]] = {
    "rgb": lambda *parts: parts,
    "rgba": lambda *parts: parts,
    "srgb": _srgb,
    "srgb-linear": _from_linear,
    "display-p3": _srgb,  # near enough to compare colors
    "oklab": _oklab,
    "lab": _lab,
}


@lru_cache(maxsize=_CACHED)
def colors_in(value: str) -> tuple[Color, ...]:
    """Return the colors that a computed value names: the stops of gradients, the colors of shadows."""
    return tuple(color for text in _COLOR.findall(value) if (color := parse_color(text)) is not None)


def color_array(values: Iterable[str]) -> NDArray[np.float32]:
    """Return computed colors as float32 (S, 4): red, green, blue and alpha; NaN where one is unknown."""
    rows = [tuple(parse_color(value) or _UNKNOWN) for value in values]
    return np.array(rows, dtype=np.float32).reshape(len(rows), 4)


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
