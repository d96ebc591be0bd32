from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import snapshot
from helpers.trials import trial

from vclean.classify import methods
from vclean.classify.corpora.corpora import GoldPage
from vclean.compare import records
from vclean.features.blocks import extract_blocks

HTML = "<ul><li><a href=x>Home</a></ul><h1>Rain</h1><p>It rained all day in the valley, and nobody minded."
GOLD = "Rain\nIt rained all day in the valley, and nobody minded."
PAGE = GoldPage(corpus="news", id="a", url="http://a.example/", page_type="article", html=HTML.encode(), text=GOLD)


def noted(*calls):
    book = records.Notebook()
    for call in calls:
        book(*call)
    return book.trials


class TestNotebook:
    def test_labels_are_taken_down_beside_those_of_the_gold(self):
        blocks = extract_blocks(snapshot(HTML))
        outcome = trial("a", text=GOLD, gold=GOLD).outcome
        (found,) = noted((PAGE, blocks, methods.get("text")(blocks), outcome))
        assert found.said.tolist() == [2, 0, 1]
        assert found.gold.tolist() == [4, -1, -1]
        assert (found.url, found.language, found.words) == ("http://a.example/", "en", 11)
        assert found.outcome is outcome

    def test_a_page_that_failed_has_no_blocks(self):
        outcome = trial("a").outcome
        unread, failed = noted((PAGE, None, None, outcome), (PAGE, extract_blocks(snapshot(HTML)), None, outcome))
        assert len(unread.said) == len(unread.gold) == len(failed.said) == len(failed.gold) == 0
        assert unread.language == "en"

    def test_gold_is_aligned_once_for_all_methods(self, monkeypatch):
        calls = []
        align = records.gold.align
        monkeypatch.setattr(records.gold, "align", lambda *given: calls.append(given) or align(*given))
        blocks, outcome = extract_blocks(snapshot(HTML)), trial("a").outcome
        prediction = methods.get("text")(blocks)
        noted((PAGE, blocks, prediction, outcome), (PAGE, blocks, prediction, outcome))
        assert len(calls) == 1
        other = replace(PAGE, id="b")
        noted((PAGE, blocks, prediction, outcome), (other, blocks, prediction, outcome))
        assert len(calls) == 3


class TestLength:
    @pytest.mark.parametrize(
        ("words", "name"),
        [
            (0, "no words"),
            (1, "1 to 99"),
            (99, "1 to 99"),
            (100, "100 to 299"),
            (2999, "1,000 to 2,999"),
            (3000, records.LONGEST),
        ],
    )
    def test_by_the_words_of_the_gold(self, words, name):
        assert trial("a", words=words).length == name


class TestGroups:
    def test_the_commonest_first(self):
        found = [trial(name, page_type=kind) for name, kind in zip("abc", ("forum", "article", "article"), strict=True)]
        assert records.groups(found, "page type") == ["article", "forum"]

    def test_lengths_by_size(self):
        found = [trial("a", words=5000), trial("b", words=5000), trial("c", words=5)]
        assert records.groups(found, "length") == ["1 to 99", records.LONGEST]

    def test_what_is_not_known_is_a_group(self):
        assert records.groups([trial("a", language="")], "language") == ["unknown"]


class TestScored:
    def test_means_by_group_and_method(self):
        pages = [
            trial("a", text="word", page_type="article"),
            trial("b", text="", page_type="article"),
            trial("a", text="", page_type="article", method="two"),
        ]
        found = records.scored(pages, "page type")
        assert found["article", "one"].word_f1 == 0.5
        assert found["article", "one"].pages == 2
        assert found["article", "two"].word_f1 == 0


class TestConfusion:
    def test_blocks_are_counted_by_gold_and_label(self):
        table = records.confusion([trial("a", said="hpo", truth="hoo"), trial("b", said="pp", truth="p?")])
        expected = np.zeros((6, 5))
        expected[0, 0] = expected[1, 1] = expected[4, 4] = expected[4, 1] = expected[5, 1] = 1
        assert (table == expected).all()

    def test_failures_add_nothing(self):
        assert records.confusion([trial("a")]).sum() == 0


class TestInterval:
    def test_one_value_has_no_width(self):
        assert records.interval([0.5]) == (0.5, 0.5, 0.5)

    def test_normal_approximation(self):
        mean, low, high = records.interval([0.4, 0.6, 0.4, 0.6])
        assert mean == pytest.approx(0.5)
        assert (high - mean, mean - low) == (pytest.approx(1.96 * 0.1154701 / 2), pytest.approx(1.96 * 0.1154701 / 2))

    def test_it_stays_among_scores(self):
        assert records.interval([0.0, 1.0])[1:] == (0.0, 1.0)
