from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.synthetic import gold_page

from vclean.errors import InputError

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
PAGES = [gold_page(number, "small") for number in range(6)]


@pytest.fixture(scope="module")
def seeing():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(BENCHMARKS))
        yield import_module("seeing")
        for name in ("seeing", "leaderboard", "rivals", "documents", "speed"):
            sys.modules.pop(name, None)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "small.parquet"
    columns = {name: [getattr(page, name) for page in PAGES] for name in ("id", "url", "html")}
    pq.write_table(pa.table(columns | {"gold_text": [page.text for page in PAGES]}), path)
    return path


def predictions(path: Path, *readings: str) -> Path:
    """The whole gold where rendered, its first half where not."""
    lines = [
        {
            "corpus": "small",
            "id": page.id,
            "method": f"vclean, {reading}",
            "text": page.text if reading == "rendered" else " ".join(page.text.split()[: len(page.text.split()) // 2]),
            "cleaneval": "",
        }
        for page in PAGES
        for reading in readings
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


class TestDifference:
    def test_rendered_less_unrendered(self, seeing) -> None:
        page = PAGES[0]
        texts = {"vclean, unrendered": ("", ""), "vclean, rendered": (page.text, "")}
        assert seeing.difference(page, texts) == 1
        assert seeing.difference(page, {"vclean, unrendered": (page.text, ""), "vclean, rendered": ("", "")}) == -1

    def test_a_reading_is_missing(self, seeing) -> None:
        with pytest.raises(InputError, match="make them with --render"):
            seeing.difference(PAGES[0], {"vclean, rendered": ("", "")})


class TestMain:
    def test_table(self, seeing, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        found = predictions(tmp_path / "p.jsonl", "unrendered", "rendered")
        assert seeing.main([str(corpus), "--predictions", str(found)]) == 0
        row = capsys.readouterr().out.splitlines()[2]
        name, pages, mean, between = (cell.strip() for cell in row.strip("|").split("|"))
        assert (name, pages) == ("small", "6")
        assert 0.2 < float(mean) < 0.5
        low, _, high = between.partition(" to ")
        assert float(low) <= float(mean) <= float(high)

    def test_one_reading_only(self, seeing, corpus: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        found = predictions(tmp_path / "p.jsonl", "rendered")
        assert seeing.main([str(corpus), "--predictions", str(found)]) == 3
        assert capsys.readouterr().err.startswith("seeing: the predictions lack a reading")
