from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from vclean.page import Page
from vclean.render.static.parse import parse

if TYPE_CHECKING:
    from vclean.render.browser.renderer import Renderer

pytestmark = pytest.mark.browser

HEAD = """<html lang=en><head><title>Rain</title><link rel="canonical" href="https://example.org/a/rain">
<meta property="og:title" content="Rain"><meta name=author content="Ann Lee"><meta name=keywords content="">
<script type="application/ld+json">{"@type": "Article", "headline": "Rain </p>"}</script></head>"""


class TestReadHead:
    def test_is_the_same_as_parsed(self, renderer: Renderer) -> None:
        page = Page(content=f"{HEAD}<p>It rained.", url="https://example.org/")
        assert renderer.render(page).snapshot.head == parse(page).head

    def test_gives_a_page_without_url_its_canonical_one(self, renderer: Renderer) -> None:
        snapshot = renderer.render(Page(content=f"{HEAD}<a href=sun>Sun</a>")).snapshot
        assert snapshot.url == "https://example.org/a/rain"
        assert list(snapshot.attributes("href").values()) == ["https://example.org/a/sun"]
