from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.content.threshold import CalibrationMap
from vclean.classify.evaluation.reliability import CalibrationSample, calibration_report, reliability
from vclean.classify.training.threshold import fit_map


def drawn(truth, count=50_000, seed=7):
    """Probabilities, evenly spread, and outcomes that come by `truth` of them."""
    random = np.random.default_rng(seed)
    said = random.random(count)
    return said, random.random(count) < truth(said)


class TestReliability:
    """Mean of what was said against mean of what came, bin by bin."""

    def test_ten_bins_of_the_same_width(self) -> None:
        table = reliability([0.05, 0.12, 0.18, 0.99, 1.0], [0, 0, 1, 1, 1])
        assert table.count.tolist() == [1, 2, 2]
        assert table.predicted.tolist() == pytest.approx([0.05, 0.15, 0.995])
        assert table.observed.tolist() == [0, 0.5, 1]

    def test_the_error_is_the_distance_by_weight(self) -> None:
        table = reliability([0.05, 0.12, 0.18, 0.99, 1.0], [0, 0, 1, 1, 1])
        assert table.error == pytest.approx((1 * 0.05 + 2 * 0.35 + 2 * 0.005) / 5)

    def test_weights(self) -> None:
        table = reliability([0.2, 0.2], [0, 1], [1, 3])
        assert (table.count.tolist(), table.weight.tolist()) == ([2], [4])
        assert table.observed.tolist() == [0.75]
        assert table.error == pytest.approx(0.55)

    def test_what_weighs_nothing_is_no_bin(self) -> None:
        assert reliability([0.2, 0.9], [0, 1], [1, 0]).count.tolist() == [1]

    def test_bins_of_the_same_mass(self) -> None:
        said = np.linspace(0, 0.1, 100)
        assert reliability(said, said, equal_mass=True).count.tolist() == [10] * 10
        assert reliability(said, said).count.tolist() == [99, 1]

    def test_equal_probabilities_are_in_one_bin(self) -> None:
        assert reliability([0.3] * 7 + [0.9] * 3, [0] * 10, equal_mass=True).count.tolist() == [7, 3]

    @pytest.mark.parametrize("equal_mass", [True, False])
    def test_calibrated_probabilities_have_next_to_no_error(self, equal_mass: bool) -> None:
        said, came = drawn(lambda p: p)
        assert reliability(said, came, equal_mass=equal_mass).error < 0.01

    @pytest.mark.parametrize("equal_mass", [True, False])
    def test_too_sure_by_a_known_amount(self, equal_mass: bool) -> None:
        said, came = drawn(lambda p: 0.25 + p / 2)
        assert reliability(said, came, equal_mass=equal_mass).error == pytest.approx(0.125, abs=0.01)

    def test_scores_are_outcomes_too(self) -> None:
        assert reliability([0.8, 0.8], [0.7, 0.9]).error == pytest.approx(0)

    @pytest.mark.parametrize("equal_mass", [True, False])
    def test_nothing(self, equal_mass: bool) -> None:
        table = reliability([], [], equal_mass=equal_mass)
        assert (len(table.count), table.error) == (0, 0)

    @given(st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.floats(0.1, 9)), min_size=1), st.booleans())
    def test_no_outcome_is_lost_and_the_error_is_a_share(self, rows, equal_mass: bool) -> None:
        said, came, weight = zip(*rows, strict=True)
        table = reliability(said, came, weight, equal_mass=equal_mass)
        assert table.count.sum() == len(rows)
        assert table.weight.sum() == pytest.approx(sum(weight))
        assert 0 <= table.error <= 1

    def test_as_data(self) -> None:
        found = reliability([0.25, 0.75], [0, 1]).to_dict()
        assert json.loads(json.dumps(found)) == {
            "ece": 0.25,
            "bins": [
                {"count": 1, "predicted": 0.25, "observed": 0.0},
                {"count": 1, "predicted": 0.75, "observed": 1.0},
            ],
        }


class TestExamine:
    """Blocks are examined as one each and by their words, pages by their confidence."""

    def page(self, probability, content, words, confidence, f1) -> CalibrationSample:
        columns = (
            np.array(probability, dtype=np.float32),
            np.array(content, dtype=bool),
            np.array(words, dtype=np.float32),
        )
        return CalibrationSample(
            probability=columns[0], content=columns[1], words=columns[2], confidence=confidence, f1=f1
        )

    def test_two_pages(self) -> None:
        found = calibration_report(
            [self.page([0.5, 0.5], [1, 0], [30, 10], 0.8, 0.7), self.page([1], [1], [60], 0.9, 1.0)]
        )
        assert found["blocks"]["ece"] == 0
        assert found["words"]["ece"] == pytest.approx(0.4 * 0.25)
        assert found["pages"]["ece"] == pytest.approx(0.1)
        assert [row["count"] for row in found["blocks"]["bins"]] == [2, 1]

    def test_errors_of_both_kinds_of_bins(self) -> None:
        said, came = drawn(lambda p: p**2, 2000)
        found = calibration_report([self.page(said, came, np.ones(2000), 0.5, 0.5)])["blocks"]
        assert found["ece"] == pytest.approx(found["ece_equal_mass"], abs=0.02)
        assert found["ece"] > 0.1

    @pytest.mark.parametrize("count", [0, 1])
    def test_pages_without_blocks(self, count: int) -> None:
        found = calibration_report([self.page([], [], [], 0.0, 1.0)] * count)
        assert found["blocks"] == {"ece": 0.0, "ece_equal_mass": 0.0, "bins": []}
        assert found["pages"]["ece"] == count


class TestFitMap:
    """An increasing map that undoes what is wrong with probabilities."""

    @pytest.mark.parametrize(
        "truth", [lambda p: p**2, lambda p: 0.1 + 0.6 * p, lambda p: p], ids=["square", "flat", "true"]
    )
    def test_calibrates_probabilities_it_has_not_seen(self, truth) -> None:
        mapped = fit_map(*drawn(truth))
        said, came = drawn(truth, seed=8)
        assert reliability(mapped(said), came).error < 0.012

    def test_weights_count(self) -> None:
        said, came = drawn(lambda p: p)
        upper = fit_map(said, came, np.where(came, 9.0, 1.0))
        assert upper(np.array([0.5]))[0] == pytest.approx(0.9, abs=0.03)

    def test_scores(self) -> None:
        said = np.linspace(0.4, 1, 500)
        mapped = fit_map(said, said - 0.2)
        assert mapped(np.array([0.5, 0.9])).tolist() == pytest.approx([0.3, 0.7], abs=0.01)

    def test_the_order_is_kept_where_the_outcome_does_not_follow_it(self) -> None:
        said, came = drawn(lambda p: 0.8 - 0.5 * p)
        values = fit_map(said, came)(np.linspace(0, 1, 200)).astype(float)
        assert (np.diff(values) > 0).all()

    def test_the_ends_stay_inside(self) -> None:
        mapped = fit_map([0.3, 0.7] * 50, [0.0, 1.0] * 50)
        low, high = mapped(np.array([0.0, 1.0])).tolist()
        assert 0 <= low < high <= 1

    @pytest.mark.parametrize("said", [[], [0.5], [0.5] * 9])
    def test_too_little_to_learn_from_changes_nothing(self, said: list[float]) -> None:
        mapped = fit_map(said, [1.0] * len(said))
        assert mapped == CalibrationMap()
        assert mapped(np.array([0.25, 0.5])).tolist() == [0.25, 0.5]

    @given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1))
    def test_always_a_map_that_can_be_stored(self, rows) -> None:
        mapped = fit_map(*zip(*rows, strict=True))
        assert CalibrationMap.from_dict(json.loads(json.dumps(mapped.to_dict()))) == mapped


class TestCalibrationMap:
    def test_straight_lines_between_the_points(self) -> None:
        mapped = CalibrationMap((0.0, 0.5, 1.0), (0.2, 0.4, 1.0))
        found = mapped(np.array([0.0, 0.25, 0.5, 0.75, 1.0], dtype=np.float32))
        assert found.dtype == np.float32
        assert found.tolist() == pytest.approx([0.2, 0.3, 0.4, 0.7, 1.0])

    @pytest.mark.parametrize(
        "points",
        [
            {"said": [0, 1], "observed": [0]},
            {"said": [0, 0], "observed": [0, 1]},
            {"said": [0, 1], "observed": [1, 0]},
            {"said": ["a"], "observed": ["b"]},
        ],
    )
    def test_points_that_are_no_map(self, points) -> None:
        with pytest.raises(ValueError, match=r"not an increasing map|could not convert"):
            CalibrationMap.from_dict(points)
