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
    conventions,
)

PAGE = rows(0)
COLUMNS = 3


def pages(count: int, corpus: str, *, is_partial: bool = False) -> list[PageRows]:
    """Return equal pages of a corpus, of five sites."""
    return [
        replace(PAGE, corpus=corpus, id=f"{corpus} {number}", site=f"site{number % 5}.example", is_partial=is_partial)
        for number in range(count)
    ]


class TestConventions:
    @pytest.mark.parametrize(
        ("table", "expected"),
        [
            (pages(MIN_PAGES, "news"), "news"),
            (pages(MIN_PAGES - 1, "news"), ""),
            ([*pages(MIN_PAGES // 2, "news-train"), *pages(MIN_PAGES // 2, "news-dev")], "news"),
            ([*pages(MIN_PAGES // 2, "a-test"), *pages(MIN_PAGES // 2, "a_final")], "a"),
            (pages(MIN_PAGES, "final-draft"), "final-draft"),
            ([*pages(MIN_PAGES // 2, "news")] * 2, ""),
            (pages(MIN_PAGES, "news", is_partial=True), ""),
        ],
        ids=[
            "enough pages",
            "few pages",
            "parts",
            "more parts",
            "no part",
            "two readings of each page",
            "partial gold",
        ],
    )
    def test_pages_of_a_corpus(self, table: list[PageRows], expected: str) -> None:
        assert conventions([*table, *pages(MIN_PAGES, "blogs")]) == [expected] * len(table) + ["blogs"] * MIN_PAGES


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

    def test_a_share_of_the_pages_is_seen_with_its_convention(self) -> None:
        table = TrainingTable([*pages(200, "news"), *pages(200, "blogs"), *pages(9, "letters")], np.arange(409) % 4)
        fits, again = (ConventionFits(table, self.matrix(table)) for _ in range(2))
        np.testing.assert_array_equal(fits.seen, again.seen)
        assert fits.seen.dtype == np.float32
        for part, own in ((slice(0, 200), [0, 1]), (slice(200, 400), [1, 0])):
            known = (fits.seen[part] == own).all(axis=1)
            assert known.mean() == pytest.approx(KNOWN_SHARE, abs=0.08)
            np.testing.assert_array_equal(fits.seen[part][~known], fits.predicted[part][~known])
        np.testing.assert_array_equal(fits.seen[400:], fits.predicted[400:])
