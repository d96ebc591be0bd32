"""Navigate to pages with subresources or scripts, or on the network, each in a new tab and context."""

from __future__ import annotations

import asyncio
import contextlib
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag

from vclean.errors import BrowserError, NetworkError
from vclean.render.archive.folder import BASE_URL
from vclean.render.browser.cdp import ProtocolError, capture_screenshot, evaluate, main_frame_id
from vclean.render.browser.interception import RequestInterceptor
from vclean.render.network.addresses import host_and_port

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import numpy as np
    from numpy.typing import NDArray

    from vclean.render.browser.driver import BrowserTab, Session
    from vclean.render.browser.interception import Responder
    from vclean.render.browser.omissions import Omissions
    from vclean.render.browser.pixels import PixelComparison
    from vclean.render.browser.process import BrowserProcess
    from vclean.settings import RenderSettings

_NET_ERROR: Final = re.compile(r"net::ERR_\w+")

_LOAD_SHARE: Final = 0.5
"""Share of the deadline that a page without scripts may use to load; after it the page is read as it is."""

_WITHOUT_PEERS: Final = "for (const name of ['RTCPeerConnection', 'webkitRTCPeerConnection']) delete globalThis[name]"
"""Script that runs before those of a page, in each of its frames: connections between peers pass no interception."""

_FONTS_LOADED: Final = """
scrollY; // forces layout, which starts the loading of fonts
Object.getOwnPropertyDescriptor(Document.prototype, 'fonts').get.call(document).ready.then(() => null)
"""

_NAVIGATED: Final = re.compile("Cannot find context|Inspected target navigated|Execution context was destroyed")
_ATTEMPTS: Final = 10


class NavigatedPage:
    """Loaded page in a separate tab; `url` is its URL after redirects."""

    def __init__(self, url: str, session: Session) -> None:
        self.url = url
        self._session = session

    async def read(self, expression: str) -> str:
        """Evaluate a `walker.expression` in an isolated world, which scripts of the page cannot access.

        Raises:
            BrowserError: the page navigates faster than it can be read.
        """
        return await _evaluate_isolated(self._session, expression)

    async def omit(self, omissions: Omissions, url: str, settings: RenderSettings) -> None:
        """Leave parts of the page out of its painting (see `DocumentTab.omit`)."""
        from vclean.render.browser.walker import expression  # imports numpy, which loads while the browser starts

        await self.read(expression(url, settings, omissions))

    async def paint(self, comparison: PixelComparison) -> list[NDArray[np.uint8]]:
        """Take a screenshot of each part of the page, uint8 (height, width, 3)."""
        return await comparison.paint(self._session)

    async def screenshot(self) -> bytes:
        """Take a screenshot of the current page (see `cdp.capture_screenshot`)."""
        return await capture_screenshot(self._session)


@asynccontextmanager
async def navigate(
    process: BrowserProcess, url: str, responder: Responder, settings: RenderSettings
) -> AsyncIterator[NavigatedPage]:
    """Navigate a new tab to `url` and wait until the page has settled; the tab closes at the end of the block.

    Args:
        process: the browser.
        url: the URL of the page; if it is not http or https, `BASE_URL` is used.
        responder: answers all requests; the first is for the page.
        settings: whether scripts run, and how long to wait.

    Raises:
        VcleanError: an error that `responder` raised for the page itself.
        NetworkError: the browser cannot load the page.
    """
    tab = await process.open_tab(settings, paint=True)
    try:
        interceptor = RequestInterceptor(tab.session, responder)
        await interceptor.start()
        if settings.scripts:
            await tab.session.send("Page.enable")
            await tab.session.send("Page.addScriptToEvaluateOnNewDocument", {"source": _WITHOUT_PEERS})
        await _load(tab, navigation_url(url), interceptor)
        await _settle(tab, settings)
        yield NavigatedPage(tab.url, tab.session)
    finally:
        await tab.close()


def navigation_url(url: str) -> str:
    """Return the URL to navigate to: `url` without its fragment, which would scroll, or `BASE_URL` for another scheme.

    >>> navigation_url("https://example.org/a#b"), navigation_url("file:///etc/passwd"), navigation_url("http://[")
    ('https://example.org/a', 'http://page.invalid/', 'http://page.invalid/')
    """
    try:
        host_and_port(url)
    except NetworkError:
        return BASE_URL
    return urldefrag(url).url


async def _load(tab: BrowserTab, url: str, interceptor: RequestInterceptor) -> None:
    try:
        await tab.navigate(url)
    except ProtocolError as error:
        if interceptor.failure is not None:
            raise interceptor.failure from None
        reason = _NET_ERROR.search(str(error))
        if reason is None:
            raise
        raise NetworkError(f"{url} could not be loaded ({reason.group()}): open it in a browser to see why") from None


async def _settle(tab: BrowserTab, settings: RenderSettings) -> None:
    """Wait for subresources and fonts, and with scripts until the network is idle, within the time limit."""
    seconds = settings.settle if settings.scripts else settings.deadline * _LOAD_SHARE
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await tab.wait_until_loaded()
            await _evaluate_isolated(tab.session, _FONTS_LOADED)


async def _evaluate_isolated(session: Session, expression: str) -> str:
    """Evaluate an expression in an isolated world; try again if the page navigates in the meantime."""
    for _ in range(_ATTEMPTS):
        try:
            world = await session.send("Page.createIsolatedWorld", {"frameId": await main_frame_id(session)})
            return await evaluate(session, expression, world=world["executionContextId"])
        except ProtocolError as error:
            if not _NAVIGATED.search(str(error)):
                raise
    raise BrowserError("the page navigates faster than it can be read: clean it without --js")
