from __future__ import annotations

import json
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import record, response

from vclean.classify.prediction import Prediction
from vclean.classify.training import train as training
from vclean.cli.main import main
from vclean.labels import Label
from vclean.render.browser import renderer
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from vclean.classify.forest import Forest
    from vclean.classify.training.dataset import PageRows, TrainingTable
    from vclean.page import Page
    from vclean.settings import RenderSettings

PAGES = {
    "a": ("<nav>Menu</nav><h1>Rain</h1><p>It rained all day in the valley, and nobody minded.", "Rain"),
    "b": ("", "Nothing came of it."),
    "c": ("<p>Sun.</p>", "Sun."),
}

MARKED = ("http://one.example/", "http://two.example/")

NO_WEIGHTS = SimpleNamespace(to_bytes=lambda: b"a model")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "small.parquet"
    columns = {
        "id": list(PAGES),
        "url": [f"http://{name}.example/" for name in PAGES],
        "page_type": ["article", "article", "forum"],
        "html": [html.encode() for html, _ in PAGES.values()],
        "gold_text": [gold for _, gold in PAGES.values()],
    }
    empty = dict.fromkeys(("gold_markup", "gold_markdown", "must", "must_not", "annotated_html"), [None] * 3)
    pq.write_table(pa.table(columns | empty), path)
    return path


class TestScoreMethods:
    def test_scores_failed_page_as_empty_and_names_it(self, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["evaluate", str(corpus), "--method", "text", "--method", "bte"]) == 1
        captured = capsys.readouterr()
        assert captured.out.count("failed: b: the document is empty") == 2
        assert captured.err == "vclean: 1 of 3 pages failed and count as empty: see the table\n"

    def test_scores_and_predictions(self, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        files = ["--json", str(tmp_path / "f.json"), "--predictions", str(tmp_path / "p.jsonl")]
        assert main(["evaluate", str(corpus), "--method", "text", *files]) == 1
        assert capsys.readouterr().err.splitlines()[:2] == [
            f"vclean: wrote the scores to {tmp_path / 'f.json'}",
            f"vclean: wrote the texts to {tmp_path / 'p.jsonl'}",
        ]
        figures = json.loads((tmp_path / "f.json").read_text())["small"]["text"]
        assert figures["scores"]["all"]["pages"] == 3
        lines = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
        assert [(line["id"], line["text"], line["cleaneval"]) for line in lines][1:] == [
            ("b", "", ""),
            ("c", "Sun.\n", "<p>Sun.\n"),
        ]

    def test_rejects_method_that_needs_rendered_pages(self, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["evaluate", str(corpus), "--method", "vips"]) == 2
        assert "the method vips needs the rendered page: add --render" in capsys.readouterr().err


@pytest.fixture
def marked(tmp_path: Path) -> Path:
    """Write an archive of two pages marked by hand."""
    html = b"<nav data-block=1 data-block-type=Menu>Menu</nav><div data-block=1 data-block-type=Article>Rain.</div>"
    path = tmp_path / "marked.warc"
    path.write_bytes(b"".join(record(url, response(html)) for url in MARKED))
    return path


@pytest.fixture
def learning(monkeypatch: pytest.MonkeyPatch) -> dict[str, object]:
    """Replace training by models that label every block of rendered pages as heading, of parsed pages as paragraph."""
    seen: dict[str, object] = {}

    @dataclass
    class CrossValidation:
        table: TrainingTable

        @classmethod
        def run(cls, table: TrainingTable, *, done: Callable[[], None]) -> CrossValidation:
            seen["folds"] = sorted(set(table.fold.tolist()))
            done()
            return cls(table)

        has_conventions = False

        def predictions(self) -> list[Prediction]:
            return [predict(page) for page in self.table.pages]

    def predict(page: PageRows) -> Prediction:
        label = Label.HEADING if page.rendered else Label.PARAGRAPH
        return Prediction([label] * len(page), np.ones(len(page), dtype=np.float32))

    def train(
        validation: CrossValidation, *, card_fields: dict[str, object], regions: Forest | None
    ) -> SimpleNamespace:
        seen["regions"] = regions
        seen["pages"] = [(page.id, page.rendered) for page in validation.table.pages]
        seen["scores"] = card_fields["scores"]
        return NO_WEIGHTS

    monkeypatch.setattr(training, "CrossValidation", CrossValidation)
    monkeypatch.setattr(training, "train", train)
    return seen


@pytest.fixture
def renders(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the browser by a parser that marks pages as rendered; return the URLs of the rendered pages."""
    urls: list[str] = []

    class FakeRenderer:
        def __init__(self, settings: RenderSettings, **_: object) -> None:
            self.settings = settings.to_dict()

        def __enter__(self) -> FakeRenderer:
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def render(self, page: Page) -> Rendering:
            urls.append(page.url)
            return Rendering(replace(parse(page), rendered=True, settings=self.settings))

    monkeypatch.setattr(renderer, "Renderer", FakeRenderer)
    return urls


class TestCrossValidation:
    def test_render_scores_parsed_and_rendered_pages(
        self, corpus: Path, learning: dict[str, object], renders: list[str], tmp_path: Path
    ) -> None:
        predictions = tmp_path / "p.jsonl"
        options = ["--render", "--folds", "3", "--method", "vclean", "--method", "text"]
        assert main(["evaluate", str(corpus), *options, "--predictions", str(predictions)]) == 1
        lines = [json.loads(line) for line in predictions.read_text().splitlines()]
        texts = {line["method"]: line["cleaneval"] for line in lines if line["id"] == "c"}
        assert texts == {
            "vclean, unrendered": "<p>Sun.\n",
            "text, unrendered": "<p>Sun.\n",
            "vclean, rendered": "<h>Sun.\n",
            "text, rendered": "<p>Sun.\n",
        }


class TestTrainModel:
    def test_trains_on_parsed_and_rendered_pages_and_writes_model(
        self, corpus: Path, learning: dict[str, object], renders: list[str], tmp_path: Path
    ) -> None:
        assert main(["train", str(corpus), "-o", str(tmp_path / "m.vclean")]) == 1
        assert (tmp_path / "m.vclean").read_bytes() == b"a model"
        assert learning["pages"] == [("a", False), ("a", True), ("c", False), ("c", True)]
        assert learning["regions"] is None
        assert set(learning["scores"]["small"]) == {"vclean, unrendered", "vclean, rendered"}  # type: ignore[index]

    def test_marked_pages_train_the_region_model(
        self, corpus: Path, marked: Path, learning: dict[str, object], renders: list[str], tmp_path: Path
    ) -> None:
        # The pages of the archive with gold text are used as a corpus as well.
        arguments = [str(corpus), str(marked), "--regions", str(marked), "-o", str(tmp_path / "m.vclean")]
        assert main(["train", *arguments]) == 1
        names = [name for name, _ in learning["pages"]]  # type: ignore[attr-defined]
        assert names == ["a", "a", "c", "c", MARKED[0], MARKED[0], MARKED[1], MARKED[1]]
        assert learning["regions"].booster.num_trees() > 0  # type: ignore[attr-defined]

    @pytest.mark.usefixtures("learning", "renders")
    def test_prints_scores_even_if_model_cannot_be_written(
        self, corpus: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = corpus.with_name("models")
        folder.mkdir()
        monkeypatch.setattr(training, "train", lambda *_, **__: folder.rmdir() or NO_WEIGHTS)
        assert main(["train", str(corpus), "-o", str(folder / "m.vclean")]) == 12
        assert "small, vclean, rendered" in capsys.readouterr().out

    def test_no_browser(self, corpus: Path, bare_machine: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["train", str(corpus), "-o", str(corpus.with_name("m.vclean"))]) == 9
        assert "vclean setup" in capsys.readouterr().err
