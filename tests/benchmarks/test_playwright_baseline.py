from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "playwright_baseline.py"

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def baseline() -> ModuleType:
    spec = importlib.util.spec_from_file_location("playwright_baseline", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["playwright_baseline"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Write two pages of five elements, with html, head and body; the script of the second adds a sixth."""
    html = [b"<p>One<p>Two", b"<p>One<script>document.body.append(document.createElement('p'))</script>"]
    path = tmp_path / "pages.parquet"
    pq.write_table(pa.table({"url": ["http://a.org/", "http://b.org/"], "html": html}), path)
    return path


class TestRun:
    @pytest.mark.parametrize(("concurrency", "scripts", "extracted"), [(1, True, 11), (2, False, 10)])
    def test_counts_every_element(self, baseline, pages: Path, concurrency: int, scripts: bool, extracted: int) -> None:
        options = baseline.Options(concurrency=concurrency, abort=scripts, scripts=scripts, label=False)
        assert asyncio.run(baseline.run(pages, options)) == {"pages": 2, "failed": 0, "extracted": extracted}

    def test_counts_labelled_blocks(self, baseline, pages: Path) -> None:
        options = baseline.Options(concurrency=1, abort=True, scripts=False, label=True)
        assert asyncio.run(baseline.run(pages, options)) == {"pages": 2, "failed": 0, "extracted": 3}

    def test_counts_a_failed_page(self, baseline, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        async def extract(*_arguments: object) -> int:
            raise TimeoutError

        monkeypatch.setattr(baseline, "extract", extract)
        options = baseline.Options(concurrency=1, abort=True, scripts=False, label=False)
        assert asyncio.run(baseline.run(pages, options)) == {"pages": 2, "failed": 2, "extracted": 0}
