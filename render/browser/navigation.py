"""Navigate to pages with sub-resources, with scripts, or from the network: each in a new tab and context."""

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

    from vclean.render.browser.driver import BrowserTab, Session
    from vclean.render.browser.interception import Responder
    from vclean.render.browser.process import BrowserProcess
    from vclean.settings import RenderSettings

_NET_ERROR: Final = re.compile(r"net::ERR_\w+")

_LOAD_SHARE: Final = 0.5
"""Share of the deadline for which a page without scripts may load; it is then read as it is."""

_FONTS_LOADED: Final = """
scrollY; // forces layout, which starts the loading of fonts
Object.getOwnPropertyDescriptor(Document.prototype, 'fonts').get.call(document).ready.then(() => null)
"""

_NAVIGATED: Final = re.compile("Cannot find context|Inspected target navigated|Execution context was destroyed")
_ATTEMPTS: Final = 10


class NavigatedPage:
    """A loaded page in a tab of its own; `url` is its address after redirects."""

    def __init__(self, url: str, session: Session) -> None:
        self.url = url
        self._session = session

    async def read(self, expression: str) -> str:
        """Evaluate a `walker.expression`, out of reach of the page's scripts.

        Raises:
            BrowserError: the page navigates faster than it can be read.
        """
        return await _evaluate_isolated(self._session, expression)

    async def screenshot(self) -> bytes:
        """Take a screenshot of the page as it is now (see `cdp.capture_screenshot`)."""
        return await capture_screenshot(self._session)


@asynccontextmanager
async def navigate(
    process: BrowserProcess, url: str, responder: Responder, settings: RenderSettings
) -> AsyncIterator[NavigatedPage]:
    """Navigate a new tab to `url` and wait until the page has settled; the tab closes at the end of the block.

    Args:
        process: the browser.
        url: the page's address; anything but http and https is replaced by a made-up one.
        responder: answers all requests, that for the page first.
        settings: whether scripts run, and how long to wait.

    Raises:
        VcleanError: an error that `responder` raised for the page itself.
        NetworkError: the browser refused to load the page.
    """
    tab = await process.open_tab(settings, paint=True)
    try:
        interceptor = RequestInterceptor(tab.session, responder)
        await interceptor.start()
        await _load(tab, address(url), interceptor)
        await _settle(tab, settings)
        yield NavigatedPage(tab.url, tab.session)
    finally:
        await tab.close()


def address(url: str) -> str:
    """Return the address to navigate to: without the fragment, which would scroll; made up if `url` is no web address.

    >>> address("https://example.org/a#b"), address("file:///etc/passwd"), address("http://[")
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
        raise NetworkError(f"{url} could not be loaded ({reason.group()})") from None


async def _settle(tab: BrowserTab, settings: RenderSettings) -> None:
    """Wait for sub-resources and fonts, with scripts also for a quiet network, but no longer than allowed."""
    seconds = settings.settle if settings.scripts else settings.deadline * _LOAD_SHARE
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await tab.wait_until_loaded()
            await _evaluate_isolated(tab.session, _FONTS_LOADED)


async def _evaluate_isolated(session: Session, expression: str) -> str:
    """Evaluate in an isolated world, apart from the page's scripts; try again if the page navigates meanwhile."""
    for _ in range(_ATTEMPTS):
        try:
            world = await session.send("Page.createIsolatedWorld", {"frameId": await main_frame_id(session)})
            return await evaluate(session, expression, world=world["executionContextId"])
        except ProtocolError as error:
            if not _NAVIGATED.search(str(error)):
                raise
    raise BrowserError("the page navigates faster than it can be read: clean it without --js")
