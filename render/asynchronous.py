"""Pages in, snapshots out, in one headless Chromium driven from an event loop."""

from __future__ import annotations

import asyncio
import time
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Self

from vclean.errors import BrowserError
from vclean.page import Page
from vclean.render.addresses import host_and_port
from vclean.render.bounds import Bounds
from vclean.render.chromium import find_chromium
from vclean.render.decode import page_text
from vclean.render.direct import POSSIBLE
from vclean.render.direct import launch as launch_direct
from vclean.render.guard import StoredSource
from vclean.render.launch import Process, launch
from vclean.render.pipe import Connection, refusals
from vclean.render.visit import visit
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from playwright.async_api import Playwright

    from vclean.page import Resources
    from vclean.render.snapshot import Snapshot
    from vclean.render.tab import Tab

_PAGES_PER_BROWSER: Final = 100
"""A browser keeps about half a megabyte of every page, and starts in 0.3 s of CPU."""
_MAX_MEMORY: Final = 500 * 2**20
_PAGES_PER_MEMORY_CHECK: Final = 10


@dataclass(frozen=True, slots=True)
class Rendering:
    """A rendered page.

    Attributes:
        snapshot: what the browser made of it.
        picture: a PNG, one pixel per CSS px, where one was asked for.
        served: how many sub-resources a page that is not live asked for and got.
        missed: how many it asked for that nobody had.
    """

    snapshot: Snapshot
    picture: bytes | None = None
    served: int = 0
    missed: int = 0


class AsyncRenderer:
    """Renders one page at a time in a browser of its own; several of them can share an event loop.

    The browser starts with the first page, is replaced after 100 pages or at 500 MB, and after every failure.

    Args:
        settings: how to render, and what bounds a page.
        chromium: the executable; None for the one `find_chromium` finds.
        allow_hosts: host names that may be reached whatever their address.
        network: fetch the sub-resources that a page's own `resources` do not hold, from public addresses.

    Raises:
        BrowserMissingError: there is no usable Chromium.
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
        self._lock = asyncio.Lock()
        self._playwright: Playwright | None = None
        self._process: Process | None = None
        self._starting: asyncio.Task[Process] | None = None
        self._tab: Tab | None = None
        self._pages = 0

    async def __aenter__(self) -> Self:
        """Nothing starts before the first page."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """End the browser."""
        await self.close()

    async def start(self, page: Page, *, picture: bool = False) -> Process:
        """Have a browser that is fit for `page`, the next one.

        A start that is given up in the middle goes on, for the next page or for `close`, so that nothing is left.

        Raises:
            BrowserError: it does not start.
        """
        starting = self._starting
        if starting is None or starting.done():
            direct = self._may_be_direct(live=page.live, picture=picture)
            starting = self._starting = asyncio.create_task(self._start(direct=direct))
            starting.add_done_callback(_retrieve)
        await asyncio.wait([starting])
        return starting.result()

    async def prepare(self, *, live: bool = False, picture: bool = False) -> None:
        """Have a browser, and the tab for what is text alone, before the first page is there.

        Args:
            live: whether that page is live.
            picture: whether a picture of it is wanted.

        Raises:
            BrowserError: it does not start.
        """
        async with self._lock:
            process = await self.start(Page(live=live), picture=picture)
            if not (live or self._settings.scripts or self._network):
                tab = await self._open_tab(process)
                self._tab = tab if self._process is process else None

    async def render(self, page: Page, *, picture: bool = False) -> Rendering:
        """Render one page.

        Raises:
            NotHtmlError: the page is empty or binary.
            LimitError: it is over a cap, or takes more memory than `bounds.max_memory()`.
            NetworkError: it is a live page that could not be fetched.
            DeadlineError: it took longer than `settings.deadline`.
            BrowserError: the browser crashed; the next page gets a new one.
        """
        async with self._lock:
            process = await self.start(page, picture=picture)
            self._pages += 1
            with Bounds(self._settings.deadline, process) as bounds:
                started = time.perf_counter()
                try:
                    rendering = await self._render(process, page, picture=picture)
                except refusals() as error:
                    process.kill()
                    raise bounds.error() or _crash(error) from error
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
        """End the browser and its driver; a later page starts them again."""
        starting, self._starting = self._starting, None
        if starting is not None:
            await asyncio.wait([starting])
        await self._end()

    def _is_text(self, page: Page) -> bool:
        """Whether all of a page is its document, whose scripts do not run."""
        return not (page.live or page.resources is not None or self._settings.scripts or self._network)

    def _may_be_direct(self, *, live: bool, picture: bool) -> bool:
        """Whether the page can do without Playwright."""
        return POSSIBLE and not (picture or live or self._settings.scripts)

    async def _start(self, *, direct: bool) -> Process:
        if self._process is not None and (self._is_worn(self._process) or self._is_unfit(self._process, direct)):
            await self._end()
        if self._process is None:
            self._process = await self._launch(direct=direct)
            self._pages = 0
        return self._process

    async def _launch(self, *, direct: bool) -> Process:
        if direct:
            return await launch_direct(self._executable)
        self._playwright = self._playwright or await _start_driver()
        return await launch(self._playwright, self._executable)

    async def _end(self) -> None:
        process, self._process, self._tab = self._process, None, None
        playwright, self._playwright = self._playwright, None
        if process is not None:
            await process.close()
        if playwright is not None:
            await playwright.stop()

    async def _render(self, process: Process, page: Page, *, picture: bool) -> Rendering:
        if page.live:
            return await self._render_live(process, page, picture=picture)
        text = page_text(page, self._settings.max_bytes)
        if self._is_text(page):
            return await self._render_text(process, text, page.url, picture=picture)
        async with (
            self._source(text, page.resources) as source,
            visit(process, page.url, source, self._settings) as visited,
        ):
            payload = await visited.read(self._expression(page.url))
            taken = await visited.picture() if picture else None
            return Rendering(self._unpack(payload, page.url, process.build), taken, source.served, source.missed)

    @asynccontextmanager
    async def _source(self, text: str, resources: Resources | None) -> AsyncIterator[StoredSource]:
        if not self._network:
            yield StoredSource(text, resources)
            return
        from vclean.render.live import LiveSource  # with an HTTP client, which other pages do without

        async with LiveSource(self._settings, self._allow_hosts) as network:
            yield StoredSource(text, resources, network)

    async def _render_text(self, process: Process, text: str, url: str, *, picture: bool) -> Rendering:
        from vclean.render import wire

        tab = self._tab = self._tab or await self._open_tab(process)
        payload = await tab.read(text, wire.call(url, self._settings, discard=not picture, **wire.hints(text)))
        taken = None
        if picture:
            self._tab, taken = None, await tab.picture()
        return Rendering(self._unpack(payload, url, process.build), taken)

    async def _render_live(self, process: Process, page: Page, *, picture: bool) -> Rendering:
        from vclean.render.live import LiveSource

        host_and_port(page.url)  # or the visit would be one to a made-up address
        async with (
            LiveSource(self._settings, self._allow_hosts) as source,
            visit(process, page.url, source, self._settings) as visited,
        ):
            payload = await visited.read(self._expression(visited.url))
            return Rendering(
                self._unpack(payload, visited.url, process.build), await visited.picture() if picture else None
            )

    async def _open_tab(self, process: Process) -> Tab:
        from vclean.render.tab import Tab  # with numpy, which loads while the browser starts

        return await Tab.open(process, self._settings)

    def _expression(self, url: str) -> str:
        from vclean.render import wire

        return wire.expression(url, self._settings)

    def _unpack(self, payload: str, url: str, build: str) -> Snapshot:
        from vclean.render import wire

        return wire.unpack(payload, self._settings, build=build, url=url)

    @staticmethod
    def _is_unfit(process: Process, direct: bool) -> bool:
        """A browser that Playwright drives does for all pages, until it is worn."""
        return not direct and isinstance(process.browser, Connection)

    def _is_worn(self, process: Process) -> bool:
        if not process.is_alive or self._pages >= _PAGES_PER_BROWSER:
            return True
        return self._pages % _PAGES_PER_MEMORY_CHECK == 0 and process.memory() > _MAX_MEMORY


def _retrieve(task: asyncio.Task[Process]) -> None:
    """Nobody may be left to ask for the outcome, of which asyncio would complain."""
    if not task.cancelled():
        task.exception()


async def _start_driver() -> Playwright:
    """Playwright raises a bare Exception where its Node does not start."""
    from playwright.async_api import async_playwright

    try:
        return await async_playwright().start()
    except Exception as error:
        raise BrowserError(f"Playwright's driver does not start: run `vclean setup` ({error})") from error


def _crash(error: Exception) -> BrowserError:
    reason = str(error).strip().partition("\n")[0]
    return BrowserError(f"the browser crashed on this page: try again, or clean it without rendering ({reason})")
