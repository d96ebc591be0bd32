from __future__ import annotations

import gzip
import json
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import PAGE, record, response
from helpers.waiting import assert_eventually

from vclean.farm import stats as module
from vclean.farm.inputs import Inputs
from vclean.farm.stats import Stats, count_input
from vclean.farm.tasks import TaskOutcome
from vclean.settings import CleanerSettings


def outcome(error: str = "", **seconds: float) -> TaskOutcome:
    return TaskOutcome(record=None, error=error, seconds=seconds)  # type: ignore[arg-type]  # not read in this test


class TestCount:
    def test_results_failures_and_seconds_by_stage(self) -> None:
        stats = Stats(skipped=3)
        for error in ("", "", "DeadlineError", "BrowserError", "DeadlineError", "NotHtmlError"):
            stats.count(outcome(error, render=1.23456, extract=0.5))
        stats.restarts["crash"] += 1
        assert stats.done == 6
        facts = json.loads(json.dumps(stats.to_dict()))
        assert (facts["ok"], facts["skipped"], facts["no_pages"]) == (2, 3, 1)
        assert facts["failed"] == {"DeadlineError": 2, "BrowserError": 1}
        assert facts["restarts"] == {"crash": 1}
        assert facts["stage_seconds"] == {"render": 7.407, "extract": 3.0}


class TestRemainingSeconds:
    @pytest.mark.parametrize(
        ("facts", "seconds"),
        [
            ({"total": 1000, "skipped": 500, "ok": 50}, 900),  # pages of an earlier run are not in the rate
            ({"total": 10, "ok": 50}, 0),
            ({"ok": 50}, None),
            ({"total": 100}, None),
        ],
    )
    def test_uses_rate_of_this_run(self, facts: dict[str, int], seconds: float | None) -> None:
        remaining = Stats(started=time.monotonic() - 100, **facts).remaining_seconds
        assert remaining == (seconds and pytest.approx(seconds, rel=0.01))


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


def wait_for_total(*arguments: object, **options) -> int | None:
    """Return the number of pages of inputs when they are counted."""
    stats = Stats()
    with count_input(Inputs([str(each) for each in arguments], CleanerSettings(), **options), stats):
        assert_eventually(lambda: stats.total is not None, 20)
    return stats.total


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
        assert wait_for_total(table, lines, tmp_path / "folder", "https://a.example/") == 70 + 5 + 2 + 1

    @pytest.mark.parametrize(("limit", "total"), [(30, 30), (70, 70), (99, 70)])
    def test_limit(self, table: Path, limit: int, total: int) -> None:
        assert wait_for_total(table, limit=limit) == total

    def test_unreadable_file_counts_as_one_failure(self, tmp_path: Path) -> None:
        broken = tmp_path / "broken.parquet"
        broken.write_bytes(b"PAR1 no more")
        assert wait_for_total(broken, tmp_path / "missing.parquet") == 2

    @pytest.mark.parametrize(("requested", "total"), [(None, 2), ("http://a.example/2\n", 1)])
    def test_counts_archives_by_index(
        self, tmp_path: Path, archive: Path, monkeypatch: pytest.MonkeyPatch, requested: str | None, total: int
    ) -> None:
        """Count the archive again after it was read."""
        monkeypatch.setattr(module, "_SECONDS", 0.01)
        pages = tmp_path / "requested.txt"
        pages.write_text(requested or "")
        options = {"pages": pages} if requested else {}
        inputs, stats = Inputs([str(archive)], CleanerSettings(), index_folder=tmp_path, **options), Stats()
        with count_input(inputs, stats):
            time.sleep(0.1)
            assert stats.total is None
            assert len(list(inputs)) == total
            assert_eventually(lambda: stats.total == total, 20)

    def test_extrapolates_by_bytes(self, tmp_path: Path, table: Path) -> None:
        packed = tmp_path / "more.jsonl.gz"
        packed.write_bytes(gzip.compress(b"x").ljust(table.stat().st_size, b"\0"))
        assert wait_for_total(table, packed) == 140
