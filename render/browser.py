"""`Renderer`: pages in, snapshots out, from code without an event loop."""

from __future__ import annotations

import asyncio
import logging
import threading
from typing import TYPE_CHECKING, Final, Self, TypeVar

from vclean.render.asynchronous import AsyncRenderer, Rendering
from vclean.render.bounds import late
from vclean.render.chromium import find_chromium
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from concurrent.futures import Future
    from pathlib import Path
    from typing import Any

    from vclean.page import Page

__all__ = ["AsyncRenderer", "Renderer", "Rendering"]

_LOG = logging.getLogger("vclean")

T = TypeVar("T")

_START_SECONDS: Final = 60
_GRACE_SECONDS: Final = 2
"""From a page's deadline, when its browser is killed, to when its event loop and driver are given up too."""

_CLOSE_SECONDS: Final = 10


class Renderer:
    """Renders pages from synchronous code, one at a time, also where an event loop is running (a notebook).

    A context manager. Its event loop has a thread of its own, which is given up when it does not answer in time.
    Arguments and errors are those of `AsyncRenderer`.
    """

    def __init__(
        self,
        settings: RenderSettings | None = None,
        *,
        chromium: Path | None = None,
        allow_hosts: frozenset[str] = frozenset(),
        network: bool = False,
    ) -> None:
        self._settings = settings or RenderSettings()
        self._executable = chromium or find_chromium().path
        self._allow_hosts = allow_hosts
        self._network = network
        self._lock = threading.Lock()
        self._host: _Host | None = None

    def __enter__(self) -> Self:
        """Nothing starts before the first page."""
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self.close()

    def prepare(self, *, live: bool = False, picture: bool = False) -> None:
        """Start what `AsyncRenderer.prepare` does, without waiting for it; what fails is told with the first page."""
        with self._lock:
            host = self._started()
            host.begin(host.renderer.prepare(live=live, picture=picture))

    def render(self, page: Page, *, picture: bool = False) -> Rendering:
        """Render one page (see `AsyncRenderer.render`)."""
        with self._lock:
            host = self._started()
            try:
                host.run(host.renderer.start(page, picture=picture), _START_SECONDS)
                return host.run(host.renderer.render(page, picture=picture), self._settings.deadline + _GRACE_SECONDS)
            except _FrozenError:
                self._host = None
                raise late(self._settings.deadline) from None

    def close(self) -> None:
        """End the browser; a later page starts it again."""
        with self._lock:
            host, self._host = self._host, None
            if host is not None:
                host.close()

    def _started(self) -> _Host:
        self._host = self._host or _Host(self._new_renderer())
        return self._host

    def _new_renderer(self) -> AsyncRenderer:
        return AsyncRenderer(
            self._settings, chromium=self._executable, allow_hosts=self._allow_hosts, network=self._network
        )


class _FrozenError(Exception):
    """The event loop did not answer in time."""


class _Host:
    """An event loop in a thread, with a renderer in it."""

    def __init__(self, renderer: AsyncRenderer) -> None:
        self.renderer = renderer
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_note)
        self._thread = threading.Thread(target=self._serve, name="vclean-renderer", daemon=True)
        self._thread.start()

    def begin(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Have `work` done, by and by."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """The result of `work`.

        Raises:
            _FrozenError: there was none within `seconds`; the loop ends as soon as it can.
        """
        future = self.begin(work)
        try:
            return future.result(seconds)
        except TimeoutError:
            self.renderer.kill()
            self._end()
            raise _FrozenError from None
        except KeyboardInterrupt:
            self.renderer.kill()
            raise

    def close(self) -> None:
        """End the renderer and the thread."""
        self._end()
        self._thread.join(_CLOSE_SECONDS)

    def _end(self) -> None:
        async def end() -> None:
            try:
                await self.renderer.close()
            finally:
                self._loop.stop()

        self.begin(end())

    def _serve(self) -> None:
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(_abandon())
        finally:
            self._loop.close()


def _note(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """What a killed driver leaves unanswered is no news: the page it was about has its error."""
    _LOG.debug("%s", context["message"], exc_info=context.get("exception"))


async def _abandon() -> None:
    """Let what is still under way end by itself (a driver that dies), and cancel the rest: nobody waits for it."""
    for _ in range(2):
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        if tasks:
            done, pending = await asyncio.wait(tasks, timeout=_GRACE_SECONDS)
            await asyncio.gather(*done, return_exceptions=True)
            for task in pending:
                task.cancel()
