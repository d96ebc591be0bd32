from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image, ImageDraw

from vclean.classify.evaluation.canny import COARSE, FINE, Canny, edge_points, luma
from vclean.errors import InputError


def image(draw=None, size=(60, 40), color="white"):
    image = Image.new("RGB", size, color)
    if draw:
        draw(ImageDraw.Draw(image))
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def half(brush):
    brush.rectangle((30, 0, 59, 39), fill="black")


class TestLuma:
    def test_size_and_range(self) -> None:
        gray = luma(image(half))
        assert gray.shape == (40, 60)
        assert (gray[5, 5], gray[5, 50]) == (pytest.approx(255), 0)

    def test_green_is_lighter_than_blue(self) -> None:
        green, blue = (luma(image(color=color))[0, 0] for color in ("lime", "blue"))
        assert green == pytest.approx(0.715158 * 255)
        assert blue == pytest.approx(0.072186 * 255)

    @pytest.mark.parametrize("data", [b"", b"no picture", image()[:60]])
    def test_unreadable_image(self, data: bytes) -> None:
        with pytest.raises(InputError, match="render the page again"):
            luma(data)


class TestCanny:
    def test_one_line_between_two_colors(self) -> None:
        """Expect the line on the last white column: the gradient is between a pixel and its right neighbor."""
        edges = FINE(luma(image(half)))
        assert np.flatnonzero(edges.any(axis=0)).tolist() == [29]
        assert edges[:, 29].all()

    def test_horizontal_line(self) -> None:
        edges = FINE(luma(image(lambda brush: brush.rectangle((0, 20, 59, 39), fill="black"))))
        assert np.flatnonzero(edges.any(axis=1)).tolist() == [19]

    @pytest.mark.parametrize("ends", [(0, 0, 59, 59), (0, 59, 59, 0)])
    def test_slanted_lines_are_thin(self, ends: tuple[int, int, int, int]) -> None:
        """Expect the two sides of a stripe across the image, with one or two pixels per row."""
        data = image(lambda brush: brush.line(ends, fill="black", width=12), size=(60, 60))
        inner = FINE(luma(data))[10:50]
        assert (inner.sum(axis=1) >= 2).all()
        assert (inner.sum(axis=1) <= 4).all()

    def test_single_color_has_no_edges(self) -> None:
        assert not FINE(luma(image())).any()

    def test_image_of_one_pixel(self) -> None:
        assert FINE(np.zeros((1, 1), dtype=np.float32)).tolist() == [[False]]

    def test_coarse_detector_ignores_small_details(self) -> None:
        """Use a dot beside an edge of high contrast."""

        def draw(brush):
            half(brush)
            brush.point((10, 20), fill="#999999")

        fine, coarse = (kind(luma(image(draw)))[:, :20].any() for kind in (FINE, COARSE))
        assert fine
        assert not coarse

    def test_weak_ends_of_strong_edges_are_kept(self) -> None:
        """Keep an edge between the thresholds only if it continues one above both."""
        shade = np.full((40, 60), 100, dtype=np.float32)
        shade[:, 30:] += np.linspace(100, 12, 40, dtype=np.float32)[:, None]
        detector = Canny(sigma=1, lower=0.05, upper=0.5)
        assert detector(shade)[:, 28:32].any(axis=1).all()
        alone = np.full((40, 60), 100, dtype=np.float32)
        alone[:, 10:] += 12
        alone[:, 40:] += 100
        assert np.flatnonzero(detector(alone).any(axis=0)).tolist() == [39]

    def test_detection_is_deterministic(self) -> None:
        data = luma(image(lambda brush: brush.ellipse((5, 5, 50, 30), fill="red")))
        assert (FINE(data) == FINE(data)).all()


class TestEdgePoints:
    def test_x_comes_before_y(self) -> None:
        edges = np.zeros((4, 6), dtype=bool)
        edges[1, 5] = True
        assert edge_points(edges).tolist() == [[5, 1]]
