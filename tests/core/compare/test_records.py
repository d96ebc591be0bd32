from __future__ import annotations

from pathlib import Path

import pytest
from helpers.page_records import page_record
from helpers.pages import snapshot

from vclean.classify.corpora.gold import GoldPage
from vclean.compare import records
from vclean.compare.records import ComparedMethod
from vclean.errors import ModelError, UsageError
from vclean.features.blocks import extract_blocks


def test_failed_page_has_no_blocks():
    page = GoldPage(corpus="news", id="a", html=b"", text="It rained all day in the valley, and nobody minded.")
    outcome, collector = page_record("a").outcome, records.RecordCollector()
    for blocks in (None, extract_blocks(snapshot("<p>It rained."))):
        collector(page, blocks, None, outcome)
        assert len(collector.records[-1].predicted) == len(collector.records[-1].gold) == 0
    assert collector.records[0].language == "en"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (0, "no words"), (1, "1 to 99"), (99, "1 to 99"), (100, "100 to 299"), (2999, "1,000 to 2,999"),
        (3000, "3,000 and more"),
    ],
)  # fmt: skip
def test_length_depends_on_words_of_gold(words, name):
    assert page_record("a", words=words).length == name


def test_interval_is_the_normal_approximation_in_0_to_1():
    margin = pytest.approx(1.96 * 0.1154701 / 2)
    mean, low, high = records.confidence_interval([0.4, 0.6, 0.4, 0.6])
    assert (mean, high - mean, mean - low) == (pytest.approx(0.5), margin, margin)
    assert records.confidence_interval([0.0, 1.0])[1:] == (0.0, 1.0)


@pytest.mark.parametrize(
    ("name", "method", "model"),
    [
        ("vclean", "vclean", None), ("no-such-method", "no-such-method", None),
        ("my.vclean", "vclean", "my.vclean"), ("models/mine", "vclean", "models/mine"),
        ("template=rules.txt", "template", "rules.txt"), ("a=b.vclean", "vclean", "a=b.vclean"),
    ],
)  # fmt: skip
def test_names_of_methods_and_files(name, method, model):
    assert ComparedMethod.of(name) == ComparedMethod(name, method, model and Path(model))


def test_rejects_unknown_method_and_missing_model():
    with pytest.raises(UsageError, match="no method 'no-such-method'"):
        ComparedMethod.of("no-such-method").load()
    with pytest.raises(ModelError):
        ComparedMethod.of("gone.vclean").load()
