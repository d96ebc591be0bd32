from __future__ import annotations

import asyncio
from dataclasses import fields, replace
from pathlib import Path

import pytest
from helpers.pages import Even
from helpers.renderers import replace_renderer

from vclean import AsyncCleaner, Cleaner, CleanerSettings, Page, RenderSettings, clean, clean_url
from vclean.classify.content import model
from vclean.errors import (
    DeadlineError,
    InputError,
    LimitError,
    NotHtmlError,
    UsageError,
    VcleanError,
)
from vclean.render import fetch
from vclean.render.browser import renderer
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse
from vclean.settings import CleanerOptions, Policy

FIXTURES = [Path(__file__).parents[2] / "fixtures" / name / "page.html" for name in ("news", "docs", "forum")]
HTML = "<html lang=en><title>Weather</title><h1>Rain</h1><p>It rained all day in the valley. <a href=more>More</a>"


@pytest.fixture
def browsers(monkeypatch):
    """Replace the renderer by a parser; return the renderers that are made."""

    def render(page, screenshot):
        document = Page(content=HTML, url=page.url) if page.live else page
        return Rendering(parse(document), b"picture" if screenshot else None)

    return replace_renderer(monkeypatch, render)


class TestClean:
    @pytest.mark.parametrize("policy", [Policy(recall_weight=2), Policy(comments=False)])
    def test_method_without_policy(self, policy):
        with pytest.raises(UsageError, match="method bte accepts no policy of content"):
            clean(HTML, method="bte", policy=policy)
        assert clean(HTML, method="bte", policy=Policy()).blocks

    @pytest.mark.parametrize(
        ("values", "message"),
        [
            ({"comments": "out"}, "comments has to be True, False or None, not 'out'"),
            *(({"recall_weight": x}, "has to be a positive number") for x in (0, -1, float("inf"), float("nan"))),
        ],
    )
    def test_rejects_invalid_policy(self, values, message):
        with pytest.raises(UsageError, match=message):
            Policy(**values)

    def test_limits(self):
        with pytest.raises(LimitError):
            clean(HTML, method="text", rendering=RenderSettings(max_bytes=10))

    def test_the_same_bytes_twice(self):
        assert clean(HTML, method="bte").to_json() == clean(HTML, method="bte").to_json()

    def test_deadline_limits_work_in_this_process(self, monkeypatch):
        def endless(_):
            while True:
                pass

        with Cleaner(method="text", rendering=RenderSettings(deadline=0.05)) as cleaner:
            monkeypatch.setattr(cleaner._pipeline, "_method", endless)
            with pytest.raises(DeadlineError, match="--timeout"):
                cleaner.clean(HTML)


class TestOptions:
    def test_they_are_the_fields_of_the_settings(self):
        names = {field.name for field in fields(CleanerSettings)}
        assert set(CleanerOptions.__annotations__) == names

    def test_paths_may_be_strings(self):
        settings = CleanerSettings().replace(model="a.vclean", templates="")
        assert (settings.model, settings.templates) == (Path("a.vclean"), None)

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"render": "sometimes"}, "render has to be"),
            ({"network": "all"}, "network has to be one of none, public"),
            ({"rendr": True}, "no option 'rendr'"),
            ({"rendering": {"scripts": "on"}}, "rendering has to be a vclean.RenderSettings, not {'scripts': 'on'}"),
            ({"policy": "corpus"}, "policy has to be a vclean.Policy, not 'corpus'"),
            ({"method": None}, "method has to be a string, not None"),
            ({"model": 5}, "model has to be a path or None, not 5"),
        ],
    )
    def test_rejects_invalid_options(self, options, message):
        with pytest.raises(UsageError, match=message):
            clean(HTML, **options)  # type: ignore[arg-type]


class TestRendering:
    def test_browser_is_closed_after_failure(self, browsers):
        with pytest.raises(NotHtmlError), Cleaner(render=True, method="text") as cleaner:
            cleaner.clean(b"")
        assert not browsers[0].is_open

    def test_browser_fetches_url(self, browsers):
        assert clean_url("https://example.org/", render=True, method="text").id == "https://example.org/"

    @pytest.mark.parametrize("network", ["none", "public"])
    def test_screenshot_and_network(self, browsers, network):
        with Cleaner(render=True, method="text", network=network) as cleaner:
            result = cleaner.clean(Page(content=HTML, id="one"), screenshot=True)
        assert result.screenshot == b"picture"
        assert result.to_text().startswith("Rain")
        assert (browsers[0].settings, browsers[0].options) == (RenderSettings(), {"network": network == "public"})


class TestCleanMany:
    def test_failure_with_on_error(self):
        failures = []
        with Cleaner(method="text") as cleaner:
            results = cleaner.clean_many(["<p>a", b"", "<p>b"], on_error=lambda *failure: failures.append(failure))
            assert [result.to_text() for result in results] == ["a\n", "b\n"]
            with pytest.raises(NotHtmlError):
                list(cleaner.clean_many(["<p>a", b"", "<p>b"]))
        ((page, error),) = failures
        assert (page, type(error)) == (b"", NotHtmlError)


class TestSameSite:
    """Option `same_site`: all pages are read, then each is labelled with the model and the text of its site."""

    @pytest.fixture
    def cleaner(self, monkeypatch):
        monkeypatch.setattr(model, "load", lambda _: Even())
        return Cleaner()

    def test_repeated_blocks_are_less_likely_content(self, cleaner):
        pages = [Page(content=f"<p>Home<p>{name}", id=name, url=f"https://example.org/{name}") for name in "abc"]
        results = list(cleaner.clean_many(pages, same_site=True))
        assert [result.id for result in results] == ["a", "b", "c"]
        assert all(result.blocks[0].probability < 0.3 and result.blocks[1].probability > 0.59 for result in results)

    def test_failures_with_on_error(self, cleaner):
        # A page that cannot be read is passed unchanged, one that cannot be labelled with its id and URL.
        failures = []
        pages = [b"", Page(content="<p>wrong", id="w", url="https://example.org/"), "<p>b"]
        results = list(cleaner.clean_many(pages, same_site=True, on_error=lambda page, _: failures.append(page)))
        assert [result.to_text() for result in results] == ["b\n"]
        assert failures == [b"", Page(id="w", url="https://example.org/")]
        for page in pages[:2]:
            with pytest.raises(VcleanError):
                list(cleaner.clean_many([page, "<p>b"], same_site=True))

    def test_method_without_comparison(self):
        with Cleaner(method="text") as cleaner, pytest.raises(UsageError, match="method text cannot compare"):
            list(cleaner.clean_many(iter(int, 1), same_site=True))


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
def async_browsers(monkeypatch):
    stand_in = Browsers()
    monkeypatch.setattr(renderer, "AsyncRenderer", stand_in)
    return stand_in


class TestAsyncParsed:
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


class TestAsyncRendered:
    def test_several_pages_at_once(self, async_browsers):
        async def clean():
            async with AsyncCleaner(render=True, method="text", browsers=3, network="public") as cleaner:
                assert async_browsers.open == 3
                results = await asyncio.gather(*(cleaner.clean(f"<p>{number}") for number in range(9)))
                return [result.to_text() for result in results]

        assert asyncio.run(clean()) == [f"{number}\n" for number in range(9)]
        assert (async_browsers.most, async_browsers.open, async_browsers.network) == (3, 0, True)

    def test_failure_returns_browser(self, async_browsers):
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
