"""Working directory for the commands and programs of the documentation."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.documents import ROOT

NEWS = ROOT / "fixtures" / "news" / "page.html"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make the files that commands and programs read, and work beside them."""
    for path in ("page.html", "other.html", "saved/one.html"):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        shutil.copy(NEWS, tmp_path / path)
    for template in ("story.txt", "folder/example.org.txt"):
        (tmp_path / template).parent.mkdir(exist_ok=True)
        (tmp_path / template).write_text("article\n", encoding="utf-8")
    pq.write_table(pa.table({"html": [NEWS.read_bytes()]}), tmp_path / "pages.parquet")
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    monkeypatch.chdir(tmp_path)
    return tmp_path
