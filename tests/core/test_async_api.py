from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

import pytest

from vclean import AsyncCleaner, Cleaner, CleanerSettings, Page
from vclean.errors import InputError, NotHtmlError, UsageError
from vclean.render.browser import renderer
from vclean.render.network import fetch
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse

FIXTURES = [Path(__file__).parents[2] / "fixtures" / name / "page.html" for name in ("news", "docs", "forum")]


class Browsers:
    """Renderers that count how many of them work at once."""

    def __init__(self):
        self.open = self.working = self.most = 0

    def __call__(self, settings, *, network):
        self.network = network
        return self

    async def __aenter__(self):
        self.open += 1
        return self

    async def __aexit__(self, *exception):
        self.open -= 1

    async def render(self, page, *, screenshot):
        self.working += 1
        self.most = max(self.most, self.working)
        try:
            await asyncio.sleep(0.01)
            return Rendering(parse(replace(page, content=page.content or "<p>Live")), b"PNG" if screenshot else None)
        finally:
            self.working -= 1


@pytest.fixture
def browsers(monkeypatch):
    stand_in = Browsers()
    monkeypatch.setattr(renderer, "AsyncRenderer", stand_in)
    return stand_in


class TestParsed:
    def test_html_file_and_url(self, tmp_path, monkeypatch):
        (tmp_path / "a.html").write_text("<p>File")
        monkeypatch.setattr(fetch, "fetch", lambda url, _: Page(content="<p>Web", url=url))

        async def clean():
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

    def test_errors_are_raised(self):
        async def clean():
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
    def test_several_pages_at_once(self, browsers):
        async def clean():
            async with AsyncCleaner(render=True, method="text", browsers=3, network="public") as cleaner:
                assert browsers.open == 3
                results = await asyncio.gather(*(cleaner.clean(f"<p>{number}") for number in range(9)))
                return [result.to_text() for result in results]

        assert asyncio.run(clean()) == [f"{number}\n" for number in range(9)]
        assert (browsers.most, browsers.open, browsers.network) == (3, 0, True)

    def test_failure_returns_browser(self, browsers):
        async def clean():
            async with AsyncCleaner(render=True, method="text", browsers=1) as cleaner:
                with pytest.raises(NotHtmlError):
                    await cleaner.clean(b"\x00\x01")
                return await cleaner.clean_url("https://example.org/", screenshot=True)

        result = asyncio.run(clean())
        assert (result.to_text(), result.screenshot) == ("Live\n", b"PNG")

    def test_rejects_zero_browsers(self):
        with pytest.raises(UsageError, match="at least 1"):
            AsyncCleaner(browsers=0)


@pytest.mark.browser
def test_same_results_as_one_by_one():
    async def clean():
        async with AsyncCleaner(render=True, browsers=2) as cleaner:
            results = await asyncio.gather(*(cleaner.clean_file(path) for path in FIXTURES))
            return [result.to_json() for result in results]

    with Cleaner(render=True) as cleaner:
        assert asyncio.run(clean()) == [cleaner.clean_file(path).to_json() for path in FIXTURES]
