from __future__ import annotations

import json
import math

import numpy as np
import pytest
from helpers.boxed import boxed

from vclean.classify.corpora.marked import strip
from vclean.classify.corpora.rendering import RenderedMarkedPage
from vclean.classify.evaluation.atoms import AtomKind
from vclean.classify.evaluation.bcubed import BCubedScore
from vclean.classify.evaluation.segment_scores import (
    PageTrials,
    ScoringCriteria,
    SegmentationTrial,
    compare_segmenters,
    summarize,
    table,
)
from vclean.classify.evaluation.segmentation import Segmentation
from vclean.classify.evaluation.segmenters import ScoredSegmenter, TunableSegmenter, find_method

HTML = """<body><div title="0 0 100 20" data-block=1 data-block-type=Header>Abcd</div>
<div title="0 20 100 60" data-block=1 data-block-type=Content><p title="0 20 100 30">Efghijkl</p></div>
<div title="0 80 100 20">Mnop</div></body>"""

KNOB = TunableSegmenter("knob", (1, 2, 3), lambda *_: [], 2)


def seen(html=HTML, url="http://a.example/"):
    stripped, marks = strip(html)
    return RenderedMarkedPage(url, boxed(stripped), marks)


def tried(page, *names, levels=(1,), kinds=(AtomKind.CHARS,), marked_only=False):
    segmenters = [find_method(name).segmenter for name in names]
    return list(compare_segmenters(page, segmenters, ScoringCriteria(levels, kinds, marked_only)))


class TestTryPage:
    def test_the_whole_page(self) -> None:
        """Characters: 4 and 8 in the two marks, 4 outside. P = (4/16)^2 + (8/16)^2, for the rest is in vain; R = 1."""
        (found,) = tried(seen(), "page")
        assert (found.id, found.site, found.level, found.kind, found.truth) == (
            "http://a.example/", "a.example", 1, AtomKind.CHARS, 2,
        )  # fmt: skip
        (trial,) = found.trials["page"]
        assert trial.segments == 1
        assert trial.score.precision == pytest.approx(1 / 16 + 1 / 4)
        assert trial.score.recall == 1

    def test_marked_elements_only(self) -> None:
        """P = (4/12)^2 + (8/12)^2."""
        (found,) = tried(seen(), "page", marked_only=True)
        assert found.trials["page"][0].score.precision == pytest.approx(5 / 9)

    def test_the_cut_that_is_true(self) -> None:
        """At depth 1 all marks are found, and the unmarked rest as a segment: P = 12/16."""
        (found,) = tried(seen(), "dom")
        trial = found.trials["dom"][0]
        assert trial.segments == 3
        assert (trial.score.precision, trial.score.recall) == (pytest.approx(0.75), pytest.approx(1))

    def test_one_for_every_level_and_kind(self) -> None:
        both = seen(HTML.replace("<p ", "<p data-block=2 data-block-type=Article "))
        found = tried(both, "page", "dom", levels=(1, 2), kinds=(AtomKind.CHARS, AtomKind.PIXELS))
        assert [(page.level, page.kind) for page in found] == [
            (1, AtomKind.CHARS), (1, AtomKind.PIXELS), (2, AtomKind.CHARS), (2, AtomKind.PIXELS),
        ]  # fmt: skip
        assert all(set(page.trials) == {"page", "dom"} for page in found)

    def test_levels_without_marks_are_left_out(self) -> None:
        assert tried(seen(), "page", levels=(2,)) == []

    def test_marks_without_text_are_left_out_for_characters(self) -> None:
        silent = seen('<body>Text<div title="0 0 9 9" data-block=1 data-block-type=Image></div></body>')
        assert [page.kind for page in tried(silent, "page", kinds=(AtomKind.CHARS, AtomKind.NODES))] == [AtomKind.NODES]

    def test_no_segment_is_the_whole_page(self) -> None:
        nothing = TunableSegmenter("nothing", (0,), lambda *_: [Segmentation.of_shapes([])], 0)
        whole = find_method("page").segmenter
        (found,) = compare_segmenters(seen(), [nothing, whole], ScoringCriteria([1], [AtomKind.CHARS]))
        assert found.trials["nothing"] == found.trials["page"]

    def test_the_segmenter_is_told_which_page_it_is(self) -> None:
        asked = []
        spy = TunableSegmenter(
            "spy", (0,), lambda name, page: asked.append((name, len(page))) or [Segmentation.of_shapes([])], 0
        )
        page = seen()
        list(compare_segmenters(page, [spy], ScoringCriteria([1], [AtomKind.CHARS])))
        assert asked == [("http://a.example/", len(page.snapshot))]


def page_trials(site, *f1, name="p"):
    """A page on which the settings of `KNOB` have these scores, and as many segments as the setting."""
    trials = [SegmentationTrial(BCubedScore(value, value), number) for number, value in enumerate(f1, 1)]
    return PageTrials(name, site, 1, AtomKind.CHARS, 4, {"knob": trials})


def settings(pages, method):
    (line,) = summarize(pages, [method], ScoringCriteria([1], [AtomKind.CHARS]))
    return [setting for _, setting, _ in line.pages]


class TestLines:
    PAGES = (
        page_trials("a", 1, 0.1, 0.2),
        page_trials("b", 0.1, 0.5, 0.95),
        page_trials("c", 0.1, 0.5, 0.8),
    )

    def test_the_knob_is_set_by_other_sites(self) -> None:
        """Sums without a: .2, 1, 1.75; without b: 1.1, .6, 1; without c: 1.1, .6, 1.15."""
        assert settings(self.PAGES, ScoredSegmenter("knob", KNOB)) == [3, 1, 3]

    def test_pages_of_its_own_site_do_not_count(self) -> None:
        pages = [page_trials("a", 0, 0, 1), page_trials("a", 0, 0, 1), page_trials("b", 1, 0, 0)]
        assert settings(pages, ScoredSegmenter("knob", KNOB)) == [1, 1, 3]

    def test_the_usual_setting_without_other_sites(self) -> None:
        assert settings([page_trials("a", 0, 0, 1)], ScoredSegmenter("knob", KNOB)) == [2]

    def test_a_given_setting(self) -> None:
        assert settings(self.PAGES, ScoredSegmenter("knob@2", KNOB, setting=2)) == [2, 2, 2]

    def test_the_truth_sets_it(self) -> None:
        assert settings(self.PAGES, ScoredSegmenter("knob-oracle", KNOB, oracle=True)) == [1, 3, 3]

    def test_figures(self) -> None:
        (line,) = summarize(
            self.PAGES, [ScoredSegmenter("knob-oracle", KNOB, oracle=True)], ScoringCriteria([1], [AtomKind.CHARS])
        )
        assert line.summary.f_b3 == pytest.approx((1 + 0.95 + 0.8) / 3)
        assert (line.segments, line.truth) == (pytest.approx(7 / 3), 4)

    def test_one_line_for_each_question_and_method(self) -> None:
        methods = [ScoredSegmenter("knob", KNOB), ScoredSegmenter("knob@1", KNOB, setting=1)]
        found = summarize(self.PAGES, methods, ScoringCriteria([1, 2], [AtomKind.CHARS, AtomKind.NODES]))
        assert [(line.level, line.kind, line.method) for line in found] == [
            (level, kind, name)
            for level in (1, 2)
            for kind in (AtomKind.CHARS, AtomKind.NODES)
            for name in ("knob", "knob@1")
        ]
        assert [len(line.pages) for line in found] == [3, 3, 0, 0, 0, 0, 0, 0]
        assert math.isnan(found[-1].summary.f_b3)


class TestToDict:
    def test_ready_for_json(self) -> None:
        unknown = PageTrials(
            "p", "a", 1, AtomKind.CHARS, 4, {"knob": [SegmentationTrial(BCubedScore(math.nan, 0.0), 1)] * 3}
        )
        (line,) = summarize([unknown], [ScoredSegmenter("knob", KNOB)], ScoringCriteria([1], [AtomKind.CHARS]))
        figures = json.loads(json.dumps(line.to_dict(), allow_nan=False))
        assert figures["pages"] == [{"id": "p", "setting": 2, "precision": None, "recall": 0, "f1": 0, "segments": 1}]
        assert (figures["level"], figures["atoms"], figures["method"]) == (1, "chars", "knob")
        assert set(figures) >= {"precision", "recall", "f_b3", "f_star", "segments", "truth"}

    def test_no_pages(self) -> None:
        (line,) = summarize([], [ScoredSegmenter("knob", KNOB)], ScoringCriteria([1], [AtomKind.CHARS]))
        assert json.loads(json.dumps(line.to_dict(), allow_nan=False))["f_b3"] is None


class TestTable:
    def test_one_line_each(self) -> None:
        found = summarize(
            TestLines.PAGES,
            [ScoredSegmenter("knob-oracle", KNOB, oracle=True)],
            ScoringCriteria([1, 2], [AtomKind.CHARS]),
        )
        assert [row.split() for row in table(found).splitlines()] == [
            ["level", "atoms", "method", "pages", "P", "R", "F_B3", "F*", "segments", "truth"],
            ["1", "chars", "knob-oracle", "3", "0.917", "0.917", "0.917", "0.917", "2.3", "4.0"],
            ["2", "chars", "knob-oracle", "0", "-", "-", "-", "-", "-", "-"],
        ]

    def test_columns_are_in_line(self) -> None:
        methods = [ScoredSegmenter("knob", KNOB), ScoredSegmenter("a-method-with-a-long-name", KNOB, setting=1)]
        rows = table(summarize(TestLines.PAGES, methods, ScoringCriteria([1], [AtomKind.CHARS]))).splitlines()
        assert len({len(row) for row in rows}) == 1
        assert not any(np.char.endswith(rows, " "))
