"""Render pages in one headless Chromium, from an event loop or from synchronous code."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

from vclean.errors import BrowserError
from vclean.page import Page
from vclean.render.browser.cdp import ProtocolError
from vclean.render.browser.chromium import find_chromium
from vclean.render.browser.process import BrowserProcess, deadline_error, launch, page_limits
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Coroutine
    from concurrent.futures import Future
    from pathlib import Path
    from typing import Any

    from vclean.render.rendered_page import Rendering

_LOG = logging.getLogger("vclean")

T = TypeVar("T")

_PAGES_PER_BROWSER: Final = 100
"""A browser retains about 0.5 MB of every page, and its start takes 0.3 s of CPU."""
_MAX_MEMORY: Final = 500 * 2**20
_PAGES_PER_MEMORY_CHECK: Final = 10


class AsyncRenderer(AbstractAsyncContextManager["AsyncRenderer"]):
    """Renderer of one page at a time in one browser; several renderers can share an event loop.

    The browser starts with the first page. It is replaced after 100 pages, at 500 MB, and after every failure.

    Args:
        settings: options and limits of rendering.
        chromium: the executable; None for the result of `find_chromium`.
        network: fetch subresources that are not in `Page.resources` from public addresses.

    Raises:
        BrowserMissingError: no usable Chromium was found.
    """

    def __init__(
        self,
        settings: RenderSettings | None = None,
        *,
        chromium: Path | None = None,
        network: bool = False,
    ) -> None:
        self._settings = settings or RenderSettings()
        self._executable = chromium or find_chromium().path
        self._network = network
        self._lock = asyncio.Lock()
        self._process: BrowserProcess | None = None
        self._starting: asyncio.Task[BrowserProcess] | None = None
        self._pages = 0

    async def __aexit__(self, *exception: object) -> None:
        """End the browser."""
        await self.close()

    async def start(self) -> BrowserProcess:
        """Start a browser, unless there is one that can render another page.

        A cancelled start continues in the background; the next page or `close` receives the browser.

        Raises:
            BrowserError: the browser does not start.
        """
        if self._starting is None or self._starting.done():
            self._starting = asyncio.create_task(self._start())
        return await asyncio.shield(self._starting)

    async def prepare(self, *, live: bool = False, screenshot: bool = False) -> None:
        """Start the browser, and open the tab for documents, before the first page arrives.

        Args:
            live: whether the first page is live.
            screenshot: whether a screenshot of the first page will be requested.

        Raises:
            BrowserError: the browser does not start.
        """
        async with self._lock:
            process = await self.start()
            if self._is_document(Page(live=live)) and not screenshot:
                from vclean.render.browser.reading import document_tab  # imports numpy while the browser starts

                await document_tab(process, self._settings)

    async def render(self, page: Page, *, screenshot: bool = False) -> Rendering:
        """Render one page.

        Args:
            page: the page.
            screenshot: whether to take a screenshot.

        Raises:
            NotHtmlError: the page is empty or binary.
            LimitError: the page exceeds a limit of the settings, or `max_memory` of process.py.
            NetworkError: a live page could not be fetched.
            DeadlineError: rendering took longer than `settings.deadline`.
            BrowserError: the browser crashed; the next page gets a new one.
        """
        async with self._lock:
            process = await self.start()
            from vclean.render.browser.reading import PageReader  # imports numpy while the browser starts

            self._pages += 1
            with page_limits(self._settings.deadline, process) as errors:
                started = time.perf_counter()
                reader = PageReader(process, self._settings, network=self._network, screenshot=screenshot)
                try:
                    rendering = await reader.read(page, is_document=self._is_document(page))
                except ProtocolError as error:
                    process.kill()
                    reason = str(error).strip().partition("\n")[0]
                    crash = f"the browser crashed on this page: try again, or clean it without rendering ({reason})"
                    raise errors[0] if errors else BrowserError(crash) from error
                except asyncio.CancelledError:
                    process.kill()
                    raise
            timings = {"render": time.perf_counter() - started}
            return replace(rendering, snapshot=replace(rendering.snapshot, timings=timings))

    def kill(self) -> None:
        """End the browser at once; safe from any thread."""
        if self._process is not None:
            self._process.kill()

    async def close(self) -> None:
        """End the browser; a later page starts it again."""
        starting, self._starting = self._starting, None
        if starting is not None:
            await asyncio.wait([starting])
        await self._end()

    def _is_document(self, page: Page) -> bool:
        """Return whether the page is a document without subresources, and scripts are off."""
        return not (page.live or page.resources is not None or self._settings.scripts == "on" or self._network)

    async def _start(self) -> BrowserProcess:
        process = self._process
        checks_memory = self._pages % _PAGES_PER_MEMORY_CHECK == 0
        if process and (
            not process.is_alive
            or self._pages >= _PAGES_PER_BROWSER
            or (checks_memory and process.memory() > _MAX_MEMORY)
        ):
            await self._end()
        if self._process is None:
            self._process = await launch(self._executable)
            self._pages = 0
        return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.close()


_START_SECONDS: Final = 60
_GRACE_SECONDS: Final = 2
"""Seconds after the deadline of a page (its browser is killed then) until event loop and driver are abandoned."""


class Renderer(AbstractContextManager["Renderer"]):
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
        # Errors of a killed driver: its page has already raised an error.
        self._loop.set_exception_handler(
            lambda _, context: _LOG.debug("%s", context["message"], exc_info=context.get("exception"))
        )
        self._ending = asyncio.Event()
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
        self._thread.join(timeout=10)

    def _end(self) -> None:
        self._loop.call_soon_threadsafe(self._ending.set)

    def _serve(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:  # at the end, it cancels the remaining tasks
            runner.run(self._ending.wait())
            runner.run(self.renderer.close())
