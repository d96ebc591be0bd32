from __future__ import annotations

import math

import pytest
from helpers.page_records import screenshot
from helpers.pages import laid_out, result, snapshot

from vclean.errors import UsageError
from vclean.output import FORMATS

ARTICLE = "<html lang=en><title>News</title><body><nav>Home</nav><h1>Rain</h1><p>It rained.<p>Again.<ul><li>a<li>b</ul>"
MENU = "<p>" + "Nachrichten, Wetter, Sport und Kultur aus dem ganzen Land und über die Grenzen hinaus. " * 20
STORY = "<p>" + "It rained all day in the valley, and nobody who lived there minded very much. " * 4


@pytest.fixture
def article():
    return result(snapshot(ARTICLE), "ohpcll", confidence=0.87654, versions={"vclean": "1.0"}, id="a.html")


class TestFormats:
    def test_text(self, article):
        assert article.to_text() == "Rain\n\nIt rained. Again.\n\na\nb\n"

    @pytest.mark.parametrize("name", ["cleaneval", "text", "markdown", "chunks"])
    def test_no_content(self, name):
        assert result(snapshot("<p>Menu"), "o").to(name) == ""


class TestRepr:
    def test_one_line(self, article):
        assert repr(article) == "<Result 'a.html': 5 of 6 blocks, language=en, confidence=0.88>"
        unknown = result(snapshot(ARTICLE), "ohpcll", language="")
        assert repr(unknown) == "<Result '': 5 of 6 blocks, language=unknown, confidence=nan>"


class TestTo:
    @pytest.mark.parametrize("name", FORMATS)
    def test_every_format(self, article, name):
        assert article.to(name) == getattr(article, f"to_{name}")()

    @pytest.mark.parametrize("name", ["pdf", "labels", "overlay", ""])
    def test_unknown_format(self, article, name):
        with pytest.raises(UsageError, match="choose one of markdown, text, cleaneval, html, json"):
            article.to(name)


class TestOverlay:
    def test_revealable_text_is_not_drawn(self):
        page = laid_out("<p>Shown<details><summary>More</summary><p>Folded</details>")
        drawn = result(page, "ppp").overlay(screenshot(800, 200), "svg").decode()
        assert "Folded" not in drawn
        assert "hidden blocks: 1" in drawn

    def test_page_without_boxes(self, article):
        with pytest.raises(UsageError, match="add --render"):
            article.overlay(screenshot(800, 200), "png")


class TestBlocks:
    def test_content_is_blocks_with_content_labels(self, article):
        assert article.content.text == article.to_text()
        assert article.content_count == len(article.content) == 5


class TestMetadata:
    def test_of_parsed_page(self, article):
        metadata = article.metadata
        assert (metadata.url, metadata.title) == ("https://example.org/dir/page.html", "Rain")
        assert (metadata.language, metadata.declared_language, metadata.rendered) == ("en", "en", False)
        assert math.isnan(metadata.width)

    @pytest.mark.parametrize(("content", "language"), [(STORY, "en"), ("<p>All rights reserved.", "de")])
    def test_language_of_content_not_of_menus(self, content, language):
        # Little content is not enough.
        assert result(snapshot(MENU + content), "op").metadata.language == language
