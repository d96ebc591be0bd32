from __future__ import annotations

import asyncio
import base64
import contextlib
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from vclean.render.browser import cdp
from vclean.render.browser.cdp import BrowserTab, CdpDriver, ProtocolError, capture_screenshot

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows passes no descriptors")

BROWSER = """
import json, os, sys, time
commands = os.fdopen(3, "rb")
def reply(**message):
    os.write(4, json.dumps(message).encode() + bytes(1))
rest = b""
while chunk := commands.read1(1 << 20):
    *messages, rest = (rest + chunk).split(bytes(1))
    for message in map(json.loads, messages):
        method, number, params = message["method"], message["id"], message["params"]
        if method == "echo":
            reply(id=number, result={"params": params, "session": message.get("sessionId")})
        elif method == "refuse":
            reply(id=number, error={"code": -1, "message": "No such thing"})
        elif method == "emit":
            reply(method="event", params=params, sessionId=message.get("sessionId", ""))
            reply(id=number, result={})
        elif method == "Target.attachToTarget":
            reply(id=number, result={"sessionId": "s-" + params["targetId"]})
        elif method == "Browser.getVersion":
            reply(id=number, result={})
        elif method == "die":
            sys.stderr.write("cannot open display")
            sys.stderr.flush()
            os._exit(3)
"""
"""Fake browser that responds over the descriptors that Chromium uses."""


def run_with_browser(use: Callable[[CdpDriver], Coroutine[Any, Any, Any]]) -> Any:
    async def run() -> Any:
        driver = await CdpDriver.launch([sys.executable, "-S", "-c", BROWSER], "/tmp")
        try:
            return await use(driver)
        finally:
            await driver.close()

    return asyncio.run(run())


class TestSend:
    @pytest.mark.parametrize(
        ("method", "message"),
        # A pending command fails at once when the browser ends, with its standard error.
        [("refuse", "No such thing"), ("die", r"ended\n\[err\] cannot open display")],
    )
    def test_raises_for_refused_command_and_ended_browser(self, method: str, message: str) -> None:
        with pytest.raises(ProtocolError, match=message):
            run_with_browser(lambda browser: browser.session.send(method))

    def test_raises_after_the_browser_ended(self) -> None:
        async def ask(browser: CdpDriver) -> None:
            await browser.close()
            await browser.session.send("echo")

        with pytest.raises(ProtocolError, match="ended"):
            run_with_browser(ask)


class TestDetach:
    def test_stops_events(self) -> None:
        async def listen(browser: CdpDriver) -> list[dict[str, Any]]:
            events: list[dict[str, Any]] = []
            first, second = await browser.session.attach("one"), await browser.session.attach("other")
            first.on("event", events.append)
            second.on("event", events.append)
            first.detach()
            await first.send("emit", {"n": 1})
            await second.send("emit", {"n": 2})
            return events

        assert run_with_browser(listen) == [{"n": 2}]


async def nothing() -> None:
    """Close nothing."""


class TabSession:
    """Session with a tab that navigates at once."""

    def __init__(self) -> None:
        self.lifecycle: list[bool] = []
        self.handler: Any = None

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        if method == "Page.setLifecycleEventsEnabled":
            self.lifecycle.append((params or {})["enabled"])
        return {"loaderId": "new"} if method == "Page.navigate" else {}

    def on(self, event: str, handler: Any) -> None:
        assert event == "Page.lifecycleEvent"
        self.handler = handler


class TestBrowserTab:
    def test_accepts_load_event_before_the_response(self) -> None:
        async def go() -> None:
            session = TabSession()
            tab = BrowserTab(session, nothing)
            await tab.navigate("http://example.org/")
            session.handler({"name": "load", "loaderId": "new"})
            assert session.lifecycle == [True]
            await asyncio.wait_for(tab.wait_until_loaded(), 5)
            assert session.lifecycle == [True, False]

        asyncio.run(go())


NO_FRAME = ProtocolError("Protocol error (Page.captureScreenshot): Unable to capture screenshot")


class Session:
    """Fake session with a page of 800 x 5000 px, that fails with some errors before it gives a screenshot."""

    def __init__(self, *errors: ProtocolError) -> None:
        self.errors = list(errors)
        self.params: dict[str, Any] | None = None

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        if method == "Page.getLayoutMetrics":
            view = {"pageX": 0, "pageY": 0, "clientWidth": 800, "clientHeight": 600}
            return {"cssContentSize": {"x": 0, "y": 0, "width": 800, "height": 5000}, "cssLayoutViewport": view}
        assert method == "Page.captureScreenshot"
        self.params = params
        if self.errors:
            raise self.errors.pop(0)
        return {"data": base64.b64encode(b"png").decode()}


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cdp, "_SCREENSHOT_PAUSE", 0)


class TestCaptureScreenshot:
    @pytest.mark.parametrize(
        ("clip", "is_beyond"), [((0, 590, 800, 10), False), ((0, 591, 800, 10), True), (None, True)]
    )
    def test_lays_the_page_out_again_only_for_what_is_beyond_the_viewport(
        self, clip: tuple[int, int, int, int] | None, is_beyond: bool
    ) -> None:
        session = Session()
        asyncio.run(capture_screenshot(session, clip))
        assert session.params is not None
        assert session.params["captureBeyondViewport"] is is_beyond
        assert session.params["clip"]["height"] == (clip[3] if clip else 5000)

    @pytest.mark.parametrize(
        ("errors", "message", "left"),
        [
            ([NO_FRAME] * 2, "", 0),
            ([NO_FRAME] * 9, "Unable to capture", 3),
            ([ProtocolError("Target closed"), NO_FRAME], "Target closed", 1),
        ],
    )
    def test_tries_again_until_a_frame_is_painted(self, errors: list[ProtocolError], message: str, left: int) -> None:
        session = Session(*errors)
        with pytest.raises(ProtocolError, match=message) if message else contextlib.nullcontext():
            assert asyncio.run(capture_screenshot(session, (0, 0, 10, 10))) == b"png"
        assert len(session.errors) == left
