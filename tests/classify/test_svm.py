from __future__ import annotations

import numpy as np
import pytest

from vclean.classify import svm
from vclean.classify.methods.base import pack_arrays, unpack_arrays
from vclean.classify.svm import SupportVectorMachine

RING = np.random.default_rng(1).normal(size=(400, 2)).astype(np.float32)
INSIDE = (RING**2).sum(axis=1) < 1


def machine(mean, *shape):
    """Return a machine with one support vector at the origin."""
    scale, vectors, weight = (np.array(values, dtype=np.float32) for values in ([1, 1], [[0, 0]], [2]))
    return SupportVectorMachine(np.array(mean, dtype=np.float32), scale, vectors, weight, np.array(shape))


class TestMargin:
    def test_missing_value_counts_as_the_mean(self):
        rows = np.array([[np.nan, 0]], dtype=np.float32)
        assert machine([5, 0], 1.0, -1.0, 1.0, 0.0).margin(rows).tolist() == pytest.approx([1])


class TestProbability:
    def test_is_the_sigmoid_of_the_margin(self):
        result = machine([0, 0], 1.0, -1.0, 2.0, -2.0).probability(np.zeros((1, 2), dtype=np.float32))
        assert result.tolist() == [0.5]
        assert result.dtype == np.float32


class TestFit:
    def test_learns_a_nonlinear_boundary_from_a_part_of_the_rows_and_can_be_stored(self, monkeypatch):
        pytest.importorskip("sklearn")
        monkeypatch.setattr(svm, "ROWS", 100)
        result = svm.fit(RING, INSIDE)
        assert len(result.vectors) <= 100
        assert ((result.probability(RING) > 0.5) == INSIDE).mean() > 0.85
        stored = unpack_arrays(pack_arrays(result.to_arrays("first_")))
        assert np.array_equal(SupportVectorMachine.from_arrays(stored, "first_").margin(RING), result.margin(RING))


class TestUnpackArrays:
    @pytest.mark.parametrize("data", [b"", b"[]x", b'["a"]\n', b'["a"]\nxyz'])
    def test_damaged_data(self, data):
        with pytest.raises((ValueError, EOFError)):
            unpack_arrays(data)
