"""The farm on one machine: an event loop that reads pages, gives them to workers, and writes what comes back.

A worker that is free has the next page read, so that there are never more pages in memory than workers.
"""

from __future__ import annotations

import asyncio
import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

from vclean.farm.attempts import CRASHES, MAX_CRASHES, clean, machine_at_fault
from vclean.farm.process import WorkerProcess
from vclean.farm.reading import read

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.farm.inputs import Inputs
    from vclean.farm.output import Output
    from vclean.farm.settings import CleaningSettings, RunSettings
    from vclean.farm.stats import Stats
    from vclean.farm.task import Outcome, Task

_FINISH_SECONDS: Final = 10.0
"""How long pages in hand may take after the first signal. They are dropped then, and done again on resume."""

_SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)


class InterruptedRunError(Exception):
    """The run was told to stop; `number` is the signal."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def run_locally(inputs: Inputs, output: Output, cleaning: CleaningSettings, run: RunSettings, stats: Stats) -> None:
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
        self, inputs: Inputs, output: Output, cleaning: CleaningSettings, run: RunSettings, stats: Stats
    ) -> None:
        self._output = output
        self._cleaning = cleaning
        self._run = run
        self._stats = stats
        self._tasks = _tasks(inputs, output, cleaning.digest(), stats)
        self._reading = asyncio.Lock()
        self._writing = asyncio.Lock()
        self._crew: list[asyncio.Task[None]] = []
        self._crashed: list[Outcome] = []
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

    async def _next(self) -> tuple[Task, Outcome | None] | None:
        async with self._reading:
            return None if self._signal else await asyncio.to_thread(next, self._tasks, None)

    async def _settle(self, outcome: Outcome) -> None:
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

    async def _put(self, outcome: Outcome) -> None:
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


def _tasks(inputs: Inputs, output: Output, digest: str, stats: Stats) -> Iterator[tuple[Task, Outcome | None]]:
    """What is left to do of the input, read as it is needed."""
    for item in inputs:
        task, failure = read(item, digest)
        if output.is_done(item.id, task.key, inputs.covers):
            stats.skipped += 1
        else:
            yield task, failure
