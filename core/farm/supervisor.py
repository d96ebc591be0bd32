"""A worker seen from its parent: given one page at a time, bounded from outside, ended with all that it began."""

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
from vclean.imports import of_extra
from vclean.render.isolation.orphan_reaper import kill_tree

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from vclean.farm.settings import RunSettings
    from vclean.farm.tasks import Task
    from vclean.settings import CleanerSettings

with of_extra("farm", "psutil"):
    import psutil

_LENGTH: Final = struct.Struct("!Q")


def packed(message: object) -> bytes:
    """A message as it goes over the channel."""
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    return _LENGTH.pack(len(body)) + body


def send(stream: IO[bytes], message: object) -> None:
    """Write a message to a blocking stream."""
    stream.write(packed(message))
    stream.flush()


def receive(stream: IO[bytes]) -> object:
    """The next message of a blocking stream.

    Raises:
        EOFError: the other side is gone.
    """
    return pickle.loads(_exactly(stream, _LENGTH.unpack(_exactly(stream, _LENGTH.size))[0]))


async def receive_async(stream: asyncio.StreamReader) -> object:
    """The next message of a stream of an event loop.

    Raises:
        EOFError: the other side is gone (`asyncio.IncompleteReadError`).
    """
    (length,) = _LENGTH.unpack(await stream.readexactly(_LENGTH.size))
    return pickle.loads(await stream.readexactly(length))


def _exactly(stream: IO[bytes], size: int) -> bytes:
    data = stream.read(size)
    if len(data) < size:
        raise EOFError("the other side closed the channel")
    return data


_MODULE: Final = "vclean.farm.worker"
_START_SECONDS: Final = 120
"""Bounds the start of a worker on a machine where many start at once; alone it takes 1.5 s."""

_STAGES: Final = 4
_GRACE_SECONDS: Final = 15
"""A page may take its deadline in every stage (fetching, rendering, cutting, labelling); the worker itself sees to it,
and starts a browser where it has none. Its parent only steps in when it does not."""

_UNWATCHED_SECONDS: Final = 1.0
_WATCH_SECONDS: Final = 0.5
"""Most pages are done before their memory is looked at for the first time; one look costs 3 ms."""

_ONE_THREAD: Final = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
"""There are as many workers as processors: threads of numpy's would only wait, which took a tenth of Python's CPU."""

_LAST_SECONDS: Final = 1.0
"""From a worker's last word to its end, so that the cause is known."""

_BUFFER: Final = 2**20
_log = logging.getLogger("vclean")


class WorkerLostError(BrowserError):
    """The worker died on its own: by a crash, or because someone else ended it."""


class WorkerProcess:
    """One worker; its methods are to be called from one event loop, one at a time.

    Args:
        cleaning: what pages are cleaned with.
        run: `max_memory` bounds each page.
    """

    def __init__(self, cleaning: CleanerSettings, run: RunSettings) -> None:
        self._settings = (cleaning, run)
        self._limit = _STAGES * cleaning.rendering.deadline + _GRACE_SECONDS
        self._max_memory = run.max_memory
        self._process: asyncio.subprocess.Process | None = None
        self._verdict: VcleanError | None = None

    @property
    def pid(self) -> int | None:
        """The process number, None when there is no process."""
        return self._process.pid if self._process else None

    async def start(self) -> None:
        """Have a worker that is ready for a page.

        Raises:
            VcleanError: what keeps every worker from working: no browser, no model.
            WorkerLostError: it died, or did not start in time.
        """
        if self._process is not None:
            return
        self._verdict = None
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
            DeadlineError: the worker did not answer in time, and was ended.
            LimitError: worker and browser took more than `max_memory`, and were ended.
            WorkerLostError: the worker died.
            VcleanError: the worker says that it can work no more.
        """
        await self.start()
        try:
            async with asyncio.timeout(self._limit), self._watched():
                answer = await self._exchange(task)
        except TimeoutError:
            await self.close()
            raise DeadlineError(f"the page was not cleaned within {self._limit:g} s: raise --timeout") from None
        except asyncio.CancelledError:
            self.kill()
            raise
        if not isinstance(answer, TaskOutcome):
            await self.close()
            raise answer if isinstance(answer, VcleanError) else WorkerLostError("the worker answered nonsense")
        if answer.worn:
            await self.close()
        return answer

    def kill(self) -> None:
        """End the worker and what it started, at once; its browser ends by its watchdog within a second."""
        if self._process is not None:
            kill_tree(self._process.pid, _MODULE)

    async def close(self) -> None:
        """End the worker; a later page starts it again."""
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
            process.stdin.write(packed(message))
            await process.stdin.drain()
            return await receive_async(process.stdout)
        except (EOFError, ConnectionError):
            cause = await self._cause()
            raise self._verdict or WorkerLostError(f"the worker that cleaned the page died ({cause})") from None

    async def _cause(self) -> str:
        """How the worker ended; one that only fell silent is ended."""
        process = self._process
        assert process is not None
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(process.wait(), _LAST_SECONDS)
        await self.close()
        code = process.returncode or 0
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    @asynccontextmanager
    async def _watched(self) -> AsyncIterator[None]:
        watch = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            watch.cancel()

    async def _watch(self) -> None:
        """End the worker when it takes too much memory together with its browser."""
        await asyncio.sleep(_UNWATCHED_SECONDS)
        while self._process is not None:
            if await asyncio.to_thread(memory, self._process.pid) > self._max_memory:
                size = f"{self._max_memory / 2**20:,.0f} MB"
                self._verdict = LimitError(f"the page took more than {size} of memory: raise --max-memory")
                self.kill()
                return
            await asyncio.sleep(_WATCH_SECONDS)


def memory(pid: int) -> int:
    """Bytes of private memory of a process and all that it started; 0 for one that is gone."""
    try:
        process = psutil.Process(pid)
        family = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0
    return sum(map(_private, family))


def _private(process: psutil.Process) -> int:
    try:
        info = process.memory_info()
    except psutil.Error:
        return 0
    return int(info.rss) - int(getattr(info, "shared", 0))
