from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from helpers.boxed import boxed
from hypothesis import given
from hypothesis import strategies as st

from vclean.classify.corpora.marked import RenderedMarkedPage, strip_marks
from vclean.classify.evaluation.atoms import AtomKind
from vclean.classify.evaluation.segment_scores import (
    BCubedScore,
    PageTrials,
    compare_segmenters,
    harmonic,
    score,
    summarize,
    table,
)
from vclean.classify.evaluation.segmentation import Segmenter, find_segmenter


def named_score(weight, predicted, truth):
    """Return the score of groups; a segment is a string of one-letter names."""
    return score(np.array(weight), _matrix(predicted), _matrix(truth))


def _matrix(segments):
    names = sorted(set("".join(segments)))
    held = [[name in group for name in names] for group in segments]
    return np.array(held, dtype=bool).reshape(len(segments), len(names))


def by_the_definition(weight, predicted, truth):
    """Return the precision by the definition of Amigó et al., pair by pair."""
    values, weights = [], []
    for size, ours, theirs in zip(weight, predicted, truth, strict=True):
        total = count = 0.0
        for other_size, our_other, their_other in zip(weight, predicted, truth, strict=True):
            shared, shared_truth = len(set(ours) & set(our_other)), len(set(theirs) & set(their_other))
            if shared:
                total += other_size * min(shared, shared_truth) / shared
                count += other_size
        if count:
            values.append(total / count)
            weights.append(size)
    return float(np.average(values, weights=weights)) if values else math.nan


GROUPS = st.lists(
    st.tuples(st.integers(1, 9), st.sets(st.sampled_from("abcd")), st.sets(st.sampled_from("wxyz"))),
    min_size=1,
    max_size=8,
).map(lambda rows: tuple(zip(*((size, "".join(ours), "".join(theirs)) for size, ours, theirs in rows), strict=True)))


class TestScore:
    def test_groups_of_size_0_do_not_count(self) -> None:
        result = named_score([1, 0], ["a", "a"], ["x", "y"])
        assert (result.precision, result.recall) == (1, 1)

    @given(GROUPS)
    def test_agrees_with_the_definition(self, groups) -> None:
        weight, predicted, truth = groups
        ours = named_score(weight, predicted, truth)
        assert ours.precision == pytest.approx(by_the_definition(weight, predicted, truth), nan_ok=True)
        assert ours.recall == pytest.approx(by_the_definition(weight, truth, predicted), nan_ok=True)


class TestHarmonic:
    @pytest.mark.parametrize(
        ("precision", "recall", "mean"), [(1, 1, 1), (0.5, 1, 2 / 3), (0, 0, 0), (0, 1, 0), (math.nan, 1, 0)]
    )
    def test_harmonic(self, precision: float, recall: float, mean: float) -> None:
        assert harmonic(precision, recall) == pytest.approx(mean)


HTML = """<body><div title="0 0 100 20" data-block=1 data-block-type=Header>Abcd</div>
<div title="0 20 100 60" data-block=1 data-block-type=Content><p title="0 20 100 30">Efghijkl</p></div>
<div title="0 80 100 20">Mnop</div></body>"""
KINDS = [AtomKind.CHARS]


class TestCompareSegmenters:
    def test_marked_elements_only(self) -> None:
        """Compute by hand: P = (4/12)^2 + (8/12)^2."""
        stripped, marks = strip_marks(HTML)
        page = RenderedMarkedPage("http://a.example/", boxed(stripped), marks)
        (result,) = compare_segmenters(page, [find_segmenter("page")], [1], KINDS, marked_only=True)
        assert result.scores["page"][0].precision == pytest.approx(5 / 9)


def page_trials(site, *f1):
    """Return a page with these F1 scores for the parameter values; the number of segments is the value."""
    scores = [BCubedScore(value, value, number) for number, value in enumerate(f1, 1)]
    return PageTrials("p", site, 1, AtomKind.CHARS, 4, {"tuned": scores})


PAGES = (page_trials("a", 1, 0.1, 0.2), page_trials("b", 0.1, 0.5, 0.95), page_trials("c", 0.1, 0.5, 0.8))
BY_OTHERS = Segmenter("tuned", "tuned", (1, 2, 3), lambda *_: [], 2)
ORACLE = replace(BY_OTHERS, name="tuned-oracle", oracle=True)


class TestSummarize:
    @pytest.mark.parametrize(
        ("pages", "method", "parameters"),
        [([page_trials("a", 0, 0, 1)], BY_OTHERS, [2]), (PAGES, BY_OTHERS, [3, 1, 3]), (PAGES, ORACLE, [1, 3, 3])],
        ids=["default without other sites", "best on other sites", "best on each page"],
    )
    def test_parameters(self, pages, method, parameters) -> None:
        (line,) = summarize(pages, [method], [1], KINDS)
        assert [parameter for _, parameter, _ in line.pages] == parameters

    def test_undefined_scores_count_as_0(self) -> None:
        """An undefined score counts in the mean, as 0."""
        trials = [page_trials("a", *[math.nan] * 3), page_trials("b", *[1.0] * 3)]
        (line,) = summarize(trials, [BY_OTHERS], [1], KINDS)
        assert (line.precision, line.recall, line.f_b3, line.f_star) == (0.5, 0.5, 0.5, 0.5)


class TestToDict:
    def test_converts_to_json(self) -> None:
        (line,) = summarize([page_trials("a", *[math.nan] * 3)], [BY_OTHERS], [1], KINDS)
        figures = json.loads(json.dumps(line.to_dict(), allow_nan=False))
        assert figures["pages"] == [
            {"id": "p", "parameter": 2, "precision": None, "recall": None, "f1": 0, "segments": 2}
        ]
        assert (figures["level"], figures["atoms"], figures["method"]) == (1, "chars", "tuned")
        assert set(figures) >= {"precision", "recall", "f_b3", "f_star", "segments", "truth"}


class TestTable:
    def test_one_line_per_summary(self) -> None:
        result = summarize(PAGES, [ORACLE], [1, 2], KINDS)
        assert [row.split() for row in table(result).splitlines()] == [
            ["level", "atoms", "method", "pages", "P", "R", "F_B3", "F*", "segments", "truth"],
            ["1", "chars", "tuned-oracle", "3", "0.917", "0.917", "0.917", "0.917", "2.3", "4.0"],
            ["2", "chars", "tuned-oracle", "0", "-", "-", "-", "-", "-", "-"],
        ]
