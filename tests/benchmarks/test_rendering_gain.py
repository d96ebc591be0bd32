from __future__ import annotations

import json
from pathlib import Path

import pytest
from helpers.benchmarks import imported_benchmark, write_corpus
from helpers.synthetic import gold_page

from vclean.errors import InputError

PAGES = [gold_page(number, "small") for number in range(6)]


@pytest.fixture(scope="module")
def rendering_gain():
    with imported_benchmark("rendering_gain") as module:
        yield module


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    return write_corpus(tmp_path / "small.parquet", PAGES)


def predictions(path: Path, *methods: str) -> Path:
    """Write predictions: all of the gold text for rendered pages, and its first half for unrendered pages."""
    lines = [
        {
            "corpus": "small",
            "id": page.id,
            "method": f"vclean, {method}",
            "text": page.text if method == "rendered" else " ".join(page.text.split()[: len(page.text.split()) // 2]),
            "cleaneval": "",
        }
        for page in PAGES
        for method in methods
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


class TestDifference:
    def test_rendered_minus_unrendered(self, rendering_gain) -> None:
        page = PAGES[0]
        texts = {"vclean, unrendered": ("", ""), "vclean, rendered": (page.text, "")}
        assert rendering_gain.difference(page, texts) == 1
        assert (
            rendering_gain.difference(page, {"vclean, unrendered": (page.text, ""), "vclean, rendered": ("", "")}) == -1
        )

    def test_rejects_a_missing_prediction(self, rendering_gain) -> None:
        with pytest.raises(InputError, match="make the predictions with --render"):
            rendering_gain.difference(PAGES[0], {"vclean, rendered": ("", "")})


class TestMain:
    def test_table(self, rendering_gain, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        path = predictions(tmp_path / "p.jsonl", "unrendered", "rendered")
        assert rendering_gain.main([str(corpus), "--predictions", str(path)]) == 0
        row = capsys.readouterr().out.splitlines()[2]
        name, pages, mean, bounds = (cell.strip() for cell in row.strip("|").split("|"))
        assert (name, pages) == ("small", "6")
        assert 0.2 < float(mean) < 0.5
        low, _, high = bounds.partition(" to ")
        assert float(low) <= float(mean) <= float(high)

    def test_fails_without_unrendered_predictions(
        self, rendering_gain, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = predictions(tmp_path / "p.jsonl", "rendered")
        assert rendering_gain.main([str(corpus), "--predictions", str(path)]) == 3
        assert capsys.readouterr().err.startswith("rendering_gain.py: a prediction is missing")
