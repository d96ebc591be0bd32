"""Clean pages with several workers: limit time and memory of each page, try again after crashes, write the outcomes.

The main thread reads a page when a worker is free, so memory never contains more pages than workers. Another thread
waits for the worker.
"""

from __future__ import annotations

import logging
import math
import os
import pickle
import queue
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vclean.errors import BrowserError, DeadlineError, LimitError, VcleanError
from vclean.farm.inputs import read_task
from vclean.farm.rows import TaskOutcome, failed_outcome, settings_digest
from vclean.imports import requires_extra
from vclean.render.browser.process import resource_limits
from vclean.render.isolation.orphan_reaper import kill_tree

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future
    from types import FrameType
    from typing import TypeAlias

    from vclean.farm.inputs import Inputs
    from vclean.farm.output import RunOutput
    from vclean.farm.ray import RayWorker
    from vclean.farm.rows import RunSettings, Task
    from vclean.farm.stats import Stats
    from vclean.settings import CleanerSettings

    Worker: TypeAlias = "WorkerProcess | RayWorker"

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

_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""Environment for one thread in numpy. There are as many workers as processors: more threads only wait, which took a
tenth of Python's CPU time.
"""

_log = logging.getLogger("vclean")


class WorkerLostError(BrowserError):
    """Error of a worker that died without being ended by its parent: it crashed, or another process ended it."""


class WorkerProcess:
    """Parent's side of one worker. One thread calls its methods; others may call `stop`.

    Args:
        cleaning: settings for cleaning pages.
        run: execution settings; `max_memory` limits each page.
    """

    def __init__(self, cleaning: CleanerSettings, run: RunSettings) -> None:
        self._settings = (cleaning, run)
        stages = 2 * _STAGES if cleaning.render == "auto" else _STAGES
        self._limit = stages * cleaning.rendering.deadline + _GRACE_SECONDS
        self._max_memory = run.max_memory
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False

    def start(self) -> None:
        """Start the worker, if it is not running, and wait until it is ready.

        Raises:
            VcleanError: an error that every worker would repeat: no browser, no model.
            WorkerLostError: it died, or did not start in time.
        """
        if self._process is not None:
            return
        self._process = subprocess.Popen(
            [sys.executable, "-m", _MODULE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=None if _log.isEnabledFor(logging.DEBUG) else subprocess.DEVNULL,
            env={**_ONE_THREAD, **os.environ},
            start_new_session=True,
        )
        if self._stopped:
            self._kill()
        late = WorkerLostError(f"a worker did not start within {_START_SECONDS} s: start fewer with --workers")
        answer = self._exchange(self._settings, _START_SECONDS, late)
        if isinstance(answer, VcleanError):
            self.close()
            raise answer

    def run(self, task: Task) -> TaskOutcome:
        """Clean a page.

        Raises:
            DeadlineError: the worker did not answer in time and was ended.
            LimitError: worker and browser used more than `max_memory` and were ended.
            WorkerLostError: the worker died.
            VcleanError: the worker reports that it cannot continue.
        """
        self.start()
        late = DeadlineError(f"the page was not cleaned within {self._limit:g} s: raise --timeout")
        answer = self._exchange(task, self._limit, late)
        if not isinstance(answer, TaskOutcome):
            self.close()
            raise answer if isinstance(answer, VcleanError) else WorkerLostError("the worker sent an invalid answer")
        if answer.worn:
            self.close()
        return answer

    def stop(self) -> None:
        """End the worker for good: `run` raises a `VcleanError`, also if it is called later."""
        self._stopped = True
        self._kill()

    def close(self) -> None:
        """End the worker. The next page starts it again."""
        self._kill()
        process, self._process = self._process, None
        if process is not None:
            with suppress(BrokenPipeError), process:  # closes the channel, and waits
                pass

    def _kill(self) -> None:
        """End the worker and its children at once. The orphan reaper ends its browser within a second."""
        if process := self._process:
            kill_tree(process.pid, _MODULE)

    def _exchange(self, message: object, seconds: float, late: VcleanError) -> object:
        """Send a message and return the answer; raise `late` if there is none within some seconds."""
        process = self._process
        assert process is not None
        assert process.stdin is not None
        assert process.stdout is not None
        size = f"{self._max_memory / 2**20:,.0f} MB"
        large = LimitError(f"the page took more than {size} of memory: raise --max-memory")
        answer, is_large = None, lambda: private_memory(process.pid) > self._max_memory
        with (
            suppress(EOFError, OSError, pickle.UnpicklingError),
            resource_limits(seconds, late, is_large, large, self._kill) as errors,
        ):
            pickle.dump(message, process.stdin, pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            answer = pickle.load(process.stdout)
        if answer is None or errors:
            cause = self._end_cause(process)
            if self._stopped:
                raise VcleanError("the worker was stopped")
            raise errors[0] if errors else WorkerLostError(f"the worker that cleaned the page died ({cause})")
        return answer

    def _end_cause(self, process: subprocess.Popen[bytes]) -> str:
        """Return how the worker ended. A worker that only closed its channel is ended first."""
        with suppress(subprocess.TimeoutExpired):
            process.wait(1.0)
        self.close()
        code = process.returncode
        return f"signal {-code}" if code < 0 else f"exit code {code}"


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


_CRASHES: Final = frozenset({"BrowserError", "WorkerLostError"})
"""Error classes that the page may not have caused. Their pages are tried again."""

_MAX_CRASHES: Final = 20
"""Pages lost in a row that mean the machine is at fault. The run then ends, without failure rows for these pages."""

_REASONS: Final = {DeadlineError: "deadline", LimitError: "memory", WorkerLostError: "crash"}

_FINISH_SECONDS: Final = 10.0
"""Seconds that pages in progress have after the first signal. Then they are dropped, and cleaned again on resume."""

_POLL_SECONDS: Final = 0.2
"""Longest wait of the main thread for an outcome, after which it handles signals also on Windows."""


class InterruptedRunError(Exception):
    """Interruption of the run by a signal; its argument is the number of the signal."""


class Farm:
    """Run of the farm.

    Args:
        inputs: the pages.
        output: gets one row for each page.
        cleaning: settings that determine the rows.
        run: execution settings.
        stats: counts, for the progress.
        new_worker: returns a worker with the given settings.
    """

    def __init__(
        self,
        inputs: Inputs,
        output: RunOutput,
        cleaning: CleanerSettings,
        run: RunSettings,
        stats: Stats,
        *,
        new_worker: Callable[[CleanerSettings, RunSettings], Worker],
    ) -> None:
        self._sources = iter(inputs)
        self._digest = settings_digest(cleaning)
        self._output = output
        self._workers = [new_worker(cleaning, run) for _ in range(run.pool_size)]
        self._retries = run.retries
        self._stats = stats
        self._crashed: list[Task] = []
        self._held: list[TaskOutcome] = []
        self._signal = 0
        self._end = math.inf

    def run(self) -> None:
        """Clean until no page is left, or an error ends the run.

        Raises:
            InterruptedRunError: SIGINT or SIGTERM was received.
            BrowserError: no page survives its browser.
            VcleanError: an error that every page would repeat, or the output cannot be written.
        """
        with ExitStack() as endings:
            with suppress(ValueError):  # only the main thread may handle signals
                for number in (signal.SIGINT, signal.SIGTERM):
                    endings.callback(signal.signal, number, signal.signal(number, self._handle_signal))
            for worker in self._workers:
                endings.callback(worker.close)
            threads = endings.enter_context(ThreadPoolExecutor(len(self._workers)))
            for worker in self._workers:
                endings.callback(worker.stop)  # drops the page in progress
            self._clean_pages(threads)
        if self._signal:
            raise InterruptedRunError(self._signal)
        self._write_held()

    def _handle_signal(self, number: int, _frame: FrameType | None) -> None:
        """Stop reading at the first signal; drop pages in progress at a second one, or after the time limit."""
        self._end = 0 if self._signal else time.monotonic() + _FINISH_SECONDS
        self._signal = number

    def _clean_pages(self, threads: ThreadPoolExecutor) -> None:
        """Give each free worker a page, and handle what it returns, until no page is left or time is up."""
        free = list(self._workers)
        ended: queue.SimpleQueue[Future[tuple[Worker, Task, TaskOutcome, list[str]]]] = queue.SimpleQueue()
        while time.monotonic() <= self._end:
            while free and (task := self._next_task()):
                threads.submit(_attempt, free.pop(), task).add_done_callback(ended.put)
                self._stats.working += 1
            while free:  # no page is left: another worker, which lost its node, may need the room
                free.pop().stop()
            if not self._stats.working:
                return
            with suppress(queue.Empty):
                worker, task, outcome, restarts = ended.get(timeout=_POLL_SECONDS).result()
                free.append(worker)
                self._stats.working -= 1
                self._stats.restarts.update(restarts)
                self._retry_or_write(task, outcome)

    def _next_task(self) -> Task | None:
        """Return a page to try again, or read the next one that is not done. Unreadable ones get their rows at once."""
        if self._crashed and not self._signal:
            return self._crashed.pop()
        while not self._signal and (source := next(self._sources, None)):
            task, failure = read_task(source, self._digest)
            if self._output.is_done(task.key, source.id):
                self._stats.skipped += 1
            elif failure:
                self._write_or_hold(failure)
            else:
                return task
        return None

    def _retry_or_write(self, task: Task, outcome: TaskOutcome) -> None:
        if outcome.error in _CRASHES and task.attempt <= self._retries:
            self._crashed.append(replace(task, attempt=task.attempt + 1))
            self._stats.retried += 1
        else:
            self._write_or_hold(outcome)

    def _write_or_hold(self, outcome: TaskOutcome) -> None:
        """Write an outcome. Crashes are held until another page shows that pages can be cleaned at all."""
        self._held.append(outcome)
        if outcome.error not in _CRASHES:
            self._write_held()
        elif (lost := len(self._held)) >= max(_MAX_CRASHES, 2 * len(self._workers)):
            raise BrowserError(f"{lost} pages in a row were lost: run `vclean doctor`, then --resume")

    def _write_held(self) -> None:
        held, self._held = self._held, []
        for outcome in held:
            self._output.write(outcome)
            self._stats.count(outcome)


def _attempt(worker: Worker, task: Task) -> tuple[Worker, Task, TaskOutcome, list[str]]:
    """Clean a page once. Return the arguments, the outcome, and the reasons for a new worker or browser."""
    try:
        outcome = worker.run(task)
    except (DeadlineError, LimitError, WorkerLostError) as error:
        return worker, task, failed_outcome(task, error), [_REASONS[type(error)]]
    return worker, task, outcome, ["worn"] * outcome.worn + ["browser"] * (outcome.error == BrowserError.__name__)
