"""Run one worker of the farm: a process with one browser that cleans one page after another for its parent.

Run as `python -m vclean.farm.worker`. It receives, pickled, the settings and then one `Task` at a time over standard
input. It sends "ready", or the error that prevents it from working, and then one `TaskOutcome` for each task over
standard output. It ends when its input ends. The orphan reaper then ends its browser
(`vclean.render.isolation.orphan_reaper`).
"""

from __future__ import annotations

import ctypes
import os
import pickle
import queue
import signal
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import IO, TYPE_CHECKING, Final

import psutil

from vclean.errors import DeadlineError, VcleanError
from vclean.farm import rows
from vclean.farm.rows import FATAL_ERRORS, TaskOutcome, failed_outcome
from vclean.imports import block_pandas
from vclean.pipeline import Pipeline
from vclean.render.cache import to_bytes
from vclean.runtime import deadline
from vclean.settings import DEFAULT_PDOC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vclean.farm.rows import RunSettings, Task


_GROWTH: Final = 64 * 2**20
"""Growth in bytes after which free memory is returned to the system, which takes 20 ms: about every tenth page."""


def find_malloc_trim() -> Callable[[], object] | None:
    """Return a function that returns free memory to the system, with glibc; else None."""
    with suppress(AttributeError, OSError, TypeError):  # another C library, or Windows, which does not accept None
        return partial(ctypes.CDLL(None).malloc_trim, 0)
    return None


_MAX_PAGES: Final = 5_000
"""Pages after which a worker is replaced."""

_MAX_IDLE_MEMORY: Final = 2**30
"""Bytes between two pages above which a worker is replaced, which takes 1.5 s."""


class Worker:
    """Clean pages one at a time in a pipeline, which owns the browser."""

    def __init__(self, pipeline: Pipeline, run: RunSettings) -> None:
        self._process = psutil.Process()
        self._trim = find_malloc_trim()
        self._lowest_memory = 0
        self._snapshots, self._segments = run.snapshots, run.segments
        self._pipeline = pipeline
        self._seconds: dict[str, float] = {}
        self._pages = 0
        self._worn = False

    def work(self, task: Task) -> TaskOutcome:
        """Clean a page. The outcome contains its error, if any.

        Raises:
            VcleanError: an error that every page would repeat.
        """
        self._pages += 1
        self._seconds = {"read": task.seconds}
        try:
            outcome = self._clean(task)
        except FATAL_ERRORS:
            raise
        except Exception as error:  # a bug on one page must not end the run
            outcome = failed_outcome(task, error, self._seconds)
            # The parser's thread continues until the page is parsed (see `vclean.render.static.parse`).
            self._worn |= isinstance(error, DeadlineError | MemoryError)
        self._worn |= self.trim_memory() > _MAX_IDLE_MEMORY or self._pages >= _MAX_PAGES
        return replace(outcome, worn=self._worn)

    def _clean(self, task: Task) -> TaskOutcome:
        result = self._pipeline.run(task.page, timer=self._timed)
        snapshot = None
        if self._snapshots:
            with self._timed("pack"):
                snapshot = to_bytes(result.columns.snapshot)
        segments = None
        if self._segments and result.columns.snapshot.rendered:
            from vclean.classify.segments.model import describe
            from vclean.features.segments import vips

            with self._timed("label"), deadline(self._pipeline.settings.rendering.deadline):
                tree = vips.segment(result.columns.snapshot)  # as `vclean segment` has it by default
                segments = describe(tree, result.columns, result.prediction).at(DEFAULT_PDOC)
        row = rows.result_row(result, task, self._seconds, segments=segments)
        return TaskOutcome(row, snapshot, seconds=self._seconds)

    @contextmanager
    def _timed(self, stage: str) -> Iterator[None]:
        """Add the wall clock of the block to a stage of the page."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[stage] = self._seconds.get(stage, 0.0) + time.perf_counter() - start

    def trim_memory(self) -> int:
        """Return free memory to the system if the process has grown, and return its resident memory in bytes.

        glibc keeps freed memory below the last block in use: the memory of the largest pages would never be returned.
        """
        resident = int(self._process.memory_info().rss)
        if self._trim is not None and resident > self._lowest_memory + _GROWTH:
            self._trim()
            self._lowest_memory = resident = int(self._process.memory_info().rss)
        return resident


def main() -> None:
    """Serve the parent until it closes the channel."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and ends this process
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what else is printed goes to standard error
    tasks: queue.SimpleQueue[Task] = queue.SimpleQueue()
    cleaning, run = pickle.load(sys.stdin.buffer)
    threading.Thread(target=_listen, args=(sys.stdin.buffer, tasks), daemon=True).start()
    block_pandas()
    try:
        with Pipeline(cleaning) as pipeline:
            worker = Worker(pipeline, run)
            _send(output, "ready")
            while True:
                _send(output, worker.work(tasks.get()))
    except VcleanError as error:
        _send(output, error)


def _send(output: IO[bytes], message: object) -> None:
    pickle.dump(message, output, pickle.HIGHEST_PROTOCOL)
    output.flush()


def _listen(stream: IO[bytes], tasks: queue.SimpleQueue[Task]) -> None:
    """Receive tasks. End the process when the parent ends, even during a page."""
    try:
        while True:
            tasks.put(pickle.load(stream))
    except (EOFError, OSError, pickle.UnpicklingError):
        os._exit(0)


if __name__ == "__main__":
    main()
