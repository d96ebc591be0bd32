"""Browsers of our own, driven over a pipe without Playwright: for pages that need nothing of it, at a lower cost.

In a frameless tab, frames are made when they are asked for, which nobody does here, so that nothing is painted. Where a
page lies does not depend on that, but some parts of pages only load once they are painted: `object` elements round an
`embed`.
"""

from __future__ import annotations

import asyncio
import os
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from vclean.render.launch import FLAGS, Process, begin, can_be_sandboxed
from vclean.render.pipe import Connection, ProtocolError, Session

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

    from vclean.settings import RenderSettings

POSSIBLE: Final = sys.platform != "win32"
"""Windows hands no descriptors on to other programs."""

_START_SECONDS: Final = 30

_SWITCHES: Final = (
    # Those of Playwright that matter to a browser without a window, so that both lay pages out alike.
    "--headless",
    "--hide-scrollbars",
    "--force-color-profile=srgb",
    "--mute-audio",
    "--allow-pre-commit-input",
    "--disable-back-forward-cache",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-breakpad",
    "--disable-component-extensions-with-background-pages",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-infobars",
    "--disable-prompt-on-repost",
    "--disable-renderer-backgrounding",
    "--disable-search-engine-choice-screen",
    "--disable-stack-profiler",
    "--disable-sync",
    "--enable-unsafe-swiftshader",
    "--metrics-recording-only",
    "--no-default-browser-check",
    "--no-first-run",
    "--no-service-autorun",
    "--password-store=basic",
    "--use-mock-keychain",
    "--no-startup-window",
    "--remote-debugging-pipe",
)

_FONTS: Final = {
    "standard": "Times New Roman",
    "fixed": "Monospace",
    "serif": "Times New Roman",
    "sansSerif": "Arial",
    "cursive": "Comic Sans MS",
    "fantasy": "Impact",
}
"""As Playwright has them on Linux; elsewhere the browser's own."""


async def launch(executable: Path) -> Process:
    """Start a browser as `launch.launch` does, without Playwright.

    Raises:
        BrowserError: it does not start.
    """
    return await begin(_open, executable)


async def _open(executable: Path, folder: str) -> Connection:
    sandbox = () if can_be_sandboxed() else ("--no-sandbox",)
    command = [str(executable), *_SWITCHES, *sandbox, *FLAGS, f"--user-data-dir={folder}/profile"]
    connection = await Connection.open(command, {**os.environ, "TMPDIR": folder})
    try:
        async with asyncio.timeout(_START_SECONDS):
            await Session(connection).send("Browser.getVersion")
    except TimeoutError:
        await connection.close()
        raise ProtocolError(f"no answer within {_START_SECONDS} s") from None
    except BaseException:
        await connection.close()
        raise
    return connection


async def new_tab(
    process: Process, connection: Connection, settings: RenderSettings, *, frameless: bool
) -> tuple[Session, Callable[[], Awaitable[None]]]:
    """A tab in a context of its own, without scripts, as `devtools.context_options` has Playwright open one.

    Args:
        process: the browser.
        connection: the pipe to it.
        settings: the window's size.
        frameless: whether it paints nothing.

    Returns:
        A session with it, and what closes it with its context.
    """
    browser = Session(connection)
    context = (await browser.send("Target.createBrowserContext", {"disposeOnDetach": True}))["browserContextId"]
    await browser.send("Browser.setDownloadBehavior", {"behavior": "deny", "browserContextId": context})
    session = await browser.attach(await _new_target(browser, context, settings, frameless=frameless))
    # Calls to a crashed page would wait for ever.
    session.on("Inspector.targetCrashed", lambda _: process.kill())
    await asyncio.gather(*(session.send(method, params) for method, params in _manners(settings)))
    return session, partial(_close, browser, session, context)


async def _close(browser: Session, session: Session, context: str) -> None:
    await session.detach()
    await browser.send("Target.disposeBrowserContext", {"browserContextId": context})


async def _new_target(browser: Session, context: str, settings: RenderSettings, *, frameless: bool) -> str:
    size = {"width": settings.width, "height": settings.height}
    options = {"url": "about:blank", "browserContextId": context, **size}
    try:
        target = await browser.send("Target.createTarget", {**options, "enableBeginFrameControl": frameless})
    except ProtocolError:  # only the headless shell has it
        target = await browser.send("Target.createTarget", options)
    return str(target["targetId"])


def _manners(settings: RenderSettings) -> list[tuple[str, dict[str, Any]]]:
    """Commands that make pages look as Playwright's do, the same on every run."""
    size = {"width": settings.width, "height": settings.height}
    screen = {"screenWidth": settings.width, "screenHeight": settings.height}
    turned = {"angle": 0, "type": "landscapePrimary" if settings.width > settings.height else "portraitPrimary"}
    metrics = {"mobile": False, "deviceScaleFactor": 1, "screenOrientation": turned, **size, **screen}
    media = {"prefers-color-scheme": "light", "prefers-reduced-motion": "reduce", "forced-colors": "none"}
    features = [{"name": name, "value": value} for name, value in media.items()]
    fonts = [("Page.setFontFamilies", {"fontFamilies": _FONTS})] if sys.platform == "linux" else []
    return [
        ("Inspector.enable", {}),
        ("Page.enable", {}),
        ("Emulation.setFocusEmulationEnabled", {"enabled": True}),
        ("Emulation.setDeviceMetricsOverride", metrics),
        ("Emulation.setScriptExecutionDisabled", {"value": True}),
        ("Emulation.setUserAgentOverride", {"userAgent": "", "acceptLanguage": "en-US"}),
        ("Emulation.setLocaleOverride", {"locale": "en-US"}),
        ("Emulation.setTimezoneOverride", {"timezoneId": "UTC"}),
        ("Emulation.setEmulatedMedia", {"media": "", "features": features}),
        *fonts,
    ]
