"""The few DevTools calls that both ways of rendering share."""

from __future__ import annotations

import asyncio
import base64
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import BrowserError
from vclean.render.pipe import ProtocolError

if TYPE_CHECKING:
    from playwright.async_api import CDPSession

    from vclean.render import pipe
    from vclean.settings import RenderSettings

    Session = CDPSession | pipe.Session
    """A session with a tab, over Playwright or over a pipe of our own."""

MAX_PICTURE_HEIGHT: Final = 16_384
"""CSS px. A page is cut off there: beyond the GPU's largest texture a picture is blank or repeats itself."""
MAX_PICTURE_WIDTH: Final = 4_096
"""CSS px. Pages scroll down, hardly ever sideways: what is wider is a mistake, and its picture would not fit memory."""


def context_options(settings: RenderSettings) -> dict[str, Any]:
    """What a browser context is made with, so that pages look the same on every run."""
    size = {"width": settings.width, "height": settings.height}
    return {
        "viewport": size,
        "screen": size,
        "device_scale_factor": 1,
        "locale": "en-US",
        "timezone_id": "UTC",
        "color_scheme": "light",
        "reduced_motion": "reduce",
        "service_workers": "block",
        "accept_downloads": False,
    }


async def main_frame(session: Session) -> str:
    """The id of a tab's main frame; it stays the same over navigations."""
    return str((await session.send("Page.getFrameTree"))["frameTree"]["frame"]["id"])


class Navigator:
    """Navigates a tab whose session has the domain `Page` enabled; it stays so, for leaving it undoes the fonts."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._loader = ""
        self._loaded: set[str] = set()
        self._news = asyncio.Event()
        session.on("Page.lifecycleEvent", self._note)

    async def go(self, url: str) -> None:
        """Load `url`, and wait until it has loaded.

        Raises:
            ProtocolError: the browser refuses to load it, with the reason.
        """
        await self.begin(url)
        await self.loaded()

    async def begin(self, url: str) -> None:
        """Have `url` in the tab, as far as its first bytes.

        Raises:
            ProtocolError: the browser refuses to load it, with the reason.
        """
        self._loaded.clear()
        await self._session.send("Page.setLifecycleEventsEnabled", {"enabled": True})
        answer = await self._session.send("Page.navigate", {"url": url})
        if "errorText" in answer:
            raise ProtocolError(answer["errorText"])
        self._loader = answer["loaderId"]

    async def loaded(self) -> None:
        """Wait until what was begun has loaded, with all its parts."""
        while self._loader not in self._loaded:
            self._news.clear()
            await self._news.wait()
        await self._session.send("Page.setLifecycleEventsEnabled", {"enabled": False})

    def _note(self, event: dict[str, Any]) -> None:
        if event["name"] == "load":
            self._loaded.add(event["loaderId"])
            self._news.set()


async def evaluate(session: Session, expression: str, *, world: int | None = None) -> str:
    """The string that a JavaScript expression evaluates to or promises, in the page's own world or in `world`.

    Raises:
        BrowserError: the expression threw.
    """
    options = {"expression": expression, "returnByValue": True, "awaitPromise": True}
    answer = await session.send("Runtime.evaluate", options if world is None else options | {"contextId": world})
    if "exceptionDetails" in answer:
        thrown = answer["exceptionDetails"].get("exception", {}).get("description", "unknown error")
        raise BrowserError(f"the page could not be read in the browser ({thrown.partition(chr(10))[0]})")
    return str(answer["result"]["value"])


async def picture(session: Session) -> bytes:
    """A PNG of the whole page, one pixel per CSS px, at most `MAX_PICTURE_WIDTH` x `MAX_PICTURE_HEIGHT`."""
    size = (await session.send("Page.getLayoutMetrics"))["cssContentSize"]
    clip = {
        "x": size["x"],
        "y": size["y"],
        "width": min(size["width"], MAX_PICTURE_WIDTH),
        "height": min(size["height"], MAX_PICTURE_HEIGHT),
        "scale": 1,
    }
    options = {"format": "png", "clip": clip, "captureBeyondViewport": True, "optimizeForSpeed": True}
    return base64.b64decode((await session.send("Page.captureScreenshot", options))["data"])
