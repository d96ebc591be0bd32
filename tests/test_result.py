from __future__ import annotations

import io
import json
from xml.etree import ElementTree

import pytest
from helpers import laid_out, result, snapshot
from PIL import Image

from vclean.errors import UsageError
from vclean.formats import FORMATS
from vclean.labels import Label

ARTICLE = "<html lang=en><title>News</title><body><nav>Home</nav><h1>Rain</h1><p>It rained.<p>Again.<ul><li>a<li>b</ul>"


@pytest.fixture
def article():
    return result(snapshot(ARTICLE), "ohpcll", confidence=0.87654, version={"vclean": "1.0"}, id="a.html")


@pytest.fixture
def seen():
    return result(laid_out(ARTICLE), "ohpcll")


class TestFormats:
    def test_cleaneval(self, article):
        assert article.cleaneval == "<h>Rain\n<p>It rained. Again.\n<l>a\n<l>b\n"

    def test_text(self, article):
        assert article.text == "Rain\n\nIt rained. Again.\n\na\nb\n"

    def test_markdown(self, article):
        assert article.markdown == "# Rain\n\nIt rained. Again.\n\n- a\n- b\n"

    def test_html(self, article):
        assert "<h1>Rain</h1>\n<p>It rained. Again.</p>\n<ul><li>a</li>\n<li>b</li>\n</ul>" in article.html

    def test_json_is_one_line_and_what_the_dictionary_holds(self, article):
        assert article.json.count("\n") == 1
        assert json.loads(article.json) == article.to_dict()

    @pytest.mark.parametrize("name", FORMATS)
    def test_rendered_or_not_the_words_are_the_same(self, article, seen, name):
        if name != "json":
            assert article.write(name) == seen.write(name)
        else:
            assert [b["text"] for b in article.to_dict()["blocks"]] == [b["text"] for b in seen.to_dict()["blocks"]]

    @pytest.mark.parametrize("name", ["cleaneval", "text", "markdown"])
    def test_nothing_kept_gives_nothing(self, name):
        assert result(snapshot("<p>Menu"), "o").write(name) == ""


class TestRepr:
    def test_is_one_line_of_facts(self, article):
        found = repr(result(article.blocks.snapshot, "ohpcll", id="a.html", language="en", confidence=0.876))
        assert found == "<Result 'a.html': 5 of 6 blocks, language=en, confidence=0.88>"

    def test_what_is_not_known(self, seen):
        assert repr(seen) == "<Result '': 5 of 6 blocks, language=unknown, confidence=nan>"


class TestWrite:
    @pytest.mark.parametrize("name", FORMATS)
    def test_every_format(self, article, name):
        assert article.write(name) == getattr(article, name)

    @pytest.mark.parametrize("name", ["pdf", "labels", "overlay", ""])
    def test_unknown_format(self, article, name):
        with pytest.raises(UsageError, match="choose one of cleaneval, text, markdown, html, json"):
            article.write(name)


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
        assert "hidden, not drawn: 1" in drawn

    def test_page_without_boxes(self, article, picture):
        with pytest.raises(UsageError, match="add --render"):
            article.overlay(picture, "png")


def test_labels_are_those_of_the_blocks(article):
    assert len(article.labels) == len(article.blocks)
    assert article.labels[1] is Label.HEADING
