from __future__ import annotations

import sys

import numpy as np
import pytest

from vclean.classify.methods.models import svm
from vclean.classify.methods.models.svm import SupportVectorMachine
from vclean.classify.methods.storage import from_bytes, to_bytes
from vclean.errors import ExtraMissingError

RING = np.random.default_rng(1).normal(size=(400, 2)).astype(np.float32)
INSIDE = (RING**2).sum(axis=1) < 1


def machine(**changes):
    """One support vector at the origin, with a kernel of width 1."""
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
    def test_by_hand(self):
        """At the vector, twice the kernel's 1 less 1; at distance log 2 from it, the kernel is exp(-log(2)^2)."""
        found = machine().margin(np.array([[0, 0], [1, 0]], dtype=np.float32))
        assert found.tolist() == pytest.approx([1, 2 * np.exp(-(np.log(2) ** 2)) - 1])

    def test_a_missing_value_is_the_mean(self):
        rows = np.array([[np.nan, 0]], dtype=np.float32)
        assert machine(mean=np.array([5, 0], dtype=np.float32)).margin(rows).tolist() == pytest.approx([1])

    def test_many_rows_are_as_few(self):
        rows = np.tile(RING, (3, 1))
        assert np.array_equal(machine().margin(rows)[:400], machine().margin(RING))

    def test_no_rows(self):
        assert machine().margin(np.zeros((0, 2), dtype=np.float32)).shape == (0,)


class TestProbability:
    def test_the_sigmoid_of_the_margin(self):
        found = machine(shape=np.array([1.0, -1.0, 2.0, -2.0])).probability(np.zeros((1, 2), dtype=np.float32))
        assert found.tolist() == [0.5]
        assert found.dtype == np.float32


class TestFit:
    def test_a_boundary_that_is_no_line(self, trained):
        assert ((trained.probability(RING) > 0.5) == INSIDE).mean() > 0.9

    def test_the_same_machine_each_time(self, trained):
        again = svm.fit(RING, INSIDE)
        assert to_bytes(again.to_arrays()) == to_bytes(trained.to_arrays())

    def test_without_the_library_that_trains(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "sklearn.svm", None)
        with pytest.raises(ExtraMissingError, match=r"needs scikit-learn .*: pip install 'vclean\[methods\]'"):
            svm.fit(RING, INSIDE)

    def test_a_column_without_values(self):
        pytest.importorskip("sklearn")
        rows = np.column_stack([RING, np.full(400, np.nan, dtype=np.float32)])
        assert not np.isnan(svm.fit(rows, INSIDE).probability(rows)).any()

    @pytest.mark.parametrize("answer", [True, False])
    def test_always_the_same_answer(self, answer):
        found = svm.fit(RING, np.full(400, answer)).probability(RING)
        assert ((found > 0.9) == answer).all()
        assert ((found < 0.1) != answer).all()

    def test_rows_that_weigh_nothing_are_not_learned_from(self):
        pytest.importorskip("sklearn")
        weight = np.where(RING[:, 0] > 0, 1, 1e-6).astype(np.float32)
        answer = INSIDE | (RING[:, 0] < 0)
        found = svm.fit(RING, answer, weight).probability(RING) > 0.5
        assert (found == answer)[RING[:, 0] > 0].mean() > 0.85

    def test_more_rows_than_it_learns_from(self, monkeypatch):
        pytest.importorskip("sklearn")
        monkeypatch.setattr(svm, "ROWS", 100)
        found = svm.fit(RING, INSIDE)
        assert len(found.vectors) <= 100
        assert ((found.probability(RING) > 0.5) == INSIDE).mean() > 0.85


class TestToArrays:
    def test_there_and_back(self, trained):
        found = SupportVectorMachine.from_arrays(from_bytes(to_bytes(trained.to_arrays("first_"))), "first_")
        assert np.array_equal(found.margin(RING), trained.margin(RING))


class TestFromBytes:
    def test_names_and_numbers(self):
        given = {"a": np.arange(3), "b": np.zeros((2, 2), dtype=np.float32)}
        found = from_bytes(to_bytes(given))
        assert list(found) == ["a", "b"]
        assert found["a"].tolist() == [0, 1, 2]
        assert found["b"].dtype == np.float32

    @pytest.mark.parametrize("data", [b"", b"[]x", b'["a"]\n', b'["a"]\nxyz'])
    def test_what_is_damaged(self, data):
        with pytest.raises((ValueError, EOFError)):
            from_bytes(data)
