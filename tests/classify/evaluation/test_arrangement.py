from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.evaluation.arrangement import PlanarArrangement

WIDTH, HEIGHT = 20, 12


def arrange(*shapes, width=WIDTH, height=HEIGHT):
    array = np.empty(len(shapes), dtype=object)
    array[:] = shapes
    return PlanarArrangement.from_shapes(array, width, height)


def areas(arrangement):
    """Return the area of each region by the indexes of the shapes that contain it."""
    names = ["".join(map(str, np.flatnonzero(row))) for row in arrangement.inside]
    assert len(set(names)) == len(names), "every set of shapes is one region"
    return {name: area for name, area in zip(names, arrangement.area.tolist(), strict=True) if area}


def drawn(shape):
    """Return which pixels have their center in a shape, bool (HEIGHT, WIDTH)."""
    x, y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    return shapely.contains_xy(shape, x, y)


class TestAreas:
    def test_without_shapes(self) -> None:
        assert areas(arrange()) == {"": WIDTH * HEIGHT}

    def test_overlapping_shapes(self) -> None:
        """Use boxes of 4x4 and 6x6 px that share 2x2 px."""
        assert areas(arrange(shapely.box(0, 0, 4, 4), shapely.box(2, 2, 8, 8))) == {
            "": 240 - 16 - 36 + 4, "0": 12, "1": 32, "01": 4,
        }  # fmt: skip

    def test_nested_shapes(self) -> None:
        assert areas(arrange(shapely.box(0, 0, 20, 12), shapely.box(1, 1, 3, 3))) == {"0": 236, "01": 4}

    def test_adjacent_shapes(self) -> None:
        assert areas(arrange(shapely.box(0, 0, 10, 12), shapely.box(10, 0, 20, 12))) == {"0": 120, "1": 120}

    def test_equal_shapes(self) -> None:
        assert areas(arrange(shapely.box(0, 0, 2, 2), shapely.box(0, 0, 2, 2))) == {"": 236, "01": 4}

    def test_a_hole_is_outside(self) -> None:
        ring = shapely.box(0, 0, 6, 6).difference(shapely.box(2, 2, 4, 4))
        assert areas(arrange(ring)) == {"": 208, "0": 32}

    def test_several_polygons_are_one_shape(self) -> None:
        parts = shapely.MultiPolygon([shapely.box(0, 0, 2, 2), shapely.box(5, 5, 8, 6)])
        arrangement = arrange(parts)
        assert areas(arrangement) == {"": 233, "0": 7}

    def test_l_shape(self) -> None:
        corner = shapely.union(shapely.box(0, 0, 2, 6), shapely.box(0, 4, 6, 6))
        assert areas(arrange(corner)) == {"": 220, "0": 20}

    def test_parts_outside_the_page_are_ignored(self) -> None:
        assert areas(arrange(shapely.box(-5, -5, 2, 3), shapely.box(18, 10, 30, 30), shapely.box(30, 0, 40, 5))) == {
            "": 230, "0": 6, "1": 4,
        }  # fmt: skip

    def test_more_shapes_than_a_word_has_bits(self) -> None:
        """Use 150 shapes of 1x2 px, which are separate regions."""
        arrangement = arrange(*(shapely.box(x, 0, x + 1, 2) for x in range(150)), width=200)
        assert len(arrangement.inside) == 151
        assert areas(arrangement)["149"] == 2

    def test_slanted_side_becomes_steps(self) -> None:
        """Use half a square of 10x10 px: pixels on the diagonal are left out."""
        area = areas(arrange(shapely.Polygon([(0, 0), (0, 10), (10, 10)])))["0"]
        assert area == pytest.approx(50, abs=5)


RECTANGLES = st.tuples(st.integers(0, 18), st.integers(0, 10), st.integers(1, 8), st.integers(1, 8)).map(
    lambda at: shapely.box(at[0], at[1], min(at[0] + at[2], WIDTH), min(at[1] + at[3], HEIGHT))
)
TRIANGLES = st.lists(st.tuples(st.integers(0, WIDTH), st.integers(0, HEIGHT)), min_size=3, max_size=3).map(
    shapely.Polygon
).filter(lambda shape: shape.is_valid and shape.area > 0)  # fmt: skip


class TestProperties:
    @given(st.lists(RECTANGLES, max_size=6))
    def test_agrees_with_a_raster_image(self, shapes) -> None:
        arrangement = arrange(*shapes)
        whole = np.repeat(
            np.repeat(arrangement.region, np.diff(arrangement.rows), axis=0), np.diff(arrangement.columns), axis=1
        )
        for number, shape in enumerate(shapes):
            assert (arrangement.inside[whole, number] == drawn(shape)).all()

    @given(st.lists(RECTANGLES, max_size=6))
    def test_regions_cover_the_page(self, shapes) -> None:
        assert arrange(*shapes).area.sum() == WIDTH * HEIGHT

    @given(TRIANGLES)
    def test_slanted_shapes_are_exact_except_at_their_border(self, shape) -> None:
        arrangement = arrange(shape)
        whole = np.repeat(
            np.repeat(arrangement.region, np.diff(arrangement.rows), axis=0), np.diff(arrangement.columns), axis=1
        )
        x, y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
        clear = shapely.distance(shape.boundary, shapely.points(x, y)) > 0.01
        assert (arrangement.inside[whole, 0] == drawn(shape))[clear].all()


class TestCountNear:
    def count(self, arrangement, *points):
        counts = arrangement.count_near(np.array(points, dtype=np.int64).reshape(-1, 2))
        names = ["".join(map(str, np.flatnonzero(row))) for row in arrangement.inside]
        return {name: number for name, number in zip(names, counts.tolist(), strict=True) if number}

    def test_point_inside_a_region(self) -> None:
        arrangement = arrange(shapely.box(0, 0, 10, 10))
        assert self.count(arrangement, (5, 5), (6, 5), (15, 5)) == {"0": 2, "": 1}

    def test_point_beside_a_region(self) -> None:
        """Check that column 9, the last inside, and 10, the first outside, count on both sides, and 11 does not."""
        arrangement = arrange(shapely.box(0, 0, 10, 12))
        assert self.count(arrangement, (9, 5)) == {"0": 1, "": 1}
        assert self.count(arrangement, (10, 5)) == {"0": 1, "": 1}
        assert self.count(arrangement, (11, 5)) == {"": 1}

    def test_point_at_a_corner(self) -> None:
        arrangement = arrange(shapely.box(0, 0, 10, 6), shapely.box(10, 6, 20, 12))
        assert self.count(arrangement, (10, 6)) == {"0": 1, "1": 1, "": 1}

    def test_each_region_counts_a_pixel_once(self) -> None:
        """Use a shape of two parts with the pixel between them."""
        parts = shapely.MultiPolygon([shapely.box(0, 0, 10, 12), shapely.box(11, 0, 20, 12)])
        assert self.count(arrange(parts), (10, 3)) == {"0": 1, "": 1}

    def test_points_at_the_corners_of_the_page(self) -> None:
        arrangement = arrange(shapely.box(0, 0, 20, 12))
        assert self.count(arrangement, (0, 0), (19, 11), (19, 0), (0, 11)) == {"0": 4}

    def test_points_outside_the_page(self) -> None:
        """Allow a screenshot larger than the page."""
        assert self.count(arrange(shapely.box(0, 0, 20, 12)), (20, 5), (5, 12)) == {}

    def test_without_points(self) -> None:
        assert self.count(arrange(shapely.box(0, 0, 20, 12))) == {}

    @given(st.lists(RECTANGLES, max_size=4), st.lists(st.tuples(st.integers(0, 19), st.integers(0, 11)), max_size=8))
    def test_agrees_with_regions_grown_by_one_pixel(self, shapes, points) -> None:
        """Count the pixels with their center less than 1 px from a region."""
        arrangement = arrange(*shapes)
        whole = np.repeat(
            np.repeat(arrangement.region, np.diff(arrangement.rows), axis=0), np.diff(arrangement.columns), axis=1
        )
        expected = np.zeros(len(arrangement.inside), dtype=int)
        for x, y in points:
            expected[np.unique(whole[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2])] += 1
        assert arrangement.count_near(np.array(points, dtype=np.int64).reshape(-1, 2)).tolist() == expected.tolist()
