"""Limit the time and memory of one page in the browser."""

from __future__ import annotations

import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Final, Self

from vclean.errors import DeadlineError, LimitError

if TYPE_CHECKING:
    from vclean.errors import VcleanError
    from vclean.render.browser.process import BrowserProcess

_CHECK_SECONDS: Final = 0.5
"""Seconds between memory checks, which take 3 ms; most pages finish before the first one."""

_MAX_MEMORY: Final = 4 * 2**30
"""Largest memory of the browser and its children in bytes; a page of 50 MB takes 1.4 GB."""


class ResourceLimits:
    """Time and memory limits of a page, enforced from a thread that the page cannot block: it kills the browser.

    Args:
        seconds: the deadline of the page.
        process: the browser.
    """

    def __init__(self, seconds: float, process: BrowserProcess) -> None:
        self._seconds = seconds
        self._process = process
        self._done = threading.Event()
        self._error: VcleanError | None = None
        self._thread = threading.Thread(target=self._check_until_done, name="vclean-limits", daemon=True)

    def __enter__(self) -> Self:
        """Start the checks."""
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        """Stop the checks."""
        self._done.set()

    def error(self) -> VcleanError | None:
        """Return the error to raise if the page exceeded a limit."""
        return self._error

    def _check_until_done(self) -> None:
        end = time.monotonic() + self._seconds
        while not self._done.wait(max(0.0, min(_CHECK_SECONDS, end - time.monotonic()))):
            self._error = self._exceeded(end)
            if self._error is not None:
                self._process.kill()
                return

    def _exceeded(self, end: float) -> VcleanError | None:
        if time.monotonic() >= end:
            return deadline_error(self._seconds)
        limit = max_memory()
        if self._process.memory() > limit:
            size = f"{limit / 2**20:,.0f} MB"
            return LimitError(f"the page takes more than {size} of memory in the browser: clean it without rendering")
        return None


def deadline_error(seconds: float) -> DeadlineError:
    """Return the error for a page that was not rendered in time."""
    return DeadlineError(f"the page was not rendered within {seconds:g} s: raise --timeout")


def max_memory() -> int:
    """Return the largest memory of the browser for one page in bytes: 4 GB, or half of the physical memory if less."""
    if sys.platform == "win32":
        return _MAX_MEMORY
    return min(_MAX_MEMORY, os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2)
