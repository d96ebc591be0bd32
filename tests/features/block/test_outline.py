from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from helpers.pages import laid_out, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.block.visual import outlines, solidity
from vclean.features.blocks import extract_blocks


def blocks_of(*shapes):
    """Return one block per shape; a shape is a list of line boxes x, y, width, height."""
    html = "".join("<p>" + "".join(f"<b>{line}</b>" for line in range(len(shape))) + "</p>" for shape in shapes)
    boxes = np.array([box for shape in shapes for box in shape], dtype=np.float32)
    return extract_blocks(replace(laid_out(html), line_box=boxes))


def solidity_of(*lines):
    return tuple(float(column[0]) for column in solidity(blocks_of(lines)))


def distances(points, centre, half_diagonal):
    """Return the mean distance of points from the center, in half diagonals."""
    return float(np.mean(np.hypot(*(np.array(points) - centre).T)) / half_diagonal)


class TestSolidity:
    def test_an_outline_in_two_parts_has_eight_vertices(self):
        """Check two lines far apart, which make two rectangles."""
        assert solidity_of((0, 0, 100, 20), (0, 200, 100, 20))[1] == 8

    def test_a_line_is_a_rectangle(self):
        assert solidity_of((10, 20, 300, 16)) == (1, 4, 1)

    def test_pieces_of_one_line_are_a_rectangle(self):
        """Check text runs of one line, which have separate line boxes with gaps at spaces."""
        assert solidity_of((10, 20, 100, 16), (115, 20, 50, 16)) == (1, 4, 1)

    def test_equal_lines_are_a_rectangle(self):
        """Check that leading does not split the outline: lines 16 px high every 20 px."""
        assert solidity_of((0, 0, 100, 16), (0, 20, 100, 16), (0, 40, 100, 16)) == pytest.approx((1, 4, 1))

    def test_a_short_last_line(self):
        """Check an L: 100 x 20 over 40 x 20, in a rectangle of 100 x 40."""
        area, vertices, spread = solidity_of((0, 0, 100, 20), (0, 20, 40, 20))
        assert area == pytest.approx(2800 / 4000)
        assert vertices == 6
        corners = [(0, 0), (100, 0), (100, 20), (40, 20), (40, 40), (0, 40)]
        closed = [*corners, corners[0]]
        low, high = (distances(closed, (50, 20), np.hypot(50, 20)) + step for step in (-0.1, 0.1))
        assert low < spread < high
        assert spread < 1

    def test_the_spread_is_over_the_vertices(self):
        """Check that the closing point of the ring of an L is not counted."""
        result = outlines(blocks_of([(0, 0, 100, 20), (0, 20, 40, 20)]), np.array([0]))[0]
        expected = distances(shapely.get_coordinates(result)[:-1], (50, 20), np.hypot(50, 20))
        assert solidity_of((0, 0, 100, 20), (0, 20, 40, 20))[2] == pytest.approx(expected)

    def test_centered_lines(self):
        """Check a T: 100 over 60 wide, 20 to 80."""
        area, vertices, _ = solidity_of((0, 0, 100, 20), (20, 20, 60, 20))
        assert area == pytest.approx(3200 / 4000)
        assert vertices == 8

    def test_staircase(self):
        area, vertices, _ = solidity_of((0, 0, 90, 20), (0, 20, 60, 20), (0, 40, 30, 20))
        assert area == pytest.approx(180 / 270)
        assert vertices == 8

    def test_parts_far_from_each_other(self):
        """Check two columns: the outline has two parts and the vertices of both."""
        area, vertices, spread = solidity_of((0, 0, 40, 20), (60, 100, 40, 20))
        assert area == pytest.approx(2 * 40 * 20 / (100 * 120))
        assert vertices >= 8
        assert spread < 1

    @pytest.mark.parametrize(("factor", "shift"), [(2, 0), (1, 500), (3, 40)])
    def test_independent_of_size_and_position(self, factor, shift):
        lines = np.array([(0, 0, 100, 20), (0, 20, 40, 20)])
        moved = lines * factor + np.array([shift, shift, 0, 0])
        assert solidity_of(*moved.tolist()) == pytest.approx(solidity_of(*lines.tolist()))

    def test_values_are_per_block(self):
        result = solidity(
            blocks_of([(0, 0, 100, 20), (0, 20, 50, 20)], [(0, 50, 70, 20)], [(0, 80, 40, 20), (0, 100, 10, 20)])
        )
        assert result.vertices.tolist() == [6, 4, 6]
        assert result.area_share.tolist() == pytest.approx([0.75, 1, 0.625])

    def test_line_boxes_without_width(self):
        """Check characters without width, which have line boxes but no outline."""
        area, vertices, spread = solidity_of((0, 0, 0, 20), (0, 40, 0.3, 20))
        assert np.isnan([area, spread]).all()
        assert vertices == 0

    def test_line_boxes_without_width_beside_others(self):
        empty, filled = [(0, 0, 0, 20), (0, 40, 0, 20)], [(0, 60, 100, 20), (0, 80, 50, 20)]
        result = solidity(blocks_of(filled, empty, filled, empty))
        assert result.area_share.tolist() == pytest.approx([0.75, np.nan, 0.75, np.nan], nan_ok=True)

    def test_nan_without_line_boxes(self):
        page = laid_out("<p>One</p><p hidden>Two</p>")
        result = solidity(extract_blocks(page))
        for column in result:
            assert np.isnan(column).tolist() == [False, True]

    def test_nan_without_rendering(self):
        assert all(np.isnan(column).all() for column in solidity(extract_blocks(snapshot("<p>One</p>"))))

    @given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 200)), min_size=1, max_size=8))
    def test_bounds(self, lines):
        """Check that the area is a share, and no vertex is farther from the center than a corner."""
        boxes = [(x, 20 * row, width, 16) for row, (x, width) in enumerate(lines)]
        area, vertices, spread = solidity_of(*boxes)
        assert 0 < area <= 1 + 1e-6
        assert vertices >= 4
        assert 0 < spread <= 1 + 1e-6


class TestOutlines:
    def test_only_requested_blocks(self):
        blocks = blocks_of([(0, 0, 10, 20)], [(0, 20, 30, 20)], [(0, 40, 50, 20)])
        shapes = outlines(blocks, np.array([0, 2]))
        assert [shapely.bounds(shape).tolist() for shape in shapes] == [[0, 0, 10, 20], [0, 40, 50, 60]]

    def test_lines_reach_down_to_the_next(self):
        shape = outlines(blocks_of([(0, 0, 100, 16), (0, 20, 100, 16)]), np.array([0]))[0]
        assert shapely.area(shape) == 100 * 36
        assert shapely.get_num_geometries(shape) == 1

    def test_lines_do_not_reach_over_a_wide_gap(self):
        """Check a gap wider than two lines, for example with an image between them."""
        shape = outlines(blocks_of([(0, 0, 100, 16), (0, 48, 100, 16)]), np.array([0]))[0]
        assert shapely.area(shape) == 2 * 100 * 16

    def test_snaps_to_the_pixel_grid(self):
        shape = outlines(blocks_of([(0.4, 0.3, 99.9, 19.6), (0.2, 20.1, 40.1, 19.8)]), np.array([0]))[0]
        expected = shapely.Polygon([(0, 0), (100, 0), (100, 20), (40, 20), (40, 40), (0, 40)])
        assert shapely.equals(shape, expected)
