from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from vclean import AsyncCleaner, CleanerSettings, Page, RenderSettings
from vclean.errors import InputError, NotHtmlError, UsageError
from vclean.render.browser import async_renderer
from vclean.render.network import fetch
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse

if TYPE_CHECKING:
    from pathlib import Path


class Browsers:
    """Renderers that count how many of them work at once."""

    def __init__(self) -> None:
        self.open = self.working = self.most = 0

    def __call__(self, settings: RenderSettings, *, network: bool, **_: object) -> Browsers:
        self.settings, self.network = settings, network
        return self

    async def __aenter__(self) -> Browsers:
        self.open += 1
        return self

    async def __aexit__(self, *exception: object) -> None:
        self.open -= 1

    async def render(self, page: Page, *, screenshot: bool) -> Rendering:
        self.working += 1
        self.most = max(self.most, self.working)
        try:
            await asyncio.sleep(0.01)
            return Rendering(
                parse(Page(content=page.content or "<p>Live", url=page.url)), b"PNG" if screenshot else None
            )
        finally:
            self.working -= 1


@pytest.fixture
def browsers(monkeypatch: pytest.MonkeyPatch) -> Browsers:
    stand_in = Browsers()
    monkeypatch.setattr(async_renderer, "AsyncRenderer", stand_in)
    return stand_in


class TestParsed:
    def test_html_file_and_url(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "a.html").write_text("<p>File")
        monkeypatch.setattr(fetch, "fetch", lambda url, _: Page(content="<p>Web", url=url))

        async def clean() -> list[tuple[str, str]]:
            async with AsyncCleaner(method="text") as cleaner:
                tasks = (
                    cleaner.clean("a.html"),
                    cleaner.clean_file(tmp_path / "a.html"),
                    cleaner.clean_url("https://example.org/"),
                )
                return [(result.id, result.to_text()) for result in await asyncio.gather(*tasks)]

        assert asyncio.run(clean()) == [
            ("", "a.html\n"), (str(tmp_path / "a.html"), "File\n"), ("https://example.org/", "Web\n"),
        ]  # fmt: skip

    def test_errors_are_raised(self) -> None:
        async def clean() -> None:
            async with AsyncCleaner(CleanerSettings(method="text", explain=True)) as cleaner:
                with pytest.raises(NotHtmlError):
                    await cleaner.clean("")
                with pytest.raises(InputError):
                    await cleaner.clean_file("nowhere.html")
                with pytest.raises(UsageError, match="is not the URL"):
                    await cleaner.clean_url("nowhere.html")
                assert (await cleaner.clean("<p>a")).blocks[0].source

        asyncio.run(clean())


class TestRendered:
    def test_several_pages_at_once(self, browsers: Browsers) -> None:
        async def clean() -> list[str]:
            async with AsyncCleaner(render=True, method="text", browsers=3, network="public") as cleaner:
                assert browsers.open == 3
                results = await asyncio.gather(*(cleaner.clean(f"<p>{number}") for number in range(9)))
                return [result.to_text() for result in results]

        assert asyncio.run(clean()) == [f"{number}\n" for number in range(9)]
        assert (browsers.most, browsers.open, browsers.network) == (3, 0, True)

    def test_failure_returns_browser(self, browsers: Browsers) -> None:
        async def clean() -> str:
            async with AsyncCleaner(render=True, method="text", browsers=1) as cleaner:
                with pytest.raises(NotHtmlError):
                    await cleaner.clean(b"\x00\x01")
                return (await cleaner.clean("<p>again")).to_text()

        assert asyncio.run(clean()) == "again\n"

    def test_screenshot_and_url(self, browsers: Browsers) -> None:
        async def clean() -> tuple[str, bytes]:
            async with AsyncCleaner(render=True, method="text") as cleaner:
                result = await cleaner.clean_url("https://example.org/", screenshot=True)
                return result.to_text(), result.screenshot

        assert asyncio.run(clean()) == ("Live\n", b"PNG")

    def test_rejects_zero_browsers(self) -> None:
        with pytest.raises(UsageError, match="at least 1"):
            AsyncCleaner(browsers=0)
