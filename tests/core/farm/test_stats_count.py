from __future__ import annotations

import gzip
import time
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import PAGE, record, response

from vclean.farm import stats as total
from vclean.farm.inputs import Inputs
from vclean.farm.stats import Stats, counted
from vclean.render.archive.pages import Archive
from vclean.settings import CleanerSettings


def told(*arguments: object, until: Callable[[Stats], bool] = lambda stats: stats.total is not None, **more) -> Stats:
    """The counts once they are what is waited for."""
    stats = Stats()
    with counted(Inputs([str(each) for each in arguments], CleanerSettings(), **more), stats):
        end = time.monotonic() + 20
        while not until(stats):
            assert time.monotonic() < end, "it was never told"
            time.sleep(0.01)
    return stats


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "pages.parquet"
    pq.write_table(pa.table({"html": ["<p>a"] * 70}), path)
    return path


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "crawl.warc"
    path.write_bytes(PAGE + record("http://a.example/2", response(b"<p>two")))
    return path


class TestCounted:
    def test_tables_lines_files_folders_and_addresses(self, tmp_path: Path, table: Path) -> None:
        lines = tmp_path / "pages.jsonl"
        lines.write_text('{"html": "<p>a"}\n' * 5)
        (tmp_path / "folder").mkdir()
        for name in ("a.html", "b.html"):
            (tmp_path / "folder" / name).write_text("<p>a")
        assert told(table, lines, tmp_path / "folder", "https://a.example/").total == 70 + 5 + 2 + 1

    def test_what_cannot_be_read_is_one_failure(self, tmp_path: Path) -> None:
        broken = tmp_path / "broken.parquet"
        broken.write_bytes(b"PAR1 no more")
        assert told(broken, tmp_path / "missing.parquet").total == 2

    def test_archives_are_told_by_their_index(self, tmp_path: Path, archive: Path) -> None:
        inputs = Inputs([str(archive)], CleanerSettings(), index_folder=tmp_path)
        place = inputs.reader.index_of(archive)
        assert place is not None
        Archive(archive, index=place)
        assert told(archive, index_folder=tmp_path).total == 2

    def test_only_the_pages_that_are_asked_for(self, tmp_path: Path, archive: Path) -> None:
        wanted = tmp_path / "wanted.txt"
        wanted.write_text("http://a.example/2\n")
        place = Inputs([str(archive)], CleanerSettings(), index_folder=tmp_path).reader.index_of(archive)
        assert place is not None
        Archive(archive, index=place)
        assert told(archive, pages=wanted, index_folder=tmp_path).total == 1

    def test_what_cannot_be_counted_is_told_by_its_bytes(self, tmp_path: Path, table: Path) -> None:
        packed = tmp_path / "more.jsonl.gz"
        packed.write_bytes(gzip.compress(b"x").ljust(table.stat().st_size, b"\0"))
        assert told(table, packed).total == 140

    def test_an_archive_is_counted_as_soon_as_it_was_read(
        self, tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(total, "_SECONDS", 0.01)
        inputs, stats = Inputs([str(archive)], CleanerSettings(), index_folder=tmp_path), Stats()
        with counted(inputs, stats):
            time.sleep(0.1)
            assert stats.total is None
            assert len(list(inputs)) == 2
            end = time.monotonic() + 20
            while stats.total != 2:
                assert time.monotonic() < end
                time.sleep(0.01)
