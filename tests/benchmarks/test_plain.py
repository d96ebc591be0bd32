from __future__ import annotations

import asyncio
import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "plain.py"

pytestmark = [pytest.mark.slow, pytest.mark.browser]


@pytest.fixture(scope="module")
def plain() -> ModuleType:
    spec = importlib.util.spec_from_file_location("plain", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules["plain"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Five elements each with the three that every document has, but for the script of the last."""
    html = [b"<p>One<p>Two", b"<p>One<script>document.body.append(document.createElement('p'))</script>"]
    path = tmp_path / "pages.parquet"
    pq.write_table(pa.table({"url": ["http://a.org/", "http://b.org/"], "html": html}), path)
    return path


class TestRun:
    @pytest.mark.parametrize(("at_once", "alone", "found"), [(1, True, 11), (2, False, 10)])
    def test_every_element(self, plain, pages: Path, at_once: int, alone: bool, found: int) -> None:
        manner = plain.Manner(at_once=at_once, abort=alone, scripts=alone, label=False)
        assert asyncio.run(plain.run(pages, manner)) == {"pages": 2, "failed": 0, "found": found}

    def test_labelled_blocks(self, plain, pages: Path) -> None:
        manner = plain.Manner(at_once=1, abort=True, scripts=False, label=True)
        assert asyncio.run(plain.run(pages, manner)) == {"pages": 2, "failed": 0, "found": 3}

    def test_a_page_that_fails_is_counted(self, plain, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        async def extract(*_arguments: object) -> int:
            raise TimeoutError

        monkeypatch.setattr(plain, "extract", extract)
        manner = plain.Manner(at_once=1, abort=True, scripts=False, label=False)
        assert asyncio.run(plain.run(pages, manner)) == {"pages": 2, "failed": 2, "found": 0}
