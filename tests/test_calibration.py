from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from synthetic import rows

from vclean.classify.calibration import (
    Calibration,
    CalibrationMap,
    Verdict,
    examine,
    fit,
    fit_map,
    out_of_fold,
    reliability,
    verdict,
)
from vclean.classify.prediction import Prediction
from vclean.labels import Label


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
        assert table.said.tolist() == pytest.approx([0.05, 0.15, 0.995])
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
            "bins": [{"count": 1, "said": 0.25, "observed": 0.0}, {"count": 1, "said": 0.75, "observed": 1.0}],
        }


class TestExamine:
    """Blocks are examined as one each and by their words, pages by their confidence."""

    def page(self, probability, content, words, confidence, f1) -> Verdict:
        columns = (
            np.array(probability, dtype=np.float32),
            np.array(content, dtype=bool),
            np.array(words, dtype=np.float32),
        )
        return Verdict(probability=columns[0], content=columns[1], words=columns[2], confidence=confidence, f1=f1)

    def test_two_pages(self) -> None:
        found = examine([self.page([0.5, 0.5], [1, 0], [30, 10], 0.8, 0.7), self.page([1], [1], [60], 0.9, 1.0)])
        assert found["blocks"]["ece"] == 0
        assert found["words"]["ece"] == pytest.approx(0.4 * 0.25)
        assert found["pages"]["ece"] == pytest.approx(0.1)
        assert [row["count"] for row in found["blocks"]["bins"]] == [2, 1]

    def test_errors_of_both_kinds_of_bins(self) -> None:
        said, came = drawn(lambda p: p**2, 2000)
        found = examine([self.page(said, came, np.ones(2000), 0.5, 0.5)])["blocks"]
        assert found["ece"] == pytest.approx(found["ece_equal_mass"], abs=0.02)
        assert found["ece"] > 0.1

    @pytest.mark.parametrize("count", [0, 1])
    def test_pages_without_blocks(self, count: int) -> None:
        found = examine([self.page([], [], [], 0.0, 1.0)] * count)
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
        with pytest.raises(ValueError, match=r"no increasing map|could not convert"):
            CalibrationMap.from_dict(points)


def told(probability, confidence, labels="") -> Prediction:
    found = np.array(probability, dtype=np.float32)
    return Prediction([Label(each) for each in labels or "p" * len(found)], found, confidence, "model")


class TestCalibration:
    """It maps what is told of a page, and leaves what was decided."""

    maps = Calibration(CalibrationMap((0.0, 1.0), (0.0, 0.5)), CalibrationMap((0.0, 1.0), (0.5, 1.0)))

    def test_probabilities_and_confidence(self) -> None:
        found = self.maps(told([0.2, 0.8], 0.4, "ho"))
        assert found.probability.tolist() == pytest.approx([0.1, 0.4])
        assert found.confidence == pytest.approx(0.7)
        assert (found.labels, found.model) == ([Label.HEADING, Label.OTHER], "model")

    def test_none_changes_nothing(self) -> None:
        found = Calibration()(told([0.2, 0.8], 0.4))
        assert found.probability.tolist() == told([0.2, 0.8], 0.4).probability.tolist()
        assert found.confidence == pytest.approx(0.4)

    def test_a_page_without_blocks(self) -> None:
        assert self.maps(told([], 0.0)).confidence == 0.5

    def test_as_data(self) -> None:
        assert Calibration.from_dict(json.loads(json.dumps(self.maps.to_dict()))) == self.maps

    def test_data_of_something_else(self) -> None:
        with pytest.raises(KeyError):
            Calibration.from_dict({"blocks": {"said": [], "observed": []}})


class TestVerdict:
    """The word F1 of a page by its blocks: those kept against the words of each that are in the gold."""

    def test_of_a_page(self) -> None:
        page = rows(0)
        content = "".join("p" if found else "o" for found in page.content)
        right = verdict(page, told(page.content, 0.9, content))
        assert right.f1 == pytest.approx(1)
        assert right.content.tolist() == page.content.tolist()
        assert (right.words.tolist(), right.confidence) == (page.layout.tokens.tolist(), 0.9)

    def test_everything_kept_and_nothing(self) -> None:
        page = rows(0)
        words, gold = page.layout.tokens.sum(), (page.share * page.layout.tokens).sum()
        assert verdict(page, told(page.content, 0.9)).f1 == pytest.approx(2 * gold / (words + gold))
        assert verdict(page, told(page.content, 0.9, "o" * len(page))).f1 == 0

    def test_no_content_and_none_kept(self) -> None:
        page = replace(rows(0), share=np.zeros(len(rows(0)), dtype=np.float32))
        assert verdict(page, told(page.content, 0.9, "o" * len(page))).f1 == 1


def pages_too_sure(count: int = 400, seed: int = 5) -> list[Verdict]:
    """Pages of 50 blocks, of which fewer are content than was said, and whose word F1 is .2 under the confidence."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        said = random.random(50).astype(np.float32)
        confidence = float(random.uniform(0.4, 1))
        found.append(
            Verdict(
                probability=said,
                content=random.random(50) < said**2,
                words=random.integers(1, 300, 50).astype(np.float32),
                confidence=confidence,
                f1=confidence - 0.2,
            )
        )
    return found


class TestFit:
    def test_calibrates_blocks_and_pages_it_has_not_seen(self) -> None:
        fitted = fit(pages_too_sure())
        new = pages_too_sure(seed=6)
        better = [
            replace(page, probability=found.probability, confidence=found.confidence)
            for page in new
            for found in [fitted(told(page.probability, page.confidence))]
        ]
        before, after = examine(new), examine(better)
        assert min(before[name]["ece"] for name in before) > 0.1
        assert max(after[name]["ece"] for name in after) < 0.03

    def test_nothing_to_learn_from(self) -> None:
        assert fit([]) == Calibration()


class TestOutOfFold:
    """A page is never calibrated by what is known of it."""

    def test_each_fold_by_the_others(self) -> None:
        pages = pages_too_sure(40)
        fold = np.arange(40) % 3
        said = [told(page.probability, page.confidence) for page in pages]
        found = out_of_fold(said, pages, fold)
        for unseen in range(3):
            others = fit([page for page, number in zip(pages, fold, strict=True) if number != unseen])
            for place in np.flatnonzero(fold == unseen).tolist():
                assert found[place].confidence == others(said[place]).confidence
                assert found[place].probability.tolist() == others(said[place]).probability.tolist()

    def test_what_is_known_of_a_page_does_not_matter_for_it(self) -> None:
        pages = pages_too_sure(9)
        fold = np.arange(9)
        said = [told(page.probability, page.confidence) for page in pages]
        other = [replace(pages[0], f1=0.0, content=~pages[0].content), *pages[1:]]
        one, two = out_of_fold(said, pages, fold), out_of_fold(said, other, fold)
        assert one[0].confidence == two[0].confidence
        assert one[1].probability.tolist() != two[1].probability.tolist()
