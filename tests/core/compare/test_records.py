from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.page_records import page_record
from helpers.pages import snapshot

from vclean.classify.corpora.gold import GoldPage
from vclean.compare import records
from vclean.compare.records import ComparedMethod
from vclean.errors import ModelError, UsageError
from vclean.features.blocks import extract_blocks

HTML = "<ul><li><a href=x>Home</a></ul><h1>Rain</h1><p>It rained all day in the valley, and nobody minded."
GOLD = "Rain\nIt rained all day in the valley, and nobody minded."
PAGE = GoldPage(corpus="news", id="a", url="http://a.example/", page_type="article", html=HTML.encode(), text=GOLD)


def collect(*calls):
    collector = records.RecordCollector()
    for call in calls:
        collector(*call)
    return collector.records


class TestRecordCollector:
    def test_failed_page_has_no_blocks(self):
        outcome = page_record("a").outcome
        unread, failed = collect((PAGE, None, None, outcome), (PAGE, extract_blocks(snapshot(HTML)), None, outcome))
        assert len(unread.predicted) == len(unread.gold) == len(failed.predicted) == len(failed.gold) == 0
        assert unread.language == "en"


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
    def test_depends_on_words_of_gold(self, words, name):
        assert page_record("a", words=words).length == name


class TestGroups:
    def test_lengths_by_size(self):
        result = [page_record("a", words=5000), page_record("b", words=5000), page_record("c", words=5)]
        assert records.groups(result, "length") == ["1 to 99", records.LONGEST]


class TestScored:
    def test_means_by_group_and_method(self):
        pages = [
            page_record("a", text="word", page_type="article"),
            page_record("b", text="", page_type="article"),
            page_record("a", text="", page_type="article", method="two"),
        ]
        result = records.total_scores(pages, "page type")
        assert result["article", "one"].word_f1 == 0.5
        assert result["article", "one"].pages == 2
        assert result["article", "two"].word_f1 == 0


class TestConfusion:
    def test_counts_blocks_by_gold_and_predicted_label(self):
        table = records.confusion(
            [page_record("a", predicted="hpo", truth="hoo"), page_record("b", predicted="pp", truth="p?")]
        )
        expected = np.zeros((6, 5))
        expected[0, 0] = expected[1, 1] = expected[4, 4] = expected[4, 1] = expected[5, 1] = 1
        assert (table == expected).all()


class TestInterval:
    def test_normal_approximation(self):
        mean, low, high = records.confidence_interval([0.4, 0.6, 0.4, 0.6])
        assert mean == pytest.approx(0.5)
        assert (high - mean, mean - low) == (pytest.approx(1.96 * 0.1154701 / 2), pytest.approx(1.96 * 0.1154701 / 2))

    def test_is_clipped_to_bounds(self):
        assert records.confidence_interval([0.0, 1.0])[1:] == (0.0, 1.0)


class TestOf:
    @pytest.mark.parametrize(
        ("name", "method", "model"),
        [
            ("vclean", "vclean", None),
            ("bte", "bte", None),
            ("no-such-method", "no-such-method", None),
            ("my.vclean", "vclean", "my.vclean"),
            ("models/mine", "vclean", "models/mine"),
            ("template=rules.txt", "template", "rules.txt"),
            ("a=b.vclean", "vclean", "a=b.vclean"),
        ],
    )
    def test_names_and_files(self, name, method, model):
        assert ComparedMethod.of(name) == ComparedMethod(name, method, model and Path(model))


class TestLoad:
    def test_rejects_unknown_method(self):
        with pytest.raises(UsageError, match="no method 'no-such-method'"):
            ComparedMethod.of("no-such-method").load()

    def test_rejects_missing_model(self):
        with pytest.raises(ModelError):
            ComparedMethod.of("gone.vclean").load()
