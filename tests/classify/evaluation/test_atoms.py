from __future__ import annotations

import io

import numpy as np
import pytest
import shapely
from helpers.boxed import boxed
from hypothesis import example, given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from vclean.classify.evaluation.atoms import (
    COARSE,
    FINE,
    AtomKind,
    PageAtoms,
    PlanarArrangement,
    luma,
)
from vclean.classify.evaluation.segment_scores import score
from vclean.classify.evaluation.segmentation import Segmentation, whole_page
from vclean.errors import InputError

PAGE = """<body><div title="0 0 100 40"><h1 title="0 0 100 40">Seven c</h1></div>
<p title="0 40 50 60">Abc</p><p title="50 40 50 60">Ab</p><p lang=hidden>Hidden</p></body>"""

TOP, LEFT, RIGHT = shapely.box(0, 0, 100, 40), shapely.box(0, 40, 50, 100), shapely.box(50, 40, 100, 100)


def segmentation(*shapes):
    return Segmentation.from_shapes(shapes)


def weights(page, kind, *shapes, screenshot=None):
    """Return the weight of the elements in each shape."""
    atoms = PageAtoms(page, [kind], screenshot).group(segmentation(*shapes), segmentation())[kind]
    return (atoms.weight @ atoms.predicted).tolist()


class TestWeights:
    @pytest.mark.parametrize(
        ("kind", "shapes", "expected"),
        [
            (AtomKind.PIXELS, (TOP, LEFT, RIGHT), [4000, 3000, 3000]),
            # TOP covers the box of div, heading and its text, three nodes, but not that of the body.
            (AtomKind.NODES, (TOP, shapely.box(0, 0, 99, 100)), [3, 2]),
            (AtomKind.CHARS, (TOP, LEFT, RIGHT, shapely.box(0, 0, 100, 100)), [7, 3, 2, 12]),
        ],
    )
    def test_areas_covered_nodes_and_visible_characters(self, kind, shapes, expected) -> None:
        assert weights(boxed(PAGE), kind, *shapes) == expected


def image(draw=None, size=(60, 40), color="white"):
    image = Image.new("RGB", size, color)
    if draw:
        draw(ImageDraw.Draw(image))
    data = io.BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


SCREENSHOT = image(lambda brush: brush.rectangle((60, 10, 79, 29), fill="black"), size=(100, 100))
"""Screenshot with a black square of 20x20 px in the upper half."""


class TestEdges:
    def test_coarse_and_fine_edges(self) -> None:
        atoms = PageAtoms(boxed(PAGE), [AtomKind.EDGES_FINE, AtomKind.EDGES_COARSE], SCREENSHOT)
        both = atoms.group(segmentation(TOP), segmentation(TOP))
        assert both[AtomKind.EDGES_FINE].weight.sum() != both[AtomKind.EDGES_COARSE].weight.sum()
        assert [score(*result).f1 for result in both.values()] == [1, 1]

    def test_edges_are_where_the_screenshot_has_them(self) -> None:
        top, left, right = weights(boxed(PAGE), AtomKind.EDGES_FINE, TOP, LEFT, RIGHT, screenshot=SCREENSHOT)
        assert (top > 0, left, right) == (True, 0, 0)


class TestPageAtoms:
    def test_a_page_without_height(self) -> None:
        page = boxed("<body></body>", height=0)
        assert score(*PageAtoms(page, [AtomKind.PIXELS]).group(*[whole_page(page)] * 2)[AtomKind.PIXELS]).f1 == 1


WIDTH, HEIGHT = 20, 12


def arrange(*shapes, width=WIDTH, height=HEIGHT):
    array = np.empty(len(shapes), dtype=object)
    array[:] = shapes
    return PlanarArrangement(array, width, height)


def raster(arrangement):
    """Return the region of each pixel, (HEIGHT, WIDTH)."""
    rows = np.repeat(arrangement.region, np.diff(arrangement.rows), axis=0)
    return np.repeat(rows, np.diff(arrangement.columns), axis=1)


def drawn(shape):
    """Return which pixels have their center in a shape, bool (HEIGHT, WIDTH)."""
    x, y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    return shapely.contains_xy(shape, x, y)


RECTANGLES = st.tuples(st.integers(0, 18), st.integers(0, 10), st.integers(1, 8), st.integers(1, 8)).map(
    lambda at: shapely.box(at[0], at[1], min(at[0] + at[2], WIDTH), min(at[1] + at[3], HEIGHT))
)
TRIANGLES = st.lists(st.tuples(st.integers(0, WIDTH), st.integers(0, HEIGHT)), min_size=3, max_size=3).map(
    shapely.Polygon
).filter(lambda shape: shape.is_valid and shape.area > 0)  # fmt: skip


class TestPlanarArrangement:
    def test_a_hole_is_outside(self) -> None:
        ring = arrange(shapely.box(0, 0, 6, 6).difference(shapely.box(2, 2, 4, 4)))
        assert dict(zip(ring.inside[:, 0].tolist(), ring.area.tolist(), strict=True)) == {False: 208, True: 32}

    @given(st.lists(RECTANGLES, max_size=6))
    def test_regions_cover_the_page_as_in_a_raster_image(self, shapes) -> None:
        arrangement = arrange(*shapes)
        whole = raster(arrangement)
        assert arrangement.area.sum() == WIDTH * HEIGHT
        for number, shape in enumerate(shapes):
            assert (arrangement.inside[whole, number] == drawn(shape)).all()

    @given(TRIANGLES)
    def test_slanted_shapes_are_exact_except_at_their_border(self, shape) -> None:
        arrangement = arrange(shape)
        whole = raster(arrangement)
        x, y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
        clear = shapely.distance(shape.boundary, shapely.points(x, y)) > 0.01
        assert (arrangement.inside[whole, 0] == drawn(shape))[clear].all()


class TestCountNear:
    @example([shapely.box(0, 0, 20, 12)], [(0, 0), (19, 11), (19, 0), (0, 11)])
    @given(st.lists(RECTANGLES, max_size=4), st.lists(st.tuples(st.integers(0, 19), st.integers(0, 11)), max_size=8))
    def test_agrees_with_regions_grown_by_one_pixel(self, shapes, points) -> None:
        """Count the pixels with their center less than 1 px from a region."""
        arrangement = arrange(*shapes)
        whole = raster(arrangement)
        expected = np.zeros(len(arrangement.inside), dtype=int)
        for x, y in points:
            expected[np.unique(whole[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2])] += 1
        assert arrangement.count_near(np.array(points, dtype=np.int64).reshape(-1, 2)).tolist() == expected.tolist()


def half(brush):
    brush.rectangle((30, 0, 59, 39), fill="black")


class TestLuma:
    def test_size_range_and_weights_of_the_colors(self) -> None:
        gray = luma(image(half))
        assert (gray.shape, gray[5, 50]) == ((40, 60), 0)
        colors = [luma(image(color=color))[0, 0] for color in ("white", "lime", "blue")]
        assert colors == pytest.approx([255, 0.715158 * 255, 0.072186 * 255])

    @pytest.mark.parametrize("data", [b"", b"no picture", image()[:60]])
    def test_unreadable_image(self, data: bytes) -> None:
        with pytest.raises(InputError, match="render the page again"):
            luma(data)


class TestCanny:
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

    @pytest.mark.parametrize("gray", [luma(image()), np.zeros((1, 1), dtype=np.float32)])
    def test_single_color_and_single_pixel_have_no_edges(self, gray) -> None:
        assert not FINE(gray).any()

    def test_coarse_detector_ignores_small_details(self) -> None:
        """Use a dot beside an edge of high contrast."""
        data = image(lambda brush: (half(brush), brush.point((10, 20), fill="#999999")))
        assert [bool(kind(luma(data))[:, :20].any()) for kind in (FINE, COARSE)] == [True, False]
