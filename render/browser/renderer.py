"""Render pages from synchronous code."""

from __future__ import annotations

import asyncio
import logging
import threading
from functools import partial
from typing import TYPE_CHECKING, Final, Self, TypeVar

from vclean.render.browser.async_renderer import AsyncRenderer
from vclean.render.browser.chromium import find_chromium
from vclean.render.browser.process import deadline_error
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from concurrent.futures import Future
    from pathlib import Path
    from typing import Any

    from vclean.page import Page
    from vclean.render.rendered_page import Rendering

__all__ = ["AsyncRenderer", "Renderer"]

_LOG = logging.getLogger("vclean")

T = TypeVar("T")

_START_SECONDS: Final = 60
_GRACE_SECONDS: Final = 2
"""Seconds after the deadline of a page (its browser is killed then) until event loop and driver are abandoned."""

_CLOSE_SECONDS: Final = 10


class Renderer:
    """Synchronous renderer of pages, one at a time; it also works while an event loop is running (in a notebook).

    It is a context manager. Its event loop runs in a separate thread, which is abandoned if it does not respond in
    time. Arguments and errors are those of `AsyncRenderer`.
    """

    def __init__(
        self,
        settings: RenderSettings | None = None,
        *,
        chromium: Path | None = None,
        network: bool = False,
    ) -> None:
        self._settings = settings or RenderSettings()
        executable = chromium or find_chromium().path
        self._new_renderer = partial(AsyncRenderer, self._settings, chromium=executable, network=network)
        self._lock = threading.Lock()
        self._worker: _RendererThread | None = None

    def __enter__(self) -> Self:
        """Return the renderer; the browser starts with the first page."""
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self.close()

    def prepare(self, *, live: bool = False, screenshot: bool = False) -> None:
        """Start `AsyncRenderer.prepare` without waiting for it; the first page raises its errors."""
        with self._lock:
            worker = self._started_worker()
            worker.submit(worker.renderer.prepare(live=live, screenshot=screenshot))

    def render(self, page: Page, *, screenshot: bool = False) -> Rendering:
        """Render one page (see `AsyncRenderer.render`)."""
        with self._lock:
            worker = self._started_worker()
            try:
                worker.run(worker.renderer.start(), _START_SECONDS)
                return worker.run(
                    worker.renderer.render(page, screenshot=screenshot), self._settings.deadline + _GRACE_SECONDS
                )
            except TimeoutError:
                self._worker = None
                raise deadline_error(self._settings.deadline) from None

    def close(self) -> None:
        """End the browser; a later page starts it again."""
        with self._lock:
            worker, self._worker = self._worker, None
            if worker is not None:
                worker.close()

    def _started_worker(self) -> _RendererThread:
        self._worker = self._worker or _RendererThread(self._new_renderer())
        return self._worker


class _RendererThread:
    """Thread with an event loop and a renderer."""

    def __init__(self, renderer: AsyncRenderer) -> None:
        self.renderer = renderer
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(_log_exception)
        self._thread = threading.Thread(target=self._serve, name="vclean-renderer", daemon=True)
        self._thread.start()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Schedule `work` on the event loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def run(self, work: Coroutine[Any, Any, T], seconds: float) -> T:
        """Run `work` and return its result.

        Raises:
            TimeoutError: there was no result within `seconds`; the loop ends as soon as it can.
        """
        future = self.submit(work)
        try:
            return future.result(seconds)
        except TimeoutError:
            self.renderer.kill()
            self._end()
            raise
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

        self.submit(end())

    def _serve(self) -> None:
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(_finish_tasks())
        finally:
            self._loop.close()


def _log_exception(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log errors of a killed driver at debug level, because its page has already raised an error."""
    _LOG.debug("%s", context["message"], exc_info=context.get("exception"))


async def _finish_tasks() -> None:
    """Wait `_GRACE_SECONDS` for running tasks, such as a driver that ends, and cancel the others."""
    for _ in range(2):
        tasks = asyncio.all_tasks() - {asyncio.current_task()}
        if tasks:
            done, pending = await asyncio.wait(tasks, timeout=_GRACE_SECONDS)
            await asyncio.gather(*done, return_exceptions=True)
            for task in pending:
                task.cancel()
