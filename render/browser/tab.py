"""Render documents without subresources and scripts in one reused tab (the fast path)."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from vclean.render.browser.cdp import device_metrics, evaluate, main_frame
from vclean.render.browser.interception import PageRequest, PageResponse, RequestInterceptor, html_response
from vclean.render.browser.walker import NEEDS_NEW_DOCUMENT, call, definition

if TYPE_CHECKING:
    from collections.abc import Callable

    from vclean.render.browser.cdp import BrowserTab
    from vclean.render.browser.process import BrowserProcess
    from vclean.render.rendered_page import Omissions
    from vclean.settings import RenderSettings

_BLANK_URL: Final = "http://blank.invalid/"

_POLICY: Final = (
    # Sandboxed without allow-scripts: no script, form, popup, automatic refresh or autofocus (HTML, 7.1.5).
    "sandbox allow-same-origin; "
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:"
)


async def _answer(request: PageRequest) -> PageResponse | None:
    """Return the blank page with its policy, and refuse all other requests."""
    return html_response("", content_security_policy=_POLICY) if request.url == _BLANK_URL else None


class DocumentTab:
    """Tab on a blank page with a restrictive Content-Security-Policy; each document replaces the previous one.

    The tab loads no subresources and runs no scripts of a document.
    """

    scrolls: Final = True
    """The page may be scrolled to what is painted: it has no scripts that notice."""

    def __init__(self, tab: BrowserTab, frame: str) -> None:
        self.session = tab.session
        self.close = tab.close
        self._tab = tab
        self._frame = frame
        self._stale = True

    @classmethod
    async def open(cls, process: BrowserProcess, settings: RenderSettings, *, paint: bool) -> DocumentTab:
        """Open the tab; `paint` for one that takes screenshots."""
        tab = await process.open_tab(settings, paint=paint)
        await RequestInterceptor(tab.session, _answer).start("Document")
        opened = cls(tab, (await main_frame(tab.session))["id"])
        if paint:
            await opened.reset(settings)
        return opened

    async def read(self, text: str, expression: Callable[[], str]) -> str:
        """Replace the document by `text`, and evaluate a `walker.call` on it.

        Args:
            text: the source of the page.
            expression: returns the `walker.call`; it runs while the browser parses the page.
        """
        payload = NEEDS_NEW_DOCUMENT if self._stale else await self._replace_document(text, expression)
        if payload == NEEDS_NEW_DOCUMENT:
            await self._tab.navigate(_BLANK_URL)
            await self._tab.wait_until_loaded()
            await evaluate(self.session, definition())
            payload = await self._replace_document(text, expression)
        self._stale = not payload.endswith('"sticky":false}')
        return payload

    async def _replace_document(self, text: str, expression: Callable[[], str]) -> str:
        self._stale = True
        # Sent at once, and not after the answer: no frame is painted in between.
        sending = self.session.send("Page.setDocumentContent", {"frameId": self._frame, "html": text})
        replacing = asyncio.ensure_future(sending)
        await asyncio.sleep(0)  # sends it
        answers: tuple[object, str] = await asyncio.gather(replacing, evaluate(self.session, expression()))
        return answers[1]

    async def omit(self, omissions: Omissions, url: str, settings: RenderSettings) -> None:
        """Leave parts of the last document out of its painting.

        Args:
            omissions: the parts, at least one.
            url: the URL of the document.
            settings: those with which it was read.
        """
        await evaluate(self.session, call(url, settings, omissions=omissions))

    async def reset(self, settings: RenderSettings) -> None:
        """Remove the document, which may go on to paint, and give the tab its size again, which screenshots change."""
        await self.session.send("Page.setDocumentContent", {"frameId": self._frame, "html": ""})
        await self.session.send("Emulation.setDeviceMetricsOverride", device_metrics(settings))
