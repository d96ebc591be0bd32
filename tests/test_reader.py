from __future__ import annotations

from pathlib import Path

import pytest

from vclean.api import Cleaner
from vclean.errors import NetworkError, UsageError
from vclean.page import Page
from vclean.reader import PageReader, as_page
from vclean.render.browser import Rendering
from vclean.render.static import parse
from vclean.render.store import to_bytes
from vclean.settings import RenderSettings

SETTINGS = RenderSettings()
LIVE = Page(url="https://a.example/news", live=True, id="n")


class TestAsPage:
    @pytest.mark.parametrize("text", ["<p>a", "", "  \n"])
    def test_a_string_that_is_html(self, text: str) -> None:
        assert as_page(text, url="https://a.example/", settings=SETTINGS) == Page(
            content=text, url="https://a.example/"
        )

    def test_a_string_that_is_a_path(self, tmp_path: Path) -> None:
        (tmp_path / "a.html").write_bytes(b"<p>a")
        assert as_page(str(tmp_path / "a.html"), settings=SETTINGS).content == b"<p>a"

    def test_an_address_left_to_the_browser(self) -> None:
        page = as_page("https://a.example/", settings=SETTINGS, live=True)
        assert (page.live, page.url) == (True, "https://a.example/")


class TestParsing:
    def test_a_live_page_is_fetched(self, monkeypatch: pytest.MonkeyPatch) -> None:
        asked = []

        def fetch(url: str, settings: RenderSettings) -> Page:
            asked.append((url, settings))
            return Page(content=b"<title>News</title><p>Rain.", url="https://a.example/news/")

        monkeypatch.setattr("vclean.render.fetch.fetch", fetch)
        snapshot, picture = PageReader(SETTINGS, render=False).read(LIVE)
        assert asked == [("https://a.example/news", SETTINGS)]
        assert (snapshot.title, snapshot.url, picture) == ("News", "https://a.example/news/", b"")

    def test_what_keeps_it_from_being_fetched_is_raised(self) -> None:
        with pytest.raises(NetworkError, match="not a public address"):
            PageReader(SETTINGS, render=False).read(Page(url="http://127.0.0.1/", live=True))


class TestStored:
    PACKED = to_bytes(parse(Page(content=b"<title>Kept</title><p>Rain.")))

    @pytest.mark.parametrize("render", [False, True])
    def test_it_needs_no_browser(self, render: bool) -> None:
        snapshot, _ = PageReader(SETTINGS, render=render).read(Page(snapshot=self.PACKED))
        assert snapshot.title == "Kept"

    def test_it_has_no_picture(self) -> None:
        with pytest.raises(UsageError, match="has no picture"):
            PageReader(SETTINGS, render=True).read(Page(snapshot=self.PACKED), picture=True)


class TestRendering:
    class Browser:
        """Notes how it was started, and renders nothing."""

        started: dict[str, object]

        def __init__(self, settings: RenderSettings, **options: object) -> None:
            type(self).started = {"settings": settings, **options}

        def __enter__(self):
            return self

        def __exit__(self, *exception: object) -> None:
            pass

        def render(self, page: Page, *, picture: bool) -> Rendering:
            return Rendering(parse(page), b"PNG" if picture else None)

    @pytest.mark.parametrize("network", [False, True])
    def test_the_browser_is_told_of_the_network(self, network: bool, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("vclean.render.browser.Renderer", self.Browser)
        with Cleaner(render=True, network=network) as cleaner:
            picture = cleaner.clean("<p>Rain.", picture=True).image
        assert self.Browser.started == {"settings": SETTINGS, "network": network}
        assert picture == b"PNG"

    def test_outside_of_its_block(self) -> None:
        with pytest.raises(UsageError, match="in a with block only"):
            PageReader(SETTINGS, render=True).read(Page(content="<p>a"))
