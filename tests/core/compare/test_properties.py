"""Properties of every comparison and table."""

from __future__ import annotations

import json

import numpy as np
from helpers.page_records import page_record
from helpers.pages import result, snapshot
from hypothesis import given
from hypothesis import strategies as st

from vclean.compare import records
from vclean.compare.diff import FIRST_ONLY, OTHERWISE, SECOND_ONLY, Comparison
from vclean.compare.error_analysis import MISSED, RIGHT, WRONG, block_kinds

LABELS = st.text("hplco", min_size=6, max_size=6)
PAGE = snapshot("".join(f"<p>Block number {row}" for row in range(6)))
LETTERS = st.text("hplco?", min_size=1, max_size=30)


@given(LABELS, LABELS)
def test_comparison_counts_every_block_once(first, second):
    comparison = Comparison(("a", "b"), result(PAGE, first), result(PAGE, second))
    assert sum(map(comparison.count, (FIRST_ONLY, SECOND_ONLY, OTHERWISE))) == len(comparison.differing)
    assert comparison.agreement == 1 - len(comparison.differing) / 6
    assert comparison.differing == [row for row in range(6) if first[row] != second[row]]


@given(LABELS, LABELS)
def test_comparison_is_symmetric(first, second):
    one, other = result(PAGE, first), result(PAGE, second)
    there, back = Comparison(("a", "b"), one, other), Comparison(("b", "a"), other, one)
    assert there.agreement == back.agreement
    assert there.word_f1 == back.word_f1
    assert there.count(FIRST_ONLY) == back.count(SECOND_ONLY)


@given(LABELS, LABELS)
def test_all_formats_have_the_same_differences(first, second):
    comparison = Comparison(("a", "b"), result(PAGE, first), result(PAGE, second))
    blocks = [row["block"] for row in json.loads(comparison.to("json"))["differences"]]
    lines = comparison.to("text").splitlines()[2:-1]
    assert blocks == comparison.differing == [int(line.split()[1]) for line in lines]
    assert comparison.to("html").count("data-block=") == len(blocks)


@given(st.data())
def test_confusion_counts_every_block_once(draw):
    truth = draw.draw(LETTERS)
    predicted = draw.draw(st.text("hplco", min_size=len(truth), max_size=len(truth)))
    table = records.confusion([page_record("a", predicted=predicted, truth=truth)])
    assert table.sum() == len(truth)
    assert table.sum(axis=0).tolist() == [predicted.count(letter) for letter in "hplco"]
    assert table.sum(axis=1).tolist() == [truth.count(letter) for letter in "hplco?"]


@given(st.data())
def test_block_kinds_follow_from_labels(draw):
    truth = draw.draw(LETTERS)
    predicted = draw.draw(st.text("hplco", min_size=len(truth), max_size=len(truth)))
    expected = {(True, True): RIGHT, (True, False): WRONG, (False, True): MISSED, (False, False): ""}
    kinds = [expected[mine != "o", true != "o"] for mine, true in zip(predicted, truth, strict=True)]
    assert block_kinds(page_record("a", predicted=predicted, truth=truth)) == kinds


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_interval_contains_mean_within_bounds(values):
    mean, low, high = records.confidence_interval(values)
    assert 0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1
    assert np.isclose(mean, np.mean(values))
