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
from vclean.farm.stats import Stats, count_input
from vclean.render.archive.pages import Archive
from vclean.settings import CleanerSettings


def wait_for_stats(
    *arguments: object, until: Callable[[Stats], bool] = lambda stats: stats.total is not None, **more
) -> Stats:
    """Return the counts when a condition is met."""
    stats = Stats()
    with count_input(Inputs([str(each) for each in arguments], CleanerSettings(), **more), stats):
        end = time.monotonic() + 20
        while not until(stats):
            assert time.monotonic() < end, "the condition was never met"
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


class TestCountInput:
    def test_tables_lines_files_folders_and_urls(self, tmp_path: Path, table: Path) -> None:
        lines = tmp_path / "pages.jsonl"
        lines.write_text('{"html": "<p>a"}\n' * 5)
        (tmp_path / "folder").mkdir()
        for name in ("a.html", "b.html"):
            (tmp_path / "folder" / name).write_text("<p>a")
        assert wait_for_stats(table, lines, tmp_path / "folder", "https://a.example/").total == 70 + 5 + 2 + 1

    @pytest.mark.parametrize(("limit", "total"), [(30, 30), (70, 70), (99, 70)])
    def test_limit(self, table: Path, limit: int, total: int) -> None:
        assert wait_for_stats(table, limit=limit).total == total

    def test_unreadable_file_counts_as_one_failure(self, tmp_path: Path) -> None:
        broken = tmp_path / "broken.parquet"
        broken.write_bytes(b"PAR1 no more")
        assert wait_for_stats(broken, tmp_path / "missing.parquet").total == 2

    def test_counts_archives_by_index(self, tmp_path: Path, archive: Path) -> None:
        inputs = Inputs([str(archive)], CleanerSettings(), index_folder=tmp_path)
        index_path = inputs.reader.index_of(archive)
        assert index_path is not None
        Archive(archive, index=index_path)
        assert wait_for_stats(archive, index_folder=tmp_path).total == 2

    def test_counts_only_requested_pages(self, tmp_path: Path, archive: Path) -> None:
        requested = tmp_path / "wanted.txt"
        requested.write_text("http://a.example/2\n")
        index_path = Inputs([str(archive)], CleanerSettings(), index_folder=tmp_path).reader.index_of(archive)
        assert index_path is not None
        Archive(archive, index=index_path)
        assert wait_for_stats(archive, pages=requested, index_folder=tmp_path).total == 1

    def test_extrapolates_by_bytes(self, tmp_path: Path, table: Path) -> None:
        packed = tmp_path / "more.jsonl.gz"
        packed.write_bytes(gzip.compress(b"x").ljust(table.stat().st_size, b"\0"))
        assert wait_for_stats(table, packed).total == 140

    def test_counts_archive_after_it_was_read(
        self, tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(total, "_SECONDS", 0.01)
        inputs, stats = Inputs([str(archive)], CleanerSettings(), index_folder=tmp_path), Stats()
        with count_input(inputs, stats):
            time.sleep(0.1)
            assert stats.total is None
            assert len(list(inputs)) == 2
            end = time.monotonic() + 20
            while stats.total != 2:
                assert time.monotonic() < end
                time.sleep(0.01)
