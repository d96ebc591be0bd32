from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
import pytest
from helpers.corrections import APPEAL, COUNCIL, FOOTER, article
from helpers.labelled import labelled
from helpers.pages import snapshot

from vclean.classify import forest
from vclean.classify.content.model import CORRECTED, Model, from_bytes, load
from vclean.classify.content.stacking import add_columns
from vclean.classify.corpora.gold import GoldPage
from vclean.classify.training.fits import CORRECTIONS
from vclean.errors import InputError
from vclean.features.blocks import BlockColumns, extract_blocks
from vclean.labelling.retraining import Correction, continue_training
from vclean.labels import LABELS, UNKNOWN, Label


def blocks(number: int) -> BlockColumns:
    return extract_blocks(snapshot(article(number), f"https://courier.example/{number}"))


def correction(page: BlockColumns, codes: Sequence[int]) -> Correction:
    gold = GoldPage(corpus="", id="", url="", text="")
    return Correction(labelled("o"), gold, rendered=True, blocks=page, label=np.array(codes, dtype=np.int8), parts={})


def corrections(wrong: str = APPEAL, label: Label = Label.OTHER) -> list[Correction]:
    """Return five pages with the labels of the shipped model, except one block of each."""
    made = []
    for page in map(blocks, range(5)):
        codes = [LABELS.index(each) for each in load().label(page).labels]
        codes[next(row for row, text in enumerate(page.text) if text.startswith(wrong))] = LABELS.index(label)
        made.append(correction(page, codes))
    return made


def predicted_labels(model: Model, number: int) -> dict[str, str]:
    page = blocks(number)
    return dict(zip((text[: len(APPEAL)] for text in page.text), map(str, model.label(page).labels), strict=True))


@pytest.fixture(scope="module")
def base() -> Model:
    return load()


@pytest.fixture(scope="module")
def after() -> Model:
    return continue_training(corrections(), card_fields={"pages": 5})


class TestContinueTraining:
    def test_corrections_generalize_to_unseen_pages(self, base: Model, after: Model) -> None:
        before, now = predicted_labels(base, 5), predicted_labels(after, 5)
        assert {text: (label, now[text]) for text, label in before.items() if now[text] != label} == {
            APPEAL: ("p", "o")
        }

    def test_corrects_labels(self, base: Model) -> None:
        model = continue_training(corrections(COUNCIL, Label.LIST_ITEM))
        last = next(text for text in predicted_labels(base, 5) if text.startswith(COUNCIL))
        assert (predicted_labels(base, 5)[last], predicted_labels(model, 5)[last]) == ("p", "l")

    def test_early_stopping_does_not_skip_added_trees(self, base: Model, monkeypatch: pytest.MonkeyPatch) -> None:
        """Predict with a margin for early stopping that the trees of the base model reach soon."""
        model = continue_training(corrections(FOOTER, Label.PARAGRAPH))
        page = blocks(5)
        row = page.text.index(FOOTER)
        before = base.label(page)
        assert before.decision is not None
        assert before.labels[row] is Label.OTHER
        monkeypatch.setattr(forest, "EARLY_STOP_MARGIN", 1.0)
        x = add_columns(before.decision.x, before.decision.convention)
        assert model.content.predict(x, early_stop=True)[row] < 0.5
        assert model.label(page).labels[row] is Label.PARAGRAPH

    def test_training_is_reproducible(self, after: Model) -> None:
        again = continue_training(corrections())
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
        assert continue_training([correction(page, [label] * len(page))]).types is base.types

    def test_no_blocks(self) -> None:
        empty = extract_blocks(snapshot("<img src=a.png>"))
        for corrected_pages in ([], [correction(empty, [])]):
            with pytest.raises(InputError, match="no block to learn from"):
                continue_training(corrected_pages)
