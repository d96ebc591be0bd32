"""Drive a browser over the Chrome DevTools Protocol (CDP): connection, sessions, tabs, screenshots.

A driver starts its browser and exchanges JSON messages with it over two file descriptors; a NUL ends each message
(Chromium, `--remote-debugging-pipe`). It enables no CDP domain by default. Playwright subscribes to all requests of a
page, even refused ones, which is a third of the cost of a page. So `CdpDriver` replaces `PlaywrightDriver` where it is
supported. Both raise `ProtocolError` if the browser refuses a command or has ended.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import json
import os
import signal
import sys
from collections import defaultdict
from typing import TYPE_CHECKING, Any, Final, Self, TypeAlias, cast

from vclean.errors import BrowserError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from vclean.render.browser.playwright_driver import PlaywrightDriver, PlaywrightSession
    from vclean.settings import RenderSettings

    Driver: TypeAlias = "CdpDriver | PlaywrightDriver"
    """Controller of one running browser: opens tabs, and ends it."""

    Session: TypeAlias = "CdpSession | PlaywrightSession"
    """CDP session with the browser or with a tab."""

    EventHandler = Callable[[dict[str, Any]], Awaitable[None] | None]
    """Function that receives the parameters of an event."""

IS_SUPPORTED: Final = sys.platform != "win32"
"""Child processes on Windows do not inherit file descriptors."""

_START_SECONDS: Final = 30

MAX_SCREENSHOT_HEIGHT: Final = 16_384
"""CSS px. Higher pages are truncated: beyond the largest texture of the GPU a screenshot is blank or repeated."""
MAX_SCREENSHOT_WIDTH: Final = 4_096
"""CSS px. Wider pages, which are usually mistakes, are truncated: their screenshots could exceed the memory."""

_SHELL: Final = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null'
"""Chromium reads commands from descriptor 3 and writes answers to descriptor 4."""

_MAX_STDERR_BYTES: Final = 8192
_STDERR_SECONDS: Final = 0.05
"""Seconds after the end of the process during which its standard error is still read."""


class ProtocolError(Exception):
    """Error for a command that the browser refused, or for a browser that has ended."""


class CdpDriver(asyncio.SubprocessProtocol):
    """Browser process and the CDP connection to it, for one event loop.

    Attributes:
        session: the session with the browser itself.
        sessions: all sessions that receive events, by id.
    """

    _transport: asyncio.SubprocessTransport

    def __init__(self) -> None:
        self.session = CdpSession(self)
        self.sessions = {"": self.session}
        self._buffer = bytearray()
        self._stderr = b""
        self._last_id = 0
        self._pending: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._ended = asyncio.Event()
        self._closing = False

    @classmethod
    async def launch(cls, command: Sequence[str], folder: str) -> Self:
        """Start a browser in a new process group.

        Args:
            command: the program and its arguments; it is the browser, or becomes it.
            folder: the folder for the browser's temporary files.

        Raises:
            ProtocolError: the browser does not start.
        """
        shell = ["/bin/sh", "-c", _SHELL, "sh", *command]
        environment = {**os.environ, "TMPDIR": folder}
        loop = asyncio.get_running_loop()
        _, driver = await loop.subprocess_exec(cls, *shell, env=environment, start_new_session=True)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await driver.session.send("Browser.getVersion")
        except BaseException as error:
            await driver.close()
            if isinstance(error, TimeoutError):
                raise ProtocolError(f"no answer within {_START_SECONDS} s") from None
            raise
        return driver

    async def open_tab(self, settings: RenderSettings, *, on_crash: Callable[[], None], paint: bool) -> BrowserTab:
        """Open a tab that renders pages the same way on every run.

        Args:
            settings: the size of the window, and whether scripts run.
            on_crash: called when the page crashes, because pending commands then never return.
            paint: whether to paint frames. Else frames are produced only on request, and none is requested. The
                layout of a page does not depend on painting, but some parts load only when they are painted: `object`
                elements around an `embed`.
        """
        browser = self.session
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

    def is_connected(self) -> bool:
        """Return whether the browser is running."""
        return not self._ended.is_set()

    async def close(self) -> None:
        """End the browser and its children, and wait for the end."""
        self._closing = True
        if self.is_connected():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)
        await self._ended.wait()

    def send(self, session: str, method: str, params: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
        """Send a command; the future gets its result. `session` is empty for the browser itself."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if not self.is_connected():
            answer.set_exception(self._error())
            return answer
        self._last_id += 1
        self._pending[self._last_id] = answer
        target = {"sessionId": session} if session else {}
        message = json.dumps({"id": self._last_id, "method": method, "params": params, **target})
        stdin = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))
        stdin.write(message.encode() + b"\0")
        return answer

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Store the transport of the started process (asyncio)."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Read messages, or standard error of the browser (asyncio)."""
        if fd != 1:
            self._stderr = (self._stderr + data)[-_MAX_STDERR_BYTES:]
            return
        self._buffer += data
        if b"\0" in data:
            *messages, self._buffer = self._buffer.split(b"\0")
            for message in messages:
                self._dispatch(json.loads(message))

    def process_exited(self) -> None:
        """Fail the pending commands (asyncio), after a delay to read the reason from standard error, unless closing."""
        asyncio.get_running_loop().call_later(0 if self._closing else _STDERR_SECONDS, self._end)

    def _end(self) -> None:
        self._ended.set()
        pending, self._pending = self._pending, {}
        for answer in pending.values():
            if not answer.done():
                answer.set_exception(self._error())
        self._transport.close()

    def _dispatch(self, message: dict[str, Any]) -> None:
        if "id" in message:
            answer = self._pending.pop(message["id"], None)
            if answer is not None and not answer.done():
                if "error" in message:
                    answer.set_exception(ProtocolError(message["error"]["message"]))
                else:
                    answer.set_result(message["result"])
            return
        session = self.sessions.get(message.get("sessionId", ""))
        handler = session.handlers.get(message["method"]) if session else None
        running = handler(message["params"]) if handler else None
        if running is not None:
            task = asyncio.ensure_future(running)
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    def _error(self) -> ProtocolError:
        lines = self._stderr.decode("utf-8", "replace").splitlines()
        return ProtocolError("\n".join(["the browser has ended", *(f"[err] {line}" for line in lines)]))


class CdpSession:
    """Session with the browser or one of its targets.

    Attributes:
        handlers: functions that are called for events, by name.
    """

    def __init__(self, driver: CdpDriver, session_id: str = "") -> None:
        self.handlers: dict[str, EventHandler] = {}
        self._driver = driver
        self._id = session_id

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Send a command and return its result.

        Raises:
            ProtocolError: the browser refuses the command, or has ended.
        """
        return await self._driver.send(self._id, method, params or {})

    def on(self, event: str, handler: EventHandler) -> None:
        """Call `handler` for every event of that name."""
        self.handlers[event] = handler

    async def attach(self, target: str) -> CdpSession:
        """Open a session with a target."""
        answer = await self.send("Target.attachToTarget", {"targetId": target, "flatten": True})
        session_id = answer["sessionId"]
        self._driver.sessions[session_id] = CdpSession(self._driver, session_id)
        return self._driver.sessions[session_id]

    def detach(self) -> None:
        """Stop receiving events; the target stays open."""
        self._driver.sessions.pop(self._id, None)


async def main_frame(session: Session) -> dict[str, Any]:
    """Return the main frame of a tab: its `url`, and its `id`, which navigations do not change."""
    frame: dict[str, Any] = (await session.send("Page.getFrameTree"))["frameTree"]["frame"]
    return frame


class BrowserTab:
    """Tab in a separate browser context.

    The domain `Page` must be enabled in its session. It stays enabled, because disabling it resets the fonts.

    Args:
        session: the CDP session with the tab.
        close: closes the tab and its context.
    """

    def __init__(self, session: Session, close: Callable[[], Awaitable[None]]) -> None:
        self.session = session
        self.close = close
        self._loader = ""
        self._loaded: defaultdict[str, asyncio.Event] = defaultdict(asyncio.Event)
        session.on("Page.lifecycleEvent", self._on_lifecycle_event)

    async def navigate(self, url: str) -> None:
        """Navigate to `url`, and return when the response begins.

        Raises:
            ProtocolError: the browser refuses to load it; the message is its `net::ERR_` code.
        """
        self._loaded.clear()
        await self.session.send("Page.setLifecycleEventsEnabled", {"enabled": True})
        answer = await self.session.send("Page.navigate", {"url": url})
        if "errorText" in answer:
            raise ProtocolError(answer["errorText"])
        self._loader = answer["loaderId"]

    async def wait_until_loaded(self) -> None:
        """Wait until all parts of the page of the last `navigate` are loaded."""
        await self._loaded[self._loader].wait()
        await self.session.send("Page.setLifecycleEventsEnabled", {"enabled": False})

    def _on_lifecycle_event(self, event: dict[str, Any]) -> None:
        if event["name"] == "load":
            self._loaded[event["loaderId"]].set()


async def evaluate(session: Session, expression: str, *, world: int | None = None) -> str:
    """Evaluate a JavaScript expression and return its string; a promise is awaited.

    Args:
        session: the session with the tab.
        expression: an expression with a string, or a promise of one, as its value.
        world: id of an execution context; None for that of the page.

    Raises:
        BrowserError: the expression threw.
    """
    options = {"expression": expression, "returnByValue": True, "awaitPromise": True}
    answer = await session.send("Runtime.evaluate", options if world is None else options | {"contextId": world})
    if "exceptionDetails" in answer:
        thrown = answer["exceptionDetails"].get("exception", {}).get("description", "unknown error")
        raise BrowserError(f"the page could not be read in the browser ({thrown.partition(chr(10))[0]})")
    return str(answer["result"]["value"])


def device_metrics(settings: RenderSettings, height: int = 0) -> dict[str, Any]:
    """Return the parameters of `Emulation.setDeviceMetricsOverride` for a viewport; `height` if it is greater."""
    size = {"width": settings.width, "height": max(settings.height, height)}
    screen = {"screenWidth": settings.width, "screenHeight": settings.height}
    orientation = {"angle": 0, "type": "landscapePrimary" if settings.width > settings.height else "portraitPrimary"}
    return {"mobile": False, "deviceScaleFactor": 1, "screenOrientation": orientation, **size, **screen}


_FONTS: Final = {
    "standard": "Times New Roman",
    "fixed": "Monospace",
    "serif": "Times New Roman",
    "sansSerif": "Arial",
    "cursive": "Comic Sans MS",
    "fantasy": "Impact",
}
"""Font families that are set on Linux; on other systems the defaults of the browser apply."""


async def emulate(session: Session, settings: RenderSettings) -> None:
    """Set what a tab emulates, for the same result on every run, and enable the domain `Page`."""
    # The walker ends the animations of style sheets. Those of scripts depend on the clock.
    motion = "reduce" if settings.scripts == "on" else "no-preference"
    media = {"prefers-color-scheme": "light", "prefers-reduced-motion": motion, "forced-colors": "none"}
    features = [{"name": name, "value": value} for name, value in media.items()]
    commands: dict[str, dict[str, Any]] = {
        "Inspector.enable": {},
        "Page.enable": {},
        "Emulation.setFocusEmulationEnabled": {"enabled": True},
        "Emulation.setDeviceMetricsOverride": device_metrics(settings),
        "Emulation.setScriptExecutionDisabled": {"value": settings.scripts != "on"},
        "Emulation.setUserAgentOverride": {"userAgent": "", "acceptLanguage": "en-US"},
        "Emulation.setLocaleOverride": {"locale": "en-US"},
        "Emulation.setTimezoneOverride": {"timezoneId": "UTC"},
        "Emulation.setEmulatedMedia": {"media": "", "features": features},
    }
    if sys.platform == "linux":
        commands["Page.setFontFamilies"] = {"fontFamilies": _FONTS}
    await asyncio.gather(*(session.send(method, params) for method, params in commands.items()))


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


async def launch_driver(command: Sequence[str], folder: str) -> Driver:
    """Start a browser with the driver of this system (see `CdpDriver.launch`)."""
    if IS_SUPPORTED:
        return await CdpDriver.launch(command, folder)
    from vclean.render.browser.playwright_driver import PlaywrightDriver  # its import takes as long as rendering a page

    return await PlaywrightDriver.launch(command, folder)


_NO_FRAME: Final = "Unable to capture screenshot"
"""Message of Chromium for a page that has painted no frame yet, on a busy machine."""
_SCREENSHOT_RETRIES: Final = 5
_SCREENSHOT_PAUSE: Final = 0.2
"""Seconds between two tries."""


async def capture_screenshot(session: Session, clip: Sequence[float] | None = None) -> bytes:
    """Take a screenshot of a page as PNG, one pixel per CSS px.

    It is truncated to `MAX_SCREENSHOT_WIDTH` x `MAX_SCREENSHOT_HEIGHT`.

    Args:
        session: the session of the page.
        clip: x, y, width and height of a part of the page, CSS px from the document's top left; None for all of it.
    """
    metrics = await session.send("Page.getLayoutMetrics")
    page, view = metrics["cssContentSize"], metrics["cssLayoutViewport"]
    x, y, width, height = clip or (page["x"], page["y"], page["width"], page["height"])
    area = {
        "x": x,
        "y": y,
        "width": min(width, MAX_SCREENSHOT_WIDTH),
        "height": min(height, MAX_SCREENSHOT_HEIGHT),
        "scale": 1,
    }
    is_in_view = x + width <= view["pageX"] + view["clientWidth"] and y + height <= view["pageY"] + view["clientHeight"]
    is_in_view &= x >= view["pageX"] and y >= view["pageY"]  # then the page is not laid out again
    options = {"format": "png", "clip": area, "captureBeyondViewport": not is_in_view, "optimizeForSpeed": True}
    for _ in range(_SCREENSHOT_RETRIES):
        try:
            return base64.b64decode((await session.send("Page.captureScreenshot", options))["data"])
        except ProtocolError as error:
            if _NO_FRAME not in str(error):
                raise
            await asyncio.sleep(_SCREENSHOT_PAUSE)
    return base64.b64decode((await session.send("Page.captureScreenshot", options))["data"])
