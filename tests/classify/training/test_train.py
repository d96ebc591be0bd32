from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot
from helpers.synthetic import SITES, gold_page, quick_validation, region_forest, rows, train_quickly

from vclean.classify.content import stacking
from vclean.classify.content.model import from_bytes
from vclean.classify.prediction import Prediction
from vclean.classify.training import train as training
from vclean.classify.training.dataset import PageRows, TrainingTable, design_matrix
from vclean.classify.training.fits import FITS
from vclean.classify.training.train import ConventionFits, CrossValidation, HeldOut, fit_calibration, train
from vclean.errors import InputError
from vclean.features.blocks import extract_blocks
from vclean.labels import LABELS, Label
from vclean.settings import Policy

PAGES = 2 * SITES


@pytest.fixture(scope="module")
def pages():
    return quick_validation().table.pages


@pytest.fixture(autouse=True, scope="module")
def quick() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        train_quickly(patch)
        yield


@pytest.fixture(scope="module")
def validation() -> CrossValidation:
    return quick_validation()


def without_lists(page: PageRows) -> PageRows:
    """Return a page of the corpus `none`, where lists are not content."""
    is_list = page.label == LABELS.index(Label.LIST_ITEM)
    content, share = page.content & ~is_list, np.where(is_list, 0, page.share).astype(np.float32)
    words = int(page.layout.tokens[content].sum())
    label = np.where(is_list, LABELS.index(Label.OTHER), page.label).astype(np.int8)
    return replace(page, corpus="none", content=content, share=share, label=label, gold_words=words)


@pytest.fixture(scope="class")
def two_corpora(pages) -> Iterator[CrossValidation]:
    """Return a cross-validation on two corpora of the same pages: lists are content in the first only."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(training, "MIN_PAGES", PAGES)
        patch.setattr(training, "KNOWN_SHARE", 1.0)
        patch.setitem(FITS, "conventions", FITS["conventions"] | {"num_threads": 1})
        lists = [replace(page, corpus="lists-train") for page in pages]
        yield CrossValidation(TrainingTable.from_pages([*lists, *map(without_lists, pages)]))


class TestHeldOut:
    @pytest.mark.parametrize(
        ("selection", "gold_words", "expected"),
        [("110", 120, 180 / 270), ("100", 120, 180 / 220), ("100", 2, 1)],
        ids=["two blocks", "one block", "more words than in the gold"],
    )
    def test_word_f1_of_the_selection(self, selection: str, gold_words: int, expected: float) -> None:
        """Check selections of 100 and 50 words with 90 and 0 gold words, of 120 gold words: 180 / 270."""
        layout = SimpleNamespace(tokens=np.float32([100, 50, 30]))
        page = SimpleNamespace(layout=layout, share=np.float32([0.9, 0, 1]), gold_words=gold_words)
        prediction = Prediction([], np.array(list(map(int, selection)), dtype=np.float32))
        assert HeldOut.from_prediction(page, prediction).f1 == pytest.approx(expected)


def held_out(page, certainty: float) -> HeldOut:
    """Return predictions that are right with the probability `certainty`."""
    probability = np.where(page.content, certainty, 1 - certainty).astype(np.float32)
    return HeldOut.from_prediction(page, Prediction([], probability))


class TestCalibration:
    PAGES = tuple(rows(number) for number in range(SITES))

    def test_calibrates_underconfident_predictions(self) -> None:
        examples = [(page, held_out(page, certainty)) for page in self.PAGES for certainty in (0.7, 0.75)]
        calibration = fit_calibration(examples)
        low, high = calibration.blocks(np.array([0.3, 0.7], dtype=np.float32))
        assert low < 0.01
        assert high > 0.99
        expected = held_out(self.PAGES[0], 0.7).expected
        assert expected < 0.9
        assert calibration.pages(np.array([expected])) == pytest.approx([1], abs=0.05)

    def test_ignores_pages_without_blocks_and_with_partial_gold(self) -> None:
        examples = [(page, held_out(page, 0.9)) for page in self.PAGES[1:]]
        nothing = np.zeros(0, dtype=np.float32)
        empty = SimpleNamespace(is_partial=False, content=nothing.astype(bool), weight=nothing)
        prediction = HeldOut(Prediction([], nothing), 0.0, 0.0)
        partial = replace(self.PAGES[0], is_partial=True)
        more = [(partial, held_out(partial, 0.6)), *examples, (empty, prediction)]
        assert fit_calibration(more) == fit_calibration(examples)


@pytest.mark.slow
class TestTrain:
    def test_training_is_reproducible(self, pages, validation) -> None:
        assert train(validation).to_bytes() == train(CrossValidation(TrainingTable.from_pages(pages))).to_bytes()

    def test_generalizes_to_other_sites(self, validation) -> None:
        """Label a page of an unseen site, rendered and unrendered."""
        model = train(validation)
        html = gold_page(37).html.decode()
        for page in (snapshot(html), laid_out(html)):
            labels = "".join(model.label(extract_blocks(page)).labels)
            assert labels == "ooooh" + "pp" + "ll" + "o"

    def test_model_and_card_include_the_region_model(self, validation) -> None:
        model = train(validation, regions=region_forest())
        assert model.regions is region_forest()
        assert model.card["regions"]["roles"][:3] == ["title", "article", "content"]
        assert train(validation).card["regions"] == {}

    def test_card_describes_the_training(self, pages, validation) -> None:
        card = train(validation, card_fields={"scores": {"word_f1": 0.5}}).card
        assert card["corpora"] == {"synthetic": {"rendered": SITES, "unrendered": SITES}}
        assert (card["pages"], card["rows"], card["folds"]) == (PAGES, sum(map(len, pages)), 5)
        assert card["columns"] == [column.name for column in stacking.COLUMNS]
        assert card["seed"] == training.SEED
        assert card["scores"] == {"word_f1": 0.5}
        assert set(card["versions"]) >= {"vclean", "lightgbm", "numpy", "lxml"}
        assert json.loads(json.dumps(card)) == card


@pytest.mark.slow
class TestConventions:
    def test_model_follows_the_convention(self, two_corpora) -> None:
        trained = train(two_corpora)
        model = from_bytes(trained.to_bytes(), "the file")
        assert model.conventions.names == trained.conventions.names == ("lists", "none")
        assert model.card["conventions"] == ["lists", "none"]
        blocks = extract_blocks(snapshot(gold_page(37).html.decode()))
        labels = {
            name: "".join(model.label(blocks, policy=Policy(convention=name)).labels) for name in ("lists", "none")
        }
        assert labels == {"lists": "ooooh" + "pp" + "ll" + "o", "none": "ooooh" + "pp" + "oo" + "o"}

    def test_held_out_predictions_follow_the_convention(self, two_corpora) -> None:
        assert two_corpora.has_conventions
        predictions = two_corpora.predictions(by_convention=True)
        truth = ["".join(LABELS[code] for code in page.label) for page in two_corpora.table.pages]
        assert ["".join(prediction.labels) for prediction in predictions] == truth

    def test_predictions_without_a_convention(self, two_corpora) -> None:
        """Compare the predictions for the same page of both corpora: only those under its convention differ."""
        np.testing.assert_allclose(two_corpora.conventions.predicted.sum(axis=1), np.ones(2 * PAGES), rtol=1e-5)
        for kind, is_equal in (("held_out", True), ("by_convention", False)):
            probabilities = [getattr(two_corpora, kind)[page].prediction.probability for page in range(2 * PAGES)]
            for one, other in zip(probabilities[:PAGES], probabilities[PAGES:], strict=True):
                assert np.array_equal(one, other) == is_equal


@pytest.mark.slow
class TestCrossValidate:
    def test_returns_one_prediction_per_page_in_order(self, pages, validation) -> None:
        truth = ["".join(LABELS[code] for code in page.label) for page in pages]
        assert ["".join(prediction.labels) for prediction in validation.predictions()] == truth

    def test_calls_back_after_each_fold(self, pages) -> None:
        calls: list[int] = []
        CrossValidation(TrainingTable.from_pages(pages, k=3), done=lambda: calls.append(1))
        assert len(calls) == 3

    def test_gold_of_a_fold_does_not_influence_its_predictions(self, pages) -> None:
        """Change the gold of the held-out pages: their predictions stay the same."""
        table = TrainingTable.from_pages(pages)
        turned = [
            replace(page, content=~page.content, label=np.zeros_like(page.label)) if fold == 0 else page
            for page, fold in zip(pages, table.fold.tolist(), strict=True)
        ]
        before, after = (
            training._predict_fold(each, ConventionFits(each, design_matrix(each)), 0)
            for each in (table, TrainingTable(turned, table.fold))
        )
        for (page, one, _), (other_page, other, _) in zip(before, after, strict=True):
            assert page == other_page
            np.testing.assert_array_equal(one.prediction.probability, other.prediction.probability)
            assert one.prediction.labels == other.prediction.labels


class TestTooFewPages:
    @pytest.mark.parametrize("missing", ["site", "boilerplate"])
    def test_two_sites_or_only_content(self, pages, missing: str) -> None:
        few = [page for page in pages if page.site in ("site1.example", "site2.example")]
        content = [replace(page, content=page.content | True, label=page.label * 0) for page in pages]
        with pytest.raises(InputError, match="too few pages to learn from: give corpora of several sites"):
            CrossValidation(TrainingTable.from_pages(few if missing == "site" else content))

    def test_three_sites_are_enough(self, pages) -> None:
        few = [page for page in pages if page.site in ("site1.example", "site2.example", "site3.example")]
        assert len(CrossValidation(TrainingTable.from_pages(few)).predictions()) == len(few)
