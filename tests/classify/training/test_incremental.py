from __future__ import annotations

import json

import numpy as np
import pytest
from helpers.corrections import APPEAL, PLACES
from helpers.pages import snapshot

from vclean.classify import forest
from vclean.classify.content.model import CORRECTED, Model, from_bytes, load_default
from vclean.classify.content.stacking import add_columns
from vclean.classify.training.fits import CORRECTIONS
from vclean.errors import InputError
from vclean.features.blocks import BlockColumns, extract_blocks
from vclean.labelling.retraining import CorrectedPage, continue_training
from vclean.labels import LABELS, UNKNOWN, Label


def blocks(number: int) -> BlockColumns:
    """Return blocks of an article that ends in an appeal to readers, which the shipped model keeps."""
    what = PLACES[number]
    return extract_blocks(
        snapshot(
            f"<nav><a href=/>Home</a><a href=/news>News</a></nav><article><h1>The {what} stays closed</h1>"
            f"<p>The {what} has been closed since Monday, and the people who used it every day have had to find "
            "another way to work, to school and to the shops."
            f"<p>Nobody could say on Friday when the {what} would open again, although the engineers have looked at it "
            "twice and a third visit is planned for next week."
            f"<p class=appeal>{APPEAL}. If you know more about the {what}, or about anything else that goes on in the "
            "district, write to the news desk and we will look into it for you."
            f"<p>The council meets on Thursday, and the {what} is the first of the things that it will talk about."
            "</article><footer>Copyright 2026 The District Courier.</footer>",
            f"https://courier.example/{number}",
        )
    )


def corrected_page(base: Model, number: int, wrong: str = APPEAL, label: Label = Label.OTHER) -> CorrectedPage:
    """Return a page labelled by the model, except one block."""
    page = blocks(number)
    code = [LABELS.index(each) for each in base.label(page).labels]
    code[next(row for row, text in enumerate(page.text) if text.startswith(wrong))] = LABELS.index(label)
    return CorrectedPage.from_labels(base, page, np.array(code, dtype=np.int8))


def predicted_labels(model: Model, number: int) -> dict[str, str]:
    page = blocks(number)
    return dict(zip((text[: len(APPEAL)] for text in page.text), map(str, model.label(page).labels), strict=True))


@pytest.fixture(scope="module")
def base() -> Model:
    return load_default()


@pytest.fixture(scope="module")
def after(base: Model) -> Model:
    return continue_training(base, [corrected_page(base, number) for number in range(5)], card_fields={"pages": 5})


class TestContinueTraining:
    def test_corrections_generalize_to_unseen_pages(self, base: Model, after: Model) -> None:
        before, now = predicted_labels(base, 5), predicted_labels(after, 5)
        assert (before[APPEAL], now[APPEAL]) == ("p", "o")
        assert {text for text, label in before.items() if now[text] != label} == {APPEAL}

    def test_corrects_labels(self, base: Model) -> None:
        model = continue_training(
            base, [corrected_page(base, number, "The council meets", Label.LIST_ITEM) for number in range(5)]
        )
        last = next(text for text in predicted_labels(base, 5) if text.startswith("The council meets"))
        assert (predicted_labels(base, 5)[last], predicted_labels(model, 5)[last]) == ("p", "l")

    def test_early_stopping_does_not_skip_added_trees(self, base: Model, monkeypatch: pytest.MonkeyPatch) -> None:
        """Predict with a margin for early stopping that the trees of the base model reach soon."""
        footer = "Copyright 2026 The District Courier."
        corrected_pages = [corrected_page(base, number, footer, Label.PARAGRAPH) for number in range(5)]
        model = continue_training(base, corrected_pages)
        page = blocks(5)
        row = page.text.index(footer)
        before = base.label(page)
        assert before.decision is not None
        assert before.labels[row] is Label.OTHER
        monkeypatch.setattr(forest, "EARLY_STOP_MARGIN", 1.0)
        x = add_columns(before.decision.x, before.decision.convention)
        assert model.content.predict(x, early_stop=True)[row] < 0.5
        assert model.label(page).labels[row] is Label.PARAGRAPH

    def test_training_is_reproducible(self, base: Model, after: Model) -> None:
        again = continue_training(base, [corrected_page(base, number) for number in range(5)])
        assert again.content.text == after.content.text
        assert again.types.text == after.types.text

    def test_result_can_be_saved_and_loaded(self, base: Model, after: Model) -> None:
        read = from_bytes(after.to_bytes(), "the file")
        assert predicted_labels(read, 5) == predicted_labels(after, 5)
        assert read.version != base.version

    def test_card_describes_the_training(self, base: Model, after: Model) -> None:
        card = after.card[CORRECTED]
        assert (card["base"], card["rows"], card["pages"]) == (base.version, 5 * len(blocks(0)), 5)
        assert card["parameters"]["content"]["rounds"] == CORRECTIONS["rounds"]
        assert after.card["corpora"] == base.card["corpora"]
        assert CORRECTED not in base.card
        assert json.loads(json.dumps(after.card)) == after.card

    @pytest.mark.parametrize("label", [UNKNOWN, LABELS.index(Label.OTHER)])
    def test_pages_with_one_label(self, base: Model, label: int) -> None:
        """Train on content of unknown label only, and on no content."""
        page = blocks(0)
        only = CorrectedPage.from_labels(base, page, np.full(len(page), label, dtype=np.int8))
        assert continue_training(base, [only]).types is base.types

    def test_no_blocks(self, base: Model) -> None:
        empty = extract_blocks(snapshot("<img src=a.png>"))
        for corrected_pages in ([], [CorrectedPage.from_labels(base, empty, np.zeros(0, dtype=np.int8))]):
            with pytest.raises(InputError, match="no block to learn from"):
                continue_training(base, corrected_pages)
