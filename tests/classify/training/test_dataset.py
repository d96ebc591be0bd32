from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot
from helpers.synthetic import SITES, gold_page, rows

from vclean.classify.content import stacking
from vclean.classify.corpora.gold import GoldPage
from vclean.classify.training import dataset
from vclean.classify.training.dataset import ALL, WEIGHT_CAP, TrainingTable, design_matrix, page_rows
from vclean.features import matrix
from vclean.features.blocks import extract_blocks
from vclean.labels import LABELS, UNKNOWN, Label


@pytest.fixture(scope="module")
def pages():
    return [rows(number) for number in range(SITES)] + [rows(number, rendered=True) for number in range(SITES)]


@pytest.fixture(scope="module")
def whole(pages) -> TrainingTable:
    return TrainingTable.from_pages(pages)


def scores_by(table: TrainingTable, *held_out: int) -> np.ndarray:
    """Return the scores of path and word models fitted without some folds, (2, R)."""
    model, (path, word) = table.linear(*held_out), table.designs
    return np.stack([path.scores(model.path, model.path_bias), word.scores(model.word, model.word_bias)])


class TestTable:
    def test_each_site_is_in_one_fold(self, whole: TrainingTable) -> None:
        """Check also that both readings of a page are in one fold."""
        fold_of: dict[str, set[int]] = {}
        for page, fold in zip(whole.pages, whole.fold.tolist(), strict=True):
            fold_of.setdefault(page.site, set()).add(fold)
        assert all(len(folds) == 1 for folds in fold_of.values())
        assert sorted(np.bincount(whole.fold)) == [4, 4, 4, 4, 4]

    def test_all_rows_of_short_pages_are_sampled(self, whole: TrainingTable) -> None:
        assert whole.sampled.all()
        np.testing.assert_array_equal(whole.sampled_weight, whole.weight)

    def test_sampling_keeps_the_weight_of_a_page(self, pages, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(dataset, "ROWS_PER_PAGE", 4)
        some = TrainingTable.from_pages(pages)
        assert [int(part.sum()) for part in some.split(some.sampled)] == [4] * len(pages)
        factor = len(pages[0]) / 4
        np.testing.assert_allclose(some.split(some.sampled_weight)[0], pages[0].weight * factor)
        assert some.sampled.tolist() == TrainingTable.from_pages(pages).sampled.tolist()


class TestLinear:
    def test_each_model_is_fitted_once_and_folds_differ(self, whole: TrainingTable) -> None:
        assert whole.linear(1, 2) is whole.linear(2, 1)
        assert whole.linear(1, 1) is whole.linear(1)
        assert whole.linear() is not whole.linear(1)
        assert not np.array_equal(whole.linear(0).word, whole.linear(1).word)

    def test_scores_separate_content_on_unseen_sites(self, whole: TrainingTable) -> None:
        """Compare the scores of content and boilerplate on each page."""
        path, word = whole.linear_scores()
        for scores in (path, word):
            assert scores[whole.content].mean() > scores[~whole.content].mean() + 1

    @pytest.mark.parametrize("held_out", [ALL, 1])
    def test_scores_come_from_models_without_the_row(self, whole: TrainingTable, held_out) -> None:
        path, word = whole.linear_scores(held_out)
        assert path.dtype == word.dtype == np.float32
        for fold in range(5):
            rows, expected = whole.row_fold == fold, scores_by(whole, *({fold, held_out} - {ALL}))
            np.testing.assert_array_equal([path[rows], word[rows]], expected[:, rows])


class TestDesignMatrix:
    def test_rows_equal_those_of_the_model(self, whole: TrainingTable) -> None:
        """Compare the matrices of training and prediction, by linear models that did not see the page."""
        model = whole.linear(whole.fold[0])
        features = matrix.extract(extract_blocks(snapshot(gold_page(0).html.decode())))
        used = stacking.stack_columns(features, *model.scores(features))
        trained = whole.split(design_matrix(whole))[0]
        np.testing.assert_allclose(used, trained, rtol=1e-4, atol=1e-4)


CONTINUATION = LABELS.index(Label.CONTINUATION)


def rows_of(html: str, gold: GoldPage = GoldPage()):  # noqa: B008 - it is frozen
    return page_rows(gold, "example.org", extract_blocks(snapshot(html)))


class TestPageRows:
    TEXT = "The cat\nIt sat on the mat.\nIt slept all day.\nThen it ate."

    @pytest.mark.parametrize(
        ("gold", "labels"),
        [
            ({"markdown": "# " + TEXT}, [0, UNKNOWN, UNKNOWN, 1]),
            ({"markdown": "# " + TEXT.replace("It ", "- It ", 1)}, [0, 2, UNKNOWN, 1]),
            ({"markdown": TEXT}, [UNKNOWN, UNKNOWN, UNKNOWN, 1]),
            ({"markup": "<p>" + TEXT.replace("\n", "\n<p>")}, [1, 1, 1, 1]),
        ],
    )
    def test_unmarked_headings_and_items_in_markdown_have_no_label(self, gold: dict[str, str], labels) -> None:
        html = "<h1>The cat</h1><ul><li>It sat on the mat.<li>It slept all day.</ul><p>Then it ate."
        assert rows_of(html, GoldPage(text=self.TEXT, **gold)).label.tolist() == labels

    @pytest.mark.parametrize(
        ("html", "code"),
        [
            ("<p>It sat.<p>Then it ate.", UNKNOWN),
            ("<div>It sat.<p>An advertisement.</p>Then it ate.</div>", CONTINUATION),
            ("<div>It sat.<br><br>Then it ate.</div>", CONTINUATION),
            ("<ul><li><p>It sat.<p>Then it ate.</ul>", CONTINUATION),
            ("<ul><li>It sat.<li>Then it ate.</ul>", UNKNOWN),
            ("<table><tr><td>It sat.<td>Then it ate.</table>", CONTINUATION),
        ],
    )
    def test_two_blocks_on_a_line_of_markdown(self, html: str, code: int) -> None:
        """Check that only the second block in a container is a continuation."""
        line = "It sat. Then it ate."
        assert rows_of(html, GoldPage(text=line, markdown=line)).label[-1] == code

    def test_weights_are_roots_of_words_up_to_a_limit(self) -> None:
        rows = rows_of("<p>one<p>one two three four<p>" + "word " * 1000)
        assert rows.weight.tolist() == [1, 2, np.float32(WEIGHT_CAP**0.5)]
        assert rows.weight.dtype == np.float32

    def test_page_without_blocks(self) -> None:
        rows = rows_of("<p>")
        assert len(rows) == len(rows.weight) == 0
        assert rows.base.shape == (0, len(matrix.COLUMNS))
        assert rows.path.start.tolist() == rows.word.start.tolist() == [0]
