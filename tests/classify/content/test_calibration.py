from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.content.expected_f import CalibrationMap
from vclean.classify.evaluation.scores import Reliability
from vclean.classify.training.train import fit_map


class TestReliability:
    """Mean predicted and observed values per bin."""

    def test_has_ten_bins_of_equal_width(self) -> None:
        table = Reliability([0.05, 0.12, 0.18, 0.99, 1.0], [0, 0, 1, 1, 1])
        assert table.count.tolist() == [1, 2, 2]
        assert table.predicted.tolist() == pytest.approx([0.05, 0.15, 0.995])
        assert table.observed.tolist() == [0, 0.5, 1]

    def test_bins_of_equal_mass(self) -> None:
        predicted = np.linspace(0, 0.1, 100)
        assert Reliability(predicted, predicted, equal_mass=True).count.tolist() == [10] * 10
        assert Reliability(predicted, predicted).count.tolist() == [99, 1]

    def test_equal_probabilities_share_a_bin(self) -> None:
        assert Reliability([0.3] * 7 + [0.9] * 3, [0] * 10, equal_mass=True).count.tolist() == [7, 3]

    @pytest.mark.parametrize("equal_mass", [True, False])
    def test_no_predictions(self, equal_mass: bool) -> None:
        table = Reliability([], [], equal_mass=equal_mass)
        assert (len(table.count), table.error) == (0, 0)

    @given(st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.floats(0.1, 9)), min_size=1), st.booleans())
    def test_bins_contain_all_outcomes(self, rows, equal_mass: bool) -> None:
        predicted, observed, weight = zip(*rows, strict=True)
        table = Reliability(predicted, observed, weight, equal_mass=equal_mass)
        assert table.count.sum() == len(rows)
        assert table.weight.sum() == pytest.approx(sum(weight))
        assert 0 <= table.error <= 1


class TestFitMap:
    """Fitting of an increasing map that calibrates probabilities."""

    @pytest.mark.parametrize("predicted", [[], [0.5], [0.5] * 9])
    def test_too_few_values_give_the_identity(self, predicted: list[float]) -> None:
        mapped = fit_map(predicted, [1.0] * len(predicted))
        assert mapped == CalibrationMap()
        assert mapped(np.array([0.25, 0.5])).tolist() == [0.25, 0.5]

    @given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1))
    def test_every_map_can_be_stored(self, rows) -> None:
        mapped = fit_map(*zip(*rows, strict=True))
        assert CalibrationMap.from_dict(json.loads(json.dumps(mapped.to_dict()))) == mapped


class TestCalibrationMap:
    def test_interpolates_linearly(self) -> None:
        mapped = CalibrationMap((0.0, 0.5, 1.0), (0.2, 0.4, 1.0))
        calibrated = mapped(np.array([0.0, 0.25, 0.5, 0.75, 1.0], dtype=np.float32))
        assert calibrated.dtype == np.float32
        assert calibrated.tolist() == pytest.approx([0.2, 0.3, 0.4, 0.7, 1.0])

    @pytest.mark.parametrize(
        "points",
        [
            {"said": [0, 1], "observed": [0]},
            {"said": [0, 0], "observed": [0, 1]},
            {"said": [0, 1], "observed": [1, 0]},
            {"said": ["a"], "observed": ["b"]},
        ],
    )
    def test_rejects_points_of_no_increasing_map(self, points) -> None:
        with pytest.raises(ValueError, match=r"not an increasing map|could not convert"):
            CalibrationMap.from_dict(points)
