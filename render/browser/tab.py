"""The fast path: one tab that stays open and shows one document after the other."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from vclean.render.browser.cdp import Navigator, capture_screenshot, evaluate, main_frame_id
from vclean.render.browser.interception import PageRequest, PageResponse, RequestInterceptor, html_response
from vclean.render.browser.walker import AGAIN, definition

if TYPE_CHECKING:
    from vclean.render.browser.driver import BrowserTab
    from vclean.render.browser.process import BrowserProcess
    from vclean.settings import RenderSettings

_BLANK_URL: Final = "http://blank.invalid/"

_POLICY: Final = (
    # Sandboxed without allow-scripts: no script, form, popup, automatic refresh or autofocus (HTML, 7.1.5).
    "sandbox allow-same-origin; "
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:; media-src data:"
)


class _BlankResponder:
    """Answers requests for the blank page, and refuses all others."""

    async def answer(self, request: PageRequest) -> PageResponse | None:
        """Return the blank page with its policy, or None to refuse."""
        return html_response("", content_security_policy=_POLICY) if request.url == _BLANK_URL else None


class DocumentTab:
    """A tab on a blank page with a blocking Content-Security-Policy, which takes the text of one document at a time.

    The tab fetches no sub-resources and runs no scripts of a document.
    """

    def __init__(self, tab: BrowserTab, frame: str) -> None:
        self._tab = tab
        self._session = tab.session
        self._navigator = Navigator(tab.session)
        self._frame = frame
        self._stale = True

    @classmethod
    async def open(cls, process: BrowserProcess, settings: RenderSettings) -> DocumentTab:
        """Open the tab."""
        tab = await process.open_tab(settings, paint=False)
        await tab.session.send("Page.enable")
        await RequestInterceptor(tab.session, _BlankResponder()).start("Document")
        return cls(tab, await main_frame_id(tab.session))

    async def read(self, text: str, expression: str) -> str:
        """Replace the last document by another one, and evaluate a `walker.call` on it."""
        payload = AGAIN if self._stale else await self._put(text, expression)
        if payload == AGAIN:
            await self._navigator.load(_BLANK_URL)
            await evaluate(self._session, definition())
            payload = await self._put(text, expression)
        self._stale = not payload.endswith('"sticky":false}')
        return payload

    async def _put(self, text: str, expression: str) -> str:
        self._stale = True
        # Sent together, so that no frame is painted in between.
        put = self._session.send("Page.setDocumentContent", {"frameId": self._frame, "html": text})
        answers: tuple[object, str] = await asyncio.gather(put, evaluate(self._session, expression))
        return answers[1]

    async def screenshot(self) -> bytes:
        """Take a screenshot of the last document (see `cdp.capture_screenshot`), and close the tab.

        The tab cannot be used again: taking a screenshot resets the size of the screen to that of the window.
        """
        png = await capture_screenshot(self._session)
        await self._tab.close()
        return png
