"""Read a page that is already open in Playwright, as it is at this moment."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vclean.page import Page
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from playwright.async_api import Page as OpenPage


async def read_open_page(open_page: OpenPage, settings: RenderSettings | None = None) -> Page:
    """Return the snapshot of an open page, which any `Cleaner` cleans without rendering it again.

    The page is read through its own CDP session, in an isolated world that its scripts cannot access. It stays as it
    is. Its pixels are not examined for hidden text.

    Args:
        open_page: a page of Playwright in Chromium.
        settings: limits of the page; the size of the window is that of the page.

    Returns:
        A page with a snapshot and a URL.

    Raises:
        LimitError: the page is over a limit of the settings.
        BrowserError: the page navigates faster than it can be read, or its tab is closed.
    """
    from vclean.render.browser import walker
    from vclean.render.browser.navigation import LoadedPage
    from vclean.render.browser.playwright_driver import PlaywrightSession
    from vclean.render.cache import to_bytes

    limits = settings or RenderSettings()
    session = PlaywrightSession(await open_page.context.new_cdp_session(open_page))
    try:
        build = (await session.send("Browser.getVersion"))["product"]
        payload = await LoadedPage(session).read(walker.expression(limits))
    finally:
        await session.detach()
    snapshot = replace(walker.unpack(payload, limits, build=build, url=open_page.url), ran_scripts=True)
    return Page(url=open_page.url, snapshot=to_bytes(snapshot), id=open_page.url)
