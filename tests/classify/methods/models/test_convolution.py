from __future__ import annotations

import numpy as np
import pytest

from vclean.classify.methods.models import convolution
from vclean.classify.methods.models.convolution import Network, convolve

ROWS = np.array([[1, 0], [2, 1], [0, 3]], dtype=np.float32)


def array(*values):
    return np.array(values, dtype=np.float32)


class TestConvolve:
    def test_width_1_uses_single_rows(self):
        weight = array([[1], [10]], [[0], [-1]])
        assert convolve(ROWS, weight, array(0.5, 0)).tolist() == [[1.5, 0], [12.5, -1], [30.5, -3]]

    def test_width_3_uses_neighbors(self):
        """Weight the row before by 1, the row itself by 10, and the row after by 100, with zeros at the ends."""
        weight = array([[1, 10, 100], [0, 0, 0]])
        assert convolve(ROWS, weight, array(0)).tolist() == [[10 + 200], [1 + 20], [2]]

    @pytest.mark.parametrize("rows", [0, 1])
    def test_fewer_rows_than_the_width(self, rows):
        assert convolve(ROWS[:rows], array([[1, 10, 100], [0, 0, 0]]), array(7)).tolist() == [[17]] * rows

    @pytest.mark.parametrize("size", [1, 7, 1000])
    def test_batches_do_not_change_the_product(self, monkeypatch, size):
        rows = np.random.default_rng(1).normal(size=(20, 3)).astype(np.float32)
        weight = np.random.default_rng(2).normal(size=(2, 3, 3)).astype(np.float32)
        whole = sum(np.pad(rows, ((1, 1), (0, 0)))[step : step + 20] @ weight[:, :, step].T for step in range(3))
        monkeypatch.setattr(convolution, "_ONE_THREAD", size)
        assert convolve(rows, weight, array(0, 0)) == pytest.approx(whole, abs=1e-5)


class TestNetwork:
    NETWORK = Network(
        [array([[1, 0, -1], [0, 0, 0]], [[0, 0, 0], [0, 1, 0]]), array([[1], [0]], [[1], [2]], [[0], [-1]])],
        [array(0, -1), array(0, 0, 5)],
    )

    def test_inner_layers_are_rectified(self):
        """Compute by hand: differences in the first column are -2, 1, 2; the second column minus 1 is -1, 0, 2."""
        assert self.NETWORK(ROWS).tolist() == [[0, 0, 5], [1, 1, 5], [2, 6, 3]]

    def test_arrays_round_trip(self):
        arrays = self.NETWORK.to_arrays("some_")
        assert sorted(arrays) == ["some_0_b", "some_0_w", "some_1_b", "some_1_w"]
        again = Network.from_arrays({"other_0_w": array(1), **arrays}, "some_")
        assert np.array_equal(again(ROWS), self.NETWORK(ROWS))
