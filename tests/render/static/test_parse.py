from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import urljoin

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from vclean.errors import DeadlineError, LimitError, NotHtmlError, VcleanError
from vclean.features.blocks import extract_blocks
from vclean.page import Page
from vclean.render.snapshot import ATTRIBUTES, LITTLE_TEXT, STYLES, Hidden, Snapshot
from vclean.render.static.columns import VALUE_LIMIT
from vclean.render.static.parse import parse
from vclean.settings import RenderSettings

FIXTURES = sorted((Path(__file__).parents[3] / "fixtures").glob("*/page.html"))
LONG = "x" * LITTLE_TEXT
SOUP = st.lists(
    st.sampled_from(
        ["<", ">", "/", "<p>", "</p>", "<b>", "</b>", "<table>", "<tr>", "<td>", "</table>", "<ul><li>", "<br>",
         "</ul>", "<div hidden>", "</div>", "<script>", "</script>", "<style>", "<!--", "-->", "<![CDATA[", "<?x",
         "&amp;", "&#0;", "&#xD800;", "&bogus", "<pre>\n", "</pre>", "<head>", "<body>", "</body>", "</html>",
         "<frameset>", "<title>", "<noscript>", "</noscript>", "<details>", "<select><option>", "<svg><title>",
         "<math>", "<template>", "<plaintext>", "<textarea>", "<a href='//[", "' style=opacity:0>", "<base href=':'>",
         "text ", "\0", "\x0b", "\ud800", "é", "漢字", "\u202e", "\u00a0", " ", "\n"]
    ),
    max_size=40,
).map("".join)  # fmt: skip


def snap(html: str | bytes, url: str = "", **limits: float) -> Snapshot:
    return parse(Page(content=html, url=url), RenderSettings(**limits))


def tags_of(page: Snapshot) -> list[str]:
    return [page.tags[tag] for tag in page.tag]


def element(page: Snapshot, name: str = "x") -> int:
    """The element with the id `name`."""
    return next(node for node, value in page.attributes("id").items() if value == name)


def hidden_of(html: str, name: str = "x") -> Hidden:
    page = snap(html)
    return Hidden(page.hidden[element(page, name)])


def style_of(html: str, prop: str, name: str = "x") -> str:
    page = snap(html)
    return page.styles.column(prop)[page.style[element(page, name)]]


class TestTree:
    def test_preorder_with_ends_and_depths(self) -> None:
        page = snap("<div><p>a<b>b</b></p></div><ul><li>c</ul>")
        assert tags_of(page) == ["html", "body", "div", "p", "b", "ul", "li"]
        assert page.parent.tolist() == [-1, 0, 1, 2, 3, 1, 5]
        assert page.end.tolist() == [7, 7, 5, 5, 5, 7, 7]
        assert page.depth.tolist() == [0, 1, 2, 3, 4, 2, 3]

    def test_what_stands_in_the_head_is_left_out_wherever_it_stands(self) -> None:
        page = snap("<title>T</title><meta name=a><p>x<script>1</script><style>i{}</style><template>t</template>y</p>")
        assert tags_of(page) == ["html", "body", "p"]
        assert page.texts == ["xy"]

    @pytest.mark.parametrize("tag", ["iframe", "textarea", "video", "object", "svg", "canvas", "math"])
    def test_replaced_elements_are_leaves(self, tag: str) -> None:
        page = snap(f"<p>before<{tag}>inside<b>bold</b></{tag}>after")
        assert tag in tags_of(page)
        assert "b" not in tags_of(page)
        assert page.texts == ["before", "after"]

    def test_the_head_is_left_out(self) -> None:
        assert tags_of(snap("<html><head><link rel=b><script>1</script></head><body><p>x")) == ["html", "body", "p"]

    def test_a_head_that_holds_text_is_a_block(self) -> None:
        """libxml2 leaves unknown elements there; a browser begins the body with them."""
        assert tags_of(snap("<html><head><my-box>x</my-box></head>"))[:2] == ["html", "div"]

    def test_comments_and_instructions_are_dropped(self) -> None:
        assert snap("<p>a<!-- <b>no</b> -->b<?php echo 1 ?>c").texts == ["abc"]

    def test_nothing_of_the_geometry_is_known(self) -> None:
        page = snap("<p>a")
        assert not page.rendered
        assert np.isnan(page.box).all()
        assert page.box.shape == (3, 4)
        assert page.line_box.shape == (0, 4)
        assert np.isnan([page.width, page.height]).all()

    def test_types(self) -> None:
        page = snap("<p class=a>a")
        columns = ("tag", "parent", "end", "depth", "style", "attr_node", "attr_name", "text_parent", "text_after")
        assert {getattr(page, name).dtype for name in columns} == {np.dtype(np.int32)}
        assert (page.hidden.dtype, page.box.dtype) == (np.uint8, np.float32)

    def test_the_parser_is_named(self) -> None:
        assert re.fullmatch(r"lxml [\d.]+ libxml2 [\d.]+", snap("<p>a").build)

    @pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.parent.name)
    def test_xpaths_lead_to_the_elements_in_the_document(self, path: Path) -> None:
        """An XPath of the snapshot selects one element of the untouched body, of the same tag and attributes."""
        page = snap(path.read_bytes())
        document = etree.fromstring(path.read_bytes(), etree.HTMLParser(encoding=encoding(path)))
        classes = page.attributes("class")
        paths = {page.xpath(number): number for number in range(len(page))}
        for xpath, number in paths.items():
            if xpath.startswith("/html[1]/body[1]"):
                (found,) = document.xpath(xpath)
                assert found.tag == page.tags[page.tag[number]]
                assert found.get("class") == classes.get(number)


def encoding(path: Path) -> str:
    return {"utf16": "utf-16", "windows-1250": "windows-1250"}.get(path.parent.name, "utf-8")


class TestText:
    def test_document_order_with_tails(self) -> None:
        page = snap("<p>one<b>two<i>three</i>four</b>five</p>six")
        assert page.texts == ["one", "two", "three", "four", "five", "six"]
        assert [page.tags[page.tag[i]] for i in page.text_parent] == ["p", "b", "i", "b", "p", "body"]
        assert [page.tags[page.tag[i]] for i in page.text_after] == ["p", "b", "i", "i", "i", "i"]

    def test_white_space_stays_as_it_was(self) -> None:
        assert snap("<pre>\n  a\n\n b</pre>").texts == ["\n  a\n\n b"]

    def test_entities(self) -> None:
        assert snap("<p>&lt;b&gt; &eacute; &#x4e2d; &nbsp;&bogus;").texts == ["<b> é 中 \u00a0&bogus;"]

    def test_text_without_any_tag(self) -> None:
        page = snap("just words")
        assert page.texts == ["just words"]
        assert tags_of(page)[0] == "html"

    def test_text_before_an_implied_body(self) -> None:
        page = snap("<html><head><title>T</title></head>loose<p>para")
        assert page.texts == ["loose", "para"]
        assert page.title == "T"

    def test_text_after_the_end_of_the_document(self) -> None:
        page = snap("<body><p>a</p></body></html><p>b</p></BODY ></html\n>c")
        assert page.texts == ["a", "b", "c"]
        assert np.flatnonzero(page.parent == -1).tolist() == [0]

    def test_nothing_is_read_twice_or_lost(self) -> None:
        """The texts are those of the document, in its order."""
        html = "<div>a<p>b<a>c</a>d</p>e<table><tr><td>f</td></tr></table>g</div>h"
        assert "".join(snap(html).texts) == "".join(etree.fromstring(html, etree.HTMLParser()).itertext())


class TestFacts:
    def test_title_and_language(self) -> None:
        page = snap("<html lang=EN-gb><title> A \n title&amp;  </title><p>x")
        assert (page.title, page.language) == ("A title&", "en-gb")

    def test_none_given(self) -> None:
        page = snap("<p>x")
        assert (page.title, page.language, page.url) == ("", "", "")

    def test_the_url_is_the_page_s_own(self) -> None:
        assert snap("<base href='https://example.com/'><p>x", "https://example.org/a").url == "https://example.org/a"

    def test_time_is_measured(self) -> None:
        assert snap("<p>x").timings["parse"] > 0


class TestAttributes:
    def test_those_of_the_list_are_kept(self) -> None:
        page = snap("<p id=x class='a b' onclick=f() data-target='#t' HIDDEN>t")
        names = [ATTRIBUTES[name] for name in page.attr_name]
        assert dict(zip(names, page.attr_value, strict=True)) == {
            "id": "x", "class": "a b", "data-target": "#t", "hidden": "",
        }  # fmt: skip
        assert page.attr_node.tolist() == [2, 2, 2, 2]

    @pytest.mark.parametrize(
        ("link", "absolute"),
        [
            ("b.html", "https://example.org/dir/b.html"),
            ("/b", "https://example.org/b"),
            ("//example.com/b", "https://example.com/b"),
            ("?q=1", "https://example.org/dir/page?q=1"),
            ("#top", "https://example.org/dir/page#top"),
            (" b ", "https://example.org/dir/b"),
            ("mailto:a@example.org", "mailto:a@example.org"),
            ("https://example.com/", "https://example.com/"),
            ("//[broken", "//[broken"),
        ],
    )
    def test_links_are_absolute(self, link: str, absolute: str) -> None:
        page = snap(f"<a id=x href='{link}'>a</a>", "https://example.org/dir/page")
        assert page.attributes("href") == {2: absolute}

    @given(
        st.text("/a.?=&-%é; ~+", max_size=8), st.sampled_from(["http://ex.org/x?z", "https://a-b.c:80", "ftp://f.d/"])
    )
    def test_short_ways_to_an_address_lead_to_the_same_one(self, rest: str, base: str) -> None:
        """As `urljoin` gives it, which is not asked for plain links from the root."""
        link = "/" + rest
        assert snap(f"<a id=x href='{link}'>a</a>", base).attributes("href") == {2: urljoin(base, link.strip())}

    def test_src_and_cite_too(self) -> None:
        page = snap("<blockquote cite=c><img src=i.png></blockquote>", "https://example.org/")
        assert page.attributes("cite") == {2: "https://example.org/c"}
        assert page.attributes("src") == {3: "https://example.org/i.png"}

    def test_a_base_is_followed(self) -> None:
        html = "<base target=_top><base href='sub/'><base href='no/'><a href=b>b</a>"
        assert snap(html, "https://example.org/").attributes("href") == {2: "https://example.org/sub/b"}

    def test_without_an_address_links_stay_as_they_are(self) -> None:
        assert snap("<a href=b>b</a>").attributes("href") == {2: "b"}

    def test_endless_values_are_cut(self) -> None:
        page = snap(f"<img src='data:image/png;base64,{'A' * 9000}'>")
        assert len(page.attributes("src")[2]) == VALUE_LIMIT


class TestHidden:
    @pytest.mark.parametrize(
        ("attributes", "expected"),
        [
            ("", Hidden.NO),
            ("hidden", Hidden.DISPLAY),
            ("hidden=until-found", Hidden.DISPLAY),
            ("style='display:none'", Hidden.DISPLAY),
            ("style='color: red; DISPLAY : None !important'", Hidden.DISPLAY),
            ("style='display: block'", Hidden.NO),
            ("style='visibility: hidden'", Hidden.VISIBILITY),
            ("style='visibility:collapse'", Hidden.VISIBILITY),
            ("style='visibility: visible'", Hidden.NO),
            ("style='opacity: 0'", Hidden.OPACITY),
            ("style='opacity:0.0;color:red'", Hidden.OPACITY),
            ("style='opacity:.0 !important'", Hidden.OPACITY),
            ("style='opacity: 0.5'", Hidden.NO),
            ("style='fill-opacity: 0'", Hidden.NO),
            ("aria-hidden=true", Hidden.NO),
        ],
    )
    def test_by_attribute_and_inline_style(self, attributes: str, expected: Hidden) -> None:
        assert hidden_of(f"<p id=x {attributes}>t") == expected

    @pytest.mark.parametrize("how", ["hidden", "style=display:none", "style=visibility:hidden", "style=opacity:0"])
    def test_what_is_inside_is_hidden_too(self, how: str) -> None:
        assert hidden_of(f"<div {how}><p><b id=x>t</b></div>") == hidden_of(f"<div id=x {how}>t</div>") != Hidden.NO

    def test_what_follows_is_not(self) -> None:
        assert hidden_of("<div hidden>a</div><p id=x>b") == Hidden.NO

    def test_details(self) -> None:
        """A closed one shows its summary, an open one all."""
        html = "<details {}>loose<summary id=s>s<b id=b>b</b></summary><p id=x>t</p></details><p id=after>u"
        closed = {name: hidden_of(html.format(""), name) for name in ("s", "b", "x", "after")}
        assert closed == {"s": Hidden.NO, "b": Hidden.NO, "x": Hidden.DISPLAY, "after": Hidden.NO}
        assert hidden_of(html.format("open"), "x") == Hidden.NO

    def test_an_open_details_in_a_closed_one(self) -> None:
        assert hidden_of("<details><details open><p id=x>t</p></details></details>") == Hidden.DISPLAY

    def test_an_open_details_with_a_style(self) -> None:
        assert hidden_of("<details style='color:red' open><p id=x>t</p></details>") == Hidden.NO
        assert hidden_of("<details open style='color:red'><p id=x>t</p></details>") == Hidden.NO

    def test_dialog(self) -> None:
        assert hidden_of("<dialog id=x>t</dialog>") == Hidden.DISPLAY
        assert hidden_of("<dialog id=x class=a>t</dialog>") == Hidden.DISPLAY
        assert hidden_of("<dialog id=x open>t</dialog>") == Hidden.NO

    @pytest.mark.parametrize("tag", ["datalist", "rp", "noembed"])
    def test_tags_without_display(self, tag: str) -> None:
        assert hidden_of(f"<p>a<{tag} id=x>t</{tag}>") == Hidden.DISPLAY


class TestStyles:
    @pytest.mark.parametrize(
        ("html", "display"),
        [
            ("<p id=x>", "block"),
            ("<b id=x>", "inline"),
            ("<ul><li id=x>", "list-item"),
            ("<p id=x hidden>", "none"),
            ("<p id=x style='display: Flex'>", "flex"),
            ("<b id=x style='color:red;display:inline-block'>", "inline-block"),
            ("<details id=x>", "block"),
            ("<details id=x open>", "block"),
        ],
    )
    def test_display(self, html: str, display: str) -> None:
        assert style_of(html, "display") == display

    @pytest.mark.parametrize(
        ("html", "prop", "value"),
        [
            ("<p id=x>", "font-weight", "400"),
            ("<h1>a<i id=x>", "font-weight", "700"),
            ("<h1>a<i id=x>", "font-style", "italic"),
            ("<pre>a<i id=x>", "white-space", "pre"),
            ("<p id=x>", "white-space", "normal"),
            ("<div style=visibility:hidden><p id=x>", "visibility", "hidden"),
            ("<p id=x>", "visibility", "visible"),
            ("<p id=x>", "color", ""),
        ],
    )
    def test_inheritance(self, html: str, prop: str, value: str) -> None:
        assert style_of(html, prop) == value

    def test_equal_styles_are_one_row(self) -> None:
        page = snap("<p>a</p>" * 50)
        assert len(page.styles.rows) == 1
        assert page.styles.names == STYLES
        assert len(set(snap("<p>a<b>b<i>c</i></b><p hidden>d").styles.rows)) == 4


class TestNoscript:
    def test_used_where_the_page_has_little_text_without_it(self) -> None:
        page = snap("<p>Loading<noscript><p>The whole story is told here.</noscript>")
        assert page.noscript
        assert "The whole story is told here." in page.texts

    def test_left_out_where_the_page_has_text(self) -> None:
        page = snap(f"<p>{LONG}<noscript>{LONG}{LONG}</noscript>tail")
        assert not page.noscript
        assert page.texts == [LONG + "tail"]

    def test_white_space_does_not_count(self) -> None:
        assert snap(f"<p>{'ab ' * 20}<noscript>{' ' * 1000}x</noscript>").noscript is False

    def test_nested_ones_count_once(self) -> None:
        """Else 30 characters in two would count as 60."""
        page = snap(f"<p>{'a' * 40}</p><noscript><div><noscript>{'b' * 30}</noscript></div></noscript>")
        assert not page.noscript

    def test_a_page_without_any(self) -> None:
        assert not snap("<p>Loading").noscript


class TestLimits:
    def test_nodes(self) -> None:
        assert len(snap("<p>a" * 8, max_nodes=10)) == 10
        with pytest.raises(LimitError, match="more than 10 elements: raise --max-nodes"):
            snap("<p>a" * 9, max_nodes=10)

    def test_bytes(self) -> None:
        with pytest.raises(LimitError, match="over the cap of 10"):
            snap(b"<p>hello world", max_bytes=10)

    @pytest.mark.parametrize("nest", ["<div>", "<table><tr><td>", "<b><i><u>", "<ul><li>"])
    def test_bottomless_nesting(self, nest: str) -> None:
        assert len(snap(nest * 300 + "x")) > 300
        with pytest.raises(LimitError, match="nested deeper than the parser's 2,048 levels"):
            snap(nest * 5000 + "x")

    def test_deadline(self) -> None:
        """A tag with so many attributes keeps libxml2 busy: its time grows with the square."""
        html = "<p " + " ".join(f"a{number}" for number in range(15_000)) + ">x"
        with pytest.raises(DeadlineError, match="longer than 0"):
            snap(html, deadline=0.01)

    @pytest.mark.parametrize("html", [b"", b" \n\t", b"<!-- x -->", b"<!doctype html>", b"<?xml version='1.0'?>"])
    def test_no_html(self, html: bytes) -> None:
        with pytest.raises(NotHtmlError):
            snap(html)


class TestHostile:
    def test_entities_are_not_expanded(self) -> None:
        bomb = '<!DOCTYPE html [<!ENTITY a "ten chars!"><!ENTITY b "&a;&a;&a;">]><p>&b;&b;'
        assert "ten chars!ten chars!" not in "".join(snap(bomb).texts)

    def test_files_are_not_read(self, tmp_path: Path) -> None:
        secret = tmp_path / "secret.txt"
        secret.write_text("the secret")
        page = snap(f'<!DOCTYPE html [<!ENTITY x SYSTEM "{secret.as_uri()}">]><p>&x;')
        assert "the secret" not in "".join(page.texts)

    def test_plaintext(self) -> None:
        assert extract_blocks(snap("<p>a</p><plaintext><b>x</b>")).text == ["a", "<b>x</b>"]

    @pytest.mark.parametrize("opened", ["<script>", "<style>", "<textarea>", "<!--", "<title>", "<select>"])
    def test_what_is_never_closed(self, opened: str) -> None:
        assert extract_blocks(snap(f"<body><p>a</p>{opened}<b class='rest'>rest")).text[0] == "a"

    def test_characters_that_no_document_may_hold(self) -> None:
        (text,) = extract_blocks(snap("<p>a\0b\ud800c&#0;d&#x110000;e")).text
        assert re.sub("[^a-e]", "", text) == "abcde"
        assert text.isprintable()

    def test_large_pages(self) -> None:
        """Long, wide, and both: no more than a second or two."""
        assert len(extract_blocks(snap("<p>" + "word " * 500_000))) == 1
        assert len(extract_blocks(snap("<p>word" * 20_000))) == 20_000
        assert len(extract_blocks(snap("<p>" + "word<br>" * 20_000))) == 1

    @settings(max_examples=150, deadline=None)
    @given(SOUP)
    def test_soup(self, html: str) -> None:
        """Whatever stands in the input, a page or one of our errors comes out, and its columns fit together."""
        try:
            page = snap(html)
        except VcleanError:
            return
        blocks = extract_blocks(page)
        assert all(text.strip() for text in blocks.text)
        assert len(page.texts) == len(page.text_parent) == len(page.text_after) == len(blocks.text_block)
        assert (page.text_parent <= page.text_after).all()
        assert (np.diff(page.text_after) >= 0).all()
        assert (page.parent < np.arange(len(page))).all()

    @settings(max_examples=50, deadline=None)
    @given(st.binary(max_size=200))
    def test_bytes(self, content: bytes) -> None:
        try:
            extract_blocks(snap(content))
        except VcleanError as error:
            assert "\n" not in str(error)  # noqa: PT017 - that there need be no error is the point
