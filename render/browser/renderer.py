"""Render pages in one headless Chromium, from an event loop or from synchronous code."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import threading
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, Self, TypeVar

from vclean.errors import BrowserError, VcleanError
from vclean.page import Page
from vclean.render.browser.cdp import ProtocolError, capture_screenshot
from vclean.render.browser.chromium import find_chromium
from vclean.render.browser.interception import StoredResponder
from vclean.render.browser.process import BrowserProcess, ResourceLimits, deadline_error, launch
from vclean.render.decode import read_document
from vclean.render.rendered_page import Omissions, Rendering
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Coroutine, Mapping
    from concurrent.futures import Future
    from contextlib import AbstractAsyncContextManager
    from pathlib import Path
    from typing import Any

    from vclean.render.browser.navigation import NavigatedPage
    from vclean.render.browser.walker import DocumentTab
    from vclean.render.decode import Document
    from vclean.render.fetch import LiveResponder
    from vclean.render.snapshot import Snapshot

_LOG = logging.getLogger("vclean")

T = TypeVar("T")

_PAGES_PER_BROWSER: Final = 100
"""A browser retains about 0.5 MB of every page, and its start takes 0.3 s of CPU."""
_MAX_MEMORY: Final = 500 * 2**20
_PAGES_PER_MEMORY_CHECK: Final = 10
_LINES: Final = 3
"""First lines of a text that are compared; they tell whether it is seen."""
_PAINT_SHARE: Final = 0.25
"""Of the deadline, for comparing pixels."""
_CLICK_SHARE: Final = 0.1
"""Of the deadline, for clicking controls."""


class AsyncRenderer:
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

    async def __aenter__(self) -> Self:
        """Return the renderer; the browser starts with the first page."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """End the browser."""
        await self.close()

    async def start(self) -> BrowserProcess:
        """Start a browser, unless there is one that can render another page.

        A cancelled start continues in the background; the next page or `close` receives the browser.

        Raises:
            BrowserError: the browser does not start.
        """
        starting = self._starting
        if starting is None or starting.done():
            starting = self._starting = asyncio.create_task(self._start())
            starting.add_done_callback(_retrieve_exception)
        await asyncio.wait([starting])
        return starting.result()

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
                await self._document_tab(process)

    async def render(self, page: Page, *, screenshot: bool = False) -> Rendering:
        """Render one page.

        Args:
            page: the page.
            screenshot: whether to take a screenshot.

        Raises:
            NotHtmlError: the page is empty or binary.
            LimitError: the page exceeds a limit of the settings, or `limits.max_memory()`.
            NetworkError: a live page could not be fetched.
            DeadlineError: rendering took longer than `settings.deadline`.
            BrowserError: the browser crashed; the next page gets a new one.
        """
        async with self._lock:
            process = await self.start()
            self._pages += 1
            with ResourceLimits(self._settings.deadline, process) as limits:
                started = time.perf_counter()
                try:
                    rendering = await self._render(process, page, screenshot=screenshot, started=started)
                except ProtocolError as error:
                    process.kill()
                    raise limits.error or _crash_error(error) from error
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
        if self._process is not None and self._is_worn(self._process):
            await self._end()
        if self._process is None:
            self._process = await launch(self._executable)
            self._pages = 0
        return self._process

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.close()

    async def _render(self, process: BrowserProcess, page: Page, *, screenshot: bool, started: float) -> Rendering:
        if page.live:
            rendering, document, page = await self._render_live(process, page, screenshot=screenshot)
        else:
            document = read_document(page, self._settings.max_bytes, force_html=self._settings.force_html)
            if self._is_document(page):
                rendering = await self._render_document(process, document.text, page.url, screenshot=screenshot)
            else:
                rendering = await self._navigate(process, document.text, page, self._settings, screenshot=screenshot)
        snapshot = replace(rendering.snapshot, notes=document.notes, scripted=document.scripted)
        rendering = replace(rendering, snapshot=snapshot)
        end = started + self._settings.deadline
        rendering = await self._with_scripts(process, rendering, document, page, end - time.perf_counter())
        return await self._without_doubts(process, rendering, document.text, end - time.perf_counter())

    async def _with_scripts(
        self, process: BrowserProcess, rendering: Rendering, document: Document, page: Page, left: float
    ) -> Rendering:
        """Render a page again with its scripts if it waits for them, in half of the time that is left.

        Returns:
            the better rendering, which notes the other; the first one if the page cannot be rendered with scripts.
        """
        if self._settings.scripts != "auto":
            return rendering
        from vclean.render.browser import navigation  # imports numpy, which loads while the browser starts

        has_network = self._network or page.live
        sign = navigation.sign_of_waiting(rendering.snapshot, document.text, page.resources, network=has_network)
        if not sign:
            return rendering
        settings, screenshot = replace(self._settings, scripts="on"), rendering.screenshot is not None
        try:
            async with asyncio.timeout(left / 2):
                again = await self._navigate(process, document.text, page, settings, screenshot=screenshot)
        except (ProtocolError, TimeoutError):
            process.kill()  # the next page gets a new browser
            return navigation.noted(rendering, f"{sign}; with them it was not rendered in time")
        except VcleanError as error:
            return navigation.noted(rendering, f"{sign}; with them it fails: {error}")
        return navigation.better(rendering, again, sign)

    async def _navigate(
        self, process: BrowserProcess, text: str, page: Page, settings: RenderSettings, *, screenshot: bool
    ) -> Rendering:
        """Navigate to a page with a given document, and read it; scripts run if they are "on"."""
        from vclean.render.browser.navigation import navigate  # imports modules that other pages do not need

        network: AbstractAsyncContextManager[LiveResponder | None] = contextlib.nullcontext()
        if self._network or page.live:
            from vclean.render.fetch import LiveResponder  # imports an HTTP client

            network = LiveResponder(self._settings)
        async with network as fallback:
            fetched = None if fallback is None else fallback.answer
            responder = StoredResponder(text, page.resources, fetched)
            async with navigate(process, page.url, responder.answer, settings) as navigated:
                snapshot, png = await self._read(navigated, page.url, process.build, settings, screenshot=screenshot)
                return Rendering(snapshot, png, responder.served, responder.missed)

    async def _render_document(self, process: BrowserProcess, text: str, url: str, *, screenshot: bool) -> Rendering:
        from vclean.render.browser import walker

        # After a screenshot, letters of later pages may have another fallback font: its tab is not used again.
        opening = (
            walker.DocumentTab.open(process, self._settings, paint=True) if screenshot else self._document_tab(process)
        )
        tab = await opening

        def reading() -> str:
            return walker.call(self._settings, walker.hints(text) | {"discard": not screenshot})

        try:
            payload = await tab.read(text, reading)
            snapshot, doubts = self._unpack(payload, url, process.build)
            png = await self._screenshot(tab, snapshot) if screenshot else None
            return Rendering(snapshot, png, doubts=doubts)
        finally:
            if screenshot:
                await tab.close()

    async def _without_doubts(self, process: BrowserProcess, rendering: Rendering, text: str, left: float) -> Rendering:
        """Decide on the doubtful texts of a document, which else count as shown, in a tab that paints.

        It takes a quarter of the deadline at most, and half of the time that is left.
        """
        if not rendering.doubts or not process.is_alive:
            return rendering
        from vclean.render.browser import walker

        tab = await self._document_tab(process, paint=True)
        try:
            async with asyncio.timeout(min(self._settings.deadline * _PAINT_SHARE, left / 2)):
                await tab.read(text, lambda: walker.call(self._settings, {"onlyNumbers": True, "pseudos": False}))
                snapshot = await self._compared(tab, rendering.snapshot, rendering.doubts)
                await tab.reset(self._settings)
                return replace(rendering, snapshot=snapshot, doubts={})
        except TimeoutError:
            del process.document_tabs[True]
            await tab.close()
            return rendering

    async def _read(
        self, page: NavigatedPage, url: str, build: str, settings: RenderSettings, *, screenshot: bool
    ) -> tuple[Snapshot, bytes | None]:
        """Read a page after navigation, take its screenshot, decide what a reader sees, and click controls."""
        from vclean.render.browser import walker

        payload = await page.read(walker.expression(settings))
        snapshot, doubts = self._unpack(payload, url, build)
        png = await self._screenshot(page, snapshot) if screenshot else None
        if doubts:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._settings.deadline * _PAINT_SHARE):
                    snapshot = await self._compared(page, snapshot, doubts)
        if settings.scripts != "on":
            return snapshot, png
        from vclean.render.browser.navigation import texts_revealed_by_clicks

        revealed = await texts_revealed_by_clicks(page, snapshot, settings.deadline * _CLICK_SHARE)
        return replace(snapshot, ran_scripts=True, missed_scripts=page.missed_scripts, revealed=revealed), png

    async def _screenshot(self, page: DocumentTab | NavigatedPage, snapshot: Snapshot) -> bytes:
        """Take a screenshot, without the overlays if the settings ask for it."""
        if self._settings.hide_overlays and len(snapshot.overlay):
            await page.omit(Omissions(snapshot.overlay.tolist()), self._settings)
        return await capture_screenshot(page.session)

    async def _compared(
        self, page: DocumentTab | NavigatedPage, snapshot: Snapshot, doubts: Mapping[int, int]
    ) -> Snapshot:
        """Return the snapshot with the doubtful texts decided: painted with and without them, and without overlays."""
        import numpy as np

        from vclean.render.browser.pixels import PixelComparison

        overlays = snapshot.overlay.tolist()
        if overlays:
            await page.omit(Omissions(overlays), self._settings)
        lines, owner = np.isin(snapshot.line_text, list(doubts)), snapshot.line_text
        lines &= np.append(np.ones(_LINES, dtype=bool), owner[_LINES:] != owner[:-_LINES])[: len(owner)]
        comparison = PixelComparison(snapshot.line_box[lines], owner[lines])
        with_texts = await comparison.paint(page.session, scroll=page.scrolls)
        await page.omit(Omissions(overlays, list(doubts)), self._settings)
        without = await comparison.paint(page.session, scroll=page.scrolls)
        hidden = snapshot.text_hidden.copy()
        for text in comparison.unseen(with_texts, without):
            hidden[text] = doubts[text]
        return replace(snapshot, text_hidden=hidden)

    async def _render_live(
        self, process: BrowserProcess, page: Page, *, screenshot: bool
    ) -> tuple[Rendering, Document, Page]:
        """Fetch and render a live page; return its document too, and the page with its URL after redirects."""
        from vclean.render.addresses import host_and_port
        from vclean.render.browser.navigation import navigate
        from vclean.render.fetch import LiveResponder

        host_and_port(page.url)  # raises an error for URLs that `navigate` would replace by `BASE_URL`
        async with (
            LiveResponder(self._settings) as responder,
            navigate(process, page.url, responder.answer, self._settings) as navigated,
        ):
            url, build = await navigated.url(), process.build
            rendering = Rendering(*await self._read(navigated, url, build, self._settings, screenshot=screenshot))
        return rendering, responder.document, replace(page, url=url)

    async def _document_tab(self, process: BrowserProcess, *, paint: bool = False) -> DocumentTab:
        from vclean.render.browser.walker import DocumentTab  # imports numpy, which loads while the browser starts

        if paint not in process.document_tabs:
            process.document_tabs[paint] = await DocumentTab.open(process, self._settings, paint=paint)
        return process.document_tabs[paint]

    def _unpack(self, payload: str, url: str, build: str) -> tuple[Snapshot, Mapping[int, int]]:
        """Return the snapshot with what layout and styles decide, and the texts that pixels have to decide."""
        from vclean.render.browser import walker
        from vclean.render.visibility.painted_texts import decide

        snapshot = walker.unpack(payload, self._settings, build=build, url=url)
        decision = decide(snapshot)
        return replace(snapshot, text_hidden=decision.hidden, overlay=decision.overlays), decision.doubts

    def _is_worn(self, process: BrowserProcess) -> bool:
        if not process.is_alive or self._pages >= _PAGES_PER_BROWSER:
            return True
        return self._pages % _PAGES_PER_MEMORY_CHECK == 0 and process.memory() > _MAX_MEMORY


def _retrieve_exception(task: asyncio.Task[BrowserProcess]) -> None:
    """Mark the exception of a task as retrieved, so that asyncio does not log it."""
    if not task.cancelled():
        task.exception()


def _crash_error(error: Exception) -> BrowserError:
    reason = str(error).strip().partition("\n")[0]
    return BrowserError(f"the browser crashed on this page: try again, or clean it without rendering ({reason})")


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
