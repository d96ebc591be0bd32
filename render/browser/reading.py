"""Read a page in a browser: a document in a reused tab, any other page by navigation, if need be with its scripts."""

from __future__ import annotations

import asyncio
import contextlib
import io
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.errors import VcleanError
from vclean.render.addresses import host_and_port
from vclean.render.browser import walker
from vclean.render.browser.cdp import MAX_SCREENSHOT_WIDTH, ProtocolError, capture_screenshot, evaluate
from vclean.render.browser.interception import StoredResponder
from vclean.render.browser.navigation import better, navigate, noted, sign_of_waiting, texts_revealed_by_clicks
from vclean.render.browser.walker import DocumentTab
from vclean.render.decode import read_document
from vclean.render.rendered_page import Omissions, Rendering
from vclean.render.visibility.painted_texts import decide

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from numpy.typing import NDArray

    from vclean.page import Page
    from vclean.render.browser.cdp import Session
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
            contextlib.aclosing(LiveResponder(self._settings)) as live,
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

            network = contextlib.aclosing(LiveResponder(self._settings))
        async with network as live:
            responder = StoredResponder(text, page.resources, live.answer if live else None)
            async with navigate(self._process, page.url, responder.answer, settings) as navigated:
                snapshot, screenshot = await self._read_navigated(navigated, page.url, settings)
                return Rendering(snapshot, screenshot, *responder.counts)

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
            missed = page.interceptor.missed_scripts
            snapshot = replace(snapshot, ran_scripts=True, missed_scripts=missed, revealed=revealed)
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


_MAX_HEIGHT: Final = 4096
"""CSS px of a part of a page that is compared."""
_MAX_PARTS: Final = 4
_MAX_PIXELS: Final = _MAX_HEIGHT * MAX_SCREENSHOT_WIDTH
"""Most pixels of all parts together."""
_SCROLL: Final = """
((y, height) => {{
    const isBelow = y + height > innerHeight && height <= innerHeight;
    scrollTo({{left: 0, top: isBelow ? y - (innerHeight - height) / 2 : 0, behavior: 'instant'}});
    return '';
}})({y}, {height})
"""
"""Scrolls to a part that fits the viewport and begins below it, else to the top: there fixed elements are in place."""
_LEAST_COMPARED: Final = 0.5
"""Share of a line; of a smaller part, which may have no letters, nothing follows."""
_LEAST_CHANGE: Final = 24
"""Of 255, in a channel: from one pixel to the next the text changes the page by less where no letter has an edge, such
as in a blur."""
_LEAST_SHARE: Final = 0.005
"""Of the pixels of a line: letters in a thin font change 5 % and more."""
_LEAST_PIXELS: Final = 6


class PixelComparison:
    """Compare screenshots of the parts of a page around some lines, with and without some of its texts.

    A text without a difference cannot be seen.

    A part is at most `MAX_SCREENSHOT_WIDTH` px wide and 4096 px high. There are at most four, with as many pixels
    together as the largest one; texts outside them count as visible.

    Args:
        lines: float32 (L, 4), x, y, width and height of the lines to compare, CSS px.
        owner: int (L,), the text of each line.
    """

    def __init__(self, lines: NDArray[np.float32], owner: NDArray[np.int32]) -> None:
        self._lines = lines
        self._owner = owner
        self._part = np.full(len(lines), -1)
        self.clips: list[tuple[float, float, float, float]] = []
        """x, y, width and height of each part, CSS px."""
        pixels = 0.0
        while len(self.clips) < _MAX_PARTS and (self._part < 0).any():
            # The uppermost lines that are in no part yet, and all that fit into one part with them.
            rows = np.flatnonzero(self._part < 0)
            top, bottom = lines[rows, 1], lines[rows, 1] + lines[rows, 3]
            rows = rows[(top == top.min()) | (bottom <= max(float(top.min()), 0) + _MAX_HEIGHT)]
            clip = _clip_around(lines[rows])
            pixels += clip[2] * clip[3]
            if pixels > _MAX_PIXELS:
                break
            self._part[rows] = len(self.clips)
            self.clips.append(clip)

    async def paint(self, session: Session, *, scroll: bool) -> list[NDArray[np.uint8]]:
        """Take a screenshot of each part, uint8 (height, width, 3).

        Args:
            session: the session of the page.
            scroll: whether to scroll to each part. That takes a third of the time, but scripts may notice.
        """
        from PIL import Image  # few pages need it

        screenshots = []
        for clip in self.clips:
            if scroll:
                await evaluate(session, _SCROLL.format(y=clip[1], height=clip[3]))
            with Image.open(io.BytesIO(await capture_screenshot(session, clip))) as image:
                screenshots.append(np.asarray(image)[..., :3])
        return screenshots

    def unseen(self, with_texts: Sequence[NDArray[np.uint8]], without: Sequence[NDArray[np.uint8]]) -> Sequence[int]:
        """Return the texts that look the same in the screenshots with and without them, one for each part."""
        seen: set[int] = set()
        for line, text, part in zip(self._lines, self._owner.tolist(), self._part.tolist(), strict=True):
            if text not in seen and (part < 0 or self._is_seen(line, part, with_texts[part], without[part])):
                seen.add(text)
        return [text for text in dict.fromkeys(self._owner.tolist()) if text not in seen]

    def _is_seen(
        self, line: NDArray[np.float32], number: int, with_texts: NDArray[np.uint8], without: NDArray[np.uint8]
    ) -> bool:
        """Return whether the pixels of a line, float32 (4,), differ in screenshots of a part, or were not compared."""
        left, top = np.rint(line[:2] - np.array(self.clips[number][:2])).astype(int).tolist()
        width, height = np.rint(line[2:]).astype(int).tolist()
        part = slice(max(top, 0), max(top + height, 0)), slice(max(left, 0), max(left + width, 0))
        change = np.abs(with_texts[part].astype(np.int16) - without[part]).max(axis=2, initial=0)
        if not change.size or change.size < _LEAST_COMPARED * width * height:
            return True
        edges = sum(int((np.abs(np.diff(change, axis=axis)) >= _LEAST_CHANGE).sum()) for axis in (0, 1))
        return bool(edges >= max(_LEAST_PIXELS, _LEAST_SHARE * change.size))


def _clip_around(lines: NDArray[np.float32]) -> tuple[float, float, float, float]:
    """Return x, y, width and height of the part around some lines, float32 (L, 4), in CSS px."""
    low = np.floor(np.maximum(lines[:, :2].min(axis=0), 0))
    high = np.ceil((lines[:, :2] + lines[:, 2:]).max(axis=0))
    width, height = np.clip(high - low, 1, (MAX_SCREENSHOT_WIDTH, _MAX_HEIGHT)).tolist()
    return float(low[0]), float(low[1]), width, height
