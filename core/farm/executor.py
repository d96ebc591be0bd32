"""Run the farm on one machine: an event loop reads pages, sends them to workers, and writes the outcomes.

A page is read only when a worker is free, so memory never contains more pages than workers.
"""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vclean.errors import BrowserError, DeadlineError, LimitError
from vclean.farm.inputs import read_task
from vclean.farm.rows import failed_outcome
from vclean.farm.settings import settings_digest
from vclean.farm.supervisor import WorkerLostError, WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.farm.inputs import Inputs
    from vclean.farm.output import RunOutput
    from vclean.farm.settings import RunSettings
    from vclean.farm.stats import Stats
    from vclean.farm.tasks import Task, TaskOutcome
    from vclean.settings import CleanerSettings


CRASHES: Final = frozenset({"BrowserError", "WorkerLostError"})
"""Error classes that the page may not have caused. Their pages are tried again."""

MAX_CRASHES: Final = 20
"""Pages lost in a row that mean the machine is at fault. The run then ends, without failure rows for these pages."""

_REASONS: Final = {DeadlineError: "deadline", LimitError: "memory", WorkerLostError: "crash"}


async def clean_with_retries(worker: WorkerProcess, task: Task, retries: int, stats: Stats) -> TaskOutcome:
    """Clean a page, again after a crash, and return the final outcome.

    Args:
        worker: cleans the page.
        task: the page.
        retries: number of further attempts after a crash.
        stats: counts of retries and restarts.

    Raises:
        VcleanError: an error that every page would repeat.
    """
    for attempt in range(1, retries + 1):
        outcome = await _clean_once(worker, replace(task, attempt=attempt), stats)
        if outcome.error not in CRASHES:
            return outcome
        stats.retried += 1
    return await _clean_once(worker, replace(task, attempt=retries + 1), stats)


async def _clean_once(worker: WorkerProcess, task: Task, stats: Stats) -> TaskOutcome:
    try:
        outcome = await worker.run(task)
    except (DeadlineError, LimitError, WorkerLostError) as error:
        stats.restarts[_REASONS[type(error)]] += 1
        return failed_outcome(task, error)
    stats.restarts.update(["worn"] * outcome.worn + ["browser"] * (outcome.error == BrowserError.__name__))
    return outcome


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
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        return asyncio.new_event_loop()
    former = signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    try:
        return asyncio.new_event_loop()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, former)


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
        self._crashed: list[TaskOutcome] = []
        self._signal = 0

    async def run(self) -> None:
        """Clean until no page is left, or an error ends the run."""
        with self._handle_signals():
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
        await self._write_crashed()

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
        """Write an outcome. Crashes are written only after another page shows that pages can be cleaned at all."""
        if outcome.error in CRASHES:
            self._crashed.append(outcome)
            if len(self._crashed) >= max(MAX_CRASHES, 2 * self._run.pool_size):
                raise repeated_crash_error(len(self._crashed))
            return
        await self._write_crashed()
        await self._write(outcome)

    async def _write_crashed(self) -> None:
        crashed, self._crashed = self._crashed, []
        for outcome in crashed:
            await self._write(outcome)

    async def _write(self, outcome: TaskOutcome) -> None:
        async with self._writing:
            await asyncio.to_thread(self._output.write, outcome)
        self._stats.count(outcome)

    @contextmanager
    def _handle_signals(self) -> Iterator[None]:
        """Handle signals: the first one stops reading; a second one, or the time limit, drops pages in progress."""
        loop = asyncio.get_running_loop()

        def stop(number: int) -> None:
            if self._signal:
                self._cancel_workers()
            self._signal = number
            loop.call_later(_FINISH_SECONDS, self._cancel_workers)

        with suppress(NotImplementedError, RuntimeError, ValueError):  # Windows, or another thread
            for number in _SIGNALS:
                loop.add_signal_handler(number, stop, number)
        yield  # the event loop ends with the run and restores the handlers

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
