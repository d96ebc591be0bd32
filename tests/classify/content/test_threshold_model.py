from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.synthetic import SITES, rows, train_quickly

from vclean.classify.content import stacking
from vclean.classify.content.stacking import one_hot
from vclean.classify.content.threshold import candidate_selections
from vclean.classify.training.train import HeldOutPrediction, fit_threshold_model


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    train_quickly(monkeypatch)


def held_out(page, certainty: float) -> HeldOutPrediction:
    """Return predictions that are right with the probability `certainty`."""
    probability = np.where(page.content, certainty, 1 - certainty).astype(np.float32)
    x = np.zeros((len(page), len(stacking.COLUMNS)), dtype=np.float32)
    types = np.full((len(page), 4), 0.25, dtype=np.float32)
    return HeldOutPrediction(probability, types, candidate_selections(x, probability, page.layout.tokens))


NO_CONVENTION = np.zeros(0, dtype=np.float32)
"""Columns of the convention for a model that knows none."""
NOTHING = HeldOutPrediction(np.zeros(0, dtype=np.float32), np.zeros((0, 4), dtype=np.float32), None)


def empty():
    return SimpleNamespace(is_partial=False, content=np.zeros(0, dtype=bool), weight=np.zeros(0, dtype=np.float32))


def fit(pages, predictions):
    return fit_threshold_model(
        [(page, NO_CONVENTION, prediction) for page, prediction in zip(pages, predictions, strict=True)]
    )


class TestFitThresholdModel:
    PAGES = tuple(rows(number) for number in range(SITES))

    def test_selects_content(self) -> None:
        threshold_model = fit(self.PAGES, [held_out(page, 0.9) for page in self.PAGES])
        for page in self.PAGES:
            mask, confidence = threshold_model.select(held_out(page, 0.9).candidates, NO_CONVENTION)
            np.testing.assert_array_equal(mask, page.content)
            assert confidence == pytest.approx(1, abs=0.05)

    def test_calibrates_underconfident_probabilities(self) -> None:
        threshold_model = fit(self.PAGES, [held_out(page, 0.7) for page in self.PAGES])
        low, high = threshold_model.calibration(np.array([0.3, 0.7], dtype=np.float32))
        assert low < 0.01
        assert high > 0.99

    def test_ignores_pages_without_blocks(self) -> None:
        predictions = [held_out(page, 0.9) for page in self.PAGES]
        one = fit(self.PAGES, predictions)
        other = fit([*self.PAGES, empty()], [*predictions, NOTHING])
        assert one.forest.text == other.forest.text
        assert one.calibration == other.calibration

    def test_ignores_pages_with_partial_gold(self) -> None:
        predictions = [held_out(page, 0.9) for page in self.PAGES]
        one = fit(self.PAGES[1:], predictions[1:])
        other = fit([replace(self.PAGES[0], is_partial=True), *self.PAGES[1:]], predictions)
        assert one.forest.text == other.forest.text

    def test_convention_decides_between_equal_candidates(self) -> None:
        """Give equal pages an empty gold under the second convention."""
        names = ("all", "nothing")
        pages = {"all": self.PAGES, "nothing": [replace(page, share=0 * page.share) for page in self.PAGES]}
        examples = [(page, one_hot(names, name), held_out(page, 0.9)) for name in names for page in pages[name]]
        threshold_model = fit_threshold_model(examples)
        candidates = held_out(self.PAGES[0], 0.9).candidates
        assert threshold_model.forest.columns == candidates.rows.shape[1] + 2
        mask, confidence = threshold_model.select(candidates, one_hot(names, "all"))
        np.testing.assert_array_equal(mask, self.PAGES[0].content)
        _, other_confidence = threshold_model.select(candidates, one_hot(names, "nothing"))
        assert confidence > 0.9
        assert other_confidence < 0.1

    def test_calibrates_the_first_prediction_of_a_page(self) -> None:
        first = [(page, NO_CONVENTION, held_out(page, 0.7)) for page in self.PAGES]
        second = [(page, NO_CONVENTION, held_out(page, 0.9)) for page in self.PAGES]
        both = fit_threshold_model([*first, *second])
        assert both.calibration == fit_threshold_model(first).calibration
        assert both.calibration != fit_threshold_model(second).calibration
