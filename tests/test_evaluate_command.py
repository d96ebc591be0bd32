from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from vclean.cli import main

PAGES = {
    "a": ("<nav>Menu</nav><h1>Rain</h1><p>It rained all day in the valley, and nobody minded.", "Rain"),
    "b": ("", "Nothing came of it."),
    "c": ("<p>Sun.</p>", "Sun."),
}


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
    def test_a_table_for_every_method(self, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["evaluate", str(corpus), "--method", "text", "--method", "bte"]) == 0
        out = capsys.readouterr().out
        assert "small, text" in out
        assert "small, bte" in out
        assert "forum" in out

    def test_a_page_that_fails_counts_as_empty_and_is_named(
        self, corpus: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        main(["evaluate", str(corpus), "--method", "text"])
        assert "failed: b: the document is empty" in capsys.readouterr().out

    def test_figures_and_predictions(self, corpus: Path, tmp_path: Path) -> None:
        files = ["--json", str(tmp_path / "f.json"), "--predictions", str(tmp_path / "p.jsonl")]
        assert main(["evaluate", str(corpus), "--method", "text", *files]) == 0
        figures = json.loads((tmp_path / "f.json").read_text())["small"]["text"]
        assert figures["scores"]["all"]["pages"] == 3
        lines = [json.loads(line) for line in (tmp_path / "p.jsonl").read_text().splitlines()]
        assert [(line["id"], line["text"], line["cleaneval"]) for line in lines][1:] == [
            ("b", "", ""),
            ("c", "Sun.\n", "<p>Sun.\n"),
        ]

    def test_a_missing_corpus(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["evaluate", "none.parquet", "--method", "text"]) == 3
        assert len(capsys.readouterr().err.splitlines()) == 1

    def test_an_unknown_method(self, corpus: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["evaluate", str(corpus), "--method", "magic"]) == 2
        assert "no method 'magic'" in capsys.readouterr().err
