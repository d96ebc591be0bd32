"""Test the limits of one page in the browser."""

from __future__ import annotations

import sys
import time

import pytest

from vclean.errors import DeadlineError, LimitError
from vclean.render.browser import process as processes
from vclean.render.browser.process import ResourceLimits, max_memory


class Process:
    """Fake browser of a given memory size."""

    def __init__(self, size: int = 0) -> None:
        self.size = size
        self.checks = 0
        self.killed = False

    def memory(self) -> int:
        self.checks += 1
        return self.size

    def kill(self) -> None:
        self.killed = True


@pytest.fixture(autouse=True)
def check_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_CHECK_SECONDS", 0.02)


def run_limited(process: Process, seconds: float, busy: float = 0.3) -> ResourceLimits:
    """Return the limits of a page that takes `busy` seconds, or until its browser is killed."""
    end = time.monotonic() + busy
    with ResourceLimits(seconds, process) as applied:
        while not process.killed and time.monotonic() < end:
            time.sleep(0.005)
    return applied


class TestResourceLimits:
    def test_accepts_page_within_limits(self) -> None:
        process = Process()
        assert run_limited(process, 9).error is None
        assert not process.killed

    @pytest.mark.parametrize("check_seconds", [0.02, 60])
    def test_stops_page_at_deadline(self, check_seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
        # It does not wait for the next check.
        monkeypatch.setattr(processes, "_CHECK_SECONDS", check_seconds)
        process = Process()
        error = run_limited(process, 0.05, busy=9).error
        assert process.killed
        assert isinstance(error, DeadlineError)
        assert str(error) == "the page was not rendered within 0.05 s: raise --timeout"

    def test_stops_page_over_memory_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(processes, "_MAX_MEMORY", 300 * 2**20)
        process = Process(301 * 2**20)
        error = run_limited(process, 9, busy=9).error
        assert process.killed
        assert isinstance(error, LimitError)
        assert "more than 300 MB of memory" in str(error)

    def test_stops_checks_when_the_page_is_done(self) -> None:
        process = Process()
        run_limited(process, 9, busy=0)
        time.sleep(0.1)
        checks = process.checks
        time.sleep(0.1)
        assert process.checks == checks <= 1


class TestMaxMemory:
    @pytest.mark.skipif(sys.platform == "win32", reason="uses sysconf")
    @pytest.mark.parametrize(("gigabytes", "expected"), [(64, 4), (4, 2), (1, 0.5)])
    def test_is_half_of_small_memory(self, gigabytes: int, expected: float, monkeypatch: pytest.MonkeyPatch) -> None:
        pages = {"SC_PHYS_PAGES": gigabytes * 2**18, "SC_PAGE_SIZE": 4096}
        monkeypatch.setattr(processes.os, "sysconf", pages.__getitem__)
        assert max_memory() == expected * 2**30
