from __future__ import annotations

import pytest

from vclean.errors import UsageError
from vclean.page import Page
from vclean.page_reader import PageReader
from vclean.render.cache import to_bytes
from vclean.render.static.parse import parse
from vclean.settings import RenderSettings

SETTINGS = RenderSettings()
LIVE = Page(url="https://a.example/news", live=True, id="n")


class TestToPage:
    @pytest.mark.parametrize("document", [None, 3, ["<p>"]])
    def test_rejects_other_types(self, document):
        with pytest.raises(UsageError, match="is not a page: give HTML as str or bytes, a file as Path, or a Page"):
            PageReader(SETTINGS, render=False).to_page(document)  # type: ignore[arg-type]


class TestPageFromUrl:
    @pytest.mark.parametrize("text", ["page.html", "<p>a", "ftp://a.example/", ""])
    def test_rejects_other_text(self, text):
        with pytest.raises(UsageError, match="has to begin with http"):
            PageReader(SETTINGS, render=True).page_from_url(text)


class TestParsing:
    def test_a_live_page_is_fetched(self, monkeypatch):
        asked = []

        def fetch(url, settings):
            asked.append((url, settings))
            return Page(content=b"<title>News</title><p>Rain.", url="https://a.example/news/")

        monkeypatch.setattr("vclean.render.fetch.fetch", fetch)
        rendering = PageReader(SETTINGS, render=False).read(LIVE)
        assert asked == [("https://a.example/news", SETTINGS)]
        assert (rendering.snapshot.title, rendering.snapshot.url) == ("News", "https://a.example/news/")
        assert rendering.screenshot is None


class TestStoredSnapshot:
    PACKED = to_bytes(parse(Page(content=b"<title>Kept</title><p>Rain.")))

    def test_it_has_no_screenshot(self):
        with pytest.raises(UsageError, match="has no screenshot"):
            PageReader(SETTINGS, render=True).read(Page(snapshot=self.PACKED), screenshot=True)
