import asyncio
import os
import sys
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from vclean.render.browser import cdp
from vclean.render.browser.cdp import CdpConnection, CdpSession, ProtocolError

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no descriptors are handed on there")

BROWSER = """
import json, os, sys, time
commands = os.fdopen(3, "rb")
def say(**message):
    os.write(4, json.dumps(message).encode() + bytes(1))
rest = b""
while chunk := commands.read1(1 << 20):
    *whole, rest = (rest + chunk).split(bytes(1))
    for message in map(json.loads, whole):
        method, number, params = message["method"], message["id"], message["params"]
        if method == "echo":
            say(id=number, result={"params": params, "session": message.get("sessionId")})
        elif method == "refuse":
            say(id=number, error={"code": -1, "message": "No such thing"})
        elif method == "tell":
            say(method="told", params=params, sessionId=message.get("sessionId", ""))
            say(id=number, result={})
        elif method == "Target.attachToTarget":
            say(id=number, result={"sessionId": "s-" + params["targetId"]})
        elif method == "die":
            sys.stderr.write("cannot open display")
            sys.stderr.flush()
            os._exit(3)
"""
"""Answers as a browser would, over the descriptors that Chromium uses."""


def with_browser(work: Callable[[CdpConnection], Coroutine[Any, Any, Any]]) -> Any:
    async def run() -> Any:
        connection = await CdpConnection.open([sys.executable, "-S", "-c", BROWSER], os.environ)
        try:
            return await work(connection)
        finally:
            await connection.close()

    return asyncio.run(run())


class TestSend:
    def test_answer(self) -> None:
        found = with_browser(lambda browser: CdpSession(browser).send("echo", {"text": "é\u2028\x00"}))
        assert found == {"params": {"text": "é\u2028\x00"}, "session": None}

    def test_no_parameters(self) -> None:
        assert with_browser(lambda browser: CdpSession(browser).send("echo"))["params"] == {}

    def test_answers_find_their_questions(self) -> None:
        async def ask(browser: CdpConnection) -> list[dict[str, Any]]:
            return await asyncio.gather(*(CdpSession(browser).send("echo", {"n": n}) for n in range(50)))

        assert [answer["params"]["n"] for answer in with_browser(ask)] == list(range(50))

    def test_message_of_many_reads(self) -> None:
        """Larger than the buffer of a pipe, both ways."""
        text = "x" * 5_000_000
        assert with_browser(lambda browser: CdpSession(browser).send("echo", {"text": text}))["params"]["text"] == text

    def test_refusal(self) -> None:
        with pytest.raises(ProtocolError, match="No such thing"):
            with_browser(lambda browser: CdpSession(browser).send("refuse"))

    def test_end_of_the_browser(self) -> None:
        """Whoever waits learns it at once, with what the browser said last."""
        with pytest.raises(ProtocolError, match=r"ended\n\[err\] cannot open display"):
            with_browser(lambda browser: CdpSession(browser).send("die"))

    def test_after_its_end(self) -> None:
        async def ask(browser: CdpConnection) -> None:
            await browser.close()
            await CdpSession(browser).send("echo")

        with pytest.raises(ProtocolError, match="ended"):
            with_browser(ask)

    def test_a_question_that_was_given_up(self) -> None:
        async def ask(browser: CdpConnection) -> dict[str, Any]:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(CdpSession(browser).send("sleep"), 0.05)
            return await CdpSession(browser).send("echo", {"still": "here"})

        assert with_browser(ask)["params"] == {"still": "here"}


class TestOn:
    def test_events_of_a_session_are_its_own(self) -> None:
        async def listen(browser: CdpConnection) -> list[dict[str, Any]]:
            heard: list[dict[str, Any]] = []
            one, other = await CdpSession(browser).attach("one"), await CdpSession(browser).attach("other")
            one.on("told", heard.append)
            await one.send("tell", {"n": 1})
            await other.send("tell", {"n": 2})
            return heard

        assert with_browser(listen) == [{"n": 1}]

    def test_coroutines_are_run(self) -> None:
        async def listen(browser: CdpConnection) -> dict[str, Any]:
            session, told = CdpSession(browser), asyncio.Queue[dict[str, Any]]()
            session.on("told", told.put)
            await session.send("tell", {"n": 1})
            return await told.get()

        assert with_browser(listen) == {"n": 1}


class TestDetach:
    def test_nothing_more_is_heard(self) -> None:
        async def listen(browser: CdpConnection) -> list[dict[str, Any]]:
            heard: list[dict[str, Any]] = []
            one, other = await CdpSession(browser).attach("one"), await CdpSession(browser).attach("other")
            one.on("told", heard.append)
            other.on("told", heard.append)
            await one.detach()
            await one.send("tell", {"n": 1})
            await other.send("tell", {"n": 2})
            return heard

        assert with_browser(listen) == [{"n": 2}]


class TestConnection:
    def test_process_group_of_its_own(self) -> None:
        async def ask(browser: CdpConnection) -> tuple[bool, int, int]:
            await CdpSession(browser).send("echo")
            pid = browser._transport.get_pid()
            return browser.is_connected(), os.getpgid(pid), pid

        alive, group, pid = with_browser(ask)
        assert alive
        assert group == pid != os.getpgid(0)

    def test_close_ends_it(self) -> None:
        async def ask(browser: CdpConnection) -> tuple[int, bool]:
            pid = browser._transport.get_pid()
            await browser.close()
            return pid, browser.is_connected()

        pid, alive = with_browser(ask)
        assert not alive
        assert not Path("/proc", str(pid)).exists() or sys.platform != "linux"

    def test_close_waits_for_no_last_words(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(cdp, "_STDERR_SECONDS", 3600)

        async def ask(browser: CdpConnection) -> bool:
            await CdpSession(browser).send("echo")
            async with asyncio.timeout(10):
                await browser.close()
            return browser.is_connected()

        assert not with_browser(ask)

    def test_environment_is_the_one_given(self) -> None:
        script = "import json, os; os.write(4, json.dumps({'id': 1, 'result': dict(os.environ)}).encode() + bytes(1))"

        async def ask() -> dict[str, Any]:
            connection = await CdpConnection.open([sys.executable, "-S", "-c", script], {"ONLY": "this"})
            answer = await CdpSession(connection).send("echo")
            await connection.close()
            return answer

        assert asyncio.run(ask())["ONLY"] == "this"
