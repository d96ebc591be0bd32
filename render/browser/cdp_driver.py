"""Drive a browser over CDP without Playwright, at a lower cost: for pages without screenshots.

A tab that does not paint produces frames only on request, and none is requested. The layout of a page does not depend
on painting, but some parts load only when they are painted: `object` elements around an `embed`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from vclean.render.browser.cdp import CdpConnection, CdpSession, Navigator, ProtocolError, device_metrics

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vclean.settings import RenderSettings

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
    """Tab in a separate context; see `vclean.render.browser.driver.BrowserTab`."""

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
    """Driver of one browser over CDP; see `vclean.render.browser.driver.Driver`."""

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
