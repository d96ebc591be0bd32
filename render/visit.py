"""Pages with sub-resources, with scripts, or from the network: navigated to at their address, each in a new context."""

from __future__ import annotations

import asyncio
import contextlib
import re
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, Literal, Protocol
from urllib.parse import urldefrag

from vclean.errors import BrowserError, NetworkError
from vclean.render import direct
from vclean.render.addresses import host_and_port
from vclean.render.devtools import Navigator, context_options, evaluate, main_frame, picture
from vclean.render.folder import BASE_URL
from vclean.render.guard import Guard
from vclean.render.pipe import Connection, refusals

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from playwright.async_api import Page

    from vclean.render.devtools import Session
    from vclean.render.guard import Source
    from vclean.render.launch import Process
    from vclean.settings import RenderSettings

_NET_ERROR: Final = re.compile(r"net::ERR_\w+")

_LOAD_SHARE: Final = 0.5
"""Of the deadline: how long a page without scripts may load; it is then read as far as it has come."""

_FONTS_LOADED: Final = """
scrollY; // has the page laid out, which is when its fonts begin to load
Object.getOwnPropertyDescriptor(Document.prototype, 'fonts').get.call(document).ready.then(() => null)
"""

_NAVIGATED: Final = re.compile("Cannot find context|Inspected target navigated|Execution context was destroyed")
_ATTEMPTS: Final = 10


class Visit:
    """A page in a tab of its own, loaded and settled; `url` is where it was found in the end."""

    def __init__(self, url: str, session: Session) -> None:
        self.url = url
        self._session = session

    async def read(self, expression: str) -> str:
        """Read the page with an expression of `wire`, out of reach of the page's scripts.

        Raises:
            BrowserError: the page navigates faster than it can be read.
        """
        return await _evaluate_apart(self._session, expression)

    async def picture(self) -> bytes:
        """A PNG of the page as it is now (see `devtools.picture`)."""
        return await picture(self._session)


class _Window(Protocol):
    """A tab that is navigated once."""

    session: Session

    @property
    def url(self) -> str:
        """Where it is now."""

    async def go(self, url: str) -> None:
        """Have `url` in it, as far as its first bytes; raises what names the browser's `net::ERR_` if it refuses."""

    async def loaded(self) -> None:
        """Wait for all parts of the page, with scripts also for a quiet network."""


@asynccontextmanager
async def visit(process: Process, url: str, source: Source, settings: RenderSettings) -> AsyncIterator[Visit]:
    """Navigate to `url` and wait until the page has settled.

    Args:
        process: the browser.
        url: the page's address; anything but http and https stands for a made-up one.
        source: answers all requests, that for the page first.
        settings: whether scripts run, and how long to wait.

    Raises:
        VcleanError: what `source` raised for the page itself.
        NetworkError: the browser refused to load the page.
    """
    async with _opened(process, settings) as window:
        guard = Guard(window.session, source)
        await guard.start()
        await _load(window, address(url), guard)
        await _settle(window, settings)
        yield Visit(window.url, window.session)


@asynccontextmanager
async def _opened(process: Process, settings: RenderSettings) -> AsyncIterator[_Window]:
    """A window that closes in the end, with all that is its own."""
    if isinstance(process.browser, Connection):
        assert not settings.scripts, "scripts are Playwright's"
        session, close = await direct.new_tab(process, process.browser, settings, frameless=False)
        try:
            yield _OurWindow(session)
        finally:
            await close()
        return
    context = await process.browser.new_context(**context_options(settings), java_script_enabled=settings.scripts)
    try:
        page = await context.new_page()
        # Calls to a crashed page would wait for ever.
        page.on("crash", lambda _: process.kill())
        yield _DrivenWindow(page, await context.new_cdp_session(page), scripts=settings.scripts)
    finally:
        await context.close()


class _DrivenWindow:
    """Playwright's."""

    def __init__(self, page: Page, session: Session, *, scripts: bool) -> None:
        self.session = session
        self._page = page
        self._until: Literal["networkidle", "load"] = "networkidle" if scripts else "load"

    @property
    def url(self) -> str:
        return self._page.url

    async def go(self, url: str) -> None:
        await self._page.goto(url, wait_until="commit", timeout=0)

    async def loaded(self) -> None:
        await self._page.wait_for_load_state(self._until, timeout=0)


class _OurWindow:
    """One over a pipe, where no scripts run; it stays where it was sent."""

    def __init__(self, session: Session) -> None:
        self.session = session
        self.url = ""
        self._navigator = Navigator(session)

    async def go(self, url: str) -> None:
        self.url = url
        await self._navigator.begin(url)

    async def loaded(self) -> None:
        await self._navigator.loaded()


def address(url: str) -> str:
    """The address to navigate to: without the fragment, which would scroll; made up where `url` is no web address.

    >>> address("https://example.org/a#b"), address("file:///etc/passwd"), address("http://[")
    ('https://example.org/a', 'http://page.invalid/', 'http://page.invalid/')
    """
    try:
        host_and_port(url)
    except NetworkError:
        return BASE_URL
    return urldefrag(url).url


async def _load(window: _Window, url: str, guard: Guard) -> None:
    try:
        await window.go(url)
    except refusals() as error:
        if guard.failure is not None:
            raise guard.failure from None
        reason = _NET_ERROR.search(str(error))
        if reason is None:
            raise
        raise NetworkError(f"{url} could not be loaded ({reason.group()})") from None


async def _settle(window: _Window, settings: RenderSettings) -> None:
    """Wait for sub-resources and fonts, with scripts also for a quiet network; then take the page as it is."""
    seconds = settings.settle if settings.scripts else settings.deadline * _LOAD_SHARE
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await window.loaded()
            await _evaluate_apart(window.session, _FONTS_LOADED)


async def _evaluate_apart(session: Session, expression: str) -> str:
    """Evaluate in a world of its own, where nothing of the page's scripts is; again if the page navigates meanwhile."""
    for _ in range(_ATTEMPTS):
        try:
            world = await session.send("Page.createIsolatedWorld", {"frameId": await main_frame(session)})
            return await evaluate(session, expression, world=world["executionContextId"])
        except refusals() as error:
            if not _NAVIGATED.search(str(error)):
                raise
    raise BrowserError("the page navigates faster than it can be read: clean it without --js")
