"""Tests of navigating a tab, with a browser that answers as it is told."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from vclean.render.browser.cdp import Navigator, ProtocolError


class Tab:
    """A session with a tab that answers every navigation with `answer`."""

    def __init__(self, **answer: str) -> None:
        self.answer = answer
        self.told: list[bool] = []
        self.handler: Any = None

    async def send(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        if method == "Page.setLifecycleEventsEnabled":
            self.told.append((params or {})["enabled"])
        return self.answer if method == "Page.navigate" else {}

    def on(self, event: str, handler: Any) -> None:
        assert event == "Page.lifecycleEvent"
        self.handler = handler

    def happen(self, name: str, loader: str) -> None:
        self.handler({"name": name, "loaderId": loader})


async def is_waiting(task: asyncio.Task[None]) -> bool:
    for _ in range(5):
        await asyncio.sleep(0)
    return not task.done()


class TestGo:
    def test_it_waits_for_the_page_itself_to_have_loaded(self) -> None:
        async def go() -> None:
            tab = Tab(loaderId="new")
            going = asyncio.ensure_future(Navigator(tab).load("http://example.org/"))
            assert await is_waiting(going)
            tab.happen("load", "old")
            tab.happen("DOMContentLoaded", "new")
            assert await is_waiting(going)
            tab.happen("load", "new")
            await going
            assert tab.told == [True, False]

        asyncio.run(go())

    def test_a_page_that_loads_before_the_answer(self) -> None:
        async def go() -> None:
            tab = Tab(loaderId="new")
            navigator = Navigator(tab)
            await navigator.begin("http://example.org/")
            tab.happen("load", "new")
            await asyncio.wait_for(navigator.wait_until_loaded(), 5)

        asyncio.run(go())

    def test_a_refusal_is_said_in_the_words_of_the_browser(self) -> None:
        with pytest.raises(ProtocolError, match="net::ERR_BLOCKED_BY_CLIENT"):
            asyncio.run(
                Navigator(Tab(errorText="net::ERR_BLOCKED_BY_CLIENT", loaderId="x")).load("http://example.org/")
            )
