"""Read a page in a browser: a document in a reused tab, any other page by navigation, if need be with its scripts."""

from __future__ import annotations

import asyncio
import contextlib
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.errors import VcleanError
from vclean.render.addresses import host_and_port
from vclean.render.browser import walker
from vclean.render.browser.cdp import ProtocolError, capture_screenshot
from vclean.render.browser.interception import StoredResponder
from vclean.render.browser.navigation import better, navigate, noted, sign_of_waiting, texts_revealed_by_clicks
from vclean.render.browser.walker import DocumentTab
from vclean.render.decode import read_document
from vclean.render.rendered_page import Omissions, Rendering
from vclean.render.visibility.painted_texts import decide

if TYPE_CHECKING:
    from collections.abc import Mapping
    from contextlib import AbstractAsyncContextManager

    from vclean.page import Page
    from vclean.render.browser.navigation import NavigatedPage
    from vclean.render.browser.process import BrowserProcess
    from vclean.render.decode import Document
    from vclean.render.fetch import LiveResponder
    from vclean.render.snapshot import Snapshot
    from vclean.settings import RenderSettings

_LINES: Final = 3
"""First lines of a text that are compared; they tell whether it is seen."""
_PAINT_SHARE: Final = 0.25
"""Of the deadline, for comparing pixels."""
_CLICK_SHARE: Final = 0.1
"""Of the deadline, for clicking controls."""


async def document_tab(process: BrowserProcess, settings: RenderSettings, *, paint: bool = False) -> DocumentTab:
    """Return the tab for documents that paints, or the one that does not; it is opened on first use."""
    if paint not in process.document_tabs:
        process.document_tabs[paint] = await DocumentTab.open(process, settings, paint=paint)
    return process.document_tabs[paint]


class PageReader:
    """Reader of one page.

    Args:
        process: the browser.
        settings: options and limits of rendering.
        network: fetch subresources that are not in `Page.resources`.
        screenshot: whether to take a screenshot.
    """

    def __init__(self, process: BrowserProcess, settings: RenderSettings, *, network: bool, screenshot: bool) -> None:
        self._process = process
        self._settings = settings
        self._network = network
        self._screenshot = screenshot
        self._end = time.perf_counter() + settings.deadline

    async def read(self, page: Page, *, is_document: bool) -> Rendering:
        """Read the page; `is_document` if it has no subresources and its scripts are off."""
        if page.live:
            rendering, document, page = await self._read_live(page)
        else:
            document = read_document(page, self._settings.max_bytes, force_html=self._settings.force_html)
            if is_document:
                rendering = await self._read_document(document.text, page.url)
            else:
                rendering = await self._navigate(page, document.text, self._settings)
        snapshot = replace(rendering.snapshot, notes=document.notes, scripted=document.scripted)
        rendering = await self._with_scripts(replace(rendering, snapshot=snapshot), document, page)
        return await self._without_doubts(rendering, document.text)

    async def _read_document(self, text: str, url: str) -> Rendering:
        if not self._screenshot:
            tab = await document_tab(self._process, self._settings)
            snapshot, doubts = self._unpack(await tab.read(text, lambda: walker.hints(text) | {"discard": True}), url)
            return Rendering(snapshot, doubts=doubts)
        # After a screenshot, letters of later pages may have another fallback font: its tab is not used again.
        tab = await DocumentTab.open(self._process, self._settings, paint=True)
        try:
            snapshot, doubts = self._unpack(await tab.read(text, lambda: walker.hints(text)), url)
            return Rendering(snapshot, await self._capture(tab, snapshot), doubts=doubts)
        finally:
            await tab.close()

    async def _read_live(self, page: Page) -> tuple[Rendering, Document, Page]:
        """Fetch and read a live page; return its document too, and the page with its URL after redirects."""
        from vclean.render.fetch import LiveResponder  # imports an HTTP client

        host_and_port(page.url)  # raises an error for URLs that `navigate` would replace by `BASE_URL`
        async with (
            LiveResponder(self._settings) as live,
            navigate(self._process, page.url, live.answer, self._settings) as navigated,
        ):
            url = await navigated.url()
            rendering = Rendering(*await self._read_navigated(navigated, url, self._settings))
        return rendering, live.document, replace(page, url=url)

    async def _navigate(self, page: Page, text: str, settings: RenderSettings) -> Rendering:
        """Navigate to a page with a given document, and read it; scripts run if they are "on"."""
        network: AbstractAsyncContextManager[LiveResponder | None] = contextlib.nullcontext()
        if self._network or page.live:
            from vclean.render.fetch import LiveResponder

            network = LiveResponder(self._settings)
        async with network as live:
            responder = StoredResponder(text, page.resources, live and live.answer)
            async with navigate(self._process, page.url, responder.answer, settings) as navigated:
                snapshot, screenshot = await self._read_navigated(navigated, page.url, settings)
                return Rendering(snapshot, screenshot, responder.served, responder.missed)

    async def _read_navigated(
        self, page: NavigatedPage, url: str, settings: RenderSettings
    ) -> tuple[Snapshot, bytes | None]:
        """Read a page after navigation, take its screenshot, decide what a reader sees, and click controls."""
        snapshot, doubts = self._unpack(await page.read(walker.expression(settings)), url)
        screenshot = await self._capture(page, snapshot) if self._screenshot else None
        if doubts:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._settings.deadline * _PAINT_SHARE):
                    snapshot = await self._compared(page, snapshot, doubts)
        if settings.scripts == "on":
            revealed = await texts_revealed_by_clicks(page, snapshot, settings.deadline * _CLICK_SHARE)
            facts = {"ran_scripts": True, "missed_scripts": page.missed_scripts, "revealed": revealed}
            snapshot = replace(snapshot, **facts)
        return snapshot, screenshot

    async def _with_scripts(self, rendering: Rendering, document: Document, page: Page) -> Rendering:
        """Render a page again with its scripts if it waits for them, in half of the time that is left.

        Returns:
            the better rendering, which notes the other; the first one if the page cannot be rendered with scripts.
        """
        if self._settings.scripts != "auto":
            return rendering
        has_network = self._network or page.live
        sign = sign_of_waiting(rendering.snapshot, document.text, page.resources, network=has_network)
        if not sign:
            return rendering
        try:
            async with asyncio.timeout((self._end - time.perf_counter()) / 2):
                again = await self._navigate(page, document.text, replace(self._settings, scripts="on"))
        except (ProtocolError, TimeoutError):
            self._process.kill()  # the next page gets a new browser
            return noted(rendering, f"{sign}; with them it was not rendered in time")
        except VcleanError as error:
            return noted(rendering, f"{sign}; with them it fails: {error}")
        return better(rendering, again, sign)

    async def _without_doubts(self, rendering: Rendering, text: str) -> Rendering:
        """Decide on the doubtful texts of a document, which else count as shown, in a tab that paints.

        It takes a quarter of the deadline at most, and half of the time that is left.
        """
        if not rendering.doubts or not self._process.is_alive:
            return rendering
        tab = await document_tab(self._process, self._settings, paint=True)
        left = self._end - time.perf_counter()
        try:
            async with asyncio.timeout(min(self._settings.deadline * _PAINT_SHARE, left / 2)):
                await tab.read(text, lambda: {"onlyNumbers": True, "pseudos": False})
                snapshot = await self._compared(tab, rendering.snapshot, rendering.doubts)
                await tab.reset()
                return replace(rendering, snapshot=snapshot, doubts={})
        except TimeoutError:
            del self._process.document_tabs[True]
            await tab.close()
            return rendering

    def _unpack(self, payload: str, url: str) -> tuple[Snapshot, Mapping[int, int]]:
        """Return the snapshot with what layout and styles decide, and the texts that pixels have to decide."""
        snapshot = walker.unpack(payload, self._settings, build=self._process.build, url=url)
        decision = decide(snapshot)
        return replace(snapshot, text_hidden=decision.hidden, overlay=decision.overlays), decision.doubts

    async def _capture(self, page: DocumentTab | NavigatedPage, snapshot: Snapshot) -> bytes:
        """Take a screenshot, without the overlays if the settings ask for it."""
        if self._settings.hide_overlays and len(snapshot.overlay):
            await page.omit(Omissions(snapshot.overlay.tolist()))
        return await capture_screenshot(page.session)

    async def _compared(
        self, page: DocumentTab | NavigatedPage, snapshot: Snapshot, doubts: Mapping[int, int]
    ) -> Snapshot:
        """Return the snapshot with the doubtful texts decided: painted with and without them, and without overlays."""
        from vclean.render.browser.pixels import PixelComparison  # imports PIL

        overlays = snapshot.overlay.tolist()
        if overlays:
            await page.omit(Omissions(overlays))
        lines, owner = np.isin(snapshot.line_text, list(doubts)), snapshot.line_text
        lines &= np.append(np.ones(_LINES, dtype=bool), owner[_LINES:] != owner[:-_LINES])[: len(owner)]
        comparison = PixelComparison(snapshot.line_box[lines], owner[lines])
        with_texts = await comparison.paint(page.session, scroll=page.scrolls)
        await page.omit(Omissions(overlays, list(doubts)))
        without = await comparison.paint(page.session, scroll=page.scrolls)
        hidden = snapshot.text_hidden.copy()
        for text in comparison.unseen(with_texts, without):
            hidden[text] = doubts[text]
        return replace(snapshot, text_hidden=hidden)
