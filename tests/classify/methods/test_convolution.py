from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from vclean.classify.methods import convolution
from vclean.classify.methods.convolution import Network, Plan, fit
from vclean.errors import ExtraMissingError

ROWS = np.array([[1, 0], [2, 1], [0, 3]], dtype=np.float32)


def array(*values):
    return np.array(values, dtype=np.float32)


class TestNetwork:
    NETWORK = Network(
        array(0, 0),
        array(1, 1),
        [array([[1, 0, -1], [0, 0, 0]], [[0, 0, 0], [0, 1, 0]]), array([[1], [0]], [[1], [2]], [[0], [-1]])],
        [array(0, -1), array(0, 0, 5)],
    )

    def test_inner_layers_are_rectified(self):
        """Compute by hand: differences in the first column are -2, 1, 2; the second column minus 1 is -1, 0, 2."""
        assert self.NETWORK.logits(ROWS).tolist() == [[0, 0, 5], [1, 1, 5], [2, 6, 3]]

    def test_standardizes_and_normalizes(self):
        one = Network(array(1, 0), array(2, 1), [array([[1], [0]], [[0], [1]])], [array(0, 0)])
        assert one(array([3, np.nan], [1, 0])) == pytest.approx(
            np.log([[np.e / (np.e + 1), 1 / (np.e + 1)], [0.5, 0.5]])
        )

    def test_arrays_round_trip(self):
        arrays = self.NETWORK.to_arrays("some_")
        again = Network.from_arrays({"other_layer_0_w": array(1), **arrays}, "some_")
        assert np.array_equal(again(ROWS), self.NETWORK(ROWS))


PLAN = Plan(filters=(8, 2), widths=(3, 3), dropout=0.0, batch=16, excerpt=5, steps=150, rate=0.02)
RANDOM = np.random.default_rng(3)
FLAGS = np.zeros(3, dtype=bool)
SEQUENCES = [RANDOM.normal(size=(length, 3)).astype(np.float32) for length in (20, 3, 0, 9, 1)]
"""Of some pages, one of them empty and two of them shorter than an excerpt."""
BEFORE = [np.append(0, rows[:-1, 0] > 0).astype(np.int64)[: len(rows)] for rows in SEQUENCES]
"""Whether the row before has a positive number in its first column."""


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="comes with the extra web2text")


def same(one, other):
    parts = zip([*one.weights, *one.biases], [*other.weights, *other.biases], strict=True)
    return all(np.array_equal(mine, theirs) for mine, theirs in parts)


class TestFit:
    def test_standardization_of_numbers_and_flags(self, torch):
        rows = array([1, 0, np.nan], [5, 0, np.nan], [np.nan, 1, np.nan])
        network = fit([rows], [np.array([0, 1, 0])], replace(PLAN, steps=1), np.array([False, True, False]))
        assert (network.mean.tolist(), network.scale.tolist()) == ([3, 0.5, 0], [2, 0.5, 1])

    def test_learns_from_neighbors(self, torch):
        network = fit(SEQUENCES, BEFORE, PLAN, FLAGS)
        right = [(network(rows).argmax(axis=1) == targets) for rows, targets in zip(SEQUENCES, BEFORE, strict=True)]
        assert np.concatenate(right).mean() > 0.95
        assert {part.dtype for part in (*network.weights, *network.biases)} == {np.dtype(np.float32)}

    def test_training_is_reproducible(self, torch):
        plan = replace(PLAN, steps=5, dropout=0.3)
        first = fit(SEQUENCES, BEFORE, plan, FLAGS)
        torch.rand(3)
        assert same(fit(SEQUENCES, BEFORE, plan, FLAGS), first)
        assert not same(fit(SEQUENCES, BEFORE, replace(plan, seed=8), FLAGS), first)
        assert not same(fit(SEQUENCES, BEFORE, replace(plan, dropout=0.2), FLAGS), first)

    def test_decay_keeps_weights_small(self, torch):
        def size(decay):
            return sum(
                np.abs(weight).sum() for weight in fit(SEQUENCES, BEFORE, replace(PLAN, decay=decay), FLAGS).weights
            )

        assert size(0.1) < size(0.0)

    def test_settings_of_the_library_are_restored(self, torch):
        torch.manual_seed(1)
        expected = torch.rand(2)
        torch.manual_seed(1)
        threads = torch.get_num_threads()
        fit(SEQUENCES, BEFORE, replace(PLAN, steps=2), FLAGS)
        assert torch.equal(torch.rand(2), expected)
        assert torch.get_num_threads() == threads
        assert not torch.are_deterministic_algorithms_enabled()

    def test_missing_library(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        with pytest.raises(ExtraMissingError, match=r"needs PyTorch .*: pip install .*\[web2text\]'"):
            fit(SEQUENCES, BEFORE, PLAN, FLAGS)


class TestForward:
    def test_agrees_with_numpy(self, torch):
        weights = [RANDOM.normal(size=shape).astype(np.float32) for shape in ((4, 3, 1), (5, 4, 3), (2, 5, 3))]
        biases = [RANDOM.normal(size=len(weight)).astype(np.float32) for weight in weights]
        rows = SEQUENCES[0]
        padded = np.pad(rows, ((0, 6), (0, 0)))[None]
        inside = torch.arange(len(rows) + 6)[None, None] < len(rows)
        output = convolution.forward(
            torch,
            torch.from_numpy(padded).transpose(1, 2),
            [torch.from_numpy(weight) for weight in weights],
            [torch.from_numpy(bias) for bias in biases],
            inside,
        )[0].T.numpy()[: len(rows)]
        assert output == pytest.approx(Network(array(0, 0, 0), array(1, 1, 1), weights, biases).logits(rows), abs=1e-4)
