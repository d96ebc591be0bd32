"""Edges in a page's picture, by Canny 1986 as ImageMagick's `-canny 0xSIGMA+LOWER%+UPPER%` has it.

Kiesel et al. 2020 weigh the parts of a page by the edges in them, for edges are what one sees of it: fine ones, that
follow every letter, and coarse ones, that follow lines, columns and pictures. Their pictures of edges come from
ImageMagick; the steps here are the same, so that scores can be compared: blur, grey by the luma of Rec. 709, gradient
over squares of 2x2 px, suppression of what is no maximum across the edge, thresholds as shares of the range of what is
left, and hysteresis over eight neighbours. In one point it differs: a picture of one colour has no edges.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from PIL import Image
from scipy import ndimage

from vclean.errors import InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LUMA: Final = np.array((0.212656, 0.715158, 0.072186), dtype=np.float32)
_STEEP: Final = np.float32(1 + 2**0.5)
"""Tangent of 67.5 degrees: a steeper gradient runs along the columns of the picture."""
_ACROSS: Final = ((-1, 0), (-1, -1), (0, -1), (-1, 1))
"""Where one of the two neighbours across an edge is, down and right, by direction; the other one is opposite."""


@dataclass(frozen=True, slots=True)
class Canny:
    """An edge detector.

    Attributes:
        sigma: standard deviation of the blur, px.
        lower, upper: shares of the strongest edge; an edge begins above `upper` and ends below `lower`.
    """

    sigma: float
    lower: float
    upper: float

    def __call__(self, grey: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Whether each pixel of a picture (H, W) is on an edge, bool (H, W)."""
        blurred = ndimage.gaussian_filter(grey, self.sigma, mode="nearest", truncate=4.0)
        thin = _thinned(*_gradient(blurred))
        low, high = float(thin.min(initial=0)), float(thin.max(initial=0))
        if high <= low:
            return np.zeros(grey.shape, dtype=bool)
        weak = thin >= low + self.lower * (high - low)
        part, count = ndimage.label(weak, structure=np.ones((3, 3)))
        kept = np.zeros(count + 1, dtype=bool)
        kept[part[thin >= low + self.upper * (high - low)]] = True
        kept[0] = False
        return np.asarray(kept[part])


FINE: Final = Canny(sigma=1, lower=0.01, upper=0.02)
COARSE: Final = Canny(sigma=5, lower=0.01, upper=0.16)


def grey(picture: bytes) -> NDArray[np.float32]:
    """The luma of an encoded picture, 0-255, float32 (H, W).

    Raises:
        InputError: it cannot be read.
    """
    try:
        with Image.open(io.BytesIO(picture), formats=("PNG", "JPEG")) as image:
            pixels = np.asarray(image.convert("RGB"))
    except OSError as error:
        raise InputError("the picture of a page cannot be read: delete it and render the page again") from error
    # Not a product of matrices: those round otherwise at the ends of rows, and so see edges where there are none.
    red, green, blue = np.moveaxis(pixels, -1, 0)
    return np.asarray(red * _LUMA[0] + green * _LUMA[1] + blue * _LUMA[2], dtype=np.float32)


def points(edges: NDArray[np.bool_]) -> NDArray[np.int64]:
    """int64 (P, 2): x and y of the pixels on edges."""
    return np.argwhere(edges)[:, ::-1]


def _gradient(grey: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """The strength (H, W) of the gradient over each pixel and those right of and below it; and its direction.

    Directions number `_ACROSS`.
    """
    wide = np.pad(grey, ((0, 1), (0, 1)), mode="edge")
    rising, falling = wide[1:, 1:] - wide[:-1, :-1], wide[:-1, 1:] - wide[1:, :-1]
    right, up = (rising + falling) / 2, (falling - rising) / 2
    upright = np.abs(up) > _STEEP * np.abs(right)
    level = np.abs(right) >= _STEEP * np.abs(up)
    slanted = np.where((up < 0) == (right < 0), 3, 1)
    direction = np.where(upright | ((right == 0) & (up == 0)), 0, np.where(level, 2, slanted))
    return np.hypot(right, up), direction.astype(np.uint8)


def _thinned(strength: NDArray[np.float32], direction: NDArray[np.uint8]) -> NDArray[np.float32]:
    """`strength` where neither neighbour across the edge is stronger, else 0."""
    around = np.pad(strength, 1, mode="edge")
    height, width = strength.shape
    largest = np.zeros_like(strength)
    for number, (down, right) in enumerate(_ACROSS):
        for sign in (1, -1):
            top, left = 1 + sign * down, 1 + sign * right
            beside = around[top : top + height, left : left + width]
            np.maximum(largest, beside, out=largest, where=direction == number)
    return np.where(strength < largest, np.float32(0), strength)
