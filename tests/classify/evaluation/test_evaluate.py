from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vclean.classify.corpora.corpora import read_corpus
from vclean.classify.corpora.gold import GoldPage
from vclean.classify.evaluation.evaluate import PageEvaluation, Report, evaluate, score_page
from vclean.classify.methods import base as text
from vclean.errors import DeadlineError, InputError, OutputError, UsageError
from vclean.labels import LABELS
from vclean.render.static.parse import parse

ARTICLE = "<h1>Cats</h1><p>Cats sleep most of the day and of the night.</p>"
GOLD = "Cats\nCats sleep most of the day and of the night."


def text_method(page, blocks):
    return text.label_all_shown(blocks)


def write(blocks, prediction):
    content = [(label, text) for label, text in zip(prediction.labels, blocks.text, strict=True) if label.is_content]
    return "\n".join(text for _, text in content), "\n".join(f"<{label}>{text}" for label, text in content)


def run(corpora, predictors=None, read=parse):
    return evaluate(corpora, predictors or {"text": text_method}, read=read, write=write)


@pytest.fixture
def corpus(tmp_path):
    def make(*pages, name="news"):
        rows = [
            {"id": str(at), "html": html.encode(), "gold_text": gold, "gold_markup": markup}
            for at, (html, gold, markup) in enumerate(pages)
        ]
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.Table.from_pylist(rows), path)
        return read_corpus(path)

    return make


class TestEvaluate:
    @pytest.mark.parametrize(
        ("error", "line"),
        [
            (DeadlineError("page took more than 30 s"), "page took more than 30 s"),
            (ZeroDivisionError("division by zero\nmore"), "ZeroDivisionError: division by zero"),
        ],
    )
    def test_failing_method_does_not_end_the_run(self, corpus, error, line):
        def fail(page, blocks):
            raise error

        report = run([corpus((ARTICLE, GOLD, None))], {"bad": fail, "text": text_method})
        assert [outcome.error for outcome in report.evaluations] == [line, ""]
        assert [outcome.f1 for outcome in report.evaluations] == [0, 1]
        assert [(len(each.predicted), len(each.gold), each.language) for each in report.evaluations] == [
            (0, 0, "en"),
            (2, 2, "en"),
        ]

    @pytest.mark.parametrize("error", [OutputError("the disk is full"), KeyboardInterrupt()])
    def test_full_disk_and_interrupt_end_the_run(self, corpus, error):
        """Raise instead of recording a failure, as all other pages would fail as well."""

        def read(page):
            raise error

        with pytest.raises(type(error)):
            run([corpus((ARTICLE, GOLD, None))], read=read)


class TestCalibrationReport:
    def test_page_without_blocks(self, corpus):
        def predict(page, blocks):
            return replace(text.label_all_shown(blocks), confidence=0.0)

        report = run([corpus(("<p></p>", "", None))], {"sure": predict}).calibration()["sure"]
        assert report["blocks"] == {"ece": 0.0, "ece_equal_mass": 0.0, "bins": []}
        assert report["pages"]["ece"] == 1


class TestBadCorpora:
    @pytest.mark.parametrize(
        ("names", "message"),
        [
            (["news", "news"], "two corpora are called news"),
            ([], "give at least one corpus"),
            (["news", "empty"], "the corpus empty has no page"),
        ],
    )
    def test_wrong_corpora(self, corpus, names, message):
        corpora = [replace(corpus((ARTICLE, GOLD, None), name=name), count=int(name != "empty")) for name in names]
        with pytest.raises(UsageError, match=message):
            run(corpora)

    def test_deleted_corpus(self, corpus):
        news = corpus((ARTICLE, GOLD, None))
        news.path.unlink()
        with pytest.raises(InputError, match="cannot be read to its end"):
            run([news])


class TestScorePage:
    @pytest.mark.parametrize(("markup", "markup_score"), [("<h>a <p>b", pytest.approx(80)), ("", None)])
    def test_scores_text_and_marked_text_separately(self, markup, markup_score):
        page = GoldPage(text="a b", markup=markup, must=("a b",), must_not=("c",))
        score = score_page(page, "a b c", "<h>a <p>b <p>c")
        assert (score.word.f1, score.lcs.f1, score.cleaneval) == pytest.approx((4 / 5, 4 / 5, 80))
        assert (score.cleaneval_markup, score.must.matching, score.must_not.matching) == (markup_score, 1, 0)


def outcome(name="1", text="the cat", gold="the cat", *, kind="article", method="bte", error="", **fields):
    corpus = fields.pop("corpus", "news")
    page = GoldPage(text=gold, **fields)
    marked = f"<p>{text}"
    result = {"method": method, "text": text, "cleaneval": marked, "score": score_page(page, text, marked)}
    return PageEvaluation(corpus=corpus, id=name, page_type=kind, error=error, **result)


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
    def test_one_section_per_corpus_and_method_with_figures_by_page_type(self, report):
        sections = [section.splitlines() for section in report.table().split("\n\n")]
        assert [section[0] for section in sections] == ["news, bte", "news, text", "wcxb, bte"]
        lines = sections[0]
        assert " ".join(lines[1].split()) == "pages word F1 P R LCS F1 micro CleanEval +markup must must not"
        assert [line.split() for line in lines[2:5]] == [
            ["all", "2", *["0.500"] * 4, "0.667", "50.00", "-", "0.500", "-"],
            ["article", "1", *["1.000"] * 5, "100.00", "-", "1.000", "-"],
            ["forum", "1", *["0.000"] * 5, "0.00", "-", "0.000", "-"],
        ]
        (total,) = sections[2][2:]  # the page has no type
        assert total.split()[-3] == "100.00"


class TestToDict:
    def test_failures_and_scores_in_strict_json(self, report):
        record = report.to_dict()
        assert json.loads(json.dumps(record, allow_nan=False)) == record
        failed = {method: part["failed"] for method, part in record["news"].items()}
        assert failed == {"bte": [{"id": "2", "error": "page took too long"}], "text": []}
        assert record["news"]["bte"]["scores"]["all"]["cleaneval_markup"] is None


def sure(outcome, probability, labels, confidence):
    words = np.full(len(labels), 10, dtype=np.float32)
    gold = np.array([LABELS.index(label) for label in labels], dtype=np.int8)
    return replace(outcome, probability=np.float32(probability), gold=gold, block_words=words, confidence=confidence)


class TestCalibration:
    @pytest.fixture
    def calibrated_report(self):
        return Report(
            (
                sure(outcome("1", method="vclean"), [0.75, 0.25], "po", 0.9),
                sure(outcome("2", "a b c", "a d e f g h i", method="vclean", corpus="wcxb"), [0.75], "o", 0.5),
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
        calibrated = [section.splitlines()[0] for section in sections if "calibration" in section]
        assert calibrated == ["news, vclean", "wcxb, vclean"]

    def test_by_corpus(self, calibrated_report):
        record = json.loads(json.dumps(calibrated_report.to_dict(), allow_nan=False))
        assert record["news"]["vclean"]["calibration"]["pages"]["ece"] == pytest.approx(0.1)
        assert record["wcxb"]["vclean"]["calibration"]["blocks"]["ece"] == 0.75
        assert "calibration" not in record["news"]["bte"]

    def test_over_all_corpora(self, calibrated_report):
        [(method, part)] = calibrated_report.calibration().items()  # nothing for bte, which has no probabilities
        assert method == "vclean"
        assert part["blocks"]["ece"] == pytest.approx((0.25 + 2 * 0.25) / 3)
        assert [row["count"] for row in part["blocks"]["bins"]] == [1, 2]
        assert part["pages"]["ece"] == pytest.approx(0.2)


class TestPredictions:
    def test_one_line_per_page_and_method(self, report):
        lines = [json.loads(line) for line in report.predictions().splitlines()]
        assert [(line["corpus"], line["id"], line["method"], line["text"]) for line in lines] == [
            ("news", "1", "bte", "the cat"),
            ("news", "2", "bte", ""),
            ("news", "1", "text", "the"),
            ("wcxb", "9", "bte", "žluť"),
        ]
        assert lines[0]["cleaneval"] == "<p>the cat"

    def test_text_is_not_escaped_and_stays_on_its_line(self):
        text = Report((outcome(text="žluť\nключ\u2028x"),)).predictions()
        assert "žluť" in text
        assert text.count("\n") == 1
        assert json.loads(text)["text"] == "žluť\nключ\u2028x"
