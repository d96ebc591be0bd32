from __future__ import annotations

import io
import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext, redirect_stdout
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.corrections import APPEAL, PLACES, article
from helpers.labelled import labelled, session, without_browser
from helpers.synthetic import gold_page, train_quickly

from vclean import clean
from vclean.classify.content.model import Model, load
from vclean.classify.metadata import choose_metadata
from vclean.classify.prediction import Prediction
from vclean.classify.training import dataset, train
from vclean.cli.main import main
from vclean.errors import InputError, ModelError
from vclean.features.facts.mentions import Field
from vclean.features.matrix import page_context
from vclean.labelling import retraining
from vclean.labelling.export import export, read_gold
from vclean.labelling.preparation import Preparer
from vclean.labelling.retraining import (
    CORPUS,
    IMPORTANCE,
    Correction,
    Gain,
    correction_rows,
    read_corrections,
    report_gains,
    score,
)
from vclean.labelling.session import Status
from vclean.labels import LABELS, Label, PartKind
from vclean.page import Page
from vclean.settings import RenderSettings

PAGES = 4
SITES = ["example.com", "example.org"]


def label_pages(folder: Path, html: Callable[[int], str], sites: Sequence[str], changes, *, done: int = PAGES) -> Path:
    """Label pages, `changes` from the texts of each; the first `done` are done. Return the folder."""
    labelling = session(folder)
    with (
        pytest.MonkeyPatch.context() as patch,
        Preparer(folder, model=None, settings=RenderSettings()) as preparer,
    ):
        without_browser(patch)
        for number, site in enumerate(sites):
            page = Page(content=html(number), url=f"https://www.{site}/{number}", id=str(number))
            prepared = preparer.prepare(page)
            labelling.add(prepared)
            labelling.change(number, changes(prepared.texts))
            if number < done:
                labelling.set_status(number, Status.DONE)
    return folder


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Label pages of two sites and correct their appeals by hand; the last page is not done."""

    def correct(texts: Sequence[str]) -> list[dict[str, object]]:
        return [{"block": row, "label": "o"} for row, text in enumerate(texts) if text.startswith(APPEAL)]

    return label_pages(tmp_path_factory.mktemp("project"), article, [*SITES * 2, SITES[0]], correct)


@pytest.fixture(scope="module")
def corrections(project: Path) -> list[Correction]:
    return read_corrections(project)


def labels(correction: Correction) -> dict[str, str]:
    return {text[:10]: str(LABELS[code]) for text, code in zip(correction.blocks.text, correction.label, strict=True)}


class TestReadCorrections:
    def test_reads_finished_pages_in_both_readings(self, corrections: list[Correction]) -> None:
        assert [(each.page.id, each.rendered) for each in corrections] == [
            (str(number), rendered) for number in range(PAGES) for rendered in (True, False)
        ]
        assert [each.blocks.snapshot.rendered for each in corrections[:2]] == [True, False]

    def test_labels_of_both_readings_agree(self, corrections: list[Correction]) -> None:
        assert labels(corrections[0]) == labels(corrections[1])
        assert labels(corrections[0]).items() >= {"Home News ": "o", "The ferry ": "p", APPEAL[:10]: "o"}.items()

    def test_sites(self, corrections: list[Correction]) -> None:
        assert [each.site for each in corrections[::2]] == SITES * 2
        nowhere = replace(corrections[0], page=replace(corrections[0].page, url=""))
        assert nowhere.site == f"{CORPUS}/0"

    def test_reads_exported_folder(self, project: Path, tmp_path: Path) -> None:
        export(project, tmp_path)
        assert len(read_corrections(tmp_path / "me.gold.jsonl")) == 2 * PAGES

    def test_aligns_changed_blocks_by_words(self, project: Path) -> None:
        """Align blocks after a change of their extraction: the text of two blocks is now one block."""
        page = next(each.page for each in read_corrections(project))
        content = [block for block in page.blocks if block.annotation.label.is_content]
        long = content[-1]
        middle = len(long.text) // 2
        halves = [replace(long, text=long.text[:middle]), replace(long, text=long.text[middle:])]
        blocks = [part for block in page.blocks for part in (halves if block is long else [block])]
        (project / "other.gold.jsonl").write_text(replace(page, blocks=blocks).to_line())
        corrections = read_corrections(project / "other.gold.jsonl")
        (project / "other.gold.jsonl").unlink()
        assert labels(corrections[0])["The ferry "] == "p"

    def test_no_finished_page(self, tmp_path: Path) -> None:
        (tmp_path / "a.gold.jsonl").write_text(labelled("h", status=Status.OPEN).to_line())
        with pytest.raises(InputError, match=r"the page in .* is not done: finish some"):
            read_corrections(tmp_path)
        (tmp_path / "b.gold.jsonl").write_text(labelled("h", status=Status.OPEN).to_line())
        with pytest.raises(InputError, match=r"none of the 2 pages in .* is done: finish some"):
            read_corrections(tmp_path)

    def test_missing_snapshot(self, tmp_path: Path) -> None:
        (tmp_path / "a.gold.jsonl").write_text(labelled("h", snapshots={"rendered": "00"}).to_line())
        with pytest.raises(InputError, match=r"cannot read .*00\.npz"):
            read_corrections(tmp_path)


class TestCorrectionRows:
    def test_training_rows(self, corrections: list[Correction]) -> None:
        rows = [correction_rows(each) for each in corrections]
        assert [(row.corpus, row.id, row.site, row.rendered) for row in rows[:3]] == [
            (CORPUS, "me/0", "example.com", True),
            (CORPUS, "me/0", "example.com", False),
            (CORPUS, "me/1", "example.org", True),
        ]
        appeal = corrections[0].blocks.text.index(next(t for t in corrections[0].blocks.text if t.startswith(APPEAL)))
        assert not rows[0].content[appeal]
        assert rows[0].share[appeal] < 0.5
        assert (rows[0].label == corrections[0].label).all()
        assert rows[0].weight == pytest.approx(IMPORTANCE * replace(rows[0], importance=1).weight)


def prediction(labels: list[Label]) -> Prediction:
    return Prediction(labels, np.zeros(len(labels), dtype=np.float32))


def scores(word_f1: float, labels: float, metadata: float = 1.0) -> dict[str, float]:
    return {"word_f1": word_f1, "labels": labels, "metadata": metadata}


class TestMeasure:
    def test_all_labels_right_and_one_label_wrong(self, corrections: list[Correction]) -> None:
        page = corrections[0]
        right = [LABELS[code] for code in page.label]
        assert score(page, prediction(right)) == scores(1, 1)
        wrong = score(page, prediction([Label.PARAGRAPH, *right[1:]]))
        assert wrong["labels"] == pytest.approx(1 - 1 / len(right))
        assert 0.9 < wrong["word_f1"] < 1

    def test_table_of_gains(self, capsys: pytest.CaptureFixture[str]) -> None:
        report_gains([Gain("pages", 12, scores(0.9, 0.8, 0.5), scores(0.95, 0.9))], force=False)
        line = "other pages     12  0.900 -> 0.950  0.800 -> 0.900  0.500 -> 1.000"
        assert capsys.readouterr().out.splitlines()[1] == line


def gain(before: tuple[float, ...], after: tuple[float, ...], held_out: str = "pages") -> Gain:
    """Return a gain, with word F1 and shares of right labels and metadata before and after."""
    return Gain(held_out, 4, scores(*before), scores(*after))


class TestLoss:
    @pytest.mark.parametrize(
        ("before", "after", "is_loss"),
        [
            ((0.9, 0.9), (0.91, 0.8), False),
            ((0.9, 0.9), (0.8, 0.95), True),
            ((0.9, 0.9), (0.9, 0.89), True),
            ((0.9, 0.9), (0.8999, 0.9), False),
            ((0.9, 0.9), (0.9, 0.9), False),
            ((0.9, 0.9, 0.7), (0.95, 0.9, 0.6), True),
            ((0.9, 0.9, 0.7), (0.95, 0.9, 0.8), False),
        ],
    )
    def test_word_f1_decides_then_labels(self, before, after, is_loss: bool) -> None:
        with pytest.raises(ModelError, match="worse") if is_loss else nullcontext():
            report_gains([gain(before, after)], force=False)

    def test_names_the_scores_in_one_line(self) -> None:
        gains = [gain((0.9, 0.8), (0.95, 0.9)), gain((0.9, 0.8), (0.85, 0.7), "sites")]
        with pytest.raises(ModelError) as caught:
            report_gains(gains, force=False)
        assert str(caught.value) == (
            "the corrections make the model worse on held-out pages "
            "(other sites: word F1 0.900 -> 0.850, labels right 0.800 -> 0.700, metadata right 1.000 -> 1.000): "
            "it is not written. Label more pages, or add --force"
        )


@pytest.fixture(scope="module")
def trained(project: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    """Train the shipped model further; return the file of the new model and the printed lines."""
    model = tmp_path_factory.mktemp("model") / "new.vclean"
    with redirect_stdout(io.StringIO()) as out:
        assert main(["train", "--corrections", str(project), "-o", str(model), "-q"]) == 0
    return model, out.getvalue().splitlines()


@pytest.mark.slow
class TestContinueFromShipped:
    def test_measures_held_out_pages_and_sites(self, trained: tuple[Path, list[str]]) -> None:
        assert [line.split()[:2] for line in trained[1]] == [["held", "out"], ["other", "pages"], ["other", "sites"]]
        card = load(trained[0]).card["corrections"]
        assert (card["pages"], card["sites"], card["by hand"], card["annotators"]) == (PAGES, 2, PAGES, ["me"])
        assert [(gain["held_out"], gain["pages"]) for gain in card["gains"]] == [("pages", PAGES), ("sites", PAGES)]
        assert all(gain["after"]["word_f1"] > gain["before"]["word_f1"] for gain in card["gains"])
        assert len(card["sha256"]) == 64

    def test_one_site_and_one_page(self, corrections: list[Correction], monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(retraining, "continue_training", lambda *_, **__: retraining.load())
        one = [each for each in corrections if each.site == "example.com"]
        assert [gain.held_out for gain in retraining.continue_from_shipped(one)[1]] == ["pages"]
        assert retraining.continue_from_shipped(corrections[:2])[1] == []


@pytest.mark.slow
class TestTrain:
    def test_confirmed_pages_have_their_labels(
        self, project: Path, trained: tuple[Path, list[str]], tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Check labelled pages, whatever the new model predicts for them, and the reasons for their labels."""
        for gold in read_gold(project):
            if gold.status is Status.DONE:
                (tmp_path / "page.html").write_text(article(int(gold.id)))
                options = ["--model", str(trained[0]), "--recall", "--explain", "-f", "json"]
                assert main([str(tmp_path / "page.html"), "--url", gold.url, *options]) == 0
                blocks = json.loads(capsys.readouterr().out)["blocks"]
                assert [block["label"] for block in blocks] == gold.labels
                assert {block["reasons"][0]["rule"] for block in blocks} == {"confirmed"}

    def test_worse_model_is_not_written(
        self, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(retraining, "_cross_validate", lambda name, *_: gain((0.9, 0.9), (0.8, 0.9), name))
        arguments = ["train", "--corrections", str(project), "-o", str(tmp_path / "m")]
        assert main(arguments) == ModelError.exit_code
        errors = capsys.readouterr().err.splitlines()
        assert len(errors) == 1
        assert "worse on held-out pages (other pages: word F1 0.900 -> 0.800" in errors[0]
        assert "add --force" in errors[0]
        assert not (tmp_path / "m").exists()
        assert main([*arguments, "--force"]) == 0
        errors = capsys.readouterr().err.splitlines()
        assert [("worse on held-out pages" in line, "add --force" in line) for line in errors[:1]] == [(True, False)]
        assert load(tmp_path / "m").card["corrections"]["gains"][0]["after"]["word_f1"] == 0.8

    def test_with_corpus(
        self, project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        """Train on the corrected pages; score them by models not trained on their sites."""
        train_quickly(monkeypatch)
        monkeypatch.setattr(dataset, "ROUNDS", 5)
        without_browser(monkeypatch)
        pages = [gold_page(number) for number in range(2 * train.MIN_FOLDS)]
        columns = {"id": "id", "html": "html", "url": "url", "gold_text": "text", "gold_markup": "markup"}
        table = pa.table({name: [getattr(page, field) for page in pages] for name, field in columns.items()})
        pq.write_table(table, tmp_path / "small.parquet")
        arguments = [str(tmp_path / "small.parquet"), "--corrections", str(project), "-o", str(tmp_path / "m")]
        assert main(["train", *arguments]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[-1].split()[:3] == ["other", "sites", str(PAGES)]
        card = load(tmp_path / "m").card
        assert card["corpora"][CORPUS] == {"rendered": PAGES, "unrendered": PAGES}
        assert (card["corrected pages"]["pages"], len(card["corrected pages"]["gains"])) == (PAGES, 1)

    def test_no_gain_for_one_page(self, project: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        gold = next((project / "gold" / "me").glob("*.gold.jsonl"))
        assert main(["train", "--corrections", str(gold), "-o", str(tmp_path / "m")]) == 0
        assert capsys.readouterr().out.startswith(
            "The effect of the corrections is not measured: only one page is done"
        )


def harbour_html(number: int) -> str:
    """Return a page with the number of the issue as `h1`, and its headline as `h3`."""
    what = PLACES[number]
    return (
        f"<title>Harbour Post</title><article><h1>News from the harbour, number {number}</h1>"
        f"<h3>The {what} stays closed</h3><p>Photo by Ann Lee</p><p>Printed on {number + 3} May 2021.</p>"
        f"<p>The {what} has been closed since Monday, and the people who used it every day have had to find another "
        f"way.</p><p>If you know more about the {what}, write to the news desk of this paper.</p></article>"
    )


MARKED = {"The": PartKind.TITLE, "Printed": PartKind.DATE}


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> list[Correction]:
    def mark(texts: Sequence[str]) -> list[dict[str, object]]:
        rows = {text.split()[0]: row for row, text in reversed(list(enumerate(texts)))}
        return [{"block": rows[word], "part": part} for word, part in MARKED.items()]

    return read_corrections(label_pages(tmp_path_factory.mktemp("parts"), harbour_html, SITES[:1] * PAGES, mark))


@pytest.fixture(scope="module")
def trained_on_parts(marked: list[Correction]) -> tuple[Model, list[Gain]]:
    return retraining.continue_from_shipped(marked)


@pytest.mark.slow
class TestParts:
    """Mark the headline and the date of pages on which the shipped model does not find them."""

    def test_titles_of_other_pages_of_the_site(
        self, trained_on_parts: tuple[Model, list[Gain]], tmp_path: Path
    ) -> None:
        model, (gain,) = trained_on_parts
        assert (gain.before["metadata"], gain.after["metadata"]) == (0.5, 1.0)
        (tmp_path / "mine.vclean").write_bytes(model.to_bytes())
        html = harbour_html(PAGES)
        assert clean(html).metadata.title == "Harbour Post"
        assert clean(html, model=tmp_path / "mine.vclean").metadata.title == f"The {PLACES[PAGES]} stays closed"

    def test_marks_decide_on_their_page(self, marked: list[Correction], tmp_path: Path) -> None:
        """Use the shipped model of metadata, with the marks of the page."""
        model = replace(retraining.load(), confirmed=retraining.confirmed_pages(marked))
        (tmp_path / "mine.vclean").write_bytes(model.to_bytes())
        url = f"https://www.{SITES[0]}/0"
        result = clean(harbour_html(0), url=url, model=tmp_path / "mine.vclean")
        assert (result.metadata.title, result.metadata.published) == ("The ferry stays closed", "2021-05-03")
        assert result.metadata.evidence["title"].probability == 1
        assert result.prediction.headline is not None
        assert result.prediction.headline.text == "The ferry stays closed"

    @pytest.mark.parametrize(
        ("line", "part", "expected"),
        [
            ("Updated: May 9, 2024 | Published: May 3, 2024", PartKind.DATE, {Field.PUBLISHED: "2024-05-03"}),
            (
                "By Ann Lee, May 3, 2024",
                PartKind.BYLINE_DATE,
                {Field.AUTHORS: "Ann Lee", Field.PUBLISHED: "2024-05-03"},
            ),
        ],
    )
    def test_most_probable_candidates_of_a_marked_block_are_right(
        self, corrections: list[Correction], line: str, part: PartKind, expected: dict[Field, str]
    ) -> None:
        """Take the day of publication from a line that has the day of the last change first."""
        html = f"<h1>Rain</h1><p>{line}<p>It rained on May 9, 2024. It rained again, said Bob Ray."
        blocks, parts = clean(html, method="text").columns, {1: part}
        example = replace(corrections[0], blocks=blocks, parts=parts).metadata
        choices = choose_metadata(page_context(blocks), "en", parts=parts)
        right = {
            field: row.values[0]
            for field, (candidates, is_right) in example.items()
            for row, right in zip(candidates.rows, is_right.tolist(), strict=True)
            if right
        }
        assert right == {field: choices[field].values[0] for field in expected} == expected
        assert {choices[field].probability for field in expected} == {1}

    @pytest.mark.parametrize("byline", ["Ann Lee", "By Ann Lee", "Ann Lee wrote this from Portsmouth"])
    def test_marks_decide_against_markup(self, corrections: list[Correction], byline: str) -> None:
        """Mark blocks far from the headline that do not look like title, byline and date."""
        paragraphs = "".join(f"<h2>Topic {number}</h2><p>It rained for {number} days." for number in range(12))
        html = f"""<title>Gazette</title><meta name=author content="Gazette Staff"><h1>Gazette front</h1>{paragraphs}
        <div>The ferry stays closed</div><p>It rained again.</p><div>{byline}</div><div>on 9 May 2023</div>"""
        blocks = clean(html, method="text").columns
        last = len(blocks) - 1
        parts = {last - 3: PartKind.TITLE, last - 1: PartKind.BYLINE, last: PartKind.DATE}
        choices = choose_metadata(page_context(blocks), "en", parts=parts)
        values = {field: choices[field].values for field in (Field.TITLE, Field.AUTHORS, Field.PUBLISHED)}
        expected = ("The ferry stays closed",), ("Ann Lee",), ("2023-05-09",)
        assert tuple(values.values()) == expected
        example = replace(corrections[0], blocks=blocks, parts=parts).metadata
        assert all(is_right.any() for _, is_right in example.values())

    def test_a_marked_block_without_a_date_is_reported(self, marked: list[Correction]) -> None:
        correction = marked[0]
        row = next(row for row, text in enumerate(correction.blocks.text) if not any(map(str.isdigit, text)))
        (line,) = retraining.describe_unread_marks([replace(correction, parts={row: PartKind.DATE})])
        assert "no date can be read from the block marked for it" in line
        assert retraining.describe_unread_marks(marked) == []

    def test_no_model_of_metadata_without_marks(self, corrections: list[Correction]) -> None:
        unmarked = [replace(each, parts={}) for each in corrections]
        assert retraining.corrected_metadata_model(unmarked) is None
