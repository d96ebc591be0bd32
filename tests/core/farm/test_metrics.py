from __future__ import annotations

import socket
import threading
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from vclean.errors import UsageError
from vclean.farm.metrics import serve_metrics
from vclean.farm.stats import Stats


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

    def test_does_nothing_without_port(self) -> None:
        threads = set(threading.enumerate())
        with serve_metrics(Stats(), None):
            assert set(threading.enumerate()) <= threads

    def test_listens_on_loopback_only(self, port: int) -> None:
        with serve_metrics(Stats(), f"127.0.0.1:{port}"):
            listening = socket.create_connection(("127.0.0.1", port))
            listening.close()
            with pytest.raises(OSError, match="refused"):
                socket.create_connection(("127.0.0.2", port), timeout=5)  # on Linux, all of 127/8 is this machine
