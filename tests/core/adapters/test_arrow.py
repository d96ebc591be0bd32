from __future__ import annotations

import os
import pickle
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from helpers.libraries import require

import vclean
from vclean.adapters.arrow import COLUMNS, SCHEMA, ArrowCleaner
from vclean.errors import BrowserMissingError, InputError, UsageError
from vclean.farm import rows

ROOT = Path(__file__).parents[3]
NEWS = (ROOT / "fixtures" / "news" / "page.html").read_bytes()
URL = "https://example.org/ferry"
PAGES = pa.table({"html": [NEWS, b"", None], "url": [URL, None, None], "number": [1, 2, 3]})
TEXT = vclean.clean(NEWS, url=URL).to_text()

SPARK = f"""
import sys
from pyspark.sql import SparkSession
from vclean.adapters.arrow import ArrowCleaner
import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema
news = open({str(ROOT / "fixtures" / "news" / "page.html")!r}, "rb").read()
spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
pages = spark.createDataFrame([(news, 1), (b"", 2)], "html binary, number int")
cleaner = ArrowCleaner(columns=["text", "error", "labels"], keep=["number"])
schema = from_arrow_schema(cleaner.output_schema(pa.schema([("html", pa.binary()), ("number", pa.int32())])))
for row in pages.mapInArrow(cleaner.map_batches, schema).collect():
    print("ROW", row.number, row.error, row.labels and row.labels.h, (row.text or "")[:20])
"""

RAY = f"""
import ray
from vclean.adapters.arrow import ArrowCleaner
news = open({str(ROOT / "fixtures" / "news" / "page.html")!r}, "rb").read()
ray.init("local", num_cpus=1, include_dashboard=False, log_to_driver=False)
pages = ray.data.from_items([{{"html": news, "number": 1}}, {{"html": b"", "number": 2}}])
options = {{"columns": ["text", "error", "labels"], "keep": ["number"]}}
actors = ray.data.ActorPoolStrategy(size=1)
cleaned = pages.map_batches(ArrowCleaner, fn_constructor_kwargs=options, batch_format="pyarrow", compute=actors)
for row in cleaned.take_all():
    print("ROW", row["number"], row["error"], row["labels"] and row["labels"]["h"], (row["text"] or "")[:20])
"""


def printed_rows(program: str) -> list[str]:
    """Run a program in a separate process, and return the rows that it prints."""
    command, environment = [sys.executable, "-c", program], os.environ | {"RAY_raylet_start_wait_time_s": "150"}
    done = subprocess.run(command, capture_output=True, text=True, timeout=220, check=False, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    return sorted(line for line in done.stdout.splitlines() if line.startswith("ROW"))


class TestCall:
    def test_one_row_for_each_page(self) -> None:
        table = ArrowCleaner()(PAGES)
        assert table.column_names == list(COLUMNS)
        table.validate(full=True)
        assert table["status"].to_pylist() == ["ok", "skipped", "skipped"]
        assert table["error"].to_pylist() == [None, "NotHtmlError", "NotHtmlError"]
        assert table["text"].to_pylist() == [TEXT, None, None]

    def test_columns_equal_the_api(self) -> None:
        (row, *_) = ArrowCleaner(columns=SCHEMA.names)(PAGES).to_pylist()
        result = vclean.clean(NEWS, url=URL)
        counts = {label: sum(block.label == label for block in result.blocks) for label in "hplco"}
        assert row["labels"] == counts
        assert row["markdown"] == result.to_markdown()
        assert (row["url"], row["id"], row["language"]) == (URL, URL, result.language)
        assert row["confidence"] == pytest.approx(result.confidence, abs=1e-4)
        assert [block["text"] for block in row["blocks"]] == [block.text for block in result.blocks]

    def test_columns_to_keep(self) -> None:
        table = ArrowCleaner(columns=["error"], keep=["number"])(PAGES)
        assert table.schema == pa.schema([("number", pa.int64()), ("error", pa.string())])
        assert table["number"].to_pylist() == [1, 2, 3]

    def test_an_unexpected_error_is_a_row(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("vclean.pipeline.Pipeline.run", lambda *_: 1 / 0)
        (row, *_) = ArrowCleaner()(PAGES).to_pylist()
        assert row["status"] == "failed"
        assert "ZeroDivisionError" in row["message"]

    def test_missing_columns(self) -> None:
        with pytest.raises(InputError, match="the table has no column 'html', it has url: rename"):
            ArrowCleaner()(PAGES.select(["url"]))
        with pytest.raises(UsageError, match="no input column 'key' to keep"):
            ArrowCleaner(keep=["key"])(PAGES)

    def test_an_error_of_every_page(self, bare_machine: Path) -> None:
        with pytest.raises(BrowserMissingError):
            ArrowCleaner(render=True)(PAGES)

    @pytest.mark.browser
    def test_rendered(self) -> None:
        with ArrowCleaner(render=True, columns=["rendered", "text", "blocks"]) as cleaner:
            (row, *_) = cleaner(PAGES.slice(0, 1)).to_pylist()
        assert row["rendered"]
        assert row["text"].startswith("The last ferry")
        assert row["blocks"][0]["box"]["w"] > 0


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"columns": ["txt"]}, "no output column 'txt': choose one of id, url,"),
            ({"keep": ["url"]}, "two columns 'url'"),
        ],
    )
    def test_wrong_columns(self, options: dict[str, list[str]], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            ArrowCleaner(**options)

    def test_every_column_is_documented(self) -> None:
        text = (ROOT / "docs" / "guides" / "arrow.md").read_text(encoding="utf-8")
        assert [name for name in SCHEMA.names if f"`{name}`" not in text] == []

    def test_columns_of_the_farm_are_there(self) -> None:
        shared = set(SCHEMA.names) & set(rows.SCHEMA.names)
        assert {"text", "confidence", "language", "error", "blocks"} <= shared
        assert all(SCHEMA.field(name) == rows.SCHEMA.field(name) for name in shared)


class TestMapBatches:
    """The contract of Spark's `mapInArrow`: an iterator of batches in, an iterator with the declared columns out."""

    def test_batches(self) -> None:
        cleaner = ArrowCleaner(columns=["text"], keep=["number"])
        batches = list(cleaner.map_batches(iter(PAGES.to_batches(max_chunksize=2))))
        assert [batch.num_rows for batch in batches] == [2, 1]
        assert all(batch.schema == cleaner.output_schema(PAGES.schema) for batch in batches)
        assert cleaner._pipeline is None  # the browser is closed

    def test_is_picklable_when_in_use(self) -> None:
        cleaner = ArrowCleaner(columns=["text"])
        cleaner(PAGES)
        assert pickle.loads(pickle.dumps(cleaner))(PAGES)["text"].to_pylist() == [TEXT, None, None]


@pytest.mark.slow
class TestEngines:
    def test_hugging_face_datasets(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HF_HOME", str(tmp_path))
        datasets = require("datasets", "arrow")
        cleaner = ArrowCleaner(columns=["text", "labels"], keep=["number"])
        cleaned = datasets.Dataset(PAGES).with_format("arrow").map(cleaner, batched=True, batch_size=2)
        assert cleaned.column_names == ["number", "text", "labels"]
        assert cleaned.with_format(None)["text"][:] == [TEXT, None, None]

    @pytest.mark.parametrize(("engine", "program"), [("ray.data", RAY), ("pyspark", SPARK)], ids=["ray", "spark"])
    def test_ray_and_spark(self, engine: str, program: str) -> None:
        require(engine, "arrow")
        assert printed_rows(program) == ["ROW 1 None 3 The last ferry on th", "ROW 2 NotHtmlError None "]
