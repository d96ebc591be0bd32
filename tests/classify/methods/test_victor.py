from __future__ import annotations

import sys

import pytest
from helpers.methods import training_page
from helpers.pages import context_of

from vclean.classify.methods import victor
from vclean.classify.methods.base import unpack_arrays
from vclean.errors import ExtraMissingError
from vclean.labels import LABELS

STORY = "It rained all day in the valley, and nobody minded at all."
PAGE = f"<ul><li><a href=/>Home</a></li><li><a href=/n>News</a></li></ul><h1>Rain</h1><p>{STORY}</p><div>© 2026</div>"
GOLD = f"Rain\n{STORY}"


class TestColumns:
    def test_markup(self):
        values = victor.compute(
            context_of("<p>one<br><br>two <b>x</b></p><hr><h2><a href=/>three</a></h2><form>four</form>")
        )
        assert set(values) == set(victor.COLUMNS)
        assert values["container_p"].tolist() == [True, True, False, False]
        assert values["container_a"].tolist() == [False, False, True, False]
        assert values["container_class_header"].tolist() == [False, False, True, False]
        assert values["container_class_form"].tolist() == [False, False, False, True]
        assert values["split_br"].tolist() == [0, 2, 0, 0]
        assert values["split_hr"].tolist() == [0, 0, 1, 0]
        assert values["split_class_inline"][2] == 1  # the link; the bold word is inside the block before
        assert values["split_p"].tolist() == [1, 0, 0, 0]

    def test_characters_and_tokens(self):
        values = victor.compute(context_of("<p>Room 12, b4 – ok</p>"))
        first_block = {name: column[0] for name, column in values.items()}
        assert (first_block["char_alpha_abs"], first_block["char_num_abs"], first_block["char_punct_abs"]) == (7, 3, 2)
        assert first_block["char_white_abs"] == 4
        assert first_block["char_white_rel"] == pytest.approx(4 / 16)
        kinds = ("alpha", "num", "mix", "other")
        assert [first_block[f"token_{kind}_abs"] for kind in kinds] == [2, 1, 1, 1]
        assert [first_block[f"token_{kind}_rel"] for kind in kinds] == pytest.approx([0.4, 0.2, 0.2, 0.2])

    def test_sentences_and_patterns(self):
        values = victor.compute(
            context_of("<p>One. Two more.</p><p>at 12:30 on 1/2/2026</p><p>• item</p><p>- item</p>")
        )
        assert values["sentence_count"].tolist() == [2, 0, 0, 0]
        assert values["sentence_avg_length"][0] == 1.5
        assert values["sentence_begin"].tolist() == [True, False, False, False]
        assert values["sentence_end"].tolist() == [True, False, False, False]
        assert values["regexp_time"].tolist() == [0, 1, 0, 0]
        assert values["regexp_date"].tolist() == [0, 1, 0, 0]
        assert values["bullet"].tolist() == [0, 0, 2, 1]

    def test_duplicates_and_groups(self):
        values = victor.compute(
            context_of("<div>a b</div><div>a b<br><br>c d e</div><table><tr><td>x</table><p>a b</p>")
        )
        assert values["duplicate_count"].tolist() == [2, 2, 0, 0, 2]
        assert values["first_duplicate"].tolist() == [True, False, False, False, False]
        assert values["div_group_word_ratio"].tolist() == pytest.approx([0.2, 0.5, 0.5, 0, 0])
        assert values["td_group_word_ratio"].tolist() == pytest.approx([0, 0, 0, 0.1, 0])
        assert values["document_max_div_group"].tolist() == [0.5] * 5
        assert values["document_word_count"].tolist() == [10] * 5


class TestExample:
    def test_labels_from_the_markup_if_the_gold_has_none(self):
        example = victor.make_example(training_page(PAGE, GOLD))
        assert "".join(LABELS[code] for code in example[1]) == "oohpo"


class TestTrain:
    def test_missing_library(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "pycrfsuite", None)
        with pytest.raises(ExtraMissingError, match=r"needs python-crfsuite .*: pip install .*\[methods\]'"):
            victor.train([victor.make_example(training_page(PAGE, GOLD))])

    def test_learns_that_a_paragraph_follows_a_heading(self):
        pytest.importorskip("pycrfsuite")
        example = victor.make_example(training_page(PAGE, GOLD, f"<h>Rain\n<p>{STORY}"))
        pair = unpack_arrays(victor.train([example] * 10))["pair"]
        assert pair[LABELS.index("h"), LABELS.index("p")] > 0
