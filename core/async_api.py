"""`AsyncCleaner`: `Cleaner` for code with an event loop, several pages at a time."""

from __future__ import annotations

import asyncio
import threading
from contextlib import AsyncExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Self

from vclean.errors import UsageError
from vclean.pipeline import Pipeline
from vclean.settings import CleanerSettings

if TYPE_CHECKING:
    from typing import Unpack

    from vclean.page import Page
    from vclean.pipeline import Document
    from vclean.render.browser.async_renderer import AsyncRenderer
    from vclean.render.rendered_page import Rendering
    from vclean.result import Result
    from vclean.settings import CleanerOptions


class AsyncCleaner:
    """Clean pages from an event loop, with some browsers and one model for all of them.

    An asynchronous context manager. Pages are rendered by several browsers at once, one page in each; blocks are
    extracted and labelled in a thread, one page at a time, so that the event loop goes on. There the deadline of the
    settings bounds rendering only.

    Args:
        settings: what decides the result of a page.
        browsers: how many pages are rendered at once.
        options: fields of the settings that differ from `settings`, such as `render=True`.

    Raises:
        UsageError: `browsers` is not positive.
        VcleanError: as for `Cleaner`.
    """

    def __init__(
        self, settings: CleanerSettings | None = None, *, browsers: int = 2, **options: Unpack[CleanerOptions]
    ) -> None:
        if browsers < 1:
            raise UsageError(f"browsers has to be at least 1, not {browsers}")
        self._pipeline = Pipeline((settings or CleanerSettings()).replace(**options))
        self._browsers = browsers
        self._stack = AsyncExitStack()
        self._idle: asyncio.Queue[AsyncRenderer] | None = None
        self._lock = threading.Lock()

    async def __aenter__(self) -> Self:
        """Make the browsers ready if pages are to be rendered; each starts with its first page.

        Raises:
            BrowserMissingError: there is no usable Chromium.
        """
        if self._pipeline.settings.render:
            from vclean.render.browser.async_renderer import AsyncRenderer

            settings, network = self._pipeline.settings.rendering, self._pipeline.settings.network == "public"
            self._idle = asyncio.Queue()
            for _ in range(self._browsers):
                renderer = await self._stack.enter_async_context(AsyncRenderer(settings, network=network))
                self._idle.put_nowait(renderer)
        return self

    async def __aexit__(self, *exception: object) -> None:
        """End the browsers."""
        self._idle = None
        await self._stack.aclose()

    async def clean(self, html: Document, *, url: str = "", screenshot: bool = False) -> Result:
        """Clean one page; see `vclean.clean`."""
        page = await asyncio.to_thread(self._pipeline.reader.page, html, url)
        return await self._run(page, screenshot=screenshot)

    async def clean_file(self, path: Path | str, *, url: str = "", screenshot: bool = False) -> Result:
        """Clean the page in a file; see `vclean.clean_file`."""
        return await self.clean(Path(path), url=url, screenshot=screenshot)

    async def clean_url(self, url: str, *, screenshot: bool = False) -> Result:
        """Clean the page at an address; see `vclean.clean_url`."""
        page = await asyncio.to_thread(self._pipeline.reader.page_at, url)
        return await self._run(page, screenshot=screenshot)

    async def _run(self, page: Page, *, screenshot: bool) -> Result:
        rendering = await self._read(page, screenshot=screenshot)
        return await asyncio.to_thread(self._label, rendering, page)

    async def _read(self, page: Page, *, screenshot: bool) -> Rendering:
        reader, idle = self._pipeline.reader, self._idle
        if idle is None or page.snapshot is not None:
            return await asyncio.to_thread(reader.read, page, screenshot=screenshot)
        renderer = await idle.get()
        try:
            return await renderer.render(page, screenshot=screenshot)
        finally:
            idle.put_nowait(renderer)

    def _label(self, rendering: Rendering, page: Page) -> Result:
        with self._lock:
            return self._pipeline.label(self._pipeline.extract_blocks(rendering, page))
