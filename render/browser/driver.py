"""Define the protocols of browser drivers, and drive a browser over CDP without Playwright.

`CdpDriver` starts faster than `PlaywrightDriver` and renders a page at two thirds of the cost, but it does not load
live pages or take screenshots. Its tabs do not paint: they produce frames only on request, and none is requested. The
layout of a page does not depend on painting, but some parts load only when they are painted: `object` elements around
an `embed`. Both drivers raise `ProtocolError` if the browser refuses a command or has ended.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any, Final, Protocol

from vclean.render.browser.cdp import CdpConnection, CdpSession, Navigator, ProtocolError, device_metrics

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from vclean.settings import RenderSettings

    EventHandler = Callable[[dict[str, Any]], Awaitable[None] | None]
    """Function that receives the parameters of an event."""


class Session(Protocol):
    """CDP session with the browser or with a tab."""

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a command and return its result.

        Raises:
            ProtocolError: the browser refuses the command, or has ended.
        """

    def on(self, event: str, handler: EventHandler) -> None:
        """Call `handler` for every event of that name."""

    async def detach(self) -> None:
        """Stop receiving events; the target stays open."""


class BrowserTab(Protocol):
    """Tab in a separate browser context."""

    @property
    def session(self) -> Session:
        """Return the CDP session with the tab."""

    @property
    def url(self) -> str:
        """Return the URL of the tab."""

    async def navigate(self, url: str) -> None:
        """Navigate to `url`, and return when the response begins.

        Raises:
            ProtocolError: the browser refuses to load it; the message names the `net::ERR_` code.
        """

    async def wait_until_loaded(self) -> None:
        """Wait for all parts of the page."""

    async def close(self) -> None:
        """Close the tab and its context."""


class Driver(Protocol):
    """Controller of one browser: starts it, opens tabs, and ends it."""

    @property
    def is_full(self) -> bool:
        """Return whether the driver also renders live pages and takes screenshots."""

    async def launch(self, command: Sequence[str], folder: str) -> None:
        """Start the browser; it may be called again after a failure.

        Args:
            command: the program and its arguments; it is the browser, or becomes it.
            folder: the folder for the browser's temporary files.

        Raises:
            ProtocolError: the browser does not start.
        """

    def is_connected(self) -> bool:
        """Return whether the browser is running."""

    async def open_browser_session(self) -> Session:
        """Open a CDP session with the browser itself."""

    async def open_tab(self, settings: RenderSettings, *, on_crash: Callable[[], None], paint: bool) -> BrowserTab:
        """Open a tab that renders pages the same way on every run.

        Args:
            settings: the size of the window, and whether scripts run.
            on_crash: called when the page crashes; pending commands then never return.
            paint: whether to paint frames; a driver may always paint them.
        """

    async def close(self) -> None:
        """End the browser and the driver."""


IS_SUPPORTED: Final = sys.platform != "win32"
"""Child processes on Windows do not inherit file descriptors."""

_START_SECONDS: Final = 30

_FONTS: Final = {
    "standard": "Times New Roman",
    "fixed": "Monospace",
    "serif": "Times New Roman",
    "sansSerif": "Arial",
    "cursive": "Comic Sans MS",
    "fantasy": "Impact",
}
"""Font families that Playwright sets on Linux; on other systems the defaults of the browser apply."""


class CdpTab:
    """Tab in a separate context; see `BrowserTab`."""

    def __init__(self, browser: CdpSession, context: str, session: CdpSession) -> None:
        self.session = session
        self.url = "about:blank"
        self._browser = browser
        self._context = context
        self._navigator: Navigator | None = None

    async def navigate(self, url: str) -> None:
        """Navigate to `url`, and return when the response begins; later changes of the URL are not observed.

        Raises:
            ProtocolError: the browser refuses to load it.
        """
        self.url = url
        self._navigator = self._navigator or Navigator(self.session)
        await self._navigator.begin(url)

    async def wait_until_loaded(self) -> None:
        """Wait for all parts of the page."""
        if self._navigator is not None:
            await self._navigator.wait_until_loaded()

    async def close(self) -> None:
        """Close the tab and its context."""
        await self.session.detach()
        await self._browser.send("Target.disposeBrowserContext", {"browserContextId": self._context})


class CdpDriver:
    """Driver of one browser over CDP; see `Driver`."""

    is_full: Final = False

    def __init__(self) -> None:
        self.connection: CdpConnection | None = None

    async def launch(self, command: Sequence[str], folder: str) -> None:
        """Start the browser.

        Raises:
            ProtocolError: the browser does not start.
        """
        connection = await CdpConnection.open(command, {**os.environ, "TMPDIR": folder})
        try:
            async with asyncio.timeout(_START_SECONDS):
                await CdpSession(connection).send("Browser.getVersion")
        except TimeoutError:
            await connection.close()
            raise ProtocolError(f"no answer within {_START_SECONDS} s") from None
        except BaseException:
            await connection.close()
            raise
        self.connection = connection

    def is_connected(self) -> bool:
        """Return whether the browser is running."""
        return self.connection is not None and self.connection.is_connected()

    async def open_browser_session(self) -> CdpSession:
        """Open a CDP session with the browser itself."""
        if self.connection is None:
            raise ProtocolError("the browser was not started")
        return CdpSession(self.connection)

    async def open_tab(self, settings: RenderSettings, *, on_crash: Callable[[], None], paint: bool) -> CdpTab:
        """Open a tab in a new context, with the same emulation as Playwright's tabs."""
        browser = await self.open_browser_session()
        context = (await browser.send("Target.createBrowserContext", {"disposeOnDetach": True}))["browserContextId"]
        await browser.send("Browser.setDownloadBehavior", {"behavior": "deny", "browserContextId": context})
        session = await browser.attach(await _create_target(browser, context, settings, paint=paint))
        session.on("Inspector.targetCrashed", lambda _: on_crash())
        await asyncio.gather(*(session.send(method, params) for method, params in _emulation_commands(settings)))
        return CdpTab(browser, context, session)

    async def close(self) -> None:
        """End the browser."""
        if self.connection is not None:
            await self.connection.close()


async def _create_target(browser: CdpSession, context: str, settings: RenderSettings, *, paint: bool) -> str:
    """Create a tab and return the id of its target."""
    size = {"width": settings.width, "height": settings.height}
    options = {"url": "about:blank", "browserContextId": context, **size}
    try:
        target = await browser.send("Target.createTarget", {**options, "enableBeginFrameControl": not paint})
    except ProtocolError:  # only the headless shell has this option
        target = await browser.send("Target.createTarget", options)
    return str(target["targetId"])


def _emulation_commands(settings: RenderSettings) -> list[tuple[str, dict[str, Any]]]:
    """Return the commands that emulate the settings of Playwright's tabs, for the same result on every run."""
    motion = "reduce" if settings.scripts == "on" else "no-preference"
    media = {"prefers-color-scheme": "light", "prefers-reduced-motion": motion, "forced-colors": "none"}
    features = [{"name": name, "value": value} for name, value in media.items()]
    fonts = [("Page.setFontFamilies", {"fontFamilies": _FONTS})] if sys.platform == "linux" else []
    return [
        ("Inspector.enable", {}),
        ("Page.enable", {}),
        ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        ("Emulation.setDeviceMetricsOverride", device_metrics(settings)),
        ("Emulation.setScriptExecutionDisabled", {"value": settings.scripts != "on"}),
        ("Emulation.setUserAgentOverride", {"userAgent": "", "acceptLanguage": "en-US"}),
        ("Emulation.setLocaleOverride", {"locale": "en-US"}),
        ("Emulation.setTimezoneOverride", {"timezoneId": "UTC"}),
        ("Emulation.setEmulatedMedia", {"media": "", "features": features}),
        *fonts,
    ]


async def start_driver(*, full: bool) -> Driver:
    """Start the cheapest driver that suffices.

    Args:
        full: whether the driver has to render live pages or take screenshots.

    Raises:
        BrowserError: Playwright does not start.
    """
    if IS_SUPPORTED and not full:
        return CdpDriver()
    from vclean.render.browser.playwright_driver import PlaywrightDriver  # its import takes as long as rendering a page

    return await PlaywrightDriver.start()
