"""The protocols by which the renderer drives a browser, and the choice between their two implementations.

`CdpDriver` speaks the Chrome DevTools Protocol itself. It starts faster and renders a page at two thirds of the cost,
but it neither runs scripts nor takes screenshots. `PlaywrightDriver` serves all pages. Both raise `ProtocolError` when
the browser refuses a command or has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from vclean.render.browser import cdp_driver

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from pathlib import Path

    from vclean.settings import RenderSettings

    EventHandler = Callable[[dict[str, Any]], Awaitable[None] | None]
    """Receives the parameters of an event."""


class Session(Protocol):
    """A CDP session with the browser or with a tab."""

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
    """A tab in a browser context of its own."""

    @property
    def session(self) -> Session:
        """The CDP session with the tab."""

    @property
    def url(self) -> str:
        """The address that the tab shows."""

    async def navigate(self, url: str) -> None:
        """Navigate to `url`, and return when the response begins.

        Raises:
            ProtocolError: the browser refuses to load it; the message names the `net::ERR_` code.
        """

    async def wait_until_loaded(self) -> None:
        """Wait for all parts of the page, and where scripts run also for a quiet network."""

    async def close(self) -> None:
        """Close the tab and its context."""


class Driver(Protocol):
    """Starts one browser, opens tabs in it, and ends it."""

    @property
    def is_full(self) -> bool:
        """Whether the driver also renders live pages, runs scripts and takes screenshots."""

    async def launch(self, executable: Path, folder: str, flags: Sequence[str], *, sandbox: bool) -> None:
        """Start the browser; after a failure it may be called again.

        Args:
            executable: the browser, or a wrapper that becomes it.
            folder: the folder for the browser's temporary files.
            flags: switches beside those of the driver itself.
            sandbox: whether Chromium's sandbox is on.

        Raises:
            ProtocolError: the browser does not start.
        """

    def is_connected(self) -> bool:
        """Return whether the browser runs."""

    async def open_browser_session(self) -> Session:
        """Open a CDP session with the browser itself."""

    async def open_tab(self, settings: RenderSettings, *, on_crash: Callable[[], None], paint: bool) -> BrowserTab:
        """Open a tab that renders pages the same way on every run.

        Args:
            settings: the size of the window, and whether scripts run.
            on_crash: called when the page crashes, because pending commands then wait for ever.
            paint: whether frames are painted; a driver may paint them in any case.
        """

    async def close(self) -> None:
        """End the browser and the driver."""


async def start_driver(*, full: bool) -> Driver:
    """Start the cheapest driver that suffices.

    Args:
        full: whether the driver has to render live pages, run scripts or take screenshots.

    Raises:
        BrowserError: Playwright's driver does not start.
    """
    if cdp_driver.IS_SUPPORTED and not full:
        return cdp_driver.CdpDriver()
    from vclean.render.browser.playwright_driver import PlaywrightDriver  # its import takes as long as a page

    return await PlaywrightDriver.start()
