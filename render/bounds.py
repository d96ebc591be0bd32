"""What bounds one page in the browser: its time and its memory."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Final, Self

from vclean.errors import DeadlineError, LimitError

if TYPE_CHECKING:
    from vclean.errors import VcleanError
    from vclean.render.launch import Process

_LOOK_SECONDS: Final = 0.5
"""Most pages are done before the first look at the memory, which costs 3 ms."""

_MAX_MEMORY: Final = 4 * 2**30
"""Of the browser and its children; a page of 50 MB takes 1.4 GB."""


class Bounds:
    """Kills the browser when a page's time is up or its memory too much, from a thread that no page can hold up.

    Args:
        seconds: the page's deadline.
        process: the browser.
    """

    def __init__(self, seconds: float, process: Process) -> None:
        self._seconds = seconds
        self._process = process
        self._over = threading.Event()
        self._verdict: VcleanError | None = None
        self._thread = threading.Thread(target=self._watch, name="vclean-bounds", daemon=True)

    def __enter__(self) -> Self:
        """Begin to watch."""
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """The page is done."""
        self._over.set()

    def error(self) -> VcleanError | None:
        """The error to raise if the page was over a bound."""
        return self._verdict

    def _watch(self) -> None:
        end = time.monotonic() + self._seconds
        while not self._over.wait(max(0.0, min(_LOOK_SECONDS, end - time.monotonic()))):
            self._verdict = self._breach(end)
            if self._verdict is not None:
                self._process.kill()
                return

    def _breach(self, end: float) -> VcleanError | None:
        if time.monotonic() >= end:
            return late(self._seconds)
        most = max_memory()
        if self._process.memory() > most:
            size = f"{most / 2**20:,.0f} MB"
            return LimitError(f"the page takes more than {size} of memory in the browser: clean it without rendering")
        return None


def late(seconds: float) -> DeadlineError:
    """The error for a page that was not done in time."""
    return DeadlineError(f"the page was not rendered within {seconds:g} s: raise --timeout")


def max_memory() -> int:
    """Bytes that the browser may take for one page: 4 GB, on a small machine half of what there is."""
    if sys.platform == "win32":
        return _MAX_MEMORY
    return min(_MAX_MEMORY, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
