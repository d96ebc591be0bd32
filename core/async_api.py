"""Asynchronous cleaner: several pages at a time from an event loop."""

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
    from vclean.page_reader import Document
    from vclean.render.browser.renderer import AsyncRenderer
    from vclean.render.rendered_page import Rendering
    from vclean.result import Result
    from vclean.settings import CleanerOptions


class AsyncCleaner:
    r"""Cleaner of pages for an event loop, with several browsers and one model for all pages.

    An asynchronous context manager. Each browser renders one page at a time. Blocks are extracted and labelled in a
    thread, one page at a time, which does not block the event loop. The deadline of the settings limits rendering only.

    Args:
        settings: the settings that determine the result of a page; the default settings if None.
        browsers: the number of pages that are rendered at once.
        options: fields of `CleanerSettings` that replace those of `settings`, such as `render=True`.

    Raises:
        UsageError: `browsers` is not positive.
        VcleanError: as for `Cleaner`.

    >>> async def clean(html: str) -> str:
    ...     async with AsyncCleaner(method="text") as cleaner:
    ...         return (await cleaner.clean(html)).to_text()
    >>> asyncio.run(clean("<p>It rained."))
    'It rained.\n'
    """

    def __init__(
        self, settings: CleanerSettings | None = None, *, browsers: int = 2, **options: Unpack[CleanerOptions]
    ) -> None:
        if browsers < 1:
            raise UsageError(f"browsers has to be at least 1, not {browsers}")
        self._pipeline = Pipeline((settings or CleanerSettings()).replace(**options))
        self._browsers = browsers
        self._stack = AsyncExitStack()
        self._idle_renderers: asyncio.Queue[AsyncRenderer] | None = None
        self._lock = threading.Lock()

    async def __aenter__(self) -> Self:
        """Prepare the browsers if pages are rendered; each starts with its first page.

        Raises:
            BrowserMissingError: no usable Chromium is installed.
        """
        if self._pipeline.settings.render:
            from vclean.render.browser.renderer import AsyncRenderer

            settings, network = self._pipeline.settings.rendering, self._pipeline.settings.network == "public"
            self._idle_renderers = asyncio.Queue()
            for _ in range(self._browsers):
                renderer = AsyncRenderer(settings, network=network)
                await self._stack.enter_async_context(renderer)
                self._idle_renderers.put_nowait(renderer)
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Close the browsers."""
        self._idle_renderers = None
        await self._stack.aclose()

    async def clean(self, html: Document, *, url: str = "", screenshot: bool = False) -> Result:
        """Clean one page; arguments, return value and errors as for `vclean.clean`."""
        page = await asyncio.to_thread(self._pipeline.reader.to_page, html, url)
        return await self._run(page, screenshot=screenshot)

    async def clean_file(self, path: Path | str, *, url: str = "", screenshot: bool = False) -> Result:
        """Clean the page in a file; arguments, return value and errors as for `vclean.clean_file`."""
        return await self.clean(Path(path), url=url, screenshot=screenshot)

    async def clean_url(self, url: str, *, screenshot: bool = False) -> Result:
        """Fetch and clean the page at a URL; arguments, return value and errors as for `vclean.clean_url`."""
        page = await asyncio.to_thread(self._pipeline.reader.page_from_url, url)
        return await self._run(page, screenshot=screenshot)

    async def _run(self, page: Page, *, screenshot: bool) -> Result:
        parsed = None
        if self._pipeline.parses_first(page, screenshot=screenshot):
            parsed = await asyncio.to_thread(self._run_parsed, page)
            if not parsed.render_reason:
                return parsed
        rendering = await self._read(page, screenshot=screenshot)
        return await asyncio.to_thread(self._label, rendering, page, parsed)

    async def _read(self, page: Page, *, screenshot: bool) -> Rendering:
        reader, renderers = self._pipeline.reader, self._idle_renderers
        if renderers is None or page.snapshot is not None:
            return await asyncio.to_thread(reader.read, page, screenshot=screenshot)
        renderer = await renderers.get()
        try:
            return await renderer.render(page, screenshot=screenshot)
        finally:
            renderers.put_nowait(renderer)

    def _run_parsed(self, page: Page) -> Result:
        with self._lock:
            return self._pipeline.run_parsed(page)

    def _label(self, rendering: Rendering, page: Page, parsed: Result | None) -> Result:
        with self._lock:
            return self._pipeline.run_rendering(rendering, page, parsed=parsed)
