"""Detect edges in a screenshot, by Canny 1986 as in ImageMagick's `-canny 0xSIGMA+LOWER%+UPPER%`.

Kiesel et al. 2020 weigh the parts of a page by their visible edges: fine ones, which follow every letter, and coarse
ones, which follow lines, columns and images. They use ImageMagick. The steps are the same in this module, so scores are
comparable: blur, conversion to the luma of Rec. 709, gradient over squares of 2x2 px, suppression of non-maxima
across the edge, thresholds as shares of the remaining range, and hysteresis over eight neighbors. One point differs: an
image of a single color has no edges.
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
"""Tangent of 67.5 degrees: a steeper gradient runs along the columns of the image."""
_ACROSS: Final = ((-1, 0), (-1, -1), (0, -1), (-1, 1))
"""Offset (down, right) of one of the two neighbors across an edge, by direction; the other one is opposite."""


@dataclass(frozen=True, slots=True)
class Canny:
    """Canny edge detector.

    Attributes:
        sigma: standard deviation of the blur, px.
        lower, upper: thresholds as shares of the strongest edge; an edge starts above `upper` and extends down to
            `lower`.
    """

    sigma: float
    lower: float
    upper: float

    def __call__(self, luma: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Return whether each pixel of an image (H, W) is on an edge, bool (H, W)."""
        blurred = ndimage.gaussian_filter(luma, self.sigma, mode="nearest", truncate=4.0)
        thin = _thinned(*_gradient(blurred))
        low, high = float(thin.min(initial=0)), float(thin.max(initial=0))
        if high <= low:
            return np.zeros(luma.shape, dtype=bool)
        weak = thin >= low + self.lower * (high - low)
        component, count = ndimage.label(weak, structure=np.ones((3, 3)))
        is_edge = np.zeros(count + 1, dtype=bool)
        is_edge[component[thin >= low + self.upper * (high - low)]] = True
        is_edge[0] = False
        return np.asarray(is_edge[component])


FINE: Final = Canny(sigma=1, lower=0.01, upper=0.02)
COARSE: Final = Canny(sigma=5, lower=0.01, upper=0.16)


def luma(screenshot: bytes) -> NDArray[np.float32]:
    """Return the luma of an encoded image, 0-255, float32 (H, W).

    Raises:
        InputError: the image cannot be read.
    """
    try:
        with Image.open(io.BytesIO(screenshot), formats=("PNG", "JPEG")) as image:
            pixels = np.asarray(image.convert("RGB"))
    except OSError as error:
        raise InputError("the screenshot of a page cannot be read: delete it and render the page again") from error
    # No matrix product: its rounding differs at the ends of rows, which creates false edges.
    red, green, blue = np.moveaxis(pixels, -1, 0)
    return np.asarray(red * _LUMA[0] + green * _LUMA[1] + blue * _LUMA[2], dtype=np.float32)


def edge_points(edges: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return x and y of the pixels on edges, int64 (P, 2)."""
    return np.argwhere(edges)[:, ::-1]


def _gradient(luma: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.uint8]]:
    """Return the strength (H, W) of the gradient over each 2x2 square, and its direction, an index into `_ACROSS`.

    The square of a pixel has the pixels to its right and below it.
    """
    padded = np.pad(luma, ((0, 1), (0, 1)), mode="edge")
    rising, falling = padded[1:, 1:] - padded[:-1, :-1], padded[:-1, 1:] - padded[1:, :-1]
    right, up = (rising + falling) / 2, (falling - rising) / 2
    is_vertical = np.abs(up) > _STEEP * np.abs(right)
    is_horizontal = np.abs(right) >= _STEEP * np.abs(up)
    diagonal = np.where((up < 0) == (right < 0), 3, 1)
    direction = np.where(is_vertical | ((right == 0) & (up == 0)), 0, np.where(is_horizontal, 2, diagonal))
    return np.hypot(right, up), direction.astype(np.uint8)


def _thinned(strength: NDArray[np.float32], direction: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Return `strength` where no neighbor across the edge is stronger, else 0 (non-maximum suppression)."""
    padded = np.pad(strength, 1, mode="edge")
    height, width = strength.shape
    largest = np.zeros_like(strength)
    for number, (down, right) in enumerate(_ACROSS):
        for sign in (1, -1):
            top, left = 1 + sign * down, 1 + sign * right
            neighbor = padded[top : top + height, left : left + width]
            np.maximum(largest, neighbor, out=largest, where=direction == number)
    return np.where(strength < largest, np.float32(0), strength)
