from __future__ import annotations

import sys
import time
from dataclasses import replace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vclean import progress
from vclean.classify.corpora.corpora import GoldPage, read_corpus
from vclean.classify.evaluation.evaluate import evaluate, score_page
from vclean.classify.methods import base as text
from vclean.errors import DeadlineError, InputError, OutputError, UsageError
from vclean.render.static.parse import parse

ARTICLE = "<h1>Cats</h1><p>Cats sleep most of the day and of the night.</p>"
GOLD = "Cats\nCats sleep most of the day and of the night."


def text_method(page, blocks):
    return text.label_all_shown(blocks)


def write(blocks, prediction):
    content = [(label, text) for label, text in zip(prediction.labels, blocks.text, strict=True) if label.is_content]
    return "\n".join(text for _, text in content), "\n".join(f"<{label}>{text}" for label, text in content)


def run(corpora, predictors=None, read=parse, on_page=None):
    return evaluate(corpora, predictors or {"text": text_method}, read=read, write=write, on_page=on_page)


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
    def test_scores_each_page_with_each_method(self, corpus):
        pages = [(ARTICLE, GOLD, None), (ARTICLE + "<p>Imprint</p>", GOLD, None)]
        report = run([corpus(*pages)], {"text": text_method, "again": text_method})
        assert [(outcome.id, outcome.method) for outcome in report.evaluations] == [
            ("0", "text"),
            ("0", "again"),
            ("1", "text"),
            ("1", "again"),
        ]
        assert [outcome.score.word.f1 for outcome in report.evaluations[::2]] == [1, pytest.approx(22 / 23)]

    def test_passes_the_page_to_the_predictor(self, corpus):
        calls = []

        def predict(page, blocks):
            calls.append((page.corpus, page.id, blocks.text[0]))
            return text.label_all_shown(blocks)

        run([corpus((ARTICLE, GOLD, None)), corpus((ARTICLE, GOLD, None), name="blogs")], {"mine": predict})
        assert calls == [("news", "0", "Cats"), ("blogs", "0", "Cats")]

    def test_calls_back_for_each_page_and_method(self, corpus):
        calls = []

        def watch(page, blocks, prediction, outcome):
            calls.append(
                (page.id, blocks and blocks.text[0], prediction and prediction.labels[0], outcome.score.word.f1)
            )

        run([corpus((ARTICLE, GOLD, None), ("", GOLD, None))], on_page=watch)
        assert calls == [("0", "Cats", "h", 1.0), ("1", None, None, 0.0)]

    def test_scores_marks_if_the_gold_has_them(self, corpus):
        report = run([corpus((ARTICLE, GOLD, "<h>Cats<p>Cats sleep most of the day and of the night."))])
        assert report.evaluations[0].score.cleaneval_markup == 100

    def test_unreadable_page_counts_as_empty(self, corpus):
        report = run([corpus(("", GOLD, None), (ARTICLE, GOLD, None))])
        failed, fine = report.evaluations
        assert (failed.text, failed.cleaneval, failed.score.word.f1) == ("", "", 0)
        assert failed.error
        assert fine.error == ""
        assert report.to_dict()["news"]["text"]["scores"]["all"]["word_f1"] == pytest.approx(0.5)

    def test_empty_page_with_empty_gold_scores_1(self, corpus):
        assert run([corpus(("<p></p>", "", None))]).evaluations[0].score.word.f1 == 1

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
        assert [outcome.score.word.f1 for outcome in report.evaluations] == [0, 1]

    def test_failing_reader_is_called_once_per_page(self, corpus):
        calls = []

        def read(page):
            calls.append(page.id)
            raise DeadlineError("too long")

        report = run([corpus((ARTICLE, GOLD, None))], {"a": text_method, "b": text_method}, read)
        assert calls == ["0"]
        assert [outcome.error for outcome in report.evaluations] == ["too long", "too long"]

    def test_full_disk_ends_the_run(self, corpus):
        """Raise instead of recording a failure, as all other pages would fail as well."""

        def read(page):
            raise OutputError("the disk is full")

        with pytest.raises(OutputError):
            run([corpus((ARTICLE, GOLD, None))], read=read)

    def test_interrupt_ends_the_run(self, corpus):
        def interrupted(page):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run([corpus((ARTICLE, GOLD, None))], read=interrupted)

    def test_reports_progress_of_each_corpus(self, corpus, capsys, monkeypatch):
        monkeypatch.setattr(progress, "_BAR_SECONDS", 0.01)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        run([corpus((ARTICLE, GOLD, None))], read=lambda page: time.sleep(0.1) or parse(page))
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "scoring news: " in captured.err

    def test_report_is_reproducible(self, corpus):
        pages = corpus((ARTICLE, GOLD, None), ("<p>x</p>", "y", None))
        first, second = run([pages]), run([pages])
        assert (first.table(), first.predictions()) == (second.table(), second.predictions())


class TestCalibrationSample:
    """Calibration data of methods with probabilities."""

    def test_method_with_confidence(self, corpus):
        def predict(page, blocks):
            return replace(text.label_all_shown(blocks), confidence=0.75)

        [outcome] = run([corpus((ARTICLE + "<p>Imprint</p>", GOLD, None))], {"sure": predict}).evaluations
        assert outcome.calibration.content.tolist() == [True, True, False]
        assert outcome.calibration.words.tolist() == [1, 10, 1]
        assert outcome.calibration.probability.tolist() == [1, 1, 1]
        assert (outcome.calibration.confidence, outcome.calibration.f1) == (0.75, outcome.score.word.f1)

    def test_method_without_probabilities_has_none(self, corpus):
        assert run([corpus((ARTICLE, GOLD, None))]).evaluations[0].calibration is None

    def test_failed_page_has_none(self, corpus):
        assert run([corpus(("", GOLD, None))]).evaluations[0].calibration is None

    def test_page_without_blocks(self, corpus):
        def predict(page, blocks):
            return replace(text.label_all_shown(blocks), confidence=0.0)

        [outcome] = run([corpus(("<p></p>", "", None))], {"sure": predict}).evaluations
        assert len(outcome.calibration.content) == 0
        assert outcome.calibration.f1 == 1


class TestBadCorpora:
    def test_two_corpora_with_one_name(self, corpus):
        news = corpus((ARTICLE, GOLD, None))
        with pytest.raises(UsageError, match="two corpora are called news"):
            run([news, news])

    def test_no_corpus(self):
        with pytest.raises(UsageError, match="give at least one corpus"):
            run([])

    def test_corpus_without_pages(self, tmp_path, corpus):
        schema = pa.schema([("id", pa.string()), ("html", pa.binary()), ("gold_text", pa.string())])
        path = tmp_path / "empty.parquet"
        pq.write_table(schema.empty_table(), path)
        with pytest.raises(UsageError, match="the corpus empty has no page"):
            run([corpus((ARTICLE, GOLD, None)), read_corpus(path)])

    def test_deleted_corpus(self, corpus):
        news = corpus((ARTICLE, GOLD, None))
        news.path.unlink()
        with pytest.raises(InputError, match="cannot be read to its end"):
            run([news])


class TestScorePage:
    def test_scores_text_and_marked_text_separately(self):
        page = GoldPage(text="a b", markup="<h>a <p>b", must=("a b",), must_not=("c",))
        score = score_page(page, "a b c", "<h>a <p>b <p>c")
        assert score.word.f1 == pytest.approx(4 / 5)
        assert score.lcs.f1 == pytest.approx(4 / 5)
        assert score.cleaneval == pytest.approx(80)
        assert score.cleaneval_markup == pytest.approx(80)
        assert (score.must.matching, score.must_not.matching) == (1, 0)

    def test_gold_without_marks_has_no_markup_score(self):
        assert score_page(GoldPage(text="a"), "a", "<p>a").cleaneval_markup is None
