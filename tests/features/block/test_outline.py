from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from helpers.pages import laid_out
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


class TestSolidity:
    def test_pieces_of_one_line_are_a_rectangle(self):
        """Check text runs of one line, which have separate line boxes with gaps at spaces."""
        assert solidity_of((10, 20, 100, 16), (115, 20, 50, 16)) == (1, 4, 1)

    def test_equal_lines_are_a_rectangle(self):
        """Check that leading does not split the outline: lines 16 px high every 20 px."""
        assert solidity_of((0, 0, 100, 16), (0, 20, 100, 16), (0, 40, 100, 16)) == pytest.approx((1, 4, 1))

    def test_values_are_per_block(self):
        result = solidity(
            blocks_of([(0, 0, 100, 20), (0, 20, 50, 20)], [(0, 50, 70, 20)], [(0, 80, 40, 20), (0, 100, 10, 20)])
        )
        assert result[1].tolist() == [6, 4, 6]
        assert result[0].tolist() == pytest.approx([0.75, 1, 0.625])

    def test_line_boxes_without_width_beside_others(self):
        empty, filled = [(0, 0, 0, 20), (0, 40, 0, 20)], [(0, 60, 100, 20), (0, 80, 50, 20)]
        result = solidity(blocks_of(filled, empty, filled, empty))
        assert result[0].tolist() == pytest.approx([0.75, np.nan, 0.75, np.nan], nan_ok=True)

    @given(st.lists(st.tuples(st.integers(0, 50), st.integers(1, 200)), min_size=1, max_size=8))
    def test_bounds(self, lines):
        """Check that the area is a share, and no vertex is farther from the center than a corner."""
        boxes = [(x, 20 * row, width, 16) for row, (x, width) in enumerate(lines)]
        area, vertices, spread = solidity_of(*boxes)
        assert 0 < area <= 1 + 1e-6
        assert vertices >= 4
        assert 0 < spread <= 1 + 1e-6


class TestOutlines:
    def test_lines_do_not_reach_over_a_wide_gap(self):
        """Check a gap wider than two lines, for example with an image between them."""
        shape = outlines(blocks_of([(0, 0, 100, 16), (0, 48, 100, 16)]), np.array([0]))[0]
        assert shapely.area(shape) == 2 * 100 * 16
