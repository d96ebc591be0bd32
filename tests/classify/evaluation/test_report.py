from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from vclean.classify.corpora.corpora import GoldPage
from vclean.classify.evaluation.evaluate import score_page
from vclean.classify.evaluation.reliability import CalibrationSample
from vclean.classify.evaluation.report import PageEvaluation, Report


def outcome(
    name="1", text="the cat", gold="the cat", *, corpus="news", method="bte", kind="article", error="", **fields
):
    page = GoldPage(text=gold, **fields)
    return PageEvaluation(
        corpus=corpus,
        id=name,
        page_type=kind,
        method=method,
        text=text,
        cleaneval=f"<p>{text}",
        score=score_page(page, text, f"<p>{text}"),
        error=error,
    )


@pytest.fixture
def report():
    return Report(
        (
            outcome("1", must=("cat",)),
            outcome("2", "", "the dog", kind="forum", error="page took too long", must=("dog",)),
            outcome("1", "the", method="text", must=("cat",)),
            outcome("9", "žluť", "žluť", corpus="wcxb", kind="", markup="<p>žluť"),
        )
    )


class TestTable:
    def test_one_section_per_corpus_and_method(self, report):
        headings = [section.splitlines()[0] for section in report.table().split("\n\n")]
        assert headings == ["news, bte", "news, text", "wcxb, bte"]

    def test_figures_by_page_type(self, report):
        lines = report.table().split("\n\n")[0].splitlines()
        assert " ".join(lines[1].split()) == "pages word F1 P R LCS F1 micro CleanEval +markup must must not"
        assert lines[2].split() == ["all", "2", *["0.500"] * 4, "0.667", "50.00", "-", "0.500", "-"]
        assert lines[3].split() == ["article", "1", *["1.000"] * 5, "100.00", "-", "1.000", "-"]
        assert lines[4].split() == ["forum", "1", *["0.000"] * 5, "0.00", "-", "0.000", "-"]

    def test_columns_are_aligned(self, report):
        for section in report.table().split("\n\n"):
            rows = [line for line in section.splitlines()[1:] if not line.startswith("failed")]
            assert len({len(row) for row in rows}) == 1

    def test_lists_failed_pages(self, report):
        assert report.table().split("\n\n")[0].splitlines()[-1] == "failed: 2: page took too long"

    def test_pages_without_a_type_count_only_in_the_total(self, report):
        lines = report.table().split("\n\n")[2].splitlines()
        assert len(lines) == 3
        assert lines[2].split()[-3] == "100.00"


class TestToDict:
    def test_figures(self, report):
        record = report.to_dict()
        assert list(record) == ["news", "wcxb"]
        assert list(record["news"]) == ["bte", "text"]
        assert list(record["news"]["bte"]["scores"]) == ["all", "article", "forum"]
        assert record["news"]["bte"]["scores"]["all"]["word_f1"] == pytest.approx(0.5)
        assert record["news"]["text"]["scores"]["all"]["word_f1"] == pytest.approx(2 / 3)

    def test_failures(self, report):
        assert report.to_dict()["news"]["bte"]["failed"] == [{"id": "2", "error": "page took too long"}]
        assert report.to_dict()["news"]["text"]["failed"] == []

    def test_is_strict_json(self, report):
        record = report.to_dict()
        assert json.loads(json.dumps(record, allow_nan=False)) == record
        assert record["news"]["bte"]["scores"]["all"]["cleaneval_markup"] is None


def sure(probability, content, confidence, f1):
    return CalibrationSample(
        probability=np.array(probability, dtype=np.float32),
        content=np.array(content),
        words=np.full(len(content), 10, dtype=np.float32),
        confidence=confidence,
        f1=f1,
    )


class TestCalibration:
    """Calibration report of methods with probabilities."""

    @pytest.fixture
    def calibrated_report(self):
        return Report(
            (
                replace(outcome("1", method="vclean"), calibration=sure([0.75, 0.25], [True, False], 0.9, 1.0)),
                replace(outcome("2", method="vclean", corpus="wcxb"), calibration=sure([0.75], [False], 0.5, 0.2)),
                outcome("3", method="vclean", error="page took too long"),
                outcome("1", method="bte"),
            )
        )

    def test_line_of_the_table(self, calibrated_report):
        sections = calibrated_report.table().split("\n\n")
        assert sections[0].splitlines()[-2:] == [
            "expected calibration error: blocks 0.250, words 0.250, pages 0.100",
            "failed: 3: page took too long",
        ]
        assert [section.splitlines()[0] for section in sections if "calibration" in section] == [
            "news, vclean",
            "wcxb, vclean",
        ]

    def test_by_corpus(self, calibrated_report):
        record = json.loads(json.dumps(calibrated_report.to_dict(), allow_nan=False))
        assert record["news"]["vclean"]["calibration"]["pages"]["ece"] == pytest.approx(0.1)
        assert record["wcxb"]["vclean"]["calibration"]["blocks"]["ece"] == 0.75
        assert "calibration" not in record["news"]["bte"]

    def test_over_all_corpora(self, calibrated_report):
        [(method, part)] = calibrated_report.calibration().items()
        assert method == "vclean"
        assert part["blocks"]["ece"] == pytest.approx((0.25 + 2 * 0.25) / 3)
        assert [row["count"] for row in part["blocks"]["bins"]] == [1, 2]
        assert part["pages"]["ece"] == pytest.approx(0.2)

    def test_no_method_with_probabilities(self, report):
        assert report.calibration() == {}


class TestPredictions:
    def test_one_line_per_page_and_method(self, report):
        lines = [json.loads(line) for line in report.predictions().splitlines()]
        assert [(line["corpus"], line["id"], line["method"]) for line in lines] == [
            ("news", "1", "bte"),
            ("news", "2", "bte"),
            ("news", "1", "text"),
            ("wcxb", "9", "bte"),
        ]
        assert lines[0] | {"id": "1", "text": "the cat", "cleaneval": "<p>the cat"} == lines[0]

    def test_text_is_not_escaped_and_stays_on_its_line(self):
        text = Report((outcome(text="žluť\nключ\u2028x"),)).predictions()
        assert "žluť" in text
        assert text.count("\n") == 1
        assert json.loads(text)["text"] == "žluť\nключ\u2028x"

    def test_failed_page_is_empty(self, report):
        assert json.loads(report.predictions().splitlines()[1])["text"] == ""
