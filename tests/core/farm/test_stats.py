from __future__ import annotations

import gzip
import json
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
from vclean.farm.tasks import TaskOutcome
from vclean.render.archive.pages import Archive
from vclean.settings import CleanerSettings


def outcome(error: str = "", **seconds: float) -> TaskOutcome:
    return TaskOutcome(record=None, error=error, seconds=seconds)  # type: ignore[arg-type]  # not read in this test


class TestCount:
    def test_results_and_failures(self) -> None:
        stats = Stats()
        for error in ("", "", "DeadlineError", "BrowserError", "DeadlineError"):
            stats.count(outcome(error))
        assert (stats.ok, stats.done) == (2, 5)
        assert stats.failed == {"DeadlineError": 2, "BrowserError": 1}

    def test_seconds_add_up_by_stage(self) -> None:
        stats = Stats()
        stats.count(outcome(render=1.0, extract=0.5))
        stats.count(outcome("DeadlineError", render=2.0))
        assert stats.seconds == {"render": 3.0, "extract": 0.5}


class TestRemainingSeconds:
    def running(self, **facts: int) -> Stats:
        return Stats(started=time.monotonic() - 100, **facts)

    def test_uses_rate_of_this_run(self) -> None:
        """Exclude pages of an earlier run from the rate."""
        assert self.running(total=1000, skipped=500, ok=50).remaining_seconds == pytest.approx(900, rel=0.01)

    @pytest.mark.parametrize("facts", [{"ok": 50}, {"total": 100}])
    def test_unknown(self, facts: dict[str, int]) -> None:
        assert self.running(**facts).remaining_seconds is None

    def test_is_never_negative(self) -> None:
        assert self.running(total=10, ok=50).remaining_seconds == 0


class TestToDict:
    def test_is_serializable(self) -> None:
        stats = Stats(skipped=3)
        stats.count(outcome("DeadlineError", render=1.23456))
        stats.restarts["crash"] += 1
        facts = json.loads(json.dumps(stats.to_dict()))
        assert facts["failed"] == {"DeadlineError": 1}
        assert facts["restarts"] == {"crash": 1}
        assert facts["stage_seconds"] == {"render": 1.235}
        assert (facts["ok"], facts["skipped"]) == (0, 3)


class TestAdd:
    def test_adds_counts_of_other_processes(self) -> None:
        mine = Stats(skipped=1, ok=2, retried=3, working=4)
        mine.failed["LimitError"] = 1
        theirs = Stats(skipped=10, ok=20, retried=30, working=40)
        theirs.failed.update({"LimitError": 1, "InputError": 2})
        theirs.restarts["crash"] = 1
        theirs.seconds["render"] = 0.5
        mine.add(theirs)
        assert (mine.skipped, mine.ok, mine.retried, mine.working) == (11, 22, 33, 4)
        assert mine.failed == {"LimitError": 2, "InputError": 2}
        assert (mine.restarts, mine.seconds) == ({"crash": 1}, {"render": 0.5})


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
