"""A worker of the farm: a process with one browser that cleans one page after the other for its parent.

Run as `python -m vclean.farm.worker`. Over standard input come the settings, then one `Task` at a time; over standard
output goes `READY` or the error that keeps it from working, then one `TaskOutcome` per task. It ends when its input
does; its browser's watchdog ends the browser then (see `vclean.render.isolation.orphan_reaper`).
"""

from __future__ import annotations

import ctypes
import os
import queue
import signal
import sys
import threading
import time
from contextlib import contextmanager
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Final, Self, cast

import psutil

from vclean.classify.trees.forest import COMPILED
from vclean.errors import BrowserMissingError, DeadlineError, ModelError, UsageError, VcleanError
from vclean.farm import rows
from vclean.farm.rows import failed
from vclean.farm.supervisor import receive, send
from vclean.farm.tasks import TaskOutcome
from vclean.imports import forgo_pandas, import_lightgbm
from vclean.pipeline import Pipeline
from vclean.render.storage.cache import to_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vclean.farm.settings import RunSettings
    from vclean.farm.tasks import Task
    from vclean.settings import CleanerSettings


_GROWTH: Final = 64 * 2**20
"""Bytes it grows by before it is asked to shrink, which takes 20 ms: after every tenth page or so."""


class Keeper:
    """Sees to it that a process keeps no more than it needs.

    glibc keeps what was freed below the last block in use, so that the largest pages stay in memory for good.

    Args:
        resident: tells the bytes of memory the process has.
        trim: gives back what is free; None where the C library cannot.
    """

    def __init__(self, resident: Callable[[], int], trim: Callable[[], None] | None) -> None:
        self._resident = resident
        self._trim = trim
        self._least = 0

    def keep(self) -> int:
        """The bytes the process has, after it gave back what is free if it has grown."""
        size = self._resident()
        if self._trim is not None and size > self._least + _GROWTH:
            self._trim()
            self._least = size = self._resident()
        return size


def malloc_trim() -> Callable[[], None] | None:
    """What gives free memory back to the system, on glibc; None elsewhere."""
    try:
        trim = ctypes.CDLL(None).malloc_trim
    except (AttributeError, OSError, TypeError):  # another C library; Windows takes no None
        return None
    return lambda: trim(0)


READY: Final = "ready"

_FATAL: Final = (BrowserMissingError, ModelError, UsageError)
"""What would go wrong again with every page: the run ends, and no page is called a failure for it."""

_MAX_PAGES: Final = 5_000
_MAX_IDLE_MEMORY: Final = 2**30
"""A worker that has done so many pages, or keeps so much between two, gives way to a new one; that takes 1.5 s."""


class Worker:
    """Cleans pages, one at a time; a context manager that owns the browser.

    Raises:
        VcleanError: one of the kinds that would go wrong with every page.
    """

    def __init__(self, cleaning: CleanerSettings, run: RunSettings) -> None:
        process = psutil.Process()
        self._snapshots = run.snapshots
        self._pipeline = Pipeline(cleaning)
        self._keeper = Keeper(lambda: int(process.memory_info().rss), malloc_trim())
        self._pages = 0
        self._worn = False

    def __enter__(self) -> Self:
        """Make the browser ready to start with the first page."""
        self._pipeline.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self._pipeline.__exit__(*exception)

    def work(self, task: Task) -> TaskOutcome:
        """Clean a page; what goes wrong with it is in the outcome.

        Raises:
            VcleanError: one of the kinds that would go wrong with every page.
        """
        self._pages += 1
        stages = _Stages({"read": task.seconds})
        try:
            outcome = self._clean(task, stages)
        except _FATAL:
            raise
        except Exception as error:
            outcome = failed(task, error, stages.seconds)
            # The parser's thread goes on until the page is parsed (see `vclean.render.static.parse`).
            self._worn |= isinstance(error, DeadlineError | MemoryError)
        return replace(outcome, worn=self._is_worn())

    def _clean(self, task: Task, stages: _Stages) -> TaskOutcome:
        result = self._pipeline.run(task.page, timed=stages.timed)
        packed = None
        if self._snapshots:
            with stages.timed("pack"):
                packed = to_bytes(result.columns.snapshot)
        return TaskOutcome(rows.of_result(result, task, stages.seconds), packed, seconds=stages.seconds)

    def _is_worn(self) -> bool:
        kept = self._keeper.keep()
        return self._worn or self._pages >= _MAX_PAGES or kept > _MAX_IDLE_MEMORY


class _Stages:
    """Wall clock by stage of one page; `seconds` holds those it came with and those it went through."""

    def __init__(self, seconds: dict[str, float]) -> None:
        self.seconds = seconds

    @contextmanager
    def timed(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = time.perf_counter() - start


def main() -> None:
    """Serve the parent until it closes the channel."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's, which then ends this process
    output = _claim_stdout()
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    settings = cast("tuple[CleanerSettings, RunSettings]", receive(sys.stdin.buffer))
    threading.Thread(target=_listen, args=(sys.stdin.buffer, tasks), daemon=True).start()
    forgo_pandas()
    if not COMPILED:
        import_lightgbm()
    try:
        with Worker(*settings) as worker:
            send(output, READY)
            while True:
                send(output, worker.work(tasks.get()))
    except VcleanError as error:
        send(output, error)


def _claim_stdout() -> IO[bytes]:
    """The channel; what anything else prints goes to standard error."""
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return output


def _listen(stream: IO[bytes], tasks: queue.SimpleQueue[Task]) -> None:
    """Take tasks, and end the process with the parent, also in the middle of a page."""
    try:
        while True:
            tasks.put(cast("Task", receive(stream)))
    except (EOFError, OSError):
        os._exit(0)


if __name__ == "__main__":
    main()
