from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from vclean.features.blocks import extract_blocks
from vclean.input.sources import read_file
from vclean.output.source_positions import SourcePosition, find_positions
from vclean.page import Page
from vclean.render import cache
from vclean.render.static.parse import parse

if TYPE_CHECKING:
    from vclean.render.browser.renderer import Renderer

MAX_BYTES = 2**24


def block_positions(page, snapshot=None):
    """Return texts and positions of the blocks of a page, or of its source; the snapshot is that after its scripts."""
    page = page if isinstance(page, Page) else Page(content=page)
    blocks = extract_blocks(snapshot or parse(page))
    return list(zip(blocks.text, find_positions(page, blocks, MAX_BYTES), strict=True))


def block_lines(page, snapshot=None):
    return [position and position.line for _, position in block_positions(page, snapshot)]


class TestFindPositions:
    @pytest.mark.parametrize(
        ("source", "text", "line", "column"),
        [
            ("<h1>Title</h1>\n<div>\n  <p>First.\n  <p>   Second.\n</div>", "Title", 1, 5),
            ("<h1>Title</h1>\n<div>\n  <p>First.\n  <p>   Second.\n</div>", "Second.", 4, 9),
            ("<p>a\n\n<p>b", "b", 3, 4),
            ("<p>a\r\n\r\n<p>b", "b", 3, 4),
            ("<p>a\r\r<p>b", "b", 3, 4),
            ("<meta charset=utf-8><p>ščř</p><p>b".encode(), "b", 1, 34),  # characters, not bytes
            ("<p>\n\n &nbsp;Fish &amp; chips &copy; 2020", "Fish & chips © 2020", 3, 2),
            ("<p>\n<b>One</b> two <i>three</i>", "One two three", 2, 4),
        ],
    )
    def test_line_and_column_from_one(self, source: str | bytes, text: str, line: int, column: int) -> None:
        assert (text, SourcePosition(line, column)) in block_positions(source)

    @pytest.mark.parametrize("codec", ["utf-16", "utf-8-sig", "windows-1251"])
    def test_bytes_are_decoded_as_the_page_was(self, codec: str) -> None:
        source = "<p>Привет</p>\n<p>Как дела?".encode(codec)
        positions = block_positions(Page(content=source, charset="" if "utf" in codec else codec))
        assert positions[1] == ("Как дела?", SourcePosition(2, 4))

    @pytest.mark.parametrize(
        "broken", ["<title/>", "<noscript><iframe/><p></noscript>", "<!-- x ->", "<style />.</style>"]
    )
    def test_repairs_do_not_move_positions(self, broken: str) -> None:
        positions = block_positions(f"{broken}<p>One.{broken if broken[1] != '!' else ''}<p>Two.\n<p>Three.")
        assert ("One.", SourcePosition(1, len(broken) + 4)) in positions
        assert positions[-1] == ("Three.", SourcePosition(2, 4))

    @pytest.mark.parametrize(
        "before",
        [
            "<!-- <p>Text -->",
            "<script>var a = '<p>Text</p>'</script>",
            "<style>p::after { content: '<p>Text' }</style>",
            "<textarea><p>Text</textarea>",
            "<p title='<p>Text'></p>",
            '<p title="a > b <p>Text"></p>',
            "<template><p>Text</template>",
            "<?php <p ?>",
            "<p data-x=Text></p>",
            "<head><title>Text</title></head>",
        ],
    )
    def test_skips_same_text_in_other_constructs(self, before: str) -> None:
        assert block_positions(f"<body>{before}\n<p>Text</p>")[-1] == ("Text", SourcePosition(2, 4))

    @pytest.mark.parametrize(
        ("source", "shown", "lines"),
        [
            ("<p>", None, []),
            ("<p>© <!-- -->The Company<!-- -->. All rights reserved.", None, [1]),
            ("<nav><a>Home</a></nav>\n<p>Long text between.\n<nav><a>Home</a></nav>", None, [1, 2, 3]),
            # Elements that the parser moves or adds: a table without a body, an unclosed list, text after the page.
            ("<table><tr><td>cell</table><ul><li>one<li>two</ul></body></html>\n<p>late", None, [1, 1, 1, 2]),
            ("<p>In the source.<script>write()</script>", "<p>In the source.<div><p>By a script.</p></div>", [1, None]),
            # Moved: the position is that in the source, if the text is unique and long enough.
            (
                "<h1>The weather</h1>\n<h2>News</h2>\n<p>It rained.\n<p>It snowed.",
                "<p>It rained.<p>It snowed.<h1>The weather</h1><h2>News</h2>",
                [3, 4, 1, None],
            ),
            (
                "<h1>The weather</h1>\n<p>It rained.<p>It rained again.",
                "<p>It rained.<p>It rained again.<h1>The weather</h1><h1>The weather</h1>",
                [2, 2, None, None],
            ),
        ],
        ids=["empty", "comments in a text", "equal texts", "repaired", "written", "moved", "written twice"],
    )
    def test_lines_with_and_without_scripts(self, source: str, shown: str | None, lines: list[int | None]) -> None:
        assert block_lines(source, shown and parse(Page(content=shown))) == lines

    def test_no_position_without_source(self) -> None:
        snapshot = parse(Page(content="<p>Text"))
        stored = Page(content=b"<p>Text", snapshot=cache.to_bytes(snapshot))
        for page in (Page(url="https://example.org/", live=True), stored):
            assert block_lines(page, snapshot) == [None]

    @pytest.mark.parametrize(
        "source",
        [
            "<p>x" + "<a " * 20_000,
            "<p>x" + "<!--" * 20_000,
            "<p>x" + '<a b="' * 20_001,
            "<p>x" + "<a b='" * 20_001,
            "<p>x" + "<script>" * 20_000,
            "<p>x" + "<" * 100_000,
            "<p>x" + "<p " + "class=" * 20_000,
            "<p>x" + "</" * 50_000,
        ],
        ids=lambda source: source[4:12],
    )
    def test_hostile_sources_take_no_longer_than_others(self, source: str) -> None:
        start = time.process_time()
        block_positions(source, parse(Page(content="<p>x")))
        assert time.process_time() - start < 2


pytestmark = pytest.mark.browser

FIXTURES = Path(__file__).parents[3] / "fixtures"
SCRIPTED = """<!DOCTYPE html><title>Rain</title>
<h1>Rain in the valley</h1>
<div id=app></div>
<p>It rained for a week.</p>
<script>
  document.getElementById('app').innerHTML = '<p>Written by a script.</p><p>Twice.</p>'
  document.body.append(document.querySelector('h1'))
</script>
<noscript><p>Never shown.</p></noscript>
<table><tr><td>One cell<td>Another</table>"""


def test_with_scripts(scripting: Renderer) -> None:
    """Find the position of text that a script moved before the table, and none of the two texts that it wrote."""
    page = Page(content=SCRIPTED, url="http://example.org/")
    assert block_lines(page, scripting.render(page).snapshot) == [None, None, 4, 2, 10, 10]


@pytest.mark.parametrize("name", ["news", "forum", "japanese", "utf16", "noscript"])
def test_every_block_of_a_page_without_scripts(renderer: Renderer, name: str) -> None:
    page = read_file(FIXTURES / name / "page.html", MAX_BYTES)
    lines = block_lines(page, renderer.render(page).snapshot)
    assert lines
    assert None not in lines
