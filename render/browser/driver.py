"""Define the protocols of browser drivers, and choose between their two implementations.

`CdpDriver` uses the Chrome DevTools Protocol directly. It starts faster and renders a page at two thirds of the cost,
but it does not load live pages or take screenshots. `PlaywrightDriver` renders all pages. Both raise `ProtocolError` if
the browser refuses a command or has ended.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from vclean.render.browser import cdp_driver

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


async def start_driver(*, full: bool) -> Driver:
    """Start the cheapest driver that suffices.

    Args:
        full: whether the driver has to render live pages or take screenshots.

    Raises:
        BrowserError: Playwright does not start.
    """
    if cdp_driver.IS_SUPPORTED and not full:
        return cdp_driver.CdpDriver()
    from vclean.render.browser.playwright_driver import PlaywrightDriver  # its import takes as long as rendering a page

    return await PlaywrightDriver.start()
