from __future__ import annotations

import gc
import gzip
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.archives import STYLE, STYLED, record, response

from vclean.errors import OutputError
from vclean.render.archive import index_builder
from vclean.render.archive.index_builder import normalize_url, url_key
from vclean.render.archive.pages import open_index, open_matching_index


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(STYLED) + gzip.compress(STYLE))
    return path


@pytest.fixture
def index_path(tmp_path: Path) -> Path:
    return tmp_path / "index_path.index"


class TestOpenIndex:
    def test_deletes_temporary_index(self, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = tmp_path / "temporary"
        folder.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(folder))
        index = open_index(archive)
        assert list(folder.iterdir()) == [index.path]
        del index
        gc.collect()
        assert list(folder.iterdir()) == []

    @pytest.mark.parametrize("content", [b"", b"no database" * 1000, b"SQLite format 3\0" + bytes(5000)])
    def test_replaces_invalid_index(self, archive: Path, index_path: Path, content: bytes) -> None:
        index_path.write_bytes(content)
        assert open_index(archive, index_path).facts["pages"] == 1
        assert open_matching_index(archive, index_path) is not None

    def test_reports_full_disk(self, archive: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        monkeypatch.setattr(index_builder, "SCHEMA", index_builder.SCHEMA + "PRAGMA max_page_count = 8;")
        archive.write_bytes(b"".join(gzip.compress(record(f"http://a/{i}", response(b"x"))) for i in range(800)))
        with pytest.raises(OutputError, match=r"full.*free some space") as failure:
            open_index(archive)
        assert "\n" not in str(failure.value)
        assert list(tmp_path.iterdir()) == [archive]


def test_missing_index_and_deleted_archive_have_no_matching_index(archive: Path, index_path: Path) -> None:
    assert open_matching_index(archive, index_path) is None
    assert list(open_index(archive, index_path).members) == [""]
    archive.unlink()
    assert open_matching_index(archive, index_path) is None


def test_memory_does_not_grow_with_the_archive(tmp_path: Path) -> None:
    """Compare the peak memory of building indexes of 3,000 and 30,000 records."""
    peaks = []
    for count in (3000, 30_000):
        path = tmp_path / f"{count}.warc"
        with path.open("wb") as file:
            file.writelines(record(f"http://a.example/{i}/{'x' * 300}", response(b"x")) for i in range(count))
        code = "import resource, sys; from pathlib import Path; from vclean.render.archive.pages import Archive;"
        code += "archive = Archive(Path(sys.argv[1])); assert sum(1 for _ in archive.pages) == int(sys.argv[2]);"
        code += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        run = subprocess.run([sys.executable, "-c", code, path, str(count)], capture_output=True, check=True)
        peaks.append(int(run.stdout))
    assert peaks[1] - peaks[0] < 40_000  # KiB: the caches of the database fill up


def test_key_of_any_text() -> None:
    assert len({len(url_key(text)) for text in ("", "http://[", "\udcff", "\0")}) == 1
    assert normalize_url("http://[") == "http://["
