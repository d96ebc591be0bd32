from __future__ import annotations

import json
import socket
import time
import urllib.request
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import PAGE, record, response
from helpers.waiting import assert_eventually
from prometheus_client.parser import text_string_to_metric_families

from vclean.errors import UsageError
from vclean.farm import stats as module
from vclean.farm.inputs import Inputs
from vclean.farm.rows import TaskOutcome
from vclean.farm.stats import Stats, count_input, serve_metrics
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


def wait_for_total(*arguments: object, **options) -> int | None:
    """Return the number of pages of inputs when they are counted."""
    stats, folder = Stats(), Path("/none")
    with count_input(
        Inputs([str(each) for each in arguments], CleanerSettings(), index_folder=folder, **options), stats
    ):
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
        stats = Stats()
        with serve_metrics(stats, f"127.0.0.1:{port}"):
            before = scrape(port)
            assert before["vclean_pages_done_total",] == 0
            assert ("vclean_pages_queued",) not in before
            stats.total, stats.ok, stats.skipped, stats.working, stats.retried, stats.no_pages = 12, 4, 1, 2, 3, 2
            stats.failed["DeadlineError"] += 2
            stats.restarts["crash"] += 1
            stats.seconds["render"] += 1.5
            samples = scrape(port)
        assert samples.pop(("vclean_run_seconds",)) >= 0
        assert {name: value for name, value in samples.items() if not name[0].endswith("_created")} == {
            ("vclean_pages_done_total",): 4,
            ("vclean_pages_failed_total", "DeadlineError"): 2,
            ("vclean_pages_queued",): 1,
            ("vclean_pages_working",): 2,
            ("vclean_pages_skipped_total",): 1,
            ("vclean_no_pages_total",): 2,
            ("vclean_retries_total",): 3,
            ("vclean_worker_restarts_total", "crash"): 1,
            ("vclean_stage_seconds_total", "render"): 1.5,
        }

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

    def test_listens_on_loopback_only(self, port: int) -> None:
        with serve_metrics(Stats(), f"127.0.0.1:{port}"):
            listening = socket.create_connection(("127.0.0.1", port))
            listening.close()
            with pytest.raises(OSError, match="refused"):
                socket.create_connection(("127.0.0.2", port), timeout=5)  # on Linux, all of 127/8 is this machine
