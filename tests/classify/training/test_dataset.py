from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import snapshot
from helpers.synthetic import SITES, gold_page, rows

from vclean.classify.content import stacking
from vclean.classify.content.linear import LinearModel
from vclean.classify.training import dataset
from vclean.classify.training.dataset import LinearFits, TrainingTable, design_matrix
from vclean.features import matrix
from vclean.features.blocks import extract_blocks


@pytest.fixture(scope="module")
def pages():
    return [rows(number) for number in range(SITES)] + [rows(number, rendered=True) for number in range(SITES)]


@pytest.fixture(scope="module")
def whole(pages) -> TrainingTable:
    return TrainingTable.of(pages)


@pytest.fixture(scope="module")
def fits(whole: TrainingTable) -> LinearFits:
    return LinearFits(whole)


def same(one: LinearModel, other: LinearModel) -> bool:
    weights = np.array_equal(one.path, other.path) and np.array_equal(one.word, other.word)
    return weights and (one.path_bias, one.word_bias) == (other.path_bias, other.word_bias)


class TestTable:
    def test_a_site_is_in_one_fold(self, whole: TrainingTable) -> None:
        """So is a page that was read two ways."""
        fold_of: dict[str, set[int]] = {}
        for page, fold in zip(whole.pages, whole.fold.tolist(), strict=True):
            fold_of.setdefault(page.site, set()).add(fold)
        assert all(len(found) == 1 for found in fold_of.values())
        assert sorted(np.bincount(whole.fold)) == [4, 4, 4, 4, 4]

    def test_rows_are_those_of_the_pages(self, whole: TrainingTable) -> None:
        assert len(whole.row_fold) == len(whole.content) == len(whole.label) == len(whole.weight)
        begin = sum(map(len, whole.pages[:3]))
        page = whole.pages[3]
        here = slice(begin, begin + len(page))
        assert set(whole.row_fold[here]) == {whole.fold[3]}
        assert whole.content[here].tolist() == page.content.tolist()
        assert whole.label[here].tolist() == page.label.tolist()
        assert whole.weight[here].tolist() == page.weight.tolist()

    def test_sites_are_numbered(self, whole: TrainingTable) -> None:
        """Equal numbers for equal sites, whatever the reading."""
        by_page = [set(part.tolist()) for part in whole.split(whole.row_site)]
        assert by_page[:SITES] == by_page[SITES:]
        assert sorted(number for numbers in by_page[:SITES] for number in numbers) == list(range(SITES))

    def test_split_undoes_the_putting_together(self, whole: TrainingTable) -> None:
        parts = whole.split(whole.content)
        assert [part.tolist() for part in parts] == [page.content.tolist() for page in whole.pages]

    def test_a_page_without_blocks_has_a_part_without_rows(self, pages) -> None:
        empty = replace(
            pages[0],
            base=pages[0].base[:0],
            region=pages[0].region[:0],
            content=pages[0].content[:0],
            label=pages[0].label[:0],
        )
        some = TrainingTable.of([pages[0], empty, pages[1]])
        assert [len(part) for part in some.split(some.row_fold)] == [len(pages[0]), 0, len(pages[1])]

    def test_all_rows_of_short_pages_are_sampled(self, whole: TrainingTable) -> None:
        assert whole.sampled.all()
        np.testing.assert_array_equal(whole.sampled_weight, whole.weight)

    def test_a_sampled_page_keeps_its_weight(self, pages, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(dataset, "ROWS_PER_PAGE", 4)
        some = TrainingTable.of(pages)
        assert [int(part.sum()) for part in some.split(some.sampled)] == [4] * len(pages)
        factor = len(pages[0]) / 4
        np.testing.assert_allclose(some.split(some.sampled_weight)[0], pages[0].weight * factor)
        assert some.sampled.tolist() == TrainingTable.of(pages).sampled.tolist()


class TestLinearFits:
    def test_each_is_fitted_once(self, fits: LinearFits) -> None:
        assert fits.without(1, 2) is fits.without(2, 1)
        assert fits.without(1, 1) is fits.without(1)
        assert fits.without() is not fits.without(1)

    def test_folds_differ(self, fits: LinearFits) -> None:
        assert not same(fits.without(0), fits.without(1))

    def test_names_and_words_speak_for_content(self, fits: LinearFits, whole: TrainingTable) -> None:
        """On unseen sites too, a verdict is above that of the page's boilerplate where a block is content."""
        path, word = fits.scores(None)
        for scores in (path, word):
            assert scores[whole.content].mean() > scores[~whole.content].mean() + 1

    def test_unseen_folds_are_unseen(self, pages, whole: TrainingTable, fits: LinearFits) -> None:
        """With the gold of two folds turned round, the models without them are the same, the others are not."""
        turned = [
            replace(page, content=~page.content) if fold in (1, 2) else page
            for page, fold in zip(pages, whole.fold.tolist(), strict=True)
        ]
        poisoned = LinearFits(replace(whole, pages=turned))
        assert same(poisoned.without(1, 2), fits.without(1, 2))
        assert not same(poisoned.without(1), fits.without(1))
        assert not same(poisoned.without(), fits.without())

    @pytest.mark.parametrize("held_out", [None, 1])
    def test_verdicts_are_of_models_that_did_not_see_the_row(
        self, fits: LinearFits, whole: TrainingTable, held_out
    ) -> None:
        path, word = fits.scores(held_out)
        assert path.dtype == word.dtype == np.float32
        for fold in range(5):
            unseen = {fold} if held_out is None else {fold, held_out}
            model, rows = fits.without(*unseen), whole.row_fold == fold
            np.testing.assert_array_equal(path[rows], fits._path.scores(model.path, model.path_bias)[rows])
            np.testing.assert_array_equal(word[rows], fits._word.scores(model.word, model.word_bias)[rows])


class TestDesignMatrix:
    def test_fixed_columns_then_verdicts_page_by_page(self, whole: TrainingTable) -> None:
        count = len(whole.row_fold)
        path = np.linspace(-1, 1, count, dtype=np.float32)
        x = design_matrix(whole, path, -path)
        assert x.shape == (count, len(stacking.COLUMNS))
        assert x.dtype == np.float32
        width = len(matrix.COLUMNS)
        for page, part, verdicts in zip(whole.pages, whole.split(x), whole.split(path), strict=True):
            np.testing.assert_array_equal(part[:, :width], page.base)
            scores = stacking.score_columns(verdicts, -verdicts, page.layout)
            np.testing.assert_array_equal(part[:, width : width + scores.shape[1]], scores)
            np.testing.assert_array_equal(part[:, width + scores.shape[1] :], page.region)

    def test_a_page_s_rows_are_those_of_the_model(self, whole: TrainingTable, fits: LinearFits) -> None:
        """Training and use see the same matrix."""
        model = fits.without()
        features = matrix.extract(extract_blocks(snapshot(gold_page(0).html.decode())))
        used = stacking.stack_columns(features, *model.scores(features))
        path = fits._path.scores(model.path, model.path_bias)
        word = fits._word.scores(model.word, model.word_bias)
        trained = whole.split(design_matrix(whole, path, word))[0]
        np.testing.assert_allclose(used, trained, rtol=1e-4, atol=1e-4)
