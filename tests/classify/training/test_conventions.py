from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.synthetic import rows

from vclean.classify.training import train as module
from vclean.classify.training.dataset import PageRows, TrainingTable
from vclean.classify.training.fits import FITS
from vclean.classify.training.train import (
    KNOWN_SHARE,
    MIN_PAGES,
    ConventionFits,
    convention_name,
    conventions,
    seen_columns,
)

PAGE = rows(0)
COLUMNS = 3


def pages(count: int, corpus: str, *, is_partial: bool = False) -> list[PageRows]:
    """Return equal pages of a corpus, of five sites."""
    return [
        replace(PAGE, corpus=corpus, id=f"{corpus} {number}", site=f"site{number % 5}.example", is_partial=is_partial)
        for number in range(count)
    ]


class TestConventionName:
    @pytest.mark.parametrize(
        ("corpus", "name"),
        [
            ("cleaneval-final", "cleaneval"),
            ("dragnet", "dragnet"),
            ("wcxb_test", "wcxb"),
            ("final-draft", "final-draft"),
        ],
    )
    def test_parts_share_a_convention(self, corpus: str, name: str) -> None:
        assert convention_name(corpus) == name


class TestConventions:
    @pytest.mark.parametrize(
        ("table", "expected"),
        [
            (pages(MIN_PAGES, "news"), "news"),
            (pages(MIN_PAGES - 1, "news"), ""),
            ([*pages(MIN_PAGES // 2, "news-train"), *pages(MIN_PAGES // 2, "news-dev")], "news"),
            ([*pages(MIN_PAGES // 2, "news")] * 2, ""),
            (pages(MIN_PAGES, "news", is_partial=True), ""),
        ],
        ids=["enough pages", "few pages", "parts", "two readings of each page", "partial gold"],
    )
    def test_pages_of_a_corpus(self, table: list[PageRows], expected: str) -> None:
        assert conventions([*table, *pages(MIN_PAGES, "blogs")]) == [expected] * len(table) + ["blogs"] * MIN_PAGES


class TestSeenColumns:
    KNOWN = ("blogs", "news")

    def test_a_share_of_the_pages_is_seen_with_its_convention(self) -> None:
        predicted = np.tile(np.float32([0.3, 0.7]), (800, 1))
        columns = seen_columns(["news"] * 400 + ["blogs"] * 400, self.KNOWN, predicted)
        for part, own in ((columns[:400], [0, 1]), (columns[400:], [1, 0])):
            known = (part == own).all(axis=1)
            assert known.mean() == pytest.approx(KNOWN_SHARE, abs=0.06)
            np.testing.assert_array_equal(part[~known], predicted[:400][~known])
        assert columns.dtype == np.float32

    def test_draw_is_reproducible_and_leaves_predictions_and_pages_without_a_convention_alone(self) -> None:
        predicted = np.full((400, 2), 0.5, dtype=np.float32)
        once, again = (seen_columns(["news"] * 400, self.KNOWN, predicted) for _ in range(2))
        np.testing.assert_array_equal(once, again)
        assert (predicted == 0.5).all()
        np.testing.assert_array_equal(seen_columns([""] * 400, self.KNOWN, predicted), predicted)


class TestConventionFits:
    PAGES = (*pages(20, "news-train"), *pages(20, "blogs"), *pages(5, "letters"))

    @pytest.fixture(autouse=True)
    def quick(self, monkeypatch: pytest.MonkeyPatch) -> None:
        small = {"min_data_in_leaf": 2, "num_threads": 1, "feature_fraction": 1.0}
        monkeypatch.setitem(FITS, "conventions", FITS["conventions"] | small)
        monkeypatch.setattr(module, "MIN_PAGES", 20)

    def matrix(self, table: TrainingTable) -> np.ndarray:
        """Return a matrix: 1 for pages of blogs, 0 for others in the first column; NaN in the last."""
        is_blog = np.array([page.corpus == "blogs" for page in table.pages])[table.row_page]
        x = np.zeros((len(table.row_page), COLUMNS), dtype=np.float32)
        x[:, 0], x[:, -1] = is_blog, np.nan
        return x

    def test_names_and_other_folds_with_one_convention(self) -> None:
        """Predict nothing for a fold if all pages of the other convention are in it."""
        table = TrainingTable(self.PAGES, np.array([0, 1] * 10 + [2] * 20 + [0] * 5))
        fits = ConventionFits(table, self.matrix(table))
        assert fits.names == ["news"] * 20 + ["blogs"] * 20 + [""] * 5
        assert fits.known == ("blogs", "news")
        is_known = ~np.isnan(fits.predicted).any(axis=1)
        assert is_known.tolist() == [True] * 20 + [False] * 20 + [True] * 5
        assert fits.without().predictor is not None
