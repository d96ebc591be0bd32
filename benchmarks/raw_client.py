"""Read pages in Chromium with a minimal CDP client: one tab, one document after the other.

`suite.py` uses this client as a baseline. It has no deadline, no resource limits, no recovery, no recycling and no
sandbox; only a Content Security Policy blocks the requests of pages. It shares with vclean the walker script, the
code that decodes its result, and the two browser switches that save most time. The rest is independent of vclean.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import tempfile
from typing import TYPE_CHECKING, Any, Final, Self

from vclean.render.browser import walker
from vclean.render.browser.chromium import find_chromium
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from vclean.render.snapshot import Snapshot

_SHELL: Final = 'exec "$@" 3<&0 4>&1 </dev/null >/dev/null 2>&1'
_SWITCHES: Final = (
    "--headless", "--no-sandbox", "--hide-scrollbars", "--no-first-run", "--disable-extensions",
    "--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage", "--mute-audio",
    "--font-render-hinting=none", "--disable-lcd-text", "--blink-settings=lazyLoadEnabled=false",
    # The two switches that save most time: nothing is painted, and no helper threads compile scripts.
    "--enable-begin-frame-control", "--js-flags=--single-threaded",
    "--remote-debugging-pipe", "--no-startup-window",
)  # fmt: skip
_BLANK: Final = "http://blank.invalid/"
_POLICY: Final = (
    "sandbox allow-same-origin; default-src 'none'; style-src 'unsafe-inline'; img-src data:; font-src data:"
)
_LAID_OUT: Final = "String(document.documentElement.scrollHeight)"
_CHUNK: Final = 1 << 16


class RawClient:
    """Browser with one tab, driven by CDP over a pipe; a context manager."""

    def __init__(self) -> None:
        self._settings = RenderSettings()
        self._folder = tempfile.TemporaryDirectory(prefix="vclean-raw-", ignore_cleanup_errors=True)
        command = [str(find_chromium().path), *_SWITCHES, f"--user-data-dir={self._folder.name}"]
        self._process = subprocess.Popen(
            ["/bin/sh", "-c", _SHELL, "sh", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._buffer = b""
        self._number = 0
        self._session = ""
        self._events: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        """Open the tab."""
        options = {"url": "about:blank", "enableBeginFrameControl": True}
        target = self._call("Target.createTarget", options)["targetId"]
        self._session = self._call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        size = {"width": self._settings.width, "height": self._settings.height}
        self._call("Emulation.setDeviceMetricsOverride", {**size, "deviceScaleFactor": 1, "mobile": False})
        self._call("Emulation.setScriptExecutionDisabled", {"value": True})
        self._call("Page.enable")
        self._go_to_blank()
        self._frame = self._call("Page.getFrameTree")["frameTree"]["frame"]["id"]
        self._evaluate(walker.definition())
        return self

    def __exit__(self, *exception: object) -> None:
        """End the browser."""
        self._session = ""
        self._call("Browser.close")
        self._process.communicate()
        self._folder.cleanup()

    def set_content(self, html: str) -> None:
        """Replace the document of the tab."""
        self._call("Page.setDocumentContent", {"frameId": self._frame, "html": html})

    def lay_out(self) -> None:
        """Lay out the document."""
        self._evaluate(_LAID_OUT)

    def read(self, html: str, url: str) -> Snapshot:
        """Replace the document of the tab, and read it with vclean's walker."""
        expression = walker.call(url, self._settings, walker.hints(html) | {"discard": True})
        content_set = self._send("Page.setDocumentContent", {"frameId": self._frame, "html": html})
        evaluated = self._send("Runtime.evaluate", _evaluation(expression))
        self._result(content_set)
        payload = self._result(evaluated)["result"]["value"]
        if payload == walker.NEEDS_NEW_DOCUMENT:
            self._go_to_blank()
            self._evaluate(walker.definition())
            return self.read(html, url)
        return walker.unpack(payload, self._settings, build="", url=url)

    def _go_to_blank(self) -> None:
        self._call("Fetch.enable", {"patterns": [{"urlPattern": "*", "resourceType": "Document"}]})
        navigated = self._send("Page.navigate", {"url": _BLANK})
        paused = self._event("Fetch.requestPaused")
        header = {"name": "Content-Security-Policy", "value": _POLICY}
        content_type = {"name": "Content-Type", "value": "text/html"}
        body = base64.b64encode(b"<!DOCTYPE html>").decode()
        response = {
            "requestId": paused["requestId"],
            "responseCode": 200,
            "responseHeaders": [header, content_type],
            "body": body,
        }
        self._call("Fetch.fulfillRequest", response)
        self._result(navigated)
        self._event("Page.loadEventFired")
        self._call("Fetch.disable")
        self._events.clear()

    def _evaluate(self, expression: str) -> str:
        return str(self._call("Runtime.evaluate", _evaluation(expression))["result"]["value"])

    def _call(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        return self._result(self._send(method, params or {}))

    def _send(self, method: str, params: dict[str, Any]) -> int:
        self._number += 1
        target = {"sessionId": self._session} if self._session else {}
        message = json.dumps({"id": self._number, "method": method, "params": params, **target})
        assert self._process.stdin is not None
        self._process.stdin.write(message.encode() + b"\0")
        self._process.stdin.flush()
        return self._number

    def _result(self, number: int) -> dict[str, Any]:
        while (message := self._receive()).get("id") != number:
            if "id" not in message:
                self._events.append(message)
        if "error" in message:
            raise RuntimeError(message["error"]["message"])
        result: dict[str, Any] = message["result"]
        return result

    def _event(self, name: str) -> dict[str, Any]:
        while True:
            for event in self._events:
                if event["method"] == name:
                    self._events.remove(event)
                    params: dict[str, Any] = event["params"]
                    return params
            self._events.append(self._receive())

    def _receive(self) -> dict[str, Any]:
        assert self._process.stdout is not None
        parts = [self._buffer]
        while b"\0" not in parts[-1]:
            chunk = os.read(self._process.stdout.fileno(), _CHUNK)
            if not chunk:
                raise RuntimeError("the browser has ended")
            parts.append(chunk)
        data, _, self._buffer = b"".join(parts).partition(b"\0")
        message: dict[str, Any] = json.loads(data)
        return message


def _evaluation(expression: str) -> dict[str, Any]:
    return {"expression": expression, "returnByValue": True, "awaitPromise": True}
