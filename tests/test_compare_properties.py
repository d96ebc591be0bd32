"""What holds of every comparison, table and document, whatever is in it."""

from __future__ import annotations

import json
from html.parser import HTMLParser

import numpy as np
from helpers import result, snapshot
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree
from trials import trial

from vclean.characters import legal
from vclean.compare import trials
from vclean.compare.diff import FIRST_ONLY, OTHERWISE, SECOND_ONLY, Comparison
from vclean.compare.document import data, document, element
from vclean.compare.worst import MISSED, RIGHT, WRONG, kinds

LABELS = st.text("hplco", min_size=6, max_size=6)
PAGE = snapshot("".join(f"<p>Block number {row}" for row in range(6)))
LETTERS = st.text("hplco?", min_size=1, max_size=30)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


class Scripts(HTMLParser):
    """The tags of a document, and what stands in its scripts."""

    def __init__(self, source):
        super().__init__()
        self.tags = []
        self.scripts = []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, text):
        if self.tags[-1:] == ["script"]:
            self.scripts.append(text)


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
    told = [row["block"] for row in json.loads(found.write("json"))["differences"]]
    lines = found.write("text").splitlines()[2:-1]
    assert told == found.differing == [int(line.split()[1]) for line in lines]
    assert found.write("html").count("data-block=") == len(told)


@given(st.data())
def test_confusion_counts_every_block_once(draw):
    truth = draw.draw(LETTERS)
    said = draw.draw(st.text("hplco", min_size=len(truth), max_size=len(truth)))
    table = trials.confusion([trial("a", said=said, truth=truth)])
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
    mean, low, high = trials.interval(values)
    assert 0 <= low <= mean + 1e-12
    assert mean - 1e-12 <= high <= 1
    assert np.isclose(mean, np.mean(values))


@given(st.text(), st.text())
def test_texts_come_back_as_they_were(text, title):
    made = element("p", text, title=title)
    again = etree.fromstring(etree.tostring(made))
    assert (again.text or "").replace("\r", "\n") == legal(text).replace("\r", "\n")
    assert made.get("title") == legal(title)


@given(st.text(), JSON)
def test_nothing_gets_out_of_where_it_was_put(text, value):
    """Neither a title nor data add a tag to the document, and the data come back."""
    source = document(text, [element("p", text), data("d", value)], styles=[], scripts=[])
    found = Scripts(source)
    assert found.tags == ["html", "head", "meta", "meta", "meta", "meta", "title", "body", "p", "script"]
    assert json.loads("".join(found.scripts).strip() or "null") == json.loads(
        legal(json.dumps(value, ensure_ascii=False))
    )
