from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from helpers.synthetic import SITES, rows, train_quickly

from vclean.classify.content import stacking
from vclean.classify.content.threshold import candidate_selections
from vclean.classify.training.threshold import HeldOutPrediction
from vclean.classify.training.threshold import fit_threshold_model as fit


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    train_quickly(monkeypatch)


def said(page, surely: float) -> HeldOutPrediction:
    """Of content that it is, with the probability `surely`, and of the rest that it is not."""
    probability = np.where(page.content, surely, 1 - surely).astype(np.float32)
    x = np.zeros((len(page), len(stacking.COLUMNS)), dtype=np.float32)
    types = np.full((len(page), 4), 0.25, dtype=np.float32)
    return HeldOutPrediction(
        probability, types, candidate_selections(x, probability, page.layout.tokens, page.comments)
    )


NOTHING = HeldOutPrediction(np.zeros(0, dtype=np.float32), np.zeros((0, 4), dtype=np.float32), None)


def empty():
    return SimpleNamespace(content=np.zeros(0, dtype=bool), weight=np.zeros(0, dtype=np.float32))


class TestFit:
    PAGES = tuple(rows(number) for number in range(SITES))

    def test_keeps_what_is_content(self) -> None:
        threshold_model = fit(self.PAGES, [said(page, 0.9) for page in self.PAGES])
        for page in self.PAGES:
            keep, confidence = threshold_model.select(said(page, 0.9).candidates)
            np.testing.assert_array_equal(keep, page.content)
            assert confidence == pytest.approx(1, abs=0.05)

    def test_timid_probabilities_are_put_right(self) -> None:
        """What is right every time is told as sure."""
        threshold_model = fit(self.PAGES, [said(page, 0.7) for page in self.PAGES])
        low, high = threshold_model.calibration(np.array([0.3, 0.7], dtype=np.float32))
        assert low < 0.01
        assert high > 0.99

    def test_pages_without_blocks_teach_nothing(self) -> None:
        verdicts = [said(page, 0.9) for page in self.PAGES]
        one = fit(self.PAGES, verdicts)
        other = fit([*self.PAGES, empty()], [*verdicts, NOTHING])
        assert one.forest.text == other.forest.text
        assert one.calibration == other.calibration
