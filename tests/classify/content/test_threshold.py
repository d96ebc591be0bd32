from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vclean.classify.content import stacking
from vclean.classify.content.expected_f import best_selections
from vclean.classify.content.threshold import (
    BETAS,
    CalibrationMap,
    CandidateSelections,
    ThresholdModel,
    candidate_selections,
)
from vclean.classify.training.fits import FITS, fit
from vclean.classify.training.train import word_f1

COLUMN = {column.name: index for index, column in enumerate(stacking.COLUMNS)}
WORDS = np.array([200, 50, 50, 50, 5], dtype=np.float32)
PROBABILITY = np.array([0.98, 0.4, 0.35, 0.3, 0.02], dtype=np.float32)


def page(**columns: list[float]) -> np.ndarray:
    """Return the matrix of five blocks, 0 except for `columns`."""
    x = np.zeros((5, len(stacking.COLUMNS)), dtype=np.float32)
    for name, values in columns.items():
        x[:, COLUMN[name]] = values
    return x


class TestCandidateSelections:
    def test_one_candidate_per_beta(self) -> None:
        candidates = candidate_selections(page(), PROBABILITY, WORDS)
        for mask, beta in zip(candidates.masks, BETAS, strict=True):
            np.testing.assert_array_equal(mask, best_selections(PROBABILITY, WORDS, (beta,))[0][0])
        assert BETAS[candidates.default] == 1
        assert candidates.rows.shape[0] == len(BETAS)
        assert (candidates.rows.dtype, candidates.masks.dtype) == (np.float32, np.bool_)

    def test_candidates_are_nested(self) -> None:
        """Check that more weight of recall drops no block."""
        masks = candidate_selections(page(), PROBABILITY, WORDS).masks
        assert (masks[1:] >= masks[:-1]).all()
        assert masks[0].sum() < masks[-1].sum()

    def test_one_candidate_for_a_requested_beta(self) -> None:
        candidates = candidate_selections(page(), PROBABILITY, WORDS, 4.0)
        assert candidates.masks.shape == (1, 5)
        assert candidates.default == 0
        np.testing.assert_array_equal(candidates.masks[0], best_selections(PROBABILITY, WORDS, (4.0,))[0][0])
        assert candidates.rows[0, 0] == pytest.approx(np.log(4))

    def test_default_has_no_changes(self) -> None:
        """Check that words, blocks and means of the changes are 0."""
        candidates = candidate_selections(page(link_share=[0.5] * 5), PROBABILITY, WORDS)
        log_beta, _, share, words, blocks = candidates.rows[candidates.default, :5]
        assert (log_beta, share, words, blocks) == (0, 0, 0, 0)

    def test_describes_added_blocks(self) -> None:
        """Check the means over the words that the largest candidate adds."""
        links = [0.0, 0.9, 0.3, 0.6, 0.0]
        candidates = candidate_selections(page(link_share=links), PROBABILITY, WORDS)
        changed = candidates.masks[-1] ^ candidates.masks[candidates.default]
        assert changed.any()
        expected = np.average(links, weights=changed * WORDS)
        assert np.isclose(candidates.rows[-1], expected, atol=1e-6).any()
        assert candidates.rows[-1, 3] == (changed * WORDS).sum()

    def test_nan_counts_as_zero(self) -> None:
        rows = candidate_selections(page(link_share=[np.nan] * 5), PROBABILITY, WORDS).rows
        np.testing.assert_array_equal(rows, candidate_selections(page(), PROBABILITY, WORDS).rows)

    def test_loss_of_probable_words(self) -> None:
        """Check blocks of 200 and 50 probable words, of which the smallest candidate has the first."""
        probability = np.array([0.99, 0.61, 0.3, 0.3, 0.02], dtype=np.float32)
        candidates = candidate_selections(page(), probability, WORDS)
        expected = [0 if mask[1] else 0.2 for mask in candidates.masks]
        assert candidates.loss == pytest.approx(expected)
        assert {0, 0.2} == set(expected)

    def test_one_block(self) -> None:
        candidates = candidate_selections(page()[:1], PROBABILITY[:1], WORDS[:1])
        assert candidates.masks.all()
        assert np.isfinite(candidates.rows).all()

    def test_blocks_without_words(self) -> None:
        assert np.isfinite(candidate_selections(page(), PROBABILITY, np.zeros(5, dtype=np.float32)).rows).all()


class TestWordF1:
    def test_known_scores(self) -> None:
        """Check selections of 100 and 50 words with 90 and 0 gold words, of 120 gold words: 180 / 270."""
        masks = np.array([[True, True, False], [True, False, False], [False, False, False]])
        share, words = np.array([0.9, 0, 1], dtype=np.float32), np.array([100, 50, 30], dtype=np.float32)
        assert word_f1(masks, share, words, 120) == pytest.approx([180 / 270, 180 / 220, 0])

    def test_is_at_most_one(self) -> None:
        """Check more words on the page than in the gold text: word counts of scripts without spaces differ."""
        assert word_f1(np.array([[True]]), np.ones(1, np.float32), np.array([40], np.float32), 2) == [1]

    def test_no_gold_and_no_blocks(self) -> None:
        assert word_f1(np.zeros((1, 0), dtype=bool), np.zeros(0, np.float32), np.zeros(0, np.float32), 0) == [0]


class Predicted:
    """Stub of trees with fixed predictions."""

    def __init__(self, *values: float) -> None:
        self.values = np.array(values)

    def predict(self, rows: np.ndarray) -> np.ndarray:
        assert len(rows) == len(self.values)
        return self.values


def select(trees, candidates: CandidateSelections):
    """Return the selection of a threshold model with these trees, without conventions, and its confidence."""
    return ThresholdModel(trees, CalibrationMap()).select(candidates, np.zeros(0, dtype=np.float32))


class TestSelect:
    CANDIDATES = CandidateSelections(np.tri(3, dtype=bool), np.zeros((3, 2), dtype=np.float32), 1, np.zeros(3))

    @pytest.mark.parametrize(
        ("predicted", "chosen"),
        [((0.5, 0.6, 0.7), 2), ((0.7, 0.6, 0.5), 0), ((0.605, 0.6, 0.605), 1), ((0.5, 0.5, 0.5), 1)],
    )
    def test_prefers_the_default(self, predicted: tuple[float, ...], chosen: int) -> None:
        mask, confidence = select(Predicted(*predicted), self.CANDIDATES)
        np.testing.assert_array_equal(mask, self.CANDIDATES.masks[chosen])
        assert confidence == predicted[chosen]

    @pytest.mark.parametrize(
        ("loss", "chosen"), [((0, 0, 0), 0), ((0.09, 0, 0), 0), ((0.5, 0, 0), 2), ((0.5, 0, 0.5), 1), ((1, 1, 1), 1)]
    )
    def test_leaves_out_candidates_without_probable_blocks(self, loss: tuple[float, ...], chosen: int) -> None:
        candidates = replace(self.CANDIDATES, loss=np.array(loss))
        mask, _ = select(Predicted(0.9, 0.5, 0.7), candidates)
        np.testing.assert_array_equal(mask, candidates.masks[chosen])

    def test_clips_the_confidence(self) -> None:
        assert select(Predicted(0, 1.2, 0), self.CANDIDATES)[1] == 1
        assert select(Predicted(-0.3, -0.1, -0.3), self.CANDIDATES)[1] == 0


class TestFit:
    def test_learns_when_to_drop_blocks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Train on pages that are better without comments; the features of the added blocks reveal these pages."""
        monkeypatch.setitem(FITS, "cuts", FITS["cuts"] | {"min_data_in_leaf": 5, "feature_fraction": 1.0})
        rows, scores, share = [], [], np.array([1, 0, 0, 0, 0], dtype=np.float32)
        for number in range(60):
            comments = float(number % 2)
            candidates = candidate_selections(
                page(both_up1=[2, -3 * comments, -3 * comments, -3 * comments, -5]), PROBABILITY, WORDS
            )
            truth = share if comments else np.array([1, 1, 1, 1, 0], dtype=np.float32)
            rows.append(candidates.rows)
            scores.append(word_f1(candidates.masks, truth, WORDS, int(truth @ WORDS)))
        model = fit("cuts", np.vstack(rows), np.concatenate(scores))
        for score, count in ((-3.0, 1), (0.0, 4)):
            candidates = candidate_selections(page(both_up1=[2, score, score, score, -5]), PROBABILITY, WORDS)
            mask, confidence = select(model, candidates)
            assert mask.sum() == count
            assert confidence > 0.8
