"""Drive a browser over CDP without Playwright, and choose the driver of this system.

Where it is supported, `CdpDriver` replaces `PlaywrightDriver`: it starts faster, and renders a page at two thirds of
the cost. Both raise `ProtocolError` if the browser refuses a command or has ended.
"""

from __future__ import annotations

import asyncio
import os
import sys
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from vclean.render.browser.cdp import BrowserTab, CdpConnection, CdpSession, ProtocolError, emulate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vclean.render.browser.playwright_driver import PlaywrightDriver
    from vclean.settings import RenderSettings

    Driver: TypeAlias = "CdpDriver | PlaywrightDriver"
    """Controller of one browser: starts it, opens tabs, and ends it."""

IS_SUPPORTED: Final = sys.platform != "win32"
"""Child processes on Windows do not inherit file descriptors."""

_START_SECONDS: Final = 30


class CdpDriver:
    """Driver of one browser over CDP."""

    def __init__(self) -> None:
        self.connection: CdpConnection | None = None

    async def launch(self, command: Sequence[str], folder: str) -> None:
        """Start the browser; it may be called again after a failure.

        Args:
            command: the program and its arguments; it is the browser, or becomes it.
            folder: the folder for the browser's temporary files.

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

    async def open_tab(self, settings: RenderSettings, *, on_crash: Callable[[], None], paint: bool) -> BrowserTab:
        """Open a tab that renders pages the same way on every run.

        Args:
            settings: the size of the window, and whether scripts run.
            on_crash: called when the page crashes; pending commands then never return.
            paint: whether to paint frames. Else frames are produced only on request, and none is requested. The
                layout of a page does not depend on painting, but some parts load only when they are painted: `object`
                elements around an `embed`.
        """
        browser = await self.open_browser_session()
        context = await browser.send("Target.createBrowserContext", {"disposeOnDetach": True})
        in_context = {"browserContextId": context["browserContextId"]}
        await browser.send("Browser.setDownloadBehavior", {"behavior": "deny", **in_context})
        session = await browser.attach(await _create_target(browser, in_context, settings, paint=paint))
        session.on("Inspector.targetCrashed", lambda _: on_crash())
        await emulate(session, settings)

        async def close() -> None:
            session.detach()
            await browser.send("Target.disposeBrowserContext", in_context)

        return BrowserTab(session, close)

    async def close(self) -> None:
        """End the browser."""
        if self.connection is not None:
            await self.connection.close()


async def _create_target(
    browser: CdpSession, in_context: dict[str, Any], settings: RenderSettings, *, paint: bool
) -> str:
    """Create a tab and return the id of its target."""
    options = {"url": "about:blank", "width": settings.width, "height": settings.height, **in_context}
    try:
        target = await browser.send("Target.createTarget", {**options, "enableBeginFrameControl": not paint})
    except ProtocolError:  # only the headless shell has this option
        target = await browser.send("Target.createTarget", options)
    return str(target["targetId"])


async def start_driver() -> Driver:
    """Start the driver of this system.

    Raises:
        BrowserError: Playwright does not start.
    """
    if IS_SUPPORTED:
        return CdpDriver()
    from vclean.render.browser.playwright_driver import PlaywrightDriver  # its import takes as long as rendering a page

    return await PlaywrightDriver.start()
