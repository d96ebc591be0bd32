from __future__ import annotations

import sys

import numpy as np
import pytest

from vclean.classify.methods import svm
from vclean.classify.methods.base import pack_arrays, unpack_arrays
from vclean.classify.methods.svm import SupportVectorMachine
from vclean.errors import ExtraMissingError

RING = np.random.default_rng(1).normal(size=(400, 2)).astype(np.float32)
INSIDE = (RING**2).sum(axis=1) < 1


def machine(**changes):
    """Return a machine with one support vector at the origin, and a kernel of width 1."""
    fields = {
        "mean": np.zeros(2, dtype=np.float32),
        "scale": np.ones(2, dtype=np.float32),
        "vectors": np.zeros((1, 2), dtype=np.float32),
        "weight": np.array([2], dtype=np.float32),
        "shape": np.array([1.0, -1.0, 1.0, 0.0]),
    }
    return SupportVectorMachine(**(fields | changes))


@pytest.fixture(scope="module")
def trained():
    pytest.importorskip("sklearn")
    return svm.fit(RING, INSIDE)


class TestMargin:
    def test_agrees_with_manual_computation(self):
        """Compute by hand: the kernel is 1 at the vector, and exp(-log(2)^2) at distance log 2."""
        result = machine().margin(np.array([[0, 0], [1, 0]], dtype=np.float32))
        assert result.tolist() == pytest.approx([1, 2 * np.exp(-(np.log(2) ** 2)) - 1])

    def test_missing_value_counts_as_the_mean(self):
        rows = np.array([[np.nan, 0]], dtype=np.float32)
        assert machine(mean=np.array([5, 0], dtype=np.float32)).margin(rows).tolist() == pytest.approx([1])

    def test_batches_do_not_change_the_result(self):
        rows = np.tile(RING, (3, 1))
        assert np.array_equal(machine().margin(rows)[:400], machine().margin(RING))

    def test_no_rows(self):
        assert machine().margin(np.zeros((0, 2), dtype=np.float32)).shape == (0,)


class TestProbability:
    def test_is_the_sigmoid_of_the_margin(self):
        result = machine(shape=np.array([1.0, -1.0, 2.0, -2.0])).probability(np.zeros((1, 2), dtype=np.float32))
        assert result.tolist() == [0.5]
        assert result.dtype == np.float32


class TestFit:
    def test_learns_a_nonlinear_boundary(self, trained):
        assert ((trained.probability(RING) > 0.5) == INSIDE).mean() > 0.9

    def test_training_is_reproducible(self, trained):
        again = svm.fit(RING, INSIDE)
        assert pack_arrays(again.to_arrays()) == pack_arrays(trained.to_arrays())

    def test_missing_library(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "sklearn.svm", None)
        with pytest.raises(ExtraMissingError, match=r"needs scikit-learn .*: pip install .*\[methods\]'"):
            svm.fit(RING, INSIDE)

    def test_column_without_values(self):
        pytest.importorskip("sklearn")
        rows = np.column_stack([RING, np.full(400, np.nan, dtype=np.float32)])
        assert not np.isnan(svm.fit(rows, INSIDE).probability(rows)).any()

    @pytest.mark.parametrize("answer", [True, False])
    def test_constant_answer(self, answer):
        result = svm.fit(RING, np.full(400, answer)).probability(RING)
        assert ((result > 0.9) == answer).all()
        assert ((result < 0.1) != answer).all()

    def test_rows_with_weight_0_are_ignored(self):
        pytest.importorskip("sklearn")
        weight = np.where(RING[:, 0] > 0, 1, 1e-6).astype(np.float32)
        answer = INSIDE | (RING[:, 0] < 0)
        result = svm.fit(RING, answer, weight).probability(RING) > 0.5
        assert (result == answer)[RING[:, 0] > 0].mean() > 0.85

    def test_more_rows_than_the_limit(self, monkeypatch):
        pytest.importorskip("sklearn")
        monkeypatch.setattr(svm, "ROWS", 100)
        result = svm.fit(RING, INSIDE)
        assert len(result.vectors) <= 100
        assert ((result.probability(RING) > 0.5) == INSIDE).mean() > 0.85


class TestToArrays:
    def test_arrays_round_trip(self, trained):
        result = SupportVectorMachine.from_arrays(unpack_arrays(pack_arrays(trained.to_arrays("first_"))), "first_")
        assert np.array_equal(result.margin(RING), trained.margin(RING))


class TestUnpackArrays:
    def test_names_and_values_round_trip(self):
        arrays = {"a": np.arange(3), "b": np.zeros((2, 2), dtype=np.float32)}
        result = unpack_arrays(pack_arrays(arrays))
        assert list(result) == ["a", "b"]
        assert result["a"].tolist() == [0, 1, 2]
        assert result["b"].dtype == np.float32

    @pytest.mark.parametrize("data", [b"", b"[]x", b'["a"]\n', b'["a"]\nxyz'])
    def test_damaged_data(self, data):
        with pytest.raises((ValueError, EOFError)):
            unpack_arrays(data)
