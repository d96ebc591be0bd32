from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pytest

from vclean.classify.methods.models import convolution_training as training
from vclean.classify.methods.models.convolution import Network
from vclean.classify.methods.models.convolution_training import Plan, fit
from vclean.errors import ExtraMissingError

PLAN = Plan(filters=(8, 2), widths=(3, 3), dropout=0.0, batch=16, excerpt=5, steps=150, rate=0.02)
RANDOM = np.random.default_rng(3)
ROWS = [RANDOM.normal(size=(length, 3)).astype(np.float32) for length in (20, 3, 0, 9, 1)]
"""Of some pages, one of them empty and two of them shorter than an excerpt."""
BEFORE = [np.append(0, rows[:-1, 0] > 0).astype(np.int64)[: len(rows)] for rows in ROWS]
"""Whether the row before has a positive number in its first column."""


@pytest.fixture(scope="module")
def torch():
    return pytest.importorskip("torch", reason="comes with the extra web2text")


def same(one, other):
    parts = zip([*one.weights, *one.biases], [*other.weights, *other.biases], strict=True)
    return all(np.array_equal(mine, theirs) for mine, theirs in parts)


class TestFit:
    def test_learns_from_neighbors(self, torch):
        network = fit(ROWS, BEFORE, PLAN)
        right = [(network(rows).argmax(axis=1) == targets) for rows, targets in zip(ROWS, BEFORE, strict=True)]
        assert np.concatenate(right).mean() > 0.95

    def test_shapes_and_types(self, torch):
        network = fit(ROWS, BEFORE, replace(PLAN, steps=1))
        assert [weight.shape for weight in network.weights] == [(8, 3, 3), (2, 8, 3)]
        assert [bias.shape for bias in network.biases] == [(8,), (2,)]
        assert {part.dtype for part in (*network.weights, *network.biases)} == {np.dtype(np.float32)}

    def test_training_is_reproducible(self, torch):
        plan = replace(PLAN, steps=5, dropout=0.3)
        first = fit(ROWS, BEFORE, plan)
        torch.rand(3)
        assert same(fit(ROWS, BEFORE, plan), first)
        assert not same(fit(ROWS, BEFORE, replace(plan, seed=8)), first)
        assert not same(fit(ROWS, BEFORE, replace(plan, dropout=0.2)), first)

    def test_decay_keeps_weights_small(self, torch):
        def size(decay):
            return sum(np.abs(weight).sum() for weight in fit(ROWS, BEFORE, replace(PLAN, decay=decay)).weights)

        assert size(0.1) < size(0.0)

    def test_settings_of_the_library_are_restored(self, torch):
        torch.manual_seed(1)
        expected = torch.rand(2)
        torch.manual_seed(1)
        threads = torch.get_num_threads()
        fit(ROWS, BEFORE, replace(PLAN, steps=2))
        assert torch.equal(torch.rand(2), expected)
        assert torch.get_num_threads() == threads
        assert not torch.are_deterministic_algorithms_enabled()

    def test_missing_library(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch", None)
        with pytest.raises(ExtraMissingError, match=r"needs PyTorch .*: pip install .*\[web2text\]'"):
            fit(ROWS, BEFORE, PLAN)


class TestPaddedRows:
    def test_excerpts_do_not_cross_sequences(self):
        sequences = [np.full((length, 1), number, dtype=np.float32) for number, length in enumerate((7, 2, 9), 1)]
        rows = training._PaddedRows.from_sequences(
            sequences, [np.zeros(len(each), dtype=np.int64) for each in sequences], 4
        )
        columns, targets = rows.draw(np.random.default_rng(1), replace(PLAN, excerpt=4, batch=300))
        inside = targets == 0
        numbers = np.where(inside, columns[..., 0], columns.max(axis=1))
        assert (numbers == numbers[:, :1]).all()
        assert not columns[~inside].any()
        assert {number: int(inside[numbers[:, 0] == number].sum(axis=1).min()) for number in (1, 2, 3)} == {
            1: 4,
            2: 2,
            3: 4,
        }

    def test_draws_all_positions_of_a_sequence(self):
        rows = training._PaddedRows.from_sequences(
            [np.arange(6, dtype=np.float32)[:, None]], [np.zeros(6, dtype=np.int64)], 4
        )
        columns, _ = rows.draw(np.random.default_rng(1), replace(PLAN, excerpt=4, batch=100))
        assert set(columns[:, 0, 0].tolist()) == {0, 1, 2}


class TestForward:
    def test_agrees_with_numpy(self, torch):
        weights = [RANDOM.normal(size=shape).astype(np.float32) for shape in ((4, 3, 1), (5, 4, 3), (2, 5, 3))]
        biases = [RANDOM.normal(size=len(weight)).astype(np.float32) for weight in weights]
        rows = ROWS[0]
        padded = np.pad(rows, ((0, 6), (0, 0)))[None]
        inside = torch.arange(len(rows) + 6)[None, None] < len(rows)
        output = training.forward(
            torch,
            torch.from_numpy(padded).transpose(1, 2),
            [torch.from_numpy(weight) for weight in weights],
            [torch.from_numpy(bias) for bias in biases],
            inside,
        )[0].T.numpy()[: len(rows)]
        assert output == pytest.approx(Network(weights, biases)(rows), abs=1e-4)
