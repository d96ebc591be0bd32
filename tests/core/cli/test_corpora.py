"""Run `vclean evaluate`, `train` and `report` with methods that need no model; page `b` of the corpus fails."""

from __future__ import annotations

import json
from contextlib import nullcontext
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import record, response
from helpers.page_records import screenshot
from helpers.pages import laid_out
from helpers.renderers import replace_renderer
from lxml import html

from vclean.classify.prediction import Prediction
from vclean.classify.training import train as training
from vclean.cli.corpora import open_reader
from vclean.cli.main import main
from vclean.labels import Label
from vclean.render.rendered_page import Rendering

PAGES = {
    "a": ("<ul><li><a href=x>Home</a></ul><p>It rained all day in the valley, and nobody minded.", "It rained all day"),
    "b": ("", "Nothing came of it."),
    "c": ("<p>Sun.</p>", "Sun."),
}

MARKED = ("http://one.example/", "http://two.example/")

NO_WEIGHTS = SimpleNamespace(to_bytes=lambda: b"a model")


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "small.parquet"
    columns = {
        "id": list(PAGES),
        "url": [f"http://{name}.example/" for name in PAGES],
        "page_type": ["article", "article", "forum"],
        "html": [source.encode() for source, _ in PAGES.values()],
        "gold_text": [gold for _, gold in PAGES.values()],
    }
    empty = dict.fromkeys(("gold_markup", "gold_markdown", "must", "must_not", "annotated_html"), [None] * 3)
    pq.write_table(pa.table(columns | empty), path)
    return path


@pytest.fixture
def marked(tmp_path):
    """Write an archive of two pages marked by hand."""
    source = b"<nav data-block=1 data-block-type=Menu>Menu</nav><div data-block=1 data-block-type=Article>Rain.</div>"
    path = tmp_path / "marked.warc"
    path.write_bytes(b"".join(record(url, response(source)) for url in MARKED))
    return path


@pytest.fixture
def learning(monkeypatch):
    """Replace training by models that label every block of rendered pages as heading, of parsed pages as paragraph.

    Under the convention of its corpus, a block is a list item.
    """
    seen = {}

    class CrossValidation:
        has_conventions = True

        def __init__(self, table, *, done):
            self.table = table
            done()

        def predictions(self, *, by_convention=False):
            return [predict(page, by_convention) for page in self.table.pages]

    def predict(page, by_convention):
        label = Label.LIST_ITEM if by_convention else Label.HEADING if page.rendered else Label.PARAGRAPH
        return Prediction([label] * len(page), np.ones(len(page), dtype=np.float32), 0.5)

    def train(validation, *, card_fields, regions):
        pages = [(page.id, page.rendered) for page in validation.table.pages]
        seen.update(regions=regions, pages=pages, scores=card_fields["scores"])
        return NO_WEIGHTS

    monkeypatch.setattr(training, "CrossValidation", CrossValidation)
    monkeypatch.setattr(training, "train", train)
    return seen


@pytest.fixture
def renders(monkeypatch):
    """Replace the browser by a synthetic layout; return the list of rendered pages, with or without screenshot."""
    seen, shot = [], screenshot()

    def render(page, with_screenshot):
        seen.append((page.id, with_screenshot))
        return Rendering(laid_out(page.content.decode(), page.url), shot if with_screenshot else None)

    replace_renderer(monkeypatch, render)
    return seen


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


class TestScoreMethods:
    def test_scores_predictions_and_failed_page(self, corpus, tmp_path, capsys):
        files = ["--json", str(tmp_path / "f.json"), "--predictions", str(tmp_path / "p.jsonl")]
        assert main(["evaluate", str(corpus), "--method", "bte", "--method", "text", *files]) == 1
        captured = capsys.readouterr()
        assert captured.out.count("failed: b: the document is empty") == 2
        assert captured.err.splitlines() == [
            f"vclean: wrote the texts to {tmp_path / 'p.jsonl'}",
            "vclean: 1 of 3 pages failed and count as empty: see the table",
            f"vclean: wrote the scores to {tmp_path / 'f.json'}",
        ]
        figures = json.loads((tmp_path / "f.json").read_text())["small"]["text"]
        assert figures["scores"]["all"]["pages"] == 3
        texts = {line["id"]: (line["text"], line["cleaneval"]) for line in lines(tmp_path / "p.jsonl")}
        assert (list(texts), texts["b"], texts["c"]) == (["a", "b", "c"], ("", ""), ("Sun.\n", "<p>Sun.\n"))

    def test_rejects_method_that_needs_rendered_pages(self, corpus, capsys):
        assert main(["evaluate", str(corpus), "--method", "vips"]) == 2
        assert "the method vips needs the rendered page: add --render" in capsys.readouterr().err

    def test_folds_score_parsed_and_rendered_pages(self, corpus, learning, renders, tmp_path):
        predictions = tmp_path / "p.jsonl"
        options = ["--render", "--folds", "3", "--method", "vclean", "--method", "text"]
        assert main(["evaluate", str(corpus), *options, "--predictions", str(predictions)]) == 1
        assert {line["method"]: line["cleaneval"] for line in lines(predictions) if line["id"] == "c"} == {
            "vclean, unrendered": "<p>Sun.\n",
            "text, unrendered": "<p>Sun.\n",
            "vclean, own convention, unrendered": "<l>Sun.\n",
            "vclean, rendered": "<h>Sun.\n",
            "text, rendered": "<p>Sun.\n",
            "vclean, own convention, rendered": "<l>Sun.\n",
        }
        assert renders.count(("a", False)) == 1


class TestTrainModel:
    def test_trains_on_parsed_and_rendered_pages_and_writes_model(self, corpus, learning, renders, tmp_path):
        assert main(["train", str(corpus), "-o", str(tmp_path / "m.vclean")]) == 1
        assert (tmp_path / "m.vclean").read_bytes() == b"a model"
        assert learning["pages"] == [("a", False), ("a", True), ("c", False), ("c", True)]
        assert learning["regions"] is None
        assert list(learning["scores"]["small"]) == [
            "vclean, unrendered", "vclean, own convention, unrendered",
            "vclean, rendered", "vclean, own convention, rendered",
        ]  # fmt: skip

    def test_marked_pages_train_the_region_model(self, corpus, marked, learning, renders, tmp_path):
        # The pages of the archive with gold text are used as a corpus as well.
        arguments = [str(corpus), str(marked), "--regions", str(marked), "-o", str(tmp_path / "m.vclean")]
        assert main(["train", *arguments]) == 1
        names = [name for name, _ in learning["pages"]]
        assert names == ["a", "a", "c", "c", MARKED[0], MARKED[0], MARKED[1], MARKED[1]]
        assert learning["regions"].booster.num_trees() > 0

    @pytest.mark.usefixtures("learning", "renders")
    def test_prints_scores_even_if_model_cannot_be_written(self, corpus, monkeypatch, capsys):
        folder = corpus.with_name("models")
        folder.mkdir()
        monkeypatch.setattr(training, "train", lambda *_, **__: folder.rmdir() or NO_WEIGHTS)
        assert main(["train", str(corpus), "-o", str(folder / "m.vclean")]) == 12
        assert "small, vclean, rendered" in capsys.readouterr().out

    def test_no_browser(self, corpus, bare_machine, capsys):
        assert main(["train", str(corpus), "-o", str(corpus.with_name("m.vclean"))]) == 9
        assert "vclean setup" in capsys.readouterr().err


def text(element):
    return " ".join(" ".join(element.itertext()).split())


class TestWriteReport:
    @pytest.fixture
    def report(self, corpus, tmp_path, capsys):
        """Return the exit code, the lines on standard error and the document of a report."""
        out = tmp_path / "r.html"

        def run(*options):
            code = main(["report", str(corpus), "-o", str(out), *options])
            errors = capsys.readouterr().err.splitlines()
            return code, errors, html.fromstring(out.read_text(encoding="utf-8")) if out.exists() else None

        return run

    @pytest.mark.parametrize("quiet", [True, False])
    def test_every_method_is_scored(self, report, tmp_path, quiet):
        code, errors, document = report("--method", "bte", "--method", "text", *["-q"] * quiet)
        assert code == 1
        assert document.findtext(".//h1") == "bte, text on small"
        assert "corpora small.parquet pages were parsed cross-validation none" in text(document.find(".//header"))
        assert [text(row[0]) for row in document.iterfind(".//section[@id='failures']//tbody/tr")] == ["b", "b"]
        out = tmp_path / "r.html"
        failures = f"vclean: 1 of 3 pages failed and count as empty: see {out}"
        assert errors == [*[f"vclean: wrote the report to {out}"] * (not quiet), failures]

    def test_rendered_pages_have_screenshots_and_overlays(self, report, renders, tmp_path):
        # With --snapshots, screenshots are stored.
        options = ("--method", "text", "--render", "--worst", "2", "--snapshots", str(tmp_path / "kept"))
        code, _, document = report(*options)
        assert (code, document.findtext(".//h1")) == (1, "text on small")
        (button,) = document.findall(".//button[@data-overlay]")
        assert button.get("aria-label") == "Open the overlay of a"
        pictures = renders.count(("a", True))
        assert pictures == 1
        assert html.tostring(report(*options)[2]) == html.tostring(document)
        assert renders.count(("a", True)) == pictures

    def test_folds_score_parsed_and_rendered_pages_and_show_rendered_ones(self, report, renders, learning):
        _, _, document = report("--render", "--folds", "3")
        names = "vclean, unrendered, vclean, own convention, unrendered, vclean, rendered, vclean, own convention, "
        assert document.findtext(".//h1") == f"{names}rendered on small"
        assert "cross-validation 3 folds by site" in text(document.find(".//header"))
        assert ("a", True) in renders
        assert document.find(".//button[@data-overlay]") is not None
        assert "on which vclean, rendered has" in text(document.find(".//section[@id='worst-pages']"))

    @pytest.mark.parametrize(("arguments", "code"), [(["--method", "nonsense"], 2), (["--model", "gone.vclean"], 10)])
    def test_rejects_unknown_method_and_missing_model(self, report, arguments, code):
        exit_code, (error,), document = report(*arguments)
        assert (exit_code, document) == (code, None)
        assert arguments[-1] in error


def test_snapshots_of_one_run_are_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vclean.render.browser.renderer.Renderer", lambda _: nullcontext(SimpleNamespace(render=print)))
    with open_reader(render=True, snapshots=None, keep=True) as read:
        assert read.folder.is_dir()
    assert not read.folder.exists()
