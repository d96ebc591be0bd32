from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot
from helpers.synthetic import SITES, gold_page, region_forest, rows, train_quickly

from vclean.classify.content import stacking
from vclean.classify.training import train as training
from vclean.classify.training.dataset import LinearFits, TrainingTable, design_matrix
from vclean.classify.training.train import CrossValidation, fit_content, fit_types, train
from vclean.errors import InputError
from vclean.features.blocks import extract_blocks
from vclean.labels import LABELS, UNKNOWN, Label

PAGES = 2 * SITES


@pytest.fixture(scope="module")
def pages():
    return [rows(number, rendered=number % 2 == 0) for number in range(PAGES)]


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        train_quickly(patch)
        yield


@pytest.fixture(scope="module")
def validation(pages) -> CrossValidation:
    """What several tests begin with, and none changes."""
    return CrossValidation.of(TrainingTable.of(pages))


class TestTrees:
    X = np.repeat(np.eye(4, dtype=np.float32), 20, axis=0)
    """Four kinds of rows, each told by a column of its own."""

    def test_content(self) -> None:
        y = self.X[:, 1] > 0
        trees = fit_content(self.X, y, np.ones(len(y), dtype=np.float32))
        assert ((trees.predict(self.X) > 0.5) == y).all()
        assert trees.booster.num_trees() == training.CONTENT_ROUNDS

    def test_weights_count(self) -> None:
        """Of contradicting rows the heavier class wins."""
        x, y = np.zeros((40, 1), dtype=np.float32), np.arange(40) < 20
        heavy = fit_content(x, y, np.where(y, 9, 1).astype(np.float32))
        assert heavy.predict(x[:1])[0] == pytest.approx(0.9, abs=0.01)

    def test_types(self) -> None:
        """The code of the label is the number of the class; what is no content or of unknown type does not count."""
        label = np.repeat(np.arange(4), 20).astype(np.int8)
        noise = np.array([UNKNOWN, LABELS.index(Label.OTHER)] * 20, dtype=np.int8)
        x = np.vstack([self.X, np.tile(self.X[:1], (40, 1))])
        booster = fit_types(x, np.concatenate([label, noise]), np.zeros(len(x), dtype=np.int64))
        assert booster.predict(self.X).argmax(axis=1).tolist() == label.tolist()

    def test_a_long_page_does_not_outvote_short_ones(self) -> None:
        """Of equal rows, ninety on one page say paragraph, and twenty on as many pages say list item."""
        x, label = np.zeros((110, 1), dtype=np.float32), np.repeat([1, 2], [90, 20]).astype(np.int8)
        alone = fit_types(x, label, np.repeat(np.arange(21), [90] + [1] * 20))
        assert alone.predict(x[:1])[0].argmax() == 2
        assert fit_types(x, label, np.arange(110)).predict(x[:1])[0].argmax() == 1

    def test_the_same_twice(self) -> None:
        y, weight = self.X[:, 1] > 0, np.ones(80, dtype=np.float32)
        assert fit_content(self.X, y, weight).text == fit_content(self.X, y, weight).text


@pytest.mark.slow
class TestTrain:
    def test_the_same_pages_give_the_same_file(self, pages, validation) -> None:
        assert train(validation).to_bytes() == train(CrossValidation.of(TrainingTable.of(pages))).to_bytes()

    def test_what_was_learned_holds_on_other_pages(self, validation) -> None:
        """A page of a site that no training page is from, rendered or not."""
        model = train(validation)
        html = gold_page(37).html.decode()
        for page in (snapshot(html), laid_out(html)):
            labels = "".join(model.label(extract_blocks(page)).labels)
            assert labels == "ooooh" + "pp" + "ll" + "o"

    def test_the_region_model_is_kept_and_told_in_the_card(self, validation) -> None:
        regions = region_forest()
        model = train(validation, regions=regions)
        assert model.regions is regions
        assert model.card["regions"]["roles"][:3] == ["title", "article", "content"]
        assert train(validation).card["regions"] == {}

    def test_the_card(self, pages, validation) -> None:
        card = train(validation, facts={"scores": {"word_f1": 0.5}}).card
        assert card["corpora"] == {"synthetic": {"rendered": SITES, "unrendered": SITES}}
        assert (card["pages"], card["rows"], card["folds"]) == (PAGES, sum(map(len, pages)), 5)
        assert card["columns"] == [column.name for column in stacking.COLUMNS]
        assert card["seed"] == training.SEED
        assert card["scores"] == {"word_f1": 0.5}
        assert set(card["versions"]) >= {"vclean", "lightgbm", "numpy", "lxml"}
        assert json.loads(json.dumps(card)) == card


@pytest.mark.slow
class TestCrossValidate:
    def test_a_prediction_for_every_page_in_order(self, pages, validation) -> None:
        predictions = validation.predictions()
        assert [len(prediction.labels) for prediction in predictions] == list(map(len, pages))
        truth = ["".join(LABELS[code] for code in page.label) for page in pages]
        assert ["".join(prediction.labels) for prediction in predictions] == truth

    def test_folds_are_told_as_they_are_done(self, pages) -> None:
        calls: list[int] = []
        CrossValidation.of(TrainingTable.of(pages, k=3), done=lambda: calls.append(1))
        assert len(calls) == 3

    def test_a_fold_s_gold_does_not_reach_its_predictions(self, pages) -> None:
        """Whatever is said of the held-out pages, what is predicted for them stays."""
        table = TrainingTable.of(pages)
        turned = [
            replace(page, content=~page.content, label=np.zeros_like(page.label)) if fold == 0 else page
            for page, fold in zip(pages, table.fold.tolist(), strict=True)
        ]
        before = training._read_fold(table, 0)
        poisoned = replace(table, pages=turned)
        after = training._read_fold(poisoned, 0)
        for (page, one), (other_page, other) in zip(before, after, strict=True):
            assert page == other_page
            np.testing.assert_array_equal(one.probability, other.probability)
            np.testing.assert_array_equal(one.types, other.types)

    def test_the_matrix_holds_what_the_fold_s_models_say(self, pages) -> None:
        """A held-out row's verdicts are from models that saw all other folds."""
        table = TrainingTable.of(pages)
        fits = LinearFits(table)
        x = design_matrix(table, *fits.scores(0))
        model, held = fits.without(0), table.row_fold == 0
        path = fits._path.scores(model.path, model.path_bias)
        column = [column.name for column in stacking.COLUMNS].index("path_score")
        np.testing.assert_array_equal(x[held, column], path[held])


class TestTooLittle:
    def refused(self, pages) -> None:
        with pytest.raises(InputError, match="too few pages to learn from: give corpora of several sites"):
            CrossValidation.of(TrainingTable.of(pages))

    def test_nothing(self) -> None:
        self.refused([])

    def test_two_sites(self, pages) -> None:
        self.refused([page for page in pages if page.site in ("site1.example", "site2.example")])

    def test_no_types(self, pages) -> None:
        """As with gold that is text alone."""
        unknown = [replace(page, label=np.where(page.content, UNKNOWN, 4).astype(np.int8)) for page in pages]
        self.refused(unknown)

    def test_no_content(self, pages) -> None:
        self.refused([replace(page, content=page.content & False, label=page.label * 0 + 4) for page in pages])

    def test_nothing_but_content(self, pages) -> None:
        self.refused([replace(page, content=page.content | True, label=page.label * 0) for page in pages])

    def test_three_sites_are_enough(self, pages) -> None:
        few = [page for page in pages if page.site in ("site1.example", "site2.example", "site3.example")]
        assert len(CrossValidation.of(TrainingTable.of(few)).predictions()) == len(few)
