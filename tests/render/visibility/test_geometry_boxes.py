import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from vclean.render.visibility import geometry
from vclean.render.visibility.geometry import contains, points_in_boxes

SIDES = st.integers(0, 6).map(float)
POINTS = st.integers(0, 8).flatmap(lambda number: arrays(np.float32, (number, 2), elements=SIDES))
BOXES = st.integers(0, 8).flatmap(lambda number: arrays(np.float32, (number, 4), elements=SIDES))


def pairs(points: np.ndarray, box: np.ndarray) -> list[tuple[int, int]]:
    """Return the pairs of box and point of all chunks, in order."""
    return [
        (int(box), int(point))
        for chunk in points_in_boxes(points, box)
        for point, box in zip(*chunk, strict=True)
    ]  # fmt: skip


class TestPointsInBoxes:
    @given(POINTS, BOXES, st.sampled_from([1, 3, 1000]))
    def test_compares_every_point_with_every_box(self, points: np.ndarray, box: np.ndarray, chunk: int) -> None:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(geometry, "_MAX_PAIRS", chunk)
            found = pairs(points, box)
        expected = {(b, p) for b in range(len(box)) for p in range(len(points)) if contains(box[b], points[p])}
        assert set(found) == expected
        assert len(found) == len(expected)
        assert [b for b, _ in found] == sorted(b for b, _ in found)

    def test_chunks_are_small(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(geometry, "_MAX_PAIRS", 10)
        points, box = np.ones((5, 2), dtype=np.float32), np.tile(np.float32([0, 0, 2, 2]), (8, 1))
        assert [len(point) for point, _ in points_in_boxes(points, box)] == [10, 10, 10, 10]

    def test_left_and_top_edges_belong_to_a_box(self) -> None:
        points = np.array([[1, 1], [3, 1], [1, 3]], dtype=np.float32)
        assert pairs(points, np.array([[1, 1, 2, 2]], dtype=np.float32)) == [(0, 0)]
