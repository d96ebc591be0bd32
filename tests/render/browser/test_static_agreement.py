"""Test that the static parser and the browser have the same blocks for pages without relevant style sheets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from vclean.features.blocks import BlockColumns, extract_blocks
from vclean.labels import Visibility
from vclean.page import Page
from vclean.render.browser.renderer import Renderer
from vclean.render.decode import decode
from vclean.render.static.parse import parse
from vclean.settings import RenderSettings

pytestmark = pytest.mark.browser

FIXTURES = sorted((Path(__file__).parents[3] / "fixtures").glob("*/page.html"))
SHEET = re.compile(r"<style.*?</style>|<link [^>]*stylesheet[^>]*>", re.DOTALL)

BY_STYLE_SHEET = {
    "accordion": {"Skip to content Parish Minutes Village hall": ["Skip to content", "Parish Minutes Village hall"]},
    "forum": {
        "rye_not Apprentice Posts: 12 Joined: Mar 2026": ["rye_not", "Apprentice Posts: 12 Joined: Mar 2026"],
        "rye_not Apprentice Posts: 13 Joined: Mar 2026": ["rye_not", "Apprentice Posts: 13 Joined: Mar 2026"],
        "Marguerite Master baker Posts: 4,310 Joined: Jan 2011": [
            "Marguerite", "Master baker Posts: 4,310 Joined: Jan 2011",
        ],
    },
}  # fmt: skip
"""Blocks that a style sheet splits: it makes an inline element a block, or removes it from the flow."""


@pytest.fixture(scope="module")
def renderer() -> Iterator[Renderer]:
    with Renderer(RenderSettings(scripts="off")) as shared:  # the parser runs none
        yield shared


def parsed_and_rendered(renderer: Renderer, content: bytes | str) -> tuple[BlockColumns, BlockColumns]:
    """Return the blocks of a page from the parser, and from the browser."""
    page = Page(content=content, url="https://example.org/")
    return extract_blocks(parse(page)), extract_blocks(renderer.render(page).snapshot)


def xpaths(blocks: BlockColumns) -> list[str]:
    """Return the XPaths of the blocks; libxml2 does not insert the `<tbody>` that HTML requires."""
    return [blocks.snapshot.xpath(node).replace("/tbody[1]", "") for node in blocks.node.tolist()]


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.parent.name)
class TestFixtures:
    def test_have_the_same_texts_and_metadata(self, renderer: Renderer, path: Path) -> None:
        parsed, rendered = parsed_and_rendered(renderer, path.read_bytes())
        splits = BY_STYLE_SHEET.get(path.parent.name, {})
        assert [part for text in parsed.text for part in splits.get(text, [text])] == rendered.text
        for name in ("title", "language", "noscript", "url"):
            assert getattr(parsed.snapshot, name) == getattr(rendered.snapshot, name)
        assert (parsed.snapshot.rendered, rendered.snapshot.rendered) == (False, True)

    def test_have_the_same_visibility_and_xpaths_without_style_sheets(self, renderer: Renderer, path: Path) -> None:
        parsed, rendered = parsed_and_rendered(renderer, SHEET.sub("", decode(path.read_bytes())))
        assert parsed.text == rendered.text
        assert parsed.visibility.tolist() == rendered.visibility.tolist()
        assert xpaths(parsed) == xpaths(rendered)


class TestFragments:
    @pytest.mark.parametrize(
        "html",
        [
            "one<br>two<br><br>three",
            "<b>Price</b><i>$10</i> <u>each</u>now",
            "<p>a<span>b</span>c<p>d<div>e</div>f",
            "<table><tr><td>a<td>b<tr><th>c</table>after",
            "<table><caption>x</caption><thead><tr><th>a</thead><tbody><tr><td>b</table>",
            "<ul><li>a<ul><li>b</ul>c<li>d</ul>",
            "<dl><dt>a<dd>b<dd>c</dl>",
            "<select><option>One<option>Two</select>",
            "<button>Go</button><label>Name <input value=x></label>",
            "<textarea>edit</textarea>a<iframe>frame</iframe>b<svg><text>t</text></svg>c",
            "<fieldset><legend>a</legend>b</fieldset>",
            "<pre>one\n  two\n\nthree</pre>",
            "a<hr>b<!-- c -->d",
            "<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>",
            "<h1>a<small>b</small></h1><figure><img alt=x><figcaption>c</figcaption></figure>",
            "<video>no video</video>a<object>no object</object>b<canvas>no canvas</canvas>c",
            "<title>late</title>a<style>p{}</style>b<script>1</script>c<template>d</template>e",
            "&lt;p&gt; &nbsp;&amp;&#8212;&eacute;&hellip;",
            "<p>a</p></body></html><p>late</p>",
            "<center>a</center><font>b</font><nobr>c</nobr><marquee>d</marquee>",
        ],
    )
    def test_have_the_same_texts(self, renderer: Renderer, html: str) -> None:
        parsed, rendered = parsed_and_rendered(renderer, f"<body>{html}")
        assert parsed.text == rendered.text
        assert parsed.text

    @pytest.mark.parametrize(
        ("html", "visibility"),
        [
            ("<p hidden>x", Visibility.HIDDEN),
            ("<p style='display: none'>x", Visibility.HIDDEN),
            ("<p style='visibility: hidden'>x", Visibility.HIDDEN),
            ("<p style='opacity: 0'>x", Visibility.HIDDEN),
            ("<p style='opacity: 0.01'>x", Visibility.HIDDEN),
            ("<p style='opacity: 0.5'>x", Visibility.SHOWN),
            ("<details><p>x</p></details>", Visibility.REVEALABLE),
            ("<details><summary>x</summary></details>", Visibility.SHOWN),
            ("<details open><p>x</p></details>", Visibility.SHOWN),
            ("<dialog>x</dialog>", Visibility.HIDDEN),
            ("<dialog open>x</dialog>", Visibility.SHOWN),
            ("<div class=tab-pane hidden><p>x</div>", Visibility.HIDDEN),
            ("<div style='display:none'><p style='display:block'>x</p></div>", Visibility.HIDDEN),
            ("<datalist><option>x</datalist>", Visibility.HIDDEN),
        ],
    )
    def test_have_the_same_visibility(self, renderer: Renderer, html: str, visibility: Visibility) -> None:
        parsed, rendered = parsed_and_rendered(renderer, f"<body>{html}")
        assert parsed.text == rendered.text == ["x"]
        assert parsed.visibility.tolist() == rendered.visibility.tolist() == [visibility]


HEAD = """<html lang=en><head><title>Rain</title><link rel="canonical" href="https://example.org/a/rain">
<meta property="og:title" content="Rain"><meta name=author content="Ann Lee"><meta name=keywords content="">
<script type="application/ld+json">{"@type": "Article", "headline": "Rain </p>"}</script></head>"""


class TestReadHead:
    def test_is_the_same_as_parsed(self, renderer: Renderer) -> None:
        parsed, rendered = parsed_and_rendered(renderer, f"{HEAD}<p>It rained.")
        assert rendered.snapshot.head == parsed.snapshot.head

    def test_gives_a_page_without_url_its_canonical_one(self, renderer: Renderer) -> None:
        snapshot = renderer.render(Page(content=f"{HEAD}<a href=sun>Sun</a>")).snapshot
        assert snapshot.url == "https://example.org/a/rain"
        assert list(snapshot.attributes("href").values()) == ["https://example.org/a/sun"]
