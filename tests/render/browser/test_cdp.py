import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from vclean.render.browser.cdp import CdpConnection, CdpSession, ProtocolError

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
        elif method == "die":
            sys.stderr.write("cannot open display")
            sys.stderr.flush()
            os._exit(3)
"""
"""Fake browser that responds over the descriptors that Chromium uses."""


def run_with_browser(use: Callable[[CdpConnection], Coroutine[Any, Any, Any]]) -> Any:
    async def run() -> Any:
        connection = await CdpConnection.open([sys.executable, "-S", "-c", BROWSER], os.environ)
        try:
            return await use(connection)
        finally:
            await connection.close()

    return asyncio.run(run())


class TestSend:
    def test_sends_without_parameters(self) -> None:
        assert run_with_browser(lambda browser: CdpSession(browser).send("echo"))["params"] == {}

    def test_raises_for_refused_command(self) -> None:
        with pytest.raises(ProtocolError, match="No such thing"):
            run_with_browser(lambda browser: CdpSession(browser).send("refuse"))

    def test_raises_when_the_browser_ends(self) -> None:
        # The pending command fails at once, with the standard error of the browser.
        with pytest.raises(ProtocolError, match=r"ended\n\[err\] cannot open display"):
            run_with_browser(lambda browser: CdpSession(browser).send("die"))

    def test_raises_after_the_browser_ended(self) -> None:
        async def ask(browser: CdpConnection) -> None:
            await browser.close()
            await CdpSession(browser).send("echo")

        with pytest.raises(ProtocolError, match="ended"):
            run_with_browser(ask)


class TestOn:
    def test_awaits_coroutine_handlers(self) -> None:
        async def listen(browser: CdpConnection) -> dict[str, Any]:
            session, events = CdpSession(browser), asyncio.Queue[dict[str, Any]]()
            session.on("event", events.put)
            await session.send("emit", {"n": 1})
            return await events.get()

        assert run_with_browser(listen) == {"n": 1}


class TestDetach:
    def test_stops_events(self) -> None:
        async def listen(browser: CdpConnection) -> list[dict[str, Any]]:
            events: list[dict[str, Any]] = []
            first, second = await CdpSession(browser).attach("one"), await CdpSession(browser).attach("other")
            first.on("event", events.append)
            second.on("event", events.append)
            await first.detach()
            await first.send("emit", {"n": 1})
            await second.send("emit", {"n": 2})
            return events

        assert run_with_browser(listen) == [{"n": 2}]


class TestConnection:
    def test_passes_only_the_given_environment(self) -> None:
        answer = "json.dumps({'id': 1, 'result': dict(os.environ)}).encode() + bytes(1)"
        script = f"import json, os; os.read(3, 1); os.write(4, {answer})"

        async def ask() -> dict[str, Any]:
            connection = await CdpConnection.open([sys.executable, "-S", "-c", script], {"ONLY": "this"})
            answer = await CdpSession(connection).send("echo")
            await connection.close()
            return answer

        assert asyncio.run(ask())["ONLY"] == "this"
