"""Test the navigation of a tab with a simulated browser."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from vclean.render.browser.cdp import Navigator, ProtocolError


class Tab:
    """Session with a tab that responds to every navigation with `answer`."""

    def __init__(self, **answer: str) -> None:
        self.answer = answer
        self.lifecycle: list[bool] = []
        self.handler: Any = None

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        if method == "Page.setLifecycleEventsEnabled":
            self.lifecycle.append((params or {})["enabled"])
        return self.answer if method == "Page.navigate" else {}

    def on(self, event: str, handler: Any) -> None:
        assert event == "Page.lifecycleEvent"
        self.handler = handler

    def emit(self, name: str, loader: str) -> None:
        self.handler({"name": name, "loaderId": loader})


class TestNavigator:
    def test_accepts_load_event_before_the_response(self) -> None:
        async def go() -> None:
            tab = Tab(loaderId="new")
            navigator = Navigator(tab)
            await navigator.begin("http://example.org/")
            tab.emit("load", "new")
            assert tab.lifecycle == [True]
            await asyncio.wait_for(navigator.wait_until_loaded(), 5)
            assert tab.lifecycle == [True, False]

        asyncio.run(go())

    def test_raises_with_the_message_of_the_browser(self) -> None:
        with pytest.raises(ProtocolError, match="net::ERR_BLOCKED_BY_CLIENT"):
            asyncio.run(
                Navigator(Tab(errorText="net::ERR_BLOCKED_BY_CLIENT", loaderId="x")).load("http://example.org/")
            )
