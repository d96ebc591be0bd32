"""Tests of what bounds one page in the browser."""

from __future__ import annotations

import sys
import time

import pytest

from vclean.errors import DeadlineError, LimitError
from vclean.render.browser import limits
from vclean.render.browser.limits import ResourceLimits, max_memory


class Process:
    """Stands in for a browser of a given size."""

    def __init__(self, size: int = 0) -> None:
        self.size = size
        self.looks = 0
        self.killed = False

    def memory(self) -> int:
        self.looks += 1
        return self.size

    def kill(self) -> None:
        self.killed = True


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "_CHECK_SECONDS", 0.02)


def watched(process: Process, seconds: float, busy: float = 0.3) -> ResourceLimits:
    """The bounds of a page that takes `busy` seconds, or until its browser is killed."""
    end = time.monotonic() + busy
    with ResourceLimits(seconds, process) as found:
        while not process.killed and time.monotonic() < end:
            time.sleep(0.005)
    return found


class TestBounds:
    def test_page_within_them(self) -> None:
        process = Process()
        assert watched(process, 9).error() is None
        assert not process.killed

    def test_time(self) -> None:
        process = Process()
        error = watched(process, 0.05, busy=9).error()
        assert process.killed
        assert isinstance(error, DeadlineError)
        assert str(error) == "the page was not rendered within 0.05 s: raise --timeout"

    def test_memory(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(limits, "_MAX_MEMORY", 300 * 2**20)
        process = Process(301 * 2**20)
        error = watched(process, 9, busy=9).error()
        assert process.killed
        assert isinstance(error, LimitError)
        assert "more than 300 MB of memory" in str(error)

    def test_nothing_is_looked_at_when_the_page_is_done(self) -> None:
        process = Process()
        watched(process, 9, busy=0)
        time.sleep(0.1)
        looks = process.looks
        time.sleep(0.1)
        assert process.looks == looks <= 1

    def test_time_is_up_between_looks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """The deadline does not wait for the next look."""
        monkeypatch.setattr(limits, "_CHECK_SECONDS", 60)
        assert isinstance(watched(Process(), 0.05, busy=9).error(), DeadlineError)


class TestMaxMemory:
    @pytest.mark.skipif(sys.platform == "win32", reason="asks sysconf")
    @pytest.mark.parametrize(("gigabytes", "most"), [(64, 4), (4, 2), (1, 0.5)])
    def test_small_machines(self, gigabytes: int, most: float, monkeypatch: pytest.MonkeyPatch) -> None:
        pages = {"SC_PHYS_PAGES": gigabytes * 2**18, "SC_PAGE_SIZE": 4096}
        monkeypatch.setattr(limits.os, "sysconf", pages.__getitem__)
        assert max_memory() == most * 2**30
