"""Test `vclean train --method` and `vclean evaluate --folds` with trained methods."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.pages import parsed

from vclean.cli.main import main

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "It rained all day in the valley, and nobody minded it at all, for it was warm."
PAGE = "<ul>" + "<li><a href=/>Link</a></li>" * 12 + "</ul>" + f"<p>{TEXT}</p>" * 8


@pytest.fixture
def corpus(tmp_path: Path) -> str:
    rows = [
        {"id": str(at), "url": f"http://site{at}.example/", "html": PAGE.encode(), "gold_text": " ".join([TEXT] * 8)}
        for at in range(12)
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "small.parquet")
    return str(tmp_path / "small.parquet")


class TestTrain:
    def test_prints_scores_and_writes_a_working_model(
        self, corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        model, page = tmp_path / "tree.model", tmp_path / "page.html"
        page.write_text(PAGE)
        predictions = tmp_path / "said.jsonl"
        arguments = ["--method", "wcc-tree", "-o", str(model), "--predictions", str(predictions)]
        assert main(["train", corpus, *arguments]) == 0
        table = capsys.readouterr().out
        assert "small, wcc-tree" in table
        assert "1.000" in table
        assert len(predictions.read_text().splitlines()) == 12
        assert main([str(page), "--method", "wcc-tree", "--model", str(model), "-f", "cleaneval"]) == 0
        assert capsys.readouterr().out == f"<p>{TEXT}\n" * 8

    def test_training_is_reproducible(self, corpus: str, tmp_path: Path) -> None:
        for name in ("a", "b"):
            assert main(["train", corpus, "--method", "wcc-tree", "-o", str(tmp_path / name)]) == 0
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()

    @pytest.mark.parametrize(
        ("name", "reason"), [("bte", "the method bte is not trained"), ("magic", "no method 'magic'")]
    )
    def test_rejects_untrained_methods(
        self, corpus: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, reason: str
    ) -> None:
        assert main(["train", corpus, "--method", name, "-o", str(tmp_path / "m")]) == 2
        assert reason in capsys.readouterr().err

    @pytest.mark.parametrize("option", ["--regions", "--corrections"])
    def test_options_of_the_main_model_only(self, option: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["train", "c.parquet", "--method", "wcc-tree", option, "x", "-o", "m"]) == 2
        assert "train the method vclean only" in capsys.readouterr().err

    def test_main_model_is_the_default(self) -> None:
        assert parsed("train", "c.parquet", "-o", "m").method == "vclean"


class TestEvaluate:
    def test_cross_validates_with_folds(self, corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["evaluate", corpus, "--method", "wcc-tree", "--method", "text", "--folds", "3"]) == 0
        out = capsys.readouterr().out
        assert "small, wcc-tree" in out
        assert "small, text" in out

    def test_too_few_sites(self, corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["evaluate", corpus, "--method", "wcc-tree", "--folds", "13"]) == 3
        assert "the pages come from 12 sites: too few for 13 folds" in capsys.readouterr().err

    def test_uses_the_shipped_model_without_folds(self, corpus: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["evaluate", corpus, "--method", "wcc-tree"]) == 0
        assert "failed" not in capsys.readouterr().out
