"""What holds of every comparison and table, whatever is in it."""

from __future__ import annotations

import json

import numpy as np
from helpers.pages import result, snapshot
from helpers.trials import trial
from hypothesis import given
from hypothesis import strategies as st

from vclean.compare import records
from vclean.compare.diff import FIRST_ONLY, OTHERWISE, SECOND_ONLY, Comparison
from vclean.compare.error_analysis import MISSED, RIGHT, WRONG, kinds

LABELS = st.text("hplco", min_size=6, max_size=6)
PAGE = snapshot("".join(f"<p>Block number {row}" for row in range(6)))
LETTERS = st.text("hplco?", min_size=1, max_size=30)


@given(LABELS, LABELS)
def test_a_comparison_counts_every_block_once(first, second):
    found = Comparison(("a", "b"), result(PAGE, first), result(PAGE, second))
    assert sum(map(found.count, (FIRST_ONLY, SECOND_ONLY, OTHERWISE))) == len(found.differing)
    assert found.agreement == 1 - len(found.differing) / 6
    assert found.differing == [row for row in range(6) if first[row] != second[row]]


@given(LABELS, LABELS)
def test_a_comparison_is_the_same_the_other_way_round(first, second):
    one, other = result(PAGE, first), result(PAGE, second)
    there, back = Comparison(("a", "b"), one, other), Comparison(("b", "a"), other, one)
    assert there.agreement == back.agreement
    assert there.word_f1 == back.word_f1
    assert there.count(FIRST_ONLY) == back.count(SECOND_ONLY)


@given(LABELS, LABELS)
def test_all_formats_tell_the_same_differences(first, second):
    found = Comparison(("a", "b"), result(PAGE, first), result(PAGE, second))
    told = [row["block"] for row in json.loads(found.to("json"))["differences"]]
    lines = found.to("text").splitlines()[2:-1]
    assert told == found.differing == [int(line.split()[1]) for line in lines]
    assert found.to("html").count("data-block=") == len(told)


@given(st.data())
def test_confusion_counts_every_block_once(draw):
    truth = draw.draw(LETTERS)
    said = draw.draw(st.text("hplco", min_size=len(truth), max_size=len(truth)))
    table = records.confusion([trial("a", said=said, truth=truth)])
    assert table.sum() == len(truth)
    assert table.sum(axis=0).tolist() == [said.count(letter) for letter in "hplco"]
    assert table.sum(axis=1).tolist() == [truth.count(letter) for letter in "hplco?"]


@given(st.data())
def test_kinds_follow_from_what_was_kept_and_what_is_content(draw):
    truth = draw.draw(LETTERS)
    said = draw.draw(st.text("hplco", min_size=len(truth), max_size=len(truth)))
    expected = {(True, True): RIGHT, (True, False): WRONG, (False, True): MISSED, (False, False): ""}
    wanted = [expected[mine != "o", true != "o"] for mine, true in zip(said, truth, strict=True)]
    assert kinds(trial("a", said=said, truth=truth)) == wanted


@given(st.lists(st.floats(0, 1), min_size=1, max_size=40))
def test_an_interval_holds_its_mean_and_stays_among_scores(values):
    mean, low, high = records.interval(values)
    assert 0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1
    assert np.isclose(mean, np.mean(values))
