from __future__ import annotations

import time
from dataclasses import replace

import pytest

from vclean.features.blocks import extract_blocks
from vclean.output.source_positions import SourcePosition, find_positions
from vclean.page import Page
from vclean.render.static.parse import parse
from vclean.render.storage import cache

CAP = 2**20


def places(source, url=""):
    """The places of a page's blocks by their texts."""
    page = Page(content=source, url=url)
    blocks = extract_blocks(parse(page))
    found = find_positions(page, blocks, CAP)
    assert len(found) == len(blocks)
    return dict(zip(blocks.text, found, strict=True))


class TestFindPlaces:
    def test_line_and_column_from_one(self) -> None:
        found = places("<h1>Title</h1>\n<div>\n  <p>First.\n  <p>   Second.\n</div>")
        assert found == {"Title": SourcePosition(1, 5), "First.": SourcePosition(3, 6), "Second.": SourcePosition(4, 9)}

    @pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
    def test_line_ends_of_all_systems(self, end: str) -> None:
        assert places(f"<p>a{end}{end}<p>b")["b"] == SourcePosition(3, 4)

    def test_columns_count_characters_not_bytes(self) -> None:
        assert places("<meta charset=utf-8><p>ščř</p><p>b".encode())["b"] == SourcePosition(1, 34)

    @pytest.mark.parametrize("codec", ["utf-16", "utf-8-sig", "windows-1251"])
    def test_bytes_are_decoded_as_the_page_was(self, codec: str) -> None:
        page = Page(content="<p>Привет</p>\n<p>Как дела?".encode(codec), charset="" if "utf" in codec else codec)
        blocks = extract_blocks(parse(page))
        assert find_positions(page, blocks, CAP)[1] == SourcePosition(2, 4)

    def test_equal_texts_each_have_their_own(self) -> None:
        source = "<nav><a>Home</a></nav>\n<p>Long text between.\n<nav><a>Home</a></nav>"
        page = Page(content=source)
        found = find_positions(page, extract_blocks(parse(page)), CAP)
        assert [place and place.line for place in found] == [1, 2, 3]

    def test_entities_and_white_space(self) -> None:
        assert places("<p>\n\n &nbsp;Fish &amp; chips &copy; 2020")["Fish & chips © 2020"] == SourcePosition(3, 2)

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
    def test_what_only_looks_like_the_text_is_passed_over(self, before: str) -> None:
        assert places(f"<body>{before}\n<p>Text</p>")["Text"] == SourcePosition(2, 4)

    def test_a_comment_does_not_end_a_text(self) -> None:
        assert None not in places("<p>© <!-- -->The Company<!-- -->. All rights reserved.").values()

    def test_a_block_of_several_texts_begins_with_the_first(self) -> None:
        assert places("<p>\n<b>One</b> two <i>three</i>")["One two three"] == SourcePosition(2, 4)

    def test_what_the_parser_moves_or_adds_does_not_matter(self) -> None:
        """A table without a body, an unclosed list, text behind the page's end."""
        found = places("<table><tr><td>cell</table><ul><li>one<li>two</ul></body></html>\n<p>late")
        assert {text: place and place.line for text, place in found.items()} == {
            "cell": 1,
            "one": 1,
            "two": 1,
            "late": 2,
        }

    def test_a_text_that_is_not_in_the_source_has_no_place(self) -> None:
        """What a script wrote."""
        page = Page(content="<p>In the source.<script>write()</script>")
        shown = parse(Page(content="<p>In the source.<div class=new><p>Written by a script.</p></div>"))
        assert find_positions(page, extract_blocks(shown), CAP) == [SourcePosition(1, 4), None]

    def test_a_text_that_a_script_moved(self) -> None:
        """It is found where it came from, if there is no other like it."""
        page = Page(content="<h1>The weather</h1>\n<h2>News</h2>\n<p>It rained.\n<p>It snowed.")
        shown = parse(Page(content="<p>It rained.<p>It snowed.<h1>The weather</h1><h2>News</h2>"))
        found = find_positions(page, extract_blocks(shown), CAP)
        assert [place and place.line for place in found] == [3, 4, 1, None]  # the last is too short to tell

    def test_a_text_that_a_script_wrote_twice(self) -> None:
        page = Page(content="<h1>The weather</h1>\n<p>It rained.<p>It rained again.")
        shown = parse(Page(content="<p>It rained.<p>It rained again.<h1>The weather</h1><h1>The weather</h1>"))
        assert [place and place.line for place in find_positions(page, extract_blocks(shown), CAP)] == [
            2,
            2,
            None,
            None,
        ]

    def test_no_place_without_a_source(self) -> None:
        snapshot = parse(Page(content="<p>Text"))
        blocks = extract_blocks(snapshot)
        assert find_positions(Page(url="https://example.org/", live=True), blocks, CAP) == [None]
        stored = Page(content=b"<p>Text", snapshot=cache.to_bytes(snapshot))
        assert find_positions(stored, blocks, CAP) == [None]

    def test_an_empty_page(self) -> None:
        assert places("<p>") == {}

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
        page = Page(content="<p>x")
        start = time.process_time()
        find_positions(replace(page, content=source), extract_blocks(parse(page)), CAP)
        assert time.process_time() - start < 2
