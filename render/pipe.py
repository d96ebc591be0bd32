"""The DevTools protocol over a pipe: the connection to a browser of our own, and the sessions that go over it.

Messages are JSON, each ended by a NUL (Chromium, `--remote-debugging-pipe`). A `Connection` and its sessions have those
methods of Playwright's `Browser` and `CDPSession` that rendering needs, so that either can stand behind the same code.
They switch nothing on that nobody asked for: Playwright has itself told of every request that a page makes and is
refused, which costs a third of the page.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from typing import TYPE_CHECKING, Any, Final, Self, cast

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    Handler = Callable[[dict[str, Any]], Awaitable[None] | None]
    """Is given the parameters of an event."""

_SHELL: Final = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null'
"""Puts the pipe where Chromium looks for it: it reads commands from descriptor 3, and writes answers to 4."""

_TAIL_BYTES: Final = 8192
_LAST_WORDS: Final = 0.05
"""Seconds for what a process said before its end to be read."""


class ProtocolError(Exception):
    """The browser refused a command, or is gone."""


def refusals() -> tuple[type[Exception], ...]:
    """`ProtocolError` and its like of Playwright, whose import takes as long as a page, once it drives a browser."""
    error = getattr(sys.modules.get("playwright.async_api"), "Error", None)
    return (ProtocolError,) if error is None else (ProtocolError, error)


class Connection(asyncio.SubprocessProtocol):
    """A browser process and the pipe to it, to be used from one event loop."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._said = b""
        self._number = 0
        self._calls: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self._handlers: dict[tuple[str, str], list[Handler]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._gone = asyncio.Event()
        self._closing = False
        self._transport: asyncio.SubprocessTransport | None = None

    @classmethod
    async def open(cls, command: Sequence[str], environment: Mapping[str, str]) -> Self:
        """Start a browser, in a process group of its own.

        Args:
            command: the executable and its switches, `--remote-debugging-pipe` among them.
            environment: its whole environment.
        """
        shell = ["/bin/sh", "-c", _SHELL, "sh", *command]
        loop = asyncio.get_running_loop()
        _, connection = await loop.subprocess_exec(cls, *shell, env=dict(environment), start_new_session=True)
        return connection

    def is_connected(self) -> bool:
        """Whether the browser still runs."""
        return not self._gone.is_set()

    async def close(self) -> None:
        """End the browser and its children, if that has not been done."""
        self._closing = True
        self.kill()
        await self._gone.wait()

    def kill(self) -> None:
        """The same without waiting."""
        if self._transport is not None and self.is_connected():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._transport.get_pid(), signal.SIGKILL)

    async def new_browser_cdp_session(self) -> Session:
        """The session with the browser itself."""
        return Session(self)

    def send(self, session: str, method: str, params: dict[str, Any]) -> asyncio.Future[dict[str, Any]]:
        """What the browser answers; `session` is empty for the browser itself."""
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        if self._transport is None or not self.is_connected():
            answer.set_exception(self._error())
            return answer
        self._number += 1
        self._calls[self._number] = answer
        whom = {"sessionId": session} if session else {}
        message = json.dumps({"id": self._number, "method": method, "params": params, **whom})
        pipe = cast("asyncio.WriteTransport", self._transport.get_pipe_transport(0))
        pipe.write(message.encode() + b"\0")
        return answer

    def on(self, session: str, event: str, handler: Handler) -> None:
        """Have `handler` called with every event of that name."""
        self._handlers.setdefault((session, event), []).append(handler)

    def forget(self, session: str) -> None:
        """Have no handler called for a session any more."""
        for key in [key for key in self._handlers if key[0] == session]:
            del self._handlers[key]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The process runs."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Messages, or what the browser says on standard error."""
        if fd != 1:
            self._said = (self._said + data)[-_TAIL_BYTES:]
            return
        self._buffer += data
        if b"\0" in data:
            *messages, self._buffer = self._buffer.split(b"\0")
            for message in messages:
                self._take(json.loads(message))

    def process_exited(self) -> None:
        """Nobody will answer any more; what it said last, and why, may still be in its pipe, where somebody asks."""
        asyncio.get_running_loop().call_later(0 if self._closing else _LAST_WORDS, self._end)

    def _end(self) -> None:
        self._gone.set()
        calls, self._calls = self._calls, {}
        for answer in calls.values():
            if not answer.done():
                answer.set_exception(self._error())
        if self._transport is not None:
            self._transport.close()

    def _take(self, message: dict[str, Any]) -> None:
        if "id" in message:
            answer = self._calls.pop(message["id"], None)
            if answer is not None and not answer.done():
                _settle(answer, message)
            return
        for handler in self._handlers.get((message.get("sessionId", ""), message["method"]), ()):
            found = handler(message["params"])
            if found is not None:
                task = asyncio.ensure_future(found)
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)

    def _error(self) -> ProtocolError:
        lines = self._said.decode("utf-8", "replace").splitlines()
        return ProtocolError("\n".join(["the browser has ended", *(f"[err] {line}" for line in lines)]))


class Session:
    """A session with the browser or a target in it, over a `Connection`."""

    def __init__(self, connection: Connection, name: str = "") -> None:
        self._connection = connection
        self._name = name

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """What the browser answers to a command.

        Raises:
            ProtocolError: it refuses, or is gone.
        """
        return await self._connection.send(self._name, method, params or {})

    def on(self, event: str, handler: Handler) -> None:
        """Have `handler` called with every event of that name."""
        self._connection.on(self._name, event, handler)

    async def attach(self, target: str) -> Session:
        """A session with a target."""
        options = {"targetId": target, "flatten": True}
        return Session(self._connection, (await self.send("Target.attachToTarget", options))["sessionId"])

    async def detach(self) -> None:
        """Hear no more of it; its target goes on."""
        self._connection.forget(self._name)


def _settle(answer: asyncio.Future[dict[str, Any]], message: dict[str, Any]) -> None:
    if "error" in message:
        answer.set_exception(ProtocolError(message["error"]["message"]))
    else:
        answer.set_result(message["result"])
