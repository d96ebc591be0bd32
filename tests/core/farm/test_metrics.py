from __future__ import annotations

import socket
import urllib.request

import pytest
from prometheus_client.parser import text_string_to_metric_families

from vclean.errors import UsageError
from vclean.farm.metrics import served
from vclean.farm.stats import Stats


@pytest.fixture
def port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def scrape(port: int) -> dict[tuple[str, ...], float]:
    """The samples by name and label value."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(f"http://127.0.0.1:{port}/metrics", timeout=5) as answer:
        families = text_string_to_metric_families(answer.read().decode())
    return {(each.name, *each.labels.values()): each.value for family in families for each in family.samples}


class TestServed:
    def test_the_numbers_are_those_of_the_moment(self, port: int) -> None:
        stats = Stats(total=10)
        with served(stats, port):
            assert scrape(port)["vclean_pages_done_total",] == 0
            stats.ok, stats.skipped, stats.working, stats.retried = 4, 1, 2, 3
            stats.failed["DeadlineError"] += 2
            stats.restarts["crash"] += 1
            stats.seconds["render"] += 1.5
            found = scrape(port)
        assert found["vclean_pages_done_total",] == 4
        assert found["vclean_pages_failed_total", "DeadlineError"] == 2
        assert found["vclean_pages_queued",] == 1
        assert found["vclean_pages_working",] == 2
        assert found["vclean_pages_skipped_total",] == 1
        assert found["vclean_retries_total",] == 3
        assert found["vclean_worker_restarts_total", "crash"] == 1
        assert found["vclean_stage_seconds_total", "render"] == 1.5
        assert found["vclean_run_seconds",] >= 0

    def test_an_unknown_queue_is_left_out(self, port: int) -> None:
        with served(Stats(), port):
            assert ("vclean_pages_queued",) not in scrape(port)

    def test_the_port_is_free_again(self, port: int) -> None:
        for _ in range(2):
            with served(Stats(), port):
                pass

    def test_a_port_that_is_taken(self, port: int) -> None:
        message = f"port {port} .* choose another"
        with served(Stats(), port), pytest.raises(UsageError, match=message), served(Stats(), port):
            pass

    def test_without_a_port_there_is_nothing(self) -> None:
        with served(Stats(), None):
            pass

    def test_only_this_machine_can_ask(self, port: int) -> None:
        with served(Stats(), port):
            listening = socket.create_connection(("127.0.0.1", port))
            listening.close()
            with pytest.raises(OSError, match="refused"):
                socket.create_connection((_own_address(), port), timeout=5)


def _own_address() -> str:
    """Another address of this machine: all of 127/8 is, on Linux."""
    return "127.0.0.2"
