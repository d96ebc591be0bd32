from __future__ import annotations

import pytest

from vclean.api import Cleaner
from vclean.errors import NetworkError, UsageError
from vclean.page import Page
from vclean.page_reader import PageReader
from vclean.render.cache import to_bytes
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse
from vclean.settings import RenderSettings

SETTINGS = RenderSettings()
LIVE = Page(url="https://a.example/news", live=True, id="n")


class TestToPage:
    @pytest.mark.parametrize("document", [None, 3, ["<p>"]])
    def test_rejects_other_types(self, document: object) -> None:
        with pytest.raises(UsageError, match="is not a page: give HTML as str or bytes, a file as Path, or a Page"):
            PageReader(SETTINGS, render=False).to_page(document)  # type: ignore[arg-type]


class TestPageFromUrl:
    @pytest.mark.parametrize("text", ["page.html", "<p>a", "ftp://a.example/", ""])
    def test_rejects_other_text(self, text: str) -> None:
        with pytest.raises(UsageError, match="has to begin with http"):
            PageReader(SETTINGS, render=True).page_from_url(text)


class TestParsing:
    def test_a_live_page_is_fetched(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []

        def fetch(url: str, settings: RenderSettings) -> Page:
            asked.append((url, settings))
            return Page(content=b"<title>News</title><p>Rain.", url="https://a.example/news/")

        monkeypatch.setattr("vclean.render.network.fetch.fetch", fetch)
        rendering = PageReader(SETTINGS, render=False).read(LIVE)
        assert asked == [("https://a.example/news", SETTINGS)]
        assert (rendering.snapshot.title, rendering.snapshot.url) == ("News", "https://a.example/news/")
        assert rendering.screenshot is None

    def test_raises_errors_of_fetching(self) -> None:
        with pytest.raises(NetworkError, match="not a public address"):
            PageReader(SETTINGS, render=False).read(Page(url="http://127.0.0.1/", live=True))


class TestStoredSnapshot:
    PACKED = to_bytes(parse(Page(content=b"<title>Kept</title><p>Rain.")))

    def test_it_has_no_screenshot(self) -> None:
        with pytest.raises(UsageError, match="has no screenshot"):
            PageReader(SETTINGS, render=True).read(Page(snapshot=self.PACKED), screenshot=True)


class TestRendering:
    class Browser:
        """Renderer that records its arguments and renders no page."""

        started: dict[str, object]

        def __init__(self, settings: RenderSettings, **options: object) -> None:
            type(self).started = {"settings": settings, **options}

        def __enter__(self):
            return self

        def __exit__(self, *exception: object) -> None:
            pass

        def render(self, page: Page, *, screenshot: bool) -> Rendering:
            return Rendering(parse(page), b"PNG" if screenshot else None)

    @pytest.mark.parametrize("network", ["none", "public"])
    def test_browser_gets_network_setting(self, network: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("vclean.render.browser.renderer.Renderer", self.Browser)
        with Cleaner(render=True, network=network) as cleaner:
            screenshot = cleaner.clean("<p>Rain.", screenshot=True).screenshot
        assert self.Browser.started == {"settings": SETTINGS, "network": network == "public"}
        assert screenshot == b"PNG"
