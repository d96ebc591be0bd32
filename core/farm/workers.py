"""Run workers on one machine: limit the time and memory of each page, try again after crashes, write the outcomes.

A page is read only when a worker is free, so memory never contains more pages than workers.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vclean.errors import BrowserError, DeadlineError, LimitError, VcleanError
from vclean.farm.inputs import read_task
from vclean.farm.rows import failed_outcome
from vclean.farm.tasks import TaskOutcome, encode_message, receive_async, settings_digest
from vclean.imports import requires_extra
from vclean.render.isolation.orphan_reaper import kill_tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.farm.inputs import Inputs
    from vclean.farm.output import RunOutput
    from vclean.farm.stats import Stats
    from vclean.farm.tasks import RunSettings, Task
    from vclean.settings import CleanerSettings

with requires_extra("farm", "psutil"):
    import psutil

_MODULE: Final = "vclean.farm.worker"
_START_SECONDS: Final = 120
"""Limit for the start of a worker, for a machine where many start at once; one alone takes 1.5 s."""

_STAGES: Final = 4
_GRACE_SECONDS: Final = 15
"""Seconds allowed in addition to one deadline for each stage (fetching, rendering, extracting blocks, labelling).

The worker itself enforces the deadlines, and starts a browser if it has none. This limit applies only when it fails.
"""

_UNWATCHED_SECONDS: Final = 1.0
_WATCH_SECONDS: Final = 0.5
"""Seconds between two memory measurements of 3 ms each. Most pages end before the first, after `_UNWATCHED_SECONDS`."""

_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Environment for one thread in numpy. There are as many workers as processors: more threads only wait, which took a
tenth of Python's CPU time.
"""

_LAST_SECONDS: Final = 1.0
"""Seconds to wait for the exit code of a worker that closed its channel, to report the cause."""

_BUFFER: Final = 2**20
_log = logging.getLogger("vclean")


class WorkerLostError(BrowserError):
    """Error of a worker that died without being ended by its parent: it crashed, or another process ended it."""


class WorkerProcess:
    """Parent's side of one worker. Call its methods from one event loop, one at a time.

    Args:
        cleaning: settings for cleaning pages.
        run: execution settings; `max_memory` limits each page.
    """

    def __init__(self, cleaning: CleanerSettings, run: RunSettings) -> None:
        self._settings = (cleaning, run)
        stages = 2 * _STAGES if cleaning.render == "auto" else _STAGES
        self._limit = stages * cleaning.rendering.deadline + _GRACE_SECONDS
        self._max_memory = run.max_memory
        self._process: asyncio.subprocess.Process | None = None
        self._failure: VcleanError | None = None

    @property
    def pid(self) -> int | None:
        """Return the process number; None without a process."""
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Start the worker, if it is not running, and wait until it is ready.

        Raises:
            VcleanError: an error that every worker would repeat: no browser, no model.
            WorkerLostError: it died, or did not start in time.
        """
        if self._process is not None:
            return
        self._failure = None
        self._process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", _MODULE),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if _log.isEnabledFor(logging.DEBUG) else subprocess.DEVNULL,
            limit=_BUFFER,
            env={**_ONE_THREAD, **os.environ},
            start_new_session=True,
        )
        try:
            async with asyncio.timeout(_START_SECONDS):
                answer = await self._exchange(self._settings)
        except TimeoutError:
            await self.close()
            raise WorkerLostError(
                f"a worker did not start within {_START_SECONDS} s: start fewer with --workers"
            ) from None
        if isinstance(answer, VcleanError):
            await self.close()
            raise answer

    async def run(self, task: Task) -> TaskOutcome:
        """Clean a page.

        Raises:
            DeadlineError: the worker did not answer in time and was ended.
            LimitError: worker and browser used more than `max_memory` and were ended.
            WorkerLostError: the worker died.
            VcleanError: the worker reports that it cannot continue.
        """
        await self.start()
        watch = asyncio.create_task(self._watch_memory())
        try:
            async with asyncio.timeout(self._limit):
                answer = await self._exchange(task)
        except TimeoutError:
            await self.close()
            raise DeadlineError(f"the page was not cleaned within {self._limit:g} s: raise --timeout") from None
        except asyncio.CancelledError:
            self.kill()
            raise
        finally:
            watch.cancel()
        if not isinstance(answer, TaskOutcome):
            await self.close()
            raise answer if isinstance(answer, VcleanError) else WorkerLostError("the worker sent an invalid answer")
        if answer.worn:
            await self.close()
        return answer

    def kill(self) -> None:
        """End the worker and its children at once. The orphan reaper ends its browser within a second."""
        if self._process is not None:
            kill_tree(self._process.pid, _MODULE)

    async def close(self) -> None:
        """End the worker. The next page starts it again."""
        self.kill()
        process, self._process = self._process, None
        if process is not None:
            with suppress(BrokenPipeError, ConnectionResetError):
                await process.communicate()

    async def _exchange(self, message: object) -> object:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(encode_message(message))
            await process.stdin.drain()
            return await receive_async(process.stdout)
        except (EOFError, ConnectionError):
            cause = await self._end_cause()
            raise self._failure or WorkerLostError(f"the worker that cleaned the page died ({cause})") from None

    async def _end_cause(self) -> str:
        """Return how the worker ended. A worker that only closed its channel is ended first."""
        process = self._process
        assert process is not None
        with suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _LAST_SECONDS)
        await self.close()
        code = process.returncode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    async def _watch_memory(self) -> None:
        """End the worker when its memory, with that of its browser, exceeds the limit."""
        await asyncio.sleep(_UNWATCHED_SECONDS)
        while self._process is not None:
            if await asyncio.to_thread(private_memory, self._process.pid) > self._max_memory:
                size = f"{self._max_memory / 2**20:,.0f} MB"
                self._failure = LimitError(f"the page took more than {size} of memory: raise --max-memory")
                self.kill()
                return
            await asyncio.sleep(_WATCH_SECONDS)


def private_memory(pid: int) -> int:
    """Return the private memory of a process and its descendants in bytes; 0 for a process that has ended."""
    try:
        process = psutil.Process(pid)
        processes = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    size = 0
    for each in processes:
        with suppress(psutil.Error):
            info = each.memory_info()
            size += int(info.rss) - int(getattr(info, "shared", 0))
    return size


CRASHES: Final = frozenset({"BrowserError", "WorkerLostError"})
"""Error classes that the page may not have caused. Their pages are tried again."""

MAX_CRASHES: Final = 20
"""Pages lost in a row that mean the machine is at fault. The run then ends, without failure rows for these pages."""

_REASONS: Final = {DeadlineError: "deadline", LimitError: "memory", WorkerLostError: "crash"}


async def clean_with_retries(worker: WorkerProcess, task: Task, retries: int, stats: Stats) -> TaskOutcome:
    """Clean a page, again after a crash, and return the final outcome.

    Args:
        worker: cleans the page.
        task: the page; its attempt is the first.
        retries: number of further attempts after a crash.
        stats: counts of retries and restarts.

    Raises:
        VcleanError: an error that every page would repeat.
    """
    while True:
        try:
            outcome = await worker.run(task)
            stats.restarts.update(["worn"] * outcome.worn + ["browser"] * (outcome.error == BrowserError.__name__))
        except (DeadlineError, LimitError, WorkerLostError) as error:
            stats.restarts[_REASONS[type(error)]] += 1
            outcome = failed_outcome(task, error)
        if outcome.error not in CRASHES or task.attempt > retries:
            return outcome
        stats.retried += 1
        task = replace(task, attempt=task.attempt + 1)


def repeated_crash_error(lost: int) -> BrowserError:
    """Return the error that ends a run after `lost` pages in a row were lost."""
    return BrowserError(f"{lost} pages in a row were lost: run `vclean doctor`, then --resume")


_FINISH_SECONDS: Final = 10.0
"""Seconds that pages in progress have after the first signal. Then they are dropped, and cleaned again on resume."""

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class InterruptedRunError(Exception):
    """Interruption of the run by a signal; `number` is the number of the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def run_locally(inputs: Inputs, output: RunOutput, cleaning: CleanerSettings, run: RunSettings, stats: Stats) -> None:
    """Clean all pages of `inputs` into `output`; `stats` reports the progress.

    Raises:
        InterruptedRunError: SIGINT or SIGTERM was received.
        BrowserError: no page survives its browser.
        VcleanError: an error that every page would repeat, or the output cannot be written.
    """
    with asyncio.Runner(loop_factory=_new_event_loop) as runner:
        runner.get_loop()
        runner.run(_Farm(inputs, output, cleaning, run, stats).run())


def _new_event_loop() -> asyncio.AbstractEventLoop:
    """Create an event loop without interruption: an unfinished loop prints an exception when it is deleted."""
    if threading.current_thread() is not threading.main_thread():
        return asyncio.new_event_loop()
    received: list[int] = []
    # Not by a mask, which holds for one thread: a signal may reach another, and Python handles it in the main thread.
    former = {number: signal.signal(number, lambda number, _: received.append(number)) for number in _SIGNALS}
    try:
        return asyncio.new_event_loop()
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        for each in received:
            signal.raise_signal(each)


class _Farm:
    """Local run of the farm."""

    def __init__(
        self, inputs: Inputs, output: RunOutput, cleaning: CleanerSettings, run: RunSettings, stats: Stats
    ) -> None:
        self._output = output
        self._cleaning = cleaning
        self._run = run
        self._stats = stats
        self._tasks = _remaining_tasks(inputs, output, settings_digest(cleaning), stats)
        self._reading = asyncio.Lock()
        self._writing = asyncio.Lock()
        self._workers: list[asyncio.Task[None]] = []
        self._held: list[TaskOutcome] = []
        self._signal = 0

    async def run(self) -> None:
        """Clean until no page is left, or an error ends the run."""
        self._handle_signals()
        self._workers = [asyncio.create_task(self._run_worker()) for _ in range(self._run.pool_size)]
        try:
            await asyncio.wait(self._workers, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            self._cancel_workers()
            results = await asyncio.gather(*self._workers, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result
        if self._signal:
            raise InterruptedRunError(self._signal)
        await self._write_held()

    async def _run_worker(self) -> None:
        """Run one worker until no page is left."""
        worker = WorkerProcess(self._cleaning, self._run)
        try:
            while (pair := await self._next_task()) is not None:
                task, failure = pair
                self._stats.working += 1
                try:
                    outcome = failure or await clean_with_retries(worker, task, self._run.retries, self._stats)
                finally:
                    self._stats.working -= 1
                await self._write_or_hold(outcome)
        finally:
            await worker.close()

    async def _next_task(self) -> tuple[Task, TaskOutcome | None] | None:
        async with self._reading:
            return None if self._signal else await asyncio.to_thread(next, self._tasks, None)

    async def _write_or_hold(self, outcome: TaskOutcome) -> None:
        """Write an outcome. Crashes are held until another page shows that pages can be cleaned at all."""
        self._held.append(outcome)
        if outcome.error not in CRASHES:
            await self._write_held()
        elif len(self._held) >= max(MAX_CRASHES, 2 * self._run.pool_size):
            raise repeated_crash_error(len(self._held))

    async def _write_held(self) -> None:
        held, self._held = self._held, []
        for outcome in held:
            async with self._writing:
                await asyncio.to_thread(self._output.write, outcome)
            self._stats.count(outcome)

    def _handle_signals(self) -> None:
        """Handle signals: the first one stops reading; a second one, or the time limit, drops pages in progress.

        The event loop ends with the run and restores the handlers.
        """
        loop = asyncio.get_running_loop()

        def stop(number: int) -> None:
            if self._signal:
                self._cancel_workers()
            self._signal = number
            loop.call_later(_FINISH_SECONDS, self._cancel_workers)

        with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or another thread
            for number in _SIGNALS:
                loop.add_signal_handler(number, stop, number)

    def _cancel_workers(self) -> None:
        for worker in self._workers:
            worker.cancel()


def _remaining_tasks(
    inputs: Inputs, output: RunOutput, digest: str, stats: Stats
) -> Iterator[tuple[Task, TaskOutcome | None]]:
    """Yield the remaining tasks, and their outcomes if already known; pages are read on demand."""
    for item in inputs:
        task, failure = read_task(item, digest)
        if output.is_done(item.id, task.key, inputs.covers):
            stats.skipped += 1
        else:
            yield task, failure
