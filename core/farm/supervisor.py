"""Supervise a worker from its parent: send it pages, limit its time and memory, and end it with all its children."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import pickle
import struct
import subprocess
import sys
from contextlib import asynccontextmanager
from typing import IO, TYPE_CHECKING, Final

from vclean.errors import BrowserError, DeadlineError, LimitError, VcleanError
from vclean.farm.tasks import TaskOutcome
from vclean.imports import requires_extra
from vclean.render.isolation.orphan_reaper import kill_tree

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from vclean.farm.settings import RunSettings
    from vclean.farm.tasks import Task
    from vclean.settings import CleanerSettings

with requires_extra("farm", "psutil"):
    import psutil

_LENGTH: Final = struct.Struct("!Q")


def encode_message(message: object) -> bytes:
    """Encode a message for the channel: its length, then its pickle."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


def send(stream: IO[bytes], message: object) -> None:
    """Write a message to a blocking stream."""
    stream.write(encode_message(message))
    stream.flush()


def receive(stream: IO[bytes]) -> object:
    """Read the next message of a blocking stream.

    Raises:
        EOFError: the other side has closed the channel.
    """
    return pickle.loads(_read_exactly(stream, _LENGTH.unpack(_read_exactly(stream, _LENGTH.size))[0]))


async def receive_async(stream: asyncio.StreamReader) -> object:
    """Read the next message of a stream of an event loop.

    Raises:
        EOFError: the other side has closed the channel (`asyncio.IncompleteReadError`).
    """
    (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    return pickle.loads(await stream.readexactly(length))


def _read_exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("the other side closed the channel")
    return data


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
        try:
            async with asyncio.timeout(self._limit), self._memory_watched():
                answer = await self._exchange(task)
        except TimeoutError:
            await self.close()
            raise DeadlineError(f"the page was not cleaned within {self._limit:g} s: raise --timeout") from None
        except asyncio.CancelledError:
            self.kill()
            raise
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
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):
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
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _LAST_SECONDS)
        await self.close()
        code = process.returncode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    @asynccontextmanager
    async def _memory_watched(self) -> AsyncIterator[None]:
        watch = asyncio.create_task(self._watch_memory())
        try:
            yield
        finally:
            watch.cancel()

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
    return sum(map(_process_memory, processes))


def _process_memory(process: psutil.Process) -> int:
    try:
        info = process.memory_info()
    except psutil.Error:
        return 0
    return int(info.rss) - int(getattr(info, "shared", 0))
