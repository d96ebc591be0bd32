from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.evaluation.arrangement import PlanarArrangement

WIDTH, HEIGHT = 20, 12


def plane(*shapes, width=WIDTH, height=HEIGHT):
    array = np.empty(len(shapes), dtype=object)
    array[:] = shapes
    return PlanarArrangement.of(array, width, height)


def areas(found):
    """The area of every region by the numbers of the shapes it is in."""
    names = ["".join(map(str, np.flatnonzero(row))) for row in found.inside]
    assert len(set(names)) == len(names), "every set of shapes is one region"
    return {name: area for name, area in zip(names, found.area.tolist(), strict=True) if area}


def drawn(shape):
    """The pixels whose centre is in a shape, bool (HEIGHT, WIDTH)."""
    x, y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
    return shapely.contains_xy(shape, x, y)


class TestAreas:
    def test_no_shapes(self) -> None:
        assert areas(plane()) == {"": WIDTH * HEIGHT}

    def test_overlap(self) -> None:
        """Boxes of 4x4 and 6x6 share 2x2 px."""
        assert areas(plane(shapely.box(0, 0, 4, 4), shapely.box(2, 2, 8, 8))) == {
            "": 240 - 16 - 36 + 4, "0": 12, "1": 32, "01": 4,
        }  # fmt: skip

    def test_nested(self) -> None:
        assert areas(plane(shapely.box(0, 0, 20, 12), shapely.box(1, 1, 3, 3))) == {"0": 236, "01": 4}

    def test_side_by_side(self) -> None:
        assert areas(plane(shapely.box(0, 0, 10, 12), shapely.box(10, 0, 20, 12))) == {"0": 120, "1": 120}

    def test_equal(self) -> None:
        assert areas(plane(shapely.box(0, 0, 2, 2), shapely.box(0, 0, 2, 2))) == {"": 236, "01": 4}

    def test_a_hole_is_outside(self) -> None:
        ring = shapely.box(0, 0, 6, 6).difference(shapely.box(2, 2, 4, 4))
        assert areas(plane(ring)) == {"": 208, "0": 32}

    def test_several_polygons_are_one_shape(self) -> None:
        parts = shapely.MultiPolygon([shapely.box(0, 0, 2, 2), shapely.box(5, 5, 8, 6)])
        found = plane(parts)
        assert areas(found) == {"": 233, "0": 7}

    def test_an_l(self) -> None:
        corner = shapely.union(shapely.box(0, 0, 2, 6), shapely.box(0, 4, 6, 6))
        assert areas(plane(corner)) == {"": 220, "0": 20}

    def test_what_is_off_the_page_is_left_out(self) -> None:
        assert areas(plane(shapely.box(-5, -5, 2, 3), shapely.box(18, 10, 30, 30), shapely.box(30, 0, 40, 5))) == {
            "": 230, "0": 6, "1": 4,
        }  # fmt: skip

    def test_more_shapes_than_a_word_has_bits(self) -> None:
        """150 columns of 1x2 px, each its own region."""
        found = plane(*(shapely.box(x, 0, x + 1, 2) for x in range(150)), width=200)
        assert len(found.inside) == 151
        assert areas(found)["149"] == 2

    def test_a_slanted_side_in_steps(self) -> None:
        """Half a square of 10x10 px: the pixels whose centre is below the diagonal, which leaves out those on it."""
        found = areas(plane(shapely.Polygon([(0, 0), (0, 10), (10, 10)])))["0"]
        assert found == pytest.approx(50, abs=5)


RECTANGLES = st.tuples(st.integers(0, 18), st.integers(0, 10), st.integers(1, 8), st.integers(1, 8)).map(
    lambda at: shapely.box(at[0], at[1], min(at[0] + at[2], WIDTH), min(at[1] + at[3], HEIGHT))
)
TRIANGLES = st.lists(st.tuples(st.integers(0, WIDTH), st.integers(0, HEIGHT)), min_size=3, max_size=3).map(
    shapely.Polygon
).filter(lambda shape: shape.is_valid and shape.area > 0)  # fmt: skip


class TestProperties:
    @given(st.lists(RECTANGLES, max_size=6))
    def test_as_a_picture_would_have_it(self, shapes) -> None:
        found = plane(*shapes)
        whole = np.repeat(np.repeat(found.region, np.diff(found.rows), axis=0), np.diff(found.columns), axis=1)
        for number, shape in enumerate(shapes):
            assert (found.inside[whole, number] == drawn(shape)).all()

    @given(st.lists(RECTANGLES, max_size=6))
    def test_the_regions_make_up_the_page(self, shapes) -> None:
        assert plane(*shapes).area.sum() == WIDTH * HEIGHT

    @given(TRIANGLES)
    def test_slanted_shapes_are_right_to_the_pixels_on_their_border(self, shape) -> None:
        found = plane(shape)
        whole = np.repeat(np.repeat(found.region, np.diff(found.rows), axis=0), np.diff(found.columns), axis=1)
        x, y = np.meshgrid(np.arange(WIDTH) + 0.5, np.arange(HEIGHT) + 0.5)
        clear = shapely.distance(shape.boundary, shapely.points(x, y)) > 0.01
        assert (found.inside[whole, 0] == drawn(shape))[clear].all()


class TestCountNear:
    def count(self, found, *points):
        counts = found.count_near(np.array(points, dtype=np.int64).reshape(-1, 2))
        names = ["".join(map(str, np.flatnonzero(row))) for row in found.inside]
        return {name: number for name, number in zip(names, counts.tolist(), strict=True) if number}

    def test_inside(self) -> None:
        found = plane(shapely.box(0, 0, 10, 10))
        assert self.count(found, (5, 5), (6, 5), (15, 5)) == {"0": 2, "": 1}

    def test_next_to_a_region(self) -> None:
        """Column 9 is the last inside and column 10 the first outside: both count on both sides; 11 does not."""
        found = plane(shapely.box(0, 0, 10, 12))
        assert self.count(found, (9, 5)) == {"0": 1, "": 1}
        assert self.count(found, (10, 5)) == {"0": 1, "": 1}
        assert self.count(found, (11, 5)) == {"": 1}

    def test_at_a_corner(self) -> None:
        found = plane(shapely.box(0, 0, 10, 6), shapely.box(10, 6, 20, 12))
        assert self.count(found, (10, 6)) == {"0": 1, "1": 1, "": 1}

    def test_each_region_counts_a_pixel_once(self) -> None:
        """A shape of two parts, with the pixel between them."""
        parts = shapely.MultiPolygon([shapely.box(0, 0, 10, 12), shapely.box(11, 0, 20, 12)])
        assert self.count(plane(parts), (10, 3)) == {"0": 1, "": 1}

    def test_at_the_corners_of_the_page(self) -> None:
        found = plane(shapely.box(0, 0, 20, 12))
        assert self.count(found, (0, 0), (19, 11), (19, 0), (0, 11)) == {"0": 4}

    def test_off_the_page(self) -> None:
        """A picture may be larger than the page."""
        assert self.count(plane(shapely.box(0, 0, 20, 12)), (20, 5), (5, 12)) == {}

    def test_no_points(self) -> None:
        assert self.count(plane(shapely.box(0, 0, 20, 12))) == {}

    @given(st.lists(RECTANGLES, max_size=4), st.lists(st.tuples(st.integers(0, 19), st.integers(0, 11)), max_size=8))
    def test_as_grown_by_a_pixel(self, shapes, points) -> None:
        """A region counts the pixels whose centre is less than a px from it, as if it were grown by one."""
        found = plane(*shapes)
        whole = np.repeat(np.repeat(found.region, np.diff(found.rows), axis=0), np.diff(found.columns), axis=1)
        expected = np.zeros(len(found.inside), dtype=int)
        for x, y in points:
            expected[np.unique(whole[max(y - 1, 0) : y + 2, max(x - 1, 0) : x + 2])] += 1
        assert found.count_near(np.array(points, dtype=np.int64).reshape(-1, 2)).tolist() == expected.tolist()
