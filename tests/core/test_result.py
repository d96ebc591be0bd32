from __future__ import annotations

import io
import json
import math
from xml.etree import ElementTree

import pytest
from helpers.pages import laid_out, result, snapshot
from PIL import Image

from vclean.errors import UsageError
from vclean.labels import Label
from vclean.output.registry import FORMATS

ARTICLE = "<html lang=en><title>News</title><body><nav>Home</nav><h1>Rain</h1><p>It rained.<p>Again.<ul><li>a<li>b</ul>"


@pytest.fixture
def article():
    return result(snapshot(ARTICLE), "ohpcll", confidence=0.87654, versions={"vclean": "1.0"}, id="a.html")


@pytest.fixture
def seen():
    return result(laid_out(ARTICLE), "ohpcll")


class TestFormats:
    def test_cleaneval(self, article):
        assert article.to_cleaneval() == "<h>Rain\n<p>It rained. Again.\n<l>a\n<l>b\n"

    def test_text(self, article):
        assert article.to_text() == "Rain\n\nIt rained. Again.\n\na\nb\n"

    def test_markdown(self, article):
        assert article.to_markdown() == "# Rain\n\nIt rained. Again.\n\n- a\n- b\n"

    def test_html(self, article):
        assert "<h1>Rain</h1>\n<p>It rained. Again.</p>\n<ul><li>a</li>\n<li>b</li>\n</ul>" in article.to_html()

    def test_json_is_one_line_and_equals_dictionary(self, article):
        assert article.to_json().count("\n") == 1
        assert json.loads(article.to_json()) == article.to_dict()

    @pytest.mark.parametrize("name", FORMATS)
    def test_same_words_rendered_and_parsed(self, article, seen, name):
        if name == "chunks":
            assert [chunk.text for chunk in article.chunks()] == [chunk.text for chunk in seen.chunks()]
        elif name != "json":
            assert article.to(name) == seen.to(name)
        else:
            assert [b["text"] for b in article.to_dict()["blocks"]] == [b["text"] for b in seen.to_dict()["blocks"]]

    @pytest.mark.parametrize("name", ["cleaneval", "text", "markdown", "chunks"])
    def test_no_content(self, name):
        assert result(snapshot("<p>Menu"), "o").to(name) == ""


class TestRepr:
    def test_one_line(self, article):
        text = repr(result(article.columns.snapshot, "ohpcll", id="a.html", language="en", confidence=0.876))
        assert text == "<Result 'a.html': 5 of 6 blocks, language=en, confidence=0.88>"

    def test_unknown_values(self, seen):
        vars(seen)["language"] = ""
        assert repr(seen) == "<Result '': 5 of 6 blocks, language=unknown, confidence=nan>"


class TestTo:
    @pytest.mark.parametrize("name", FORMATS)
    def test_every_format(self, article, name):
        assert article.to(name) == getattr(article, f"to_{name}")()

    def test_format_is_cached(self, article):
        assert article.to("html") is article.to("html")

    def test_missing_explanation(self, article):
        with pytest.raises(UsageError, match="explain=True"):
            article.to_explanation()

    @pytest.mark.parametrize("name", ["pdf", "labels", "overlay", ""])
    def test_unknown_format(self, article, name):
        with pytest.raises(UsageError, match="choose one of markdown, text, cleaneval, html, json"):
            article.to(name)


class TestOverlay:
    @pytest.fixture
    def picture(self):
        out = io.BytesIO()
        Image.new("RGB", (800, 200), "white").save(out, "PNG")
        return out.getvalue()

    def test_png(self, seen, picture):
        assert seen.overlay(picture, "png").startswith(b"\x89PNG")

    def test_svg(self, seen, picture):
        root = ElementTree.fromstring(seen.overlay(picture, "svg"))
        titles = [title.text for title in root.iter("{http://www.w3.org/2000/svg}title")]
        assert sorted(titles) == [
            "c .90: Again.",
            "h .90: Rain",
            "l .90: a",
            "l .90: b",
            "o .10: Home",
            "p .90: It rained.",
        ]

    def test_revealable_text_is_not_drawn(self, picture):
        page = laid_out("<p>Shown<details><summary>More</summary><p>Folded</details>")
        drawn = result(page, "ppp").overlay(picture, "svg").decode()
        assert "Folded" not in drawn
        assert "hidden blocks: 1" in drawn

    def test_page_without_boxes(self, article, picture):
        with pytest.raises(UsageError, match="add --render"):
            article.overlay(picture, "png")


class TestBlocks:
    def test_one_for_each_row(self, article):
        assert [block.text for block in article.blocks] == article.columns.text
        assert [block.label for block in article.blocks] == article.prediction.labels
        assert article.blocks[1].label is Label.HEADING

    def test_content_is_blocks_with_content_labels(self, article):
        assert article.content.text == article.to_text()
        assert article.content_count == len(article.content) == 5


class TestMetadata:
    def test_of_parsed_page(self, article):
        metadata = article.metadata
        assert (metadata.url, metadata.title) == ("https://example.org/dir/page.html", "News")
        assert (metadata.language, metadata.declared_language, metadata.rendered) == ("en", "en", False)
        assert math.isnan(metadata.width)

    def test_of_a_rendered_page(self, seen):
        vars(seen)["language"] = "de"
        metadata = seen.metadata
        assert (metadata.language, metadata.rendered, metadata.width, metadata.height) == ("de", True, 800, 160)
        assert (metadata.browser, metadata.settings["width"]) == ("HeadlessChrome/1.2", 800)
