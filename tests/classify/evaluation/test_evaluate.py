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
    kept = [(label, text) for label, text in zip(prediction.labels, blocks.text, strict=True) if label.is_content]
    return "\n".join(text for _, text in kept), "\n".join(f"<{label}>{text}" for label, text in kept)


def run(corpora, predictors=None, read=parse, watch=None):
    return evaluate(corpora, predictors or {"text": text_method}, read=read, write=write, watch=watch)


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
    def test_every_page_is_scored_by_every_method(self, corpus):
        pages = [(ARTICLE, GOLD, None), (ARTICLE + "<p>Imprint</p>", GOLD, None)]
        report = run([corpus(*pages)], {"text": text_method, "again": text_method})
        assert [(outcome.id, outcome.method) for outcome in report.outcomes] == [
            ("0", "text"),
            ("0", "again"),
            ("1", "text"),
            ("1", "again"),
        ]
        assert [outcome.score.word.f1 for outcome in report.outcomes[::2]] == [1, pytest.approx(22 / 23)]

    def test_a_predictor_is_told_which_page_it_is(self, corpus):
        seen = []

        def predict(page, blocks):
            seen.append((page.corpus, page.id, blocks.text[0]))
            return text.label_all_shown(blocks)

        run([corpus((ARTICLE, GOLD, None)), corpus((ARTICLE, GOLD, None), name="blogs")], {"mine": predict})
        assert seen == [("news", "0", "Cats"), ("blogs", "0", "Cats")]

    def test_a_watcher_is_told_of_every_page_and_method(self, corpus):
        seen = []

        def watch(page, blocks, prediction, outcome):
            seen.append(
                (page.id, blocks and blocks.text[0], prediction and prediction.labels[0], outcome.score.word.f1)
            )

        run([corpus((ARTICLE, GOLD, None), ("", GOLD, None))], watch=watch)
        assert seen == [("0", "Cats", "h", 1.0), ("1", None, None, 0.0)]

    def test_marks_are_scored_where_the_gold_has_them(self, corpus):
        report = run([corpus((ARTICLE, GOLD, "<h>Cats<p>Cats sleep most of the day and of the night."))])
        assert report.outcomes[0].score.cleaneval_markup == 100

    def test_a_page_that_cannot_be_read_counts_as_empty(self, corpus):
        report = run([corpus(("", GOLD, None), (ARTICLE, GOLD, None))])
        failed, fine = report.outcomes
        assert (failed.text, failed.cleaneval, failed.score.word.f1) == ("", "", 0)
        assert failed.error
        assert fine.error == ""
        assert report.to_dict()["news"]["text"]["scores"]["all"]["word_f1"] == pytest.approx(0.5)

    def test_an_empty_page_whose_gold_is_empty_is_right(self, corpus):
        assert run([corpus(("<p></p>", "", None))]).outcomes[0].score.word.f1 == 1

    @pytest.mark.parametrize(
        ("error", "line"),
        [
            (DeadlineError("page took more than 30 s"), "page took more than 30 s"),
            (ZeroDivisionError("division by zero\nmore"), "ZeroDivisionError: division by zero"),
        ],
    )
    def test_a_method_that_fails_on_a_page_does_not_end_the_run(self, corpus, error, line):
        def fail(page, blocks):
            raise error

        report = run([corpus((ARTICLE, GOLD, None))], {"bad": fail, "text": text_method})
        assert [outcome.error for outcome in report.outcomes] == [line, ""]
        assert [outcome.score.word.f1 for outcome in report.outcomes] == [0, 1]

    def test_a_reader_that_fails_is_asked_once_for_all_methods(self, corpus):
        calls = []

        def read(page):
            calls.append(page.id)
            raise DeadlineError("too long")

        report = run([corpus((ARTICLE, GOLD, None))], {"a": text_method, "b": text_method}, read)
        assert calls == ["0"]
        assert [outcome.error for outcome in report.outcomes] == ["too long", "too long"]

    def test_a_disk_that_is_full_ends_the_run(self, corpus):
        """It would be full for every other page, and the scores would be those of a disk."""

        def read(page):
            raise OutputError("the disk is full")

        with pytest.raises(OutputError):
            run([corpus((ARTICLE, GOLD, None))], read=read)

    def test_an_interrupt_ends_the_run(self, corpus):
        def interrupted(page):
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            run([corpus((ARTICLE, GOLD, None))], read=interrupted)

    def test_progress_is_told_of_every_corpus(self, corpus, capsys, monkeypatch):
        monkeypatch.setattr(progress, "_BAR_SECONDS", 0.01)
        monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
        run([corpus((ARTICLE, GOLD, None))], read=lambda page: time.sleep(0.1) or parse(page))
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "scoring news: " in captured.err

    def test_two_runs_give_the_same_report(self, corpus):
        pages = corpus((ARTICLE, GOLD, None), ("<p>x</p>", "y", None))
        first, second = run([pages]), run([pages])
        assert (first.table(), first.predictions()) == (second.table(), second.predictions())


class TestVerdict:
    """What a method with probabilities said of a page stands beside what is true of it."""

    def test_of_a_method_with_a_confidence(self, corpus):
        def predict(page, blocks):
            return replace(text.label_all_shown(blocks), confidence=0.75)

        [outcome] = run([corpus((ARTICLE + "<p>Imprint</p>", GOLD, None))], {"sure": predict}).outcomes
        assert outcome.verdict.content.tolist() == [True, True, False]
        assert outcome.verdict.words.tolist() == [1, 10, 1]
        assert outcome.verdict.probability.tolist() == [1, 1, 1]
        assert (outcome.verdict.confidence, outcome.verdict.f1) == (0.75, outcome.score.word.f1)

    def test_none_of_a_method_that_only_decides(self, corpus):
        assert run([corpus((ARTICLE, GOLD, None))]).outcomes[0].verdict is None

    def test_none_of_a_page_that_failed(self, corpus):
        assert run([corpus(("", GOLD, None))]).outcomes[0].verdict is None

    def test_a_page_without_a_block(self, corpus):
        def predict(page, blocks):
            return replace(text.label_all_shown(blocks), confidence=0.0)

        [outcome] = run([corpus(("<p></p>", "", None))], {"sure": predict}).outcomes
        assert len(outcome.verdict.content) == 0
        assert outcome.verdict.f1 == 1


class TestBadCorpora:
    def test_two_of_one_name(self, corpus):
        news = corpus((ARTICLE, GOLD, None))
        with pytest.raises(UsageError, match="two corpora are called news"):
            run([news, news])

    def test_none(self):
        with pytest.raises(UsageError, match="give a corpus at least"):
            run([])

    def test_no_pages(self, tmp_path, corpus):
        schema = pa.schema([("id", pa.string()), ("html", pa.binary()), ("gold_text", pa.string())])
        path = tmp_path / "empty.parquet"
        pq.write_table(schema.empty_table(), path)
        with pytest.raises(UsageError, match="the corpus empty has no page"):
            run([corpus((ARTICLE, GOLD, None)), read_corpus(path)])

    def test_one_that_vanished(self, corpus):
        news = corpus((ARTICLE, GOLD, None))
        news.path.unlink()
        with pytest.raises(InputError, match="cannot be read to its end"):
            run([news])


class TestScorePage:
    def test_text_and_marked_text_are_scored_apart(self):
        page = GoldPage(text="a b", markup="<h>a <p>b", must=("a b",), must_not=("c",))
        score = score_page(page, "a b c", "<h>a <p>b <p>c")
        assert score.word.f1 == pytest.approx(4 / 5)
        assert score.lcs.f1 == pytest.approx(4 / 5)
        assert score.cleaneval == pytest.approx(80)
        assert score.cleaneval_markup == pytest.approx(80)
        assert (score.must.kept, score.must_not.kept) == (1, 0)

    def test_gold_without_marks_has_no_markup_score(self):
        assert score_page(GoldPage(text="a"), "a", "<p>a").cleaneval_markup is None
