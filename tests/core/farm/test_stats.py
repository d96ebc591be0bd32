from __future__ import annotations

import gzip
import json
import socket
import threading
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import PAGE, record, response
from prometheus_client.parser import text_string_to_metric_families

from vclean.errors import UsageError
from vclean.farm import stats as total
from vclean.farm.inputs import Inputs
from vclean.farm.stats import Stats, count_input, serve_metrics
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


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def scrape(port: int) -> dict[tuple[str, ...], float]:
    """Return the samples by name and label value."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}


class TestServeMetrics:
    def test_reports_current_counts(self, port: int) -> None:
        stats = Stats(total=10)
        with serve_metrics(stats, f"127.0.0.1:{port}"):
            assert scrape(port)["vclean_pages_done_total",] == 0
            stats.ok, stats.skipped, stats.working, stats.retried = 4, 1, 2, 3
            stats.failed["DeadlineError"] += 2
            stats.restarts["crash"] += 1
            stats.seconds["render"] += 1.5
            samples = scrape(port)
        assert samples["vclean_pages_done_total",] == 4
        assert samples["vclean_pages_failed_total", "DeadlineError"] == 2
        assert samples["vclean_pages_queued",] == 1
        assert samples["vclean_pages_working",] == 2
        assert samples["vclean_pages_skipped_total",] == 1
        assert samples["vclean_retries_total",] == 3
        assert samples["vclean_worker_restarts_total", "crash"] == 1
        assert samples["vclean_stage_seconds_total", "render"] == 1.5
        assert samples["vclean_run_seconds",] >= 0

    def test_omits_unknown_queue(self, port: int) -> None:
        with serve_metrics(Stats(), f"127.0.0.1:{port}"):
            assert ("vclean_pages_queued",) not in scrape(port)

    def test_frees_port(self, port: int) -> None:
        for count in (1, 2):
            with serve_metrics(Stats(ok=count), f"127.0.0.1:{port}"):
                assert scrape(port)["vclean_pages_done_total",] == count

    def test_rejects_taken_port(self, port: int) -> None:
        message = f":{port} .* choose another"
        with (
            serve_metrics(Stats(), f"127.0.0.1:{port}"),
            pytest.raises(UsageError, match=message),
            serve_metrics(Stats(), f"127.0.0.1:{port}"),
        ):
            pass

    def test_does_nothing_without_port(self) -> None:
        threads = set(threading.enumerate())
        with serve_metrics(Stats(), None):
            assert set(threading.enumerate()) <= threads

    def test_listens_on_loopback_only(self, port: int) -> None:
        with serve_metrics(Stats(), f"127.0.0.1:{port}"):
            listening = socket.create_connection(("127.0.0.1", port))
            listening.close()
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((_other_address(), port), timeout=5)


def _other_address() -> str:
    """Return another address of this machine: on Linux, all of 127/8 are."""
    return "127.0.0.2"
