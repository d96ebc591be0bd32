from __future__ import annotations

import numpy as np
import pytest

from vclean.classify.content import stacking, threshold
from vclean.classify.content.expected_f import best_selection
from vclean.classify.content.threshold import BETAS, CandidateSelections, candidate_selections, choose_selection
from vclean.classify.training import threshold as training
from vclean.classify.training.threshold import fit, word_f1

COLUMN = {column.name: index for index, column in enumerate(stacking.COLUMNS)}
WORDS = np.array([200, 50, 50, 50, 5], dtype=np.float32)
SILENCE = np.zeros(5, dtype=np.float32)
PROBABILITY = np.array([0.98, 0.4, 0.35, 0.3, 0.02], dtype=np.float32)


def page(**columns: list[float]) -> np.ndarray:
    """The matrix of five blocks: 0 but for `columns`."""
    x = np.zeros((5, len(stacking.COLUMNS)), dtype=np.float32)
    for name, values in columns.items():
        x[:, COLUMN[name]] = values
    return x


class TestCandidates:
    def test_a_cut_for_every_beta(self) -> None:
        found = candidate_selections(page(), PROBABILITY, WORDS, SILENCE)
        for keep, beta in zip(found.masks, BETAS, strict=True):
            np.testing.assert_array_equal(keep, best_selection(PROBABILITY, WORDS, beta)[0])
        assert BETAS[found.default] == 1
        assert found.rows.shape[0] == len(BETAS)
        assert (found.rows.dtype, found.masks.dtype) == (np.float32, np.bool_)

    def test_they_are_nested(self) -> None:
        """More weight on recall never drops a block."""
        keeps = candidate_selections(page(), PROBABILITY, WORDS, SILENCE).masks
        assert (keeps[1:] >= keeps[:-1]).all()
        assert keeps[0].sum() < keeps[-1].sum()

    def test_one_for_a_beta_that_is_asked_for(self) -> None:
        found = candidate_selections(page(), PROBABILITY, WORDS, SILENCE, 4.0)
        assert found.masks.shape == (1, 5)
        assert found.default == 0
        np.testing.assert_array_equal(found.masks[0], best_selection(PROBABILITY, WORDS, 4.0)[0])
        assert found.rows[0, 0] == pytest.approx(np.log(4))

    def test_the_usual_cut_changes_nothing(self) -> None:
        """Of what is added or dropped there is none: words, blocks, means."""
        found = candidate_selections(page(link_share=[0.5] * 5), PROBABILITY, WORDS, SILENCE)
        log_beta, kind, _, share, words, blocks = found.rows[found.default, :6]
        assert (log_beta, kind, share, words, blocks) == (0, 0, 0, 0, 0)

    def test_what_is_added_is_described(self) -> None:
        """The blocks that the most generous cut adds, by their words."""
        links = [0.0, 0.9, 0.3, 0.6, 0.0]
        found = candidate_selections(page(link_share=links), PROBABILITY, WORDS, SILENCE)
        changed = found.masks[-1] ^ found.masks[found.default]
        assert changed.any()
        wanted = np.average(links, weights=changed * WORDS)
        assert np.isclose(found.rows[-1], wanted, atol=1e-6).any()
        assert found.rows[-1, 4] == (changed * WORDS).sum()

    def test_unknown_looks_count_as_nothing(self) -> None:
        rows = candidate_selections(page(stop_words=[np.nan] * 5), PROBABILITY, WORDS, SILENCE).rows
        np.testing.assert_array_equal(rows, candidate_selections(page(), PROBABILITY, WORDS, SILENCE).rows)

    def test_comments_are_decided_on_as_a_whole(self) -> None:
        """With and without them, for some of the betas, beside the cuts that take them block by block."""
        comments = np.array([0, 1, 1, 1, 0], dtype=np.float32)
        found = candidate_selections(page(), PROBABILITY, WORDS, comments)
        few = len(threshold.COMMENT_BETAS)
        assert len(found.masks) == len(BETAS) + 2 * few
        without, wanted = found.masks[len(BETAS) : -few], found.masks[-few:]
        assert not without[:, 1:4].any()
        assert wanted[1:, 1:4].all()
        assert found.rows[:, 1].tolist() == [0] * len(BETAS) + [-1] * few + [1] * few
        assert BETAS[found.default] == 1

    def test_comments_that_hardly_are_some(self) -> None:
        doubt = np.full(5, 0.4, dtype=np.float32)
        assert len(candidate_selections(page(), PROBABILITY, WORDS, doubt).masks) == len(BETAS)

    def test_comments_where_a_beta_is_asked_for(self) -> None:
        comments = np.array([0, 1, 1, 1, 0], dtype=np.float32)
        assert len(candidate_selections(page(), PROBABILITY, WORDS, comments, 2.0).masks) == 1

    def test_one_block(self) -> None:
        found = candidate_selections(page()[:1], PROBABILITY[:1], WORDS[:1], SILENCE[:1])
        assert found.masks.all()
        assert np.isfinite(found.rows).all()

    def test_blocks_without_words(self) -> None:
        assert np.isfinite(candidate_selections(page(), PROBABILITY, np.zeros(5, dtype=np.float32), SILENCE).rows).all()


class TestWordF1:
    def test_by_hand(self) -> None:
        """Kept 100 and 50 words, of which 90 and 0 are gold, of 120: 180 / 270."""
        keeps = np.array([[True, True, False], [True, False, False], [False, False, False]])
        share, words = np.array([0.9, 0, 1], dtype=np.float32), np.array([100, 50, 30], dtype=np.float32)
        assert word_f1(keeps, share, words, 120) == pytest.approx([180 / 270, 180 / 220, 0])

    def test_never_over_one(self) -> None:
        """Characters may count as words on the page, and not in the gold."""
        assert word_f1(np.array([[True]]), np.ones(1, np.float32), np.array([40], np.float32), 2) == [1]

    def test_neither_gold_nor_blocks(self) -> None:
        assert word_f1(np.zeros((1, 0), dtype=bool), np.zeros(0, np.float32), np.zeros(0, np.float32), 0) == [0]


class Predicted:
    """Trees that say what they are told."""

    def __init__(self, *values: float) -> None:
        self.values = np.array(values)

    def predict(self, rows: np.ndarray) -> np.ndarray:
        assert len(rows) == len(self.values)
        return self.values


class TestChoose:
    CUTS = CandidateSelections(np.tri(3, dtype=bool), np.zeros((3, 2), dtype=np.float32), default=1)

    @pytest.mark.parametrize(
        ("predicted", "chosen"),
        [((0.5, 0.6, 0.7), 2), ((0.7, 0.6, 0.5), 0), ((0.605, 0.6, 0.605), 1), ((0.5, 0.5, 0.5), 1)],
    )
    def test_the_usual_one_unless_another_is_clearly_better(self, predicted: tuple[float, ...], chosen: int) -> None:
        keep, confidence = choose_selection(Predicted(*predicted), self.CUTS)
        np.testing.assert_array_equal(keep, self.CUTS.masks[chosen])
        assert confidence == predicted[chosen]

    def test_a_confidence_is_a_share(self) -> None:
        assert choose_selection(Predicted(0, 1.2, 0), self.CUTS)[1] == 1
        assert choose_selection(Predicted(-0.3, -0.1, -0.3), self.CUTS)[1] == 0


class TestFit:
    def test_it_learns_when_less_is_better(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Pages with comments, told by the looks of what is added, are better without."""
        monkeypatch.setattr(
            training, "PARAMETERS", training.PARAMETERS | {"min_data_in_leaf": 5, "feature_fraction": 1.0}
        )
        rows, scores, share = [], [], np.array([1, 0, 0, 0, 0], dtype=np.float32)
        for number in range(60):
            comments = float(number % 2)
            found = candidate_selections(
                page(both_up1=[2, -3 * comments, -3 * comments, -3 * comments, -5]), PROBABILITY, WORDS, SILENCE
            )
            truth = share if comments else np.array([1, 1, 1, 1, 0], dtype=np.float32)
            rows.append(found.rows)
            scores.append(word_f1(found.masks, truth, WORDS, int(truth @ WORDS)))
        model = fit(np.vstack(rows), np.concatenate(scores))
        for looks, kept in ((-3.0, 1), (0.0, 4)):
            found = candidate_selections(page(both_up1=[2, looks, looks, looks, -5]), PROBABILITY, WORDS, SILENCE)
            keep, confidence = choose_selection(model, found)
            assert keep.sum() == kept
            assert confidence > 0.8

    def test_the_same_twice(self) -> None:
        draw = np.random.default_rng(1)
        rows, scores = draw.random((400, 9)).astype(np.float32), draw.random(400)
        assert fit(rows, scores).text == fit(rows, scores).text
