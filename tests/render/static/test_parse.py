from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from urllib.parse import urljoin

import numpy as np
import pytest
from helpers.formulas import DISPLAY, DRAWN, TEX
from hypothesis import given, settings
from hypothesis import strategies as st

from vclean.errors import DeadlineError, LimitError, NotHtmlError, VcleanError
from vclean.features.blocks import extract_blocks
from vclean.page import Page
from vclean.render.snapshot import LITTLE_TEXT, STYLES, Hidden, Snapshot
from vclean.render.static.parse import parse
from vclean.settings import RenderSettings

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


def parse_html(html: str | bytes, url: str = "", **limits: float) -> Snapshot:
    return parse(Page(content=html, url=url), RenderSettings(**limits))


def element(page: Snapshot, name: str = "x") -> int:
    """Return the element with the id `name`."""
    return next(node for node, value in page.attributes("id").items() if value == name)


def style_of(html: str, prop: str, name: str = "x") -> str:
    page = parse_html(html)
    return page.styles.column(prop)[page.style[element(page, name)]]


class TestTree:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<table><tr><td>a<tr><td>b</table>", "0table 1tbody 2tr 3td 2tr 3td"),
            ("<table><tbody><tr><td>a</table>", "0table 1tbody 2tr 3td"),
            ("<table><thead><tr><th>a</thead><tr><td>b</table>", "0table 1thead 2tr 3th 1tbody 2tr 3td"),
            ("<table><caption>a</caption><tr><td>b</table>", "0table 1caption 1tbody 2tr 3td"),
            ("<table><tr><td><table><tr><td>b</table></table>", "0table 1tbody 2tr 3td 4table 5tbody 6tr 7td"),
            ("<table><tr><td>a</tr><script>1</script><tr><td>b</table>", "0table 1tbody 2tr 3td 2tr 3td"),
        ],
        ids=["rows", "explicit body", "after a head", "after a caption", "nested", "script between rows"],
    )
    def test_rows_get_a_body(self, html: str, expected: str) -> None:
        page = parse_html(f"<body>{html}")
        rows = zip(page.depth.tolist()[2:], page.tag.tolist()[2:], strict=True)
        assert " ".join(f"{depth - 2}{page.tags[tag]}" for depth, tag in rows) == expected

    @pytest.mark.parametrize("before", ["<meta charset=utf-8>", "<script>1</script>", "<html><p>a"])
    def test_attributes_of_a_late_html_tag(self, before: str) -> None:
        page = parse_html(f'{before}<html lang="DE" class="a > b"><body><p>b')
        assert page.attributes("class") == {0: "a > b"}
        assert page.language == "de"

    def test_head_with_parts_of_the_body_is_kept(self) -> None:
        page = parse_html("<head><noscript><p>x</noscript></head>")
        assert [page.tags[tag] for tag in page.tag.tolist()] == ["html", "div", "noscript", "p"]

    def test_has_no_geometry(self) -> None:
        page = parse_html("<p>a")
        assert not page.rendered
        assert np.isnan(page.box).all()
        assert (page.box.shape, page.line_box.shape) == ((3, 4), (0, 4))
        assert np.isnan([page.width, page.height]).all()
        assert page.timings["parse"] > 0

    @pytest.mark.parametrize(
        ("html", "text"),
        [
            ("<p>a<!-- <b>no</b> -->b<?php echo 1 ?>c", "abc"),
            ("<pre>\n  a\n\n b</pre>", "\n  a\n\n b"),
            ("<p>&lt;b&gt; &eacute; &#x4e2d; &nbsp;&bogus;", "<b> é 中 \u00a0&bogus;"),
        ],
    )
    def test_text(self, html: str, text: str) -> None:
        assert parse_html(html).texts == [text]


class TestAttributes:
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
            (" //[broken ", " //[broken "),
        ],
    )
    def test_makes_links_absolute(self, link: str, absolute: str) -> None:
        page = parse_html(f"<a id=x href='{link}'>a</a>", "https://example.org/dir/page")
        assert page.attributes("href") == {2: absolute}
        assert parse_html(f"<a id=x href='{link}'>a</a>").attributes("href") == {2: link}

    @given(
        st.text("/a.?=&-%é; ~+", max_size=8), st.sampled_from(["http://ex.org/x?z", "https://a-b.c:80", "ftp://f.d/"])
    )
    def test_resolves_root_relative_links_like_urljoin(self, rest: str, base: str) -> None:
        # Simple links skip `urljoin`, and must have the same result.
        link = "/" + rest
        assert parse_html(f"<a id=x href='{link}'>a</a>", base).attributes("href") == {2: urljoin(base, link.strip())}

    def test_uses_base_element(self) -> None:
        html = "<base target=_top><base href='sub/'><base href='no/'><a href=b>b</a>"
        assert parse_html(html, "https://example.org/").attributes("href") == {2: "https://example.org/sub/b"}


class TestHidden:
    @pytest.mark.parametrize(
        ("html", "hidden"),
        [
            ("<details><details open><p id=x>t</p></details></details>", Hidden.DISPLAY),
            ("<details style='color:red' open><p id=x>t</p></details>", Hidden.NO),
            ("<details open style='color:red'><p id=x>t</p></details>", Hidden.NO),
            ("<dialog id=x>t</dialog>", Hidden.DISPLAY),
            ("<dialog id=x class=a>t</dialog>", Hidden.DISPLAY),
            ("<dialog id=x open>t</dialog>", Hidden.NO),
        ],
    )
    def test_details_and_dialogs(self, html: str, hidden: Hidden) -> None:
        page = parse_html(html)
        assert page.hidden[element(page)] == hidden


class TestStyles:
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
    def test_inherits_values(self, html: str, prop: str, value: str) -> None:
        assert style_of(html, prop) == value

    def test_shares_rows_of_equal_styles(self) -> None:
        page = parse_html("<p>a</p>" * 50)
        assert len(page.styles.rows) == 1
        assert page.styles.names == STYLES
        assert len(set(parse_html("<p>a<b>b<i>c</i></b><p hidden>d").styles.rows)) == 4


class TestNoscript:
    def test_ignores_white_space(self) -> None:
        assert parse_html(f"<p>{'ab ' * 20}<noscript>{' ' * 1000}x</noscript>").noscript is False

    def test_menus_are_no_text(self) -> None:
        page = parse_html(f"<p>Forum</p><ul><li><a><b>{LONG}</b></a></ul><noscript>{LONG}{LONG}<a>x</a></noscript>")
        assert page.noscript


class TestLimits:
    def test_rejects_too_many_nodes(self) -> None:
        assert len(parse_html("<p>a" * 8, max_nodes=10)) == 10
        with pytest.raises(LimitError, match="more than 10 elements: raise --max-nodes"):
            parse_html("<p>a" * 9, max_nodes=10)

    def test_rejects_too_many_bytes(self) -> None:
        with pytest.raises(LimitError, match="over the limit of 10"):
            parse_html(b"<p>hello world", max_bytes=10)

    @pytest.mark.parametrize("nest", ["<div>", "<table><tr><td>", "<b><i><u>", "<ul><li>"])
    def test_rejects_deep_nesting(self, nest: str) -> None:
        assert len(parse_html(nest * 300 + "x")) > 300
        with pytest.raises(LimitError, match="nested deeper than the parser's 2,048 levels"):
            parse_html(nest * 5000 + "x")

    def test_stops_at_deadline(self) -> None:
        # The time of libxml2 grows with the square of the number of attributes of a tag.
        html = "<p " + " ".join(f"a{number}" for number in range(15_000)) + ">x"
        with pytest.raises(DeadlineError, match="longer than 0"):
            parse_html(html, deadline=0.01)

    @pytest.mark.parametrize("html", [b"", b" \n\t", b"<!-- x -->", b"<!doctype html>", b"<?xml version='1.0'?>"])
    def test_rejects_content_without_html(self, html: bytes) -> None:
        with pytest.raises(NotHtmlError):
            parse_html(html)


class TestHostile:
    def test_does_not_expand_entities(self) -> None:
        bomb = '<!DOCTYPE html [<!ENTITY a "ten chars!"><!ENTITY b "&a;&a;&a;">]><p>&b;&b;'
        assert "ten chars!ten chars!" not in "".join(parse_html(bomb).texts)

    def test_does_not_read_files(self, tmp_path: Path) -> None:
        secret = tmp_path / "secret.txt"
        secret.write_text("the secret")
        page = parse_html(f'<!DOCTYPE html [<!ENTITY x SYSTEM "{secret.as_uri()}">]><p>&x;')
        assert "the secret" not in "".join(page.texts)

    def test_reads_plaintext(self) -> None:
        assert extract_blocks(parse_html("<p>a</p><plaintext><b>x</b>")).text == ["a", "<b>x</b>"]

    @pytest.mark.parametrize("opened", ["<script>", "<style>", "<textarea>", "<!--", "<title>", "<select>"])
    def test_reads_page_with_unclosed_element(self, opened: str) -> None:
        assert extract_blocks(parse_html(f"<body><p>a</p>{opened}<b class='rest'>rest")).text[0] == "a"

    def test_replaces_forbidden_characters(self) -> None:
        (text,) = extract_blocks(parse_html("<p>a\0b\ud800c&#0;d&#x110000;e")).text
        assert re.sub("[^a-e]", "", text) == "abcde"
        assert text.isprintable()

    def test_reads_large_pages(self) -> None:
        # Each page takes one or two seconds at most.
        assert len(extract_blocks(parse_html("<p>" + "word " * 500_000))) == 1
        assert len(extract_blocks(parse_html("<p>word" * 20_000))) == 20_000
        assert len(extract_blocks(parse_html("<p>" + "word<br>" * 20_000))) == 1

    @settings(max_examples=150, deadline=None)
    @given(SOUP)
    def test_accepts_tag_soup(self, html: str) -> None:
        # Any input results in a page with consistent columns, or in one of our errors.
        try:
            page = parse_html(html)
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
    def test_accepts_any_bytes(self, content: bytes) -> None:
        try:
            extract_blocks(parse_html(content))
        except VcleanError as error:
            assert "\n" not in str(error)  # noqa: PT017 - that there need be no error is the point


class TestIllegalCharacters:
    @pytest.mark.parametrize(
        "character", ["\x01", "\x0c", "\ufffe", "\uffff", "&#1;", "&#012;", "&#xB;", "&#X001f;", "&#65535;", "&#xFffe;"]
    )
    @pytest.mark.parametrize(
        "html",
        [
            "<p>Words~words",
            "<img src='data:,' data-~=/a.jpg data-b=https://example.org/a.jpg>",
            "<img src='data:,'><noscript><img src='/b~.jpg'></noscript>",
            r"<img class=tex alt='\frac{a}{b~}'><script type='math/tex'>x^~2</script>",
            "<div><html lang='e~n'></div>",
            "<math><annotation encoding='application/x-tex'>x~^2</annotation></math>",
        ],
    )
    def test_are_spaces(self, html: str, character: str) -> None:
        page = parse_html(f"<p>{'The mill stood by the river. ' * 9}{html.replace('~', character)}")
        values = [page.attributes(name).values() for name in ("data-src", "src", "alt")]
        assert character not in "".join([*page.texts, *chain.from_iterable(values)])
        assert "mill" in page.texts[0]


LAZY = "https://example.org/a.jpg"
PLACEHOLDER = "src='data:image/gif;base64,R0lGOD'"


class TestFindLazyImages:
    @pytest.mark.parametrize(
        ("html", "attribute", "address"),
        [
            (f"<img {PLACEHOLDER} data-anything={LAZY}>", "data-src", LAZY),
            ("<img data-hero=/a.jpg>", "data-src", LAZY),
            (f"<img src=/placeholder.gif data-anything={LAZY}>", "data-src", LAZY),
            (f"<img {PLACEHOLDER} data-image-url='{LAZY}'>", "data-src", LAZY),
            (f"<img {PLACEHOLDER}><noscript><img src={LAZY}></noscript>", "data-src", LAZY),
            (f"<noscript><img src={LAZY}></noscript><img {PLACEHOLDER}>", "data-src", LAZY),
            (f"<img src=/b.jpg data-large={LAZY}>", "data-src", ""),
            (f"<img {PLACEHOLDER} data-link=https://example.org/page>", "data-src", ""),
            (f"<img src=/b.jpg><noscript><img src={LAZY}></noscript>", "data-src", ""),
            (
                f"<img {PLACEHOLDER} data-lazy-set='/a.jpg 300w, /b.jpg 600w'>",
                "data-srcset",
                "/a.jpg 300w, /b.jpg 600w",
            ),
        ],
    )
    def test_address_is_stored(self, html: str, attribute: str, address: str) -> None:
        page = parse_html(f"<p>a{html}b", "https://example.org/")
        assert set(page.attributes(attribute).values()) == ({address} if address else set())


def formulas(html: str) -> list[str]:
    page = parse_html(html)
    parents = page.is_tag(("math",))[page.text_parent].tolist()
    return [text for text, is_formula in zip(page.texts, parents, strict=True) if is_formula]


class TestReplaceFormulas:
    @pytest.mark.parametrize("formula", DRAWN.values(), ids=DRAWN)
    def test_drawn_formula_is_there_once(self, formula: str) -> None:
        page = parse_html(f"<p>a {formula} b")
        assert page.texts == ["a ", TEX, " b"]

    @pytest.mark.parametrize("formula", DISPLAY.values(), ids=DISPLAY)
    def test_display_formula_is_marked(self, formula: str) -> None:
        page = parse_html(formula)
        (math,) = page.is_tag(("math",)).nonzero()[0].tolist()
        assert page.attributes("display")[math] == "block"


class TestDrawnWithoutMathml:
    @pytest.mark.parametrize(
        ("html", "tex"),
        [
            ('<img src="https://latex.codecogs.com/svg.image?%5Cfrac%7Ba%7D%7Bb%7D">', r"\frac{a}{b}"),
            ('<img src="https://chart.apis.google.com/chart?cht=tx&chl=%5Calpha%2B%5Cbeta">', r"\alpha+\beta"),
            ('<img src="https://example.org/formula/%5Cfrac%7Bm%7D%7Bv%7D">', r"\frac{m}{v}"),
            ('<img src="/i.png" class=latex alt="x^2">', "x^2"),
            ('<span class=katex data-math="a^2+b^2"></span>', "a^2+b^2"),
            ("<mjx-container><mjx-math><mjx-msup><mjx-mi><mjx-c class='mjx-c1D465 TEX-I'></mjx-c></mjx-mi>"
             "<mjx-script><mjx-mn><mjx-c class='mjx-c32'></mjx-c></mjx-mn></mjx-script></mjx-msup></mjx-math>"
             "</mjx-container>", "x^2"),
            ("<mjx-container><svg><g data-mml-node=math><g data-mml-node=msup><g data-mml-node=mi><use data-c=1D465>"
             "</use></g><g data-mml-node=mn><use data-c=32></use></g></g></g></svg></mjx-container>", "x^2"),
            ("<span class=mjx-chtml><span class=mjx-msubsup><span class=mjx-base><span class=mjx-mi>"
             "<span class=mjx-char>x</span></span></span><span class=mjx-sup><span class=mjx-mn><span class=mjx-char>2"
             "</span></span></span></span></span>", "x^2"),
        ],
    )  # fmt: skip
    def test_is_read(self, html: str, tex: str) -> None:
        assert formulas(f"<p>a {html} b") == [tex]

    @pytest.mark.parametrize(
        "html",
        ["<img src=/a_b.png alt='a_b'>", "<img src='/latex-gloves.jpg?w=300'>", "<span data-math=5>x</span>"],
    )
    def test_others_stay(self, html: str) -> None:
        assert not formulas(f"<p>a {html} b")
