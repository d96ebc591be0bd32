"""The farm on one machine: an event loop that reads pages, gives them to workers, and writes what comes back.

A worker that is free has the next page read, so that there are never more pages in memory than workers.
"""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vclean.errors import BrowserError, DeadlineError, LimitError
from vclean.farm.inputs import read
from vclean.farm.rows import failed
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
"""What need not be the page's fault, so that it is tried again."""

MAX_CRASHES: Final = 20
"""So many pages lost one after the other, and the machine is at fault: none of them is called a failure."""

_REASONS: Final = {DeadlineError: "deadline", LimitError: "memory", WorkerLostError: "crash"}


async def clean(worker: WorkerProcess, task: Task, retries: int, stats: Stats) -> TaskOutcome:
    """What becomes of a page in the end.

    Args:
        worker: cleans it.
        task: the page.
        retries: how often it is tried again after a crash.
        stats: counts retries and restarts.

    Raises:
        VcleanError: what keeps every page from being cleaned.
    """
    for attempt in range(1, retries + 1):
        outcome = await _attempt(worker, replace(task, attempt=attempt), stats)
        if outcome.error not in CRASHES:
            return outcome
        stats.retried += 1
    return await _attempt(worker, replace(task, attempt=retries + 1), stats)


async def _attempt(worker: WorkerProcess, task: Task, stats: Stats) -> TaskOutcome:
    try:
        outcome = await worker.run(task)
    except (DeadlineError, LimitError, WorkerLostError) as error:
        stats.restarts[_REASONS[type(error)]] += 1
        return failed(task, error)
    stats.restarts.update(["worn"] * outcome.worn + ["browser"] * (outcome.error == BrowserError.__name__))
    return outcome


def machine_at_fault(lost: int) -> BrowserError:
    """The error that ends a run of which so many pages were lost one after the other."""
    return BrowserError(f"{lost} pages in a row were lost: run `vclean doctor`, then --resume")


_FINISH_SECONDS: Final = 10.0
"""How long pages in hand may take after the first signal. They are dropped then, and done again on resume."""

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class InterruptedRunError(Exception):
    """The run was told to stop; `number` is the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def run_locally(inputs: Inputs, output: RunOutput, cleaning: CleanerSettings, run: RunSettings, stats: Stats) -> None:
    """Clean all pages of `inputs` into `output`; `stats` tells how far it is.

    Raises:
        InterruptedRunError: by SIGINT or SIGTERM.
        BrowserError: no page survives its browser.
        VcleanError: what keeps every page from being cleaned, or the output from being written.
    """
    asyncio.run(_Farm(inputs, output, cleaning, run, stats).run())


class _Farm:
    """One run."""

    def __init__(
        self, inputs: Inputs, output: RunOutput, cleaning: CleanerSettings, run: RunSettings, stats: Stats
    ) -> None:
        self._output = output
        self._cleaning = cleaning
        self._run = run
        self._stats = stats
        self._tasks = _tasks(inputs, output, settings_digest(cleaning), stats)
        self._reading = asyncio.Lock()
        self._writing = asyncio.Lock()
        self._crew: list[asyncio.Task[None]] = []
        self._crashed: list[TaskOutcome] = []
        self._signal = 0

    async def run(self) -> None:
        """Serve until there is nothing left to do, or nothing can be done."""
        with self._signals():
            self._crew = [asyncio.create_task(self._serve()) for _ in range(self._run.pool_size)]
            try:
                await asyncio.wait(self._crew, return_when=asyncio.FIRST_EXCEPTION)
            finally:
                self._dismiss()
                results = await asyncio.gather(*self._crew, return_exceptions=True)
        for result in results:
            if isinstance(result, Exception):
                raise result
        if self._signal:
            raise InterruptedRunError(self._signal)
        await self._put_crashed()

    async def _serve(self) -> None:
        """The life of a worker."""
        worker = WorkerProcess(self._cleaning, self._run)
        try:
            while (found := await self._next()) is not None:
                task, failure = found
                self._stats.working += 1
                try:
                    outcome = failure or await clean(worker, task, self._run.retries, self._stats)
                finally:
                    self._stats.working -= 1
                await self._settle(outcome)
        finally:
            await worker.close()

    async def _next(self) -> tuple[Task, TaskOutcome | None] | None:
        async with self._reading:
            return None if self._signal else await asyncio.to_thread(next, self._tasks, None)

    async def _settle(self, outcome: TaskOutcome) -> None:
        """Write what became of a page; crashes wait until another page shows that pages can be cleaned at all."""
        if outcome.error in CRASHES:
            self._crashed.append(outcome)
            if len(self._crashed) >= max(MAX_CRASHES, 2 * self._run.pool_size):
                raise machine_at_fault(len(self._crashed))
            return
        await self._put_crashed()
        await self._put(outcome)

    async def _put_crashed(self) -> None:
        crashed, self._crashed = self._crashed, []
        for outcome in crashed:
            await self._put(outcome)

    async def _put(self, outcome: TaskOutcome) -> None:
        async with self._writing:
            await asyncio.to_thread(self._output.put, outcome)
        self._stats.count(outcome)

    @contextmanager
    def _signals(self) -> Iterator[None]:
        """Stop reading on the first signal; on the second, or when the time is up, drop the pages in hand."""
        loop = asyncio.get_running_loop()

        def stop(number: int) -> None:
            if self._signal:
                self._dismiss()
            self._signal = number
            loop.call_later(_FINISH_SECONDS, self._dismiss)

        with suppress(NotImplementedError, RuntimeError, ValueError):  # not on Windows, and not in another thread
            for number in _SIGNALS:
                loop.add_signal_handler(number, stop, number)
        yield  # the loop, which ends with the run, gives the signals back

    def _dismiss(self) -> None:
        for serving in self._crew:
            serving.cancel()


def _tasks(inputs: Inputs, output: RunOutput, digest: str, stats: Stats) -> Iterator[tuple[Task, TaskOutcome | None]]:
    """What is left to do of the input, read as it is needed."""
    for item in inputs:
        task, failure = read(item, digest)
        if output.is_done(item.id, task.key, inputs.covers):
            stats.skipped += 1
        else:
            yield task, failure
