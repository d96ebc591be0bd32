"""Drive a browser through Playwright, where `CdpDriver` is not supported."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Self

from playwright.async_api import Error, async_playwright

from vclean.errors import BrowserError
from vclean.render.browser.cdp import BrowserTab, ProtocolError, emulate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from playwright.async_api import Browser, CDPSession, Playwright

    from vclean.render.browser.cdp import EventHandler
    from vclean.settings import RenderSettings


class PlaywrightSession:
    """CDP session through Playwright, with the methods of `CdpSession`."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a command and return its result.

        Raises:
            ProtocolError: the browser refuses the command, or has ended.
        """
        with _as_protocol_errors():
            return await self._session.send(method, params)

    def on(self, event: str, handler: EventHandler) -> None:
        """Call `handler` for every event of that name."""
        self._session.on(event, handler)

    async def detach(self) -> None:
        """Stop receiving events; the target stays open."""
        with _as_protocol_errors():
            await self._session.detach()


class PlaywrightDriver:
    """Driver of one browser through Playwright, with the methods of `CdpDriver`.

    Attributes:
        session: the session with the browser itself.
    """

    def __init__(self, playwright: Playwright, browser: Browser, session: PlaywrightSession) -> None:
        self._playwright = playwright
        self._browser = browser
        self.session = session

    @classmethod
    async def launch(cls, command: Sequence[str], folder: str) -> Self:
        """Start Playwright and the browser.

        Raises:
            BrowserError: Playwright's Node process does not start.
            ProtocolError: the browser does not start.
        """
        try:
            playwright = await async_playwright().start()
        except Exception as error:  # Playwright raises a bare Exception if its Node does not start
            raise BrowserError(f"Playwright's driver does not start: run `vclean setup` ({error})") from error
        try:
            browser = await _launch_browser(playwright, command, folder)
            with _as_protocol_errors():
                return cls(playwright, browser, PlaywrightSession(await browser.new_browser_cdp_session()))
        except BaseException:
            await playwright.stop()
            raise

    def is_connected(self) -> bool:
        """Return whether the browser is running."""
        return self._browser.is_connected()

    async def open_tab(self, settings: RenderSettings, *, on_crash: Callable[[], None], paint: bool) -> BrowserTab:  # noqa: ARG002 - Playwright's tabs always paint
        """Open a tab in a new context; frames are always painted."""
        with _as_protocol_errors():
            context = await self._browser.new_context(no_viewport=True, service_workers="block", accept_downloads=False)

        async def close() -> None:
            with _as_protocol_errors():
                await context.close()

        try:
            with _as_protocol_errors():
                page = await context.new_page()
                page.on("crash", lambda _: on_crash())
                session = PlaywrightSession(await context.new_cdp_session(page))
            await emulate(session, settings)
        except BaseException:
            await close()
            raise
        return BrowserTab(session, close)

    async def close(self) -> None:
        """End the browser and Playwright's Node process."""
        try:
            with _as_protocol_errors():
                await self._browser.close()
        finally:
            await self._playwright.stop()


async def _launch_browser(playwright: Playwright, command: Sequence[str], folder: str) -> Browser:
    with _as_protocol_errors():
        return await playwright.chromium.launch(
            executable_path=command[0],
            args=command[1:],
            ignore_default_args=True,  # otherwise Playwright inserts switches before the first argument
            artifacts_dir=folder,
            env={**os.environ, "TMPDIR": folder},
            handle_sigint=False,
            timeout=30_000,
        )


@contextmanager
def _as_protocol_errors() -> Iterator[None]:
    """Raise the errors of Playwright as `ProtocolError`, with the same message."""
    try:
        yield
    except Error as error:
        raise ProtocolError(str(error)) from error
