from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out, result, snapshot
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html

from vclean.classify.prediction import Headline, HeadlineSource
from vclean.features.blocks import extract_blocks
from vclean.labels import Label
from vclean.output.html import MAX_DEPTH, HtmlWriter, to_tree, write_html
from vclean.output.sections import complete_sections


def body(source, labels, layout=False):
    """Return the content of the cleaned body, without line breaks between blocks."""
    page = laid_out(source) if layout else snapshot(source)
    tree = to_tree(result(page, labels))
    text = etree.tostring(tree.find("body"), method="html", encoding="unicode", with_tail=False)
    return text.removeprefix("<body>").removesuffix("</body>").replace(">\n", ">").replace("\n<", "<").strip()


class TestText:
    def test_boilerplate_goes_with_its_elements(self):
        assert body("<nav><ul><li>Home</ul></nav><p>Text", "op") == "<p>Text</p>"

    def test_containers_without_meaning_collapse(self):
        assert body("<div class=a><div><span>One</span> two</div></div>", "p") == "<p>One two</p>"

    def test_attributes_go(self):
        assert body('<p class="x" style="color:red" id="i">Text', "p") == "<p>Text</p>"

    def test_text_is_escaped(self):
        assert body("<p>a &lt;b&gt; &amp; c", "p") == "<p>a &lt;b&gt; &amp; c</p>"

    def test_white_space_is_that_of_the_block(self):
        """Separate adjacent inline elements, as in `BlockColumns.text`."""
        assert body("<p><b>Price</b><i>$10</i> now", "p") == "<p><b>Price</b> <i>$10</i> now</p>"

    def test_letters_in_one_word_stay_together(self):
        assert body("<p>H<sub>2</sub>O", "p") == "<p>H<sub>2</sub>O</p>"

    def test_line_breaks_in_a_block(self):
        assert body("<p>Rose<br>is a rose", "p") == "<p>Rose<br>is a rose</p>"

    def test_break_between_blocks_goes(self):
        assert body("<p>One<br><br>two", "pp") == "<p>One</p><p>two</p>"

    def test_characters_that_markup_does_not_allow(self):
        page = snapshot("<p>ab")
        page.texts[0] = "a\x0bb"
        assert "<p>a b</p>" in write_html(result(page, "p"))

    def test_hidden_text_with_a_content_label_is_kept(self):
        assert body("<p hidden>Answer", "p") == "<p>Answer</p>"

    def test_nothing_kept(self):
        assert body("<p>Menu", "o") == ""


class TestHeadings:
    def test_are_below_a_title_that_is_added(self):
        page = result(snapshot("<h1>Part</h1><p>Text"), "hp")
        headline = Headline("Title", None, HeadlineSource.TITLE)
        page = replace(page, prediction=replace(page.prediction, headline=headline))
        assert [element.tag for element in to_tree(page).find("body")] == ["h1", "h2", "p"]

    def test_level_of_the_tag(self):
        assert body("<h3>Title</h3>", "h") == "<h3>Title</h3>"

    def test_tag_inside_the_block(self):
        assert body("<h2 style='display:inline'>Title</h2>", "h") == "<h2>Title</h2>"

    def test_without_tag_and_layout_level_two(self):
        assert body("<div>Title</div><p>Text", "hp") == "<h2>Title</h2><p>Text</p>"

    def test_without_tag_by_rank_of_font_size(self):
        sizes = {"div": {"font-size": "30px"}, "section": {"font-size": "20px"}}
        page = laid_out("<section>Part</section><div>Title</div><section>Part</section>", styles=sizes)
        assert "<h2>Part</h2>\n<h1>Title</h1>\n<h2>Part</h2>" in write_html(result(page, "hhh"))

    def test_never_below_level_six(self):
        tags = ["div", "section", "article", "main", "aside", "header", "footer"]
        sizes = {tag: {"font-size": f"{40 - 2 * rank}px"} for rank, tag in enumerate(tags)}
        page = laid_out("".join(f"<{tag}>T</{tag}>" for tag in tags), styles=sizes)
        tags = [element.tag for element in to_tree(result(page, "h" * 7)).find("body")]
        assert tags == ["h1", "h2", "h3", "h4", "h5", "h6", "h6"]

    def test_heading_tag_of_a_paragraph_goes(self):
        # The label determines whether a block is a heading, the tag only its level.
        assert body("<h4>Not a title</h4>", "p") == "<p>Not a title</p>"


class TestPermalinks:
    @pytest.mark.parametrize("sign", ["¶", "#", " § ", "🔗", "&#8203;", "<span>#</span>"])
    def test_at_the_end_of_a_heading_goes(self, sign):
        assert body(f'<h2>Title <a href="#t">{sign}</a></h2>', "h") == "<h2>Title</h2>"

    def test_of_a_term_goes(self):
        assert body("<dl><dt id=t>clc <a href='#t'>¶</a><dd>Clear.</dl>", "pp").startswith("<dl><dt>clc</dt>")

    @pytest.mark.parametrize(
        ("source", "labels"),
        [
            ("<h2>C <b>#</b></h2>", "h"),
            ("<h2>Title <a href=/x># 7</a></h2>", "h"),
            ("<h2><a href=/x>C <i>#</i></a></h2>", "h"),
            ("<h2><a href=/x>#</a></h2>", "h"),
            ("<p>Title <a href=/x>#</a></p>", "p"),
            ("<h2>Title <a href=/x>#</a> 7</h2>", "h"),
            ("<h2>Title <a href=#t>part #</a></h2><p id=t>x", "hp"),
        ],
    )
    def test_anything_else_stays(self, source, labels):
        assert "#" in body(source, labels)

    @pytest.mark.parametrize(
        "source",
        [
            "<h2 id=t>Title <a href='#t'>Link to this heading</a></h2>",
            "<h2 id=t>Title <a href='https://example.org/dir/page.html#t'>Link to <i>this</i> heading</a></h2>",
            "<h2><a id=t href='#t'>#</a> Title</h2>",
            "<section id=t><h2>Title <a href='#t'>Copy link</a></h2></section>",
            "<h2><span id=t>Title</span> <a href='#t'>edit</a></h2>",
        ],
    )
    def test_link_to_its_heading_is_removed(self, source):
        """Remove links with any text, before or after the heading."""
        assert body(source, "h") == "<h2>Title</h2>"

    def test_link_around_heading_is_removed_and_text_kept(self):
        assert body("<h2 id=t><a href='#t'>Title</a></h2>", "h") == "<h2>Title</h2>"
        assert body("<h2><a href='#b'>A</a><a href='#c'>B</a></h2>", "h") == "<h2>A B</h2>"

    def test_of_other_text_stays(self):
        assert "#t" in body("<p id=t>See <a href='#t'>here</a></p>", "p")

    @pytest.mark.parametrize("address", ["#", "https://example.org/dir/page.html", "page.html#"])
    def test_link_to_page_is_removed_everywhere(self, address):
        assert body(f"<p>Go <a href='{address}'>up</a></p>", "p") == "<p>Go up</p>"

    def test_blocks_keep_permalink_text(self):
        page = result(snapshot("<h2>Title <a href='#t'>¶</a></h2>"), "h")
        assert page.to_cleaneval() == "<h>Title ¶\n"


class TestLists:
    def test_nested(self):
        source = "<ul><li>a<ol start=3><li>b<li>c</ol><li>d</ul>"
        assert body(source, "llll") == '<ul><li>a<ol start="3"><li>b</li><li>c</li></ol></li><li>d</li></ul>'

    def test_items_left_out(self):
        assert body("<ul><li>a<li>ad<li>b</ul>", "lol") == "<ul><li>a</li><li>b</li></ul>"

    def test_list_directly_in_a_list_belongs_to_the_item_before(self):
        assert body("<ul><li>a</li><ul><li>b</ul></ul>", "ll") == "<ul><li>a<ul><li>b</li></ul></li></ul>"

    def test_list_directly_in_a_list_without_item_before(self):
        assert body("<ul><ul><li>b</ul></ul>", "l") == "<ul><li><ul><li>b</li></ul></li></ul>"

    def test_item_of_several_paragraphs(self):
        assert body("<ul><li><p>a<p>b</ul>", "pp") == "<ul><li><p>a</p><p>b</p></li></ul>"

    @pytest.mark.parametrize("item", ["• a", "- a", "– a", "•&nbsp;a", "<b>•</b> a", "<span>*</span>a", " ▪  a"])
    def test_bullets_of_items_without_a_list_go(self, item):
        assert body(f"<div>{item}</div><div>{item}</div>", "ll") == "<ul><li>a</li><li>a</li></ul>"

    @pytest.mark.parametrize(("item", "label"), [("-5 degrees", "l"), ("• a", "p"), ("a • b", "l")])
    def test_other_characters_stay(self, item, label):
        assert item in body(f"<div>{item}</div>", label)

    def test_bullets_in_a_list_of_the_page_stay(self):
        assert body("<ul><li>• a</ul>", "l") == "<ul><li>• a</li></ul>"

    def test_items_without_a_list_get_one(self):
        assert body("<div>a</div><div>b</div><p>c", "llp") == "<ul><li>a</li><li>b</li></ul><p>c</p>"

    def test_stray_item_tag(self):
        assert body("<div><li>a</div>", "p") == "<p>a</p>"

    def test_text_directly_in_a_list(self):
        assert body("<ul>a<li>b</ul>", "ll") == "<ul><li>a</li><li>b</li></ul>"

    def test_heading_in_an_item(self):
        assert body("<ul><li><h3>T</h3>x</ul>", "hp") == "<ul><li><h3>T</h3><p>x</p></li></ul>"

    def test_definitions(self):
        assert body("<dl><dt>a<dd>b</dl>", "pp") == "<dl><dt>a</dt><dd>b</dd></dl>"


class TestContinuations:
    def test_joins_the_paragraph_before(self):
        assert body("<div>a<br><br>b</div>", "pc") == "<p>a b</p>"

    def test_joins_over_boilerplate(self):
        assert body("<div>a<p>ad</p>b</div>", "poc") == "<p>a b</p>"

    def test_begins_paragraph_in_other_structure(self):
        assert body("<p>a</p><blockquote>b</blockquote>", "pc") == "<p>a</p><blockquote><p>b</p></blockquote>"

    def test_in_an_item(self):
        assert body("<ul><li>a<br><br>b</ul>", "lc") == "<ul><li>a b</li></ul>"


TABLE_OF_TWO_ROWS = "<table><tbody><tr><th>a</th><th>b</th></tr><tr><td></td><td>2</td></tr></tbody></table>"


class TestTables:
    def test_data(self):
        source = "<table><caption>C<tr><th scope=col>a<th>b<tr><td>1<td colspan=2>2</table>"
        expected = (
            '<table><caption>C</caption><tbody><tr><th scope="col">a</th><th>b</th></tr>'
            '<tr><td>1</td><td colspan="2">2</td></tr></tbody></table>'
        )
        assert body(source, "ppppp") == expected

    def test_empty_cells_keep_the_columns(self):
        source = "<table><tr><th>a<th>b<tr><td></td><td>2</table>"
        assert body(source, "ppp") == TABLE_OF_TWO_ROWS

    def test_boilerplate_cell_is_emptied(self):
        source = "<table><tr><th>a<th>b<tr><td>x<td>2</table>"
        assert body(source, "ppop") == TABLE_OF_TWO_ROWS

    @pytest.mark.parametrize(
        "source",
        [
            "<table><tr><td>a<td>b</table>",
            "<table role=presentation><tr><td>a<td>b<tr><td><td></table>",
            "<table><tr><td><p>a<td><table><tr><th>b</table></table>",
        ],
        ids=["one row", "role", "nested, one cell"],
    )
    def test_layout_tables_collapse(self, source):
        assert "<td>" not in body(source, "pp")
        assert body(source, "pp").startswith("<p>a</p>")

    def test_a_small_table_in_a_table_with_a_header_is_text_of_its_cell(self):
        source = "<table><tr><th>a<th>b<tr><td>x<td><table><tr><td>1<td>2<tr><td>3<td>4</table></table>"
        html = body(source, "ppppppp")
        assert (html.count("<table>"), html.count("<td>")) == (1, 2)

    def test_texts_of_a_layout_table_in_an_item_stay_apart(self):
        source = "<ul><li><table><tr><td>a<td>b</table></ul>"
        assert body(source, "pp") == "<ul><li><p>a</p><p>b</p></li></ul>"

    def test_crowded_cells_are_layout(self):
        cell = "<td>" + "<p>x" * 4
        assert body(f"<table><tr>{cell}{cell}<tr>{cell}{cell}</table>", "p" * 16) == "<p>x</p>" * 16

    def test_text_beside_the_cells_is_layout(self):
        source = "<table><tr><th>a<th>b</tr><tr><div>x</div></tr></table>"
        assert "<table>" not in body(source, "p" * len(extract_blocks(snapshot(source))))


class TestCode:
    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("<pre>def f():\n    pass</pre>", "<pre>def f():\n    pass</pre>"),
            ("<pre><code><b>a</b>(b)\nc</code></pre>", "<pre><code>a(b)\nc</code></pre>"),
            ('<pre><code class="x language-c++">x', '<pre><code class="language-c++">x</code></pre>'),
            ('<pre class="lang-c++">x', '<pre><code class="language-c++">x</code></pre>'),
            ('<pre><code class="my-language-c">x', "<pre><code>x</code></pre>"),
            ("<p>Use <code>x</code> and <kbd>y</kbd>", "<p>Use <code>x</code> and <kbd>y</kbd></p>"),
        ],
    )
    def test_language_and_lines(self, source, expected):
        assert body(source, "p") == expected


class TestLinks:
    def test_urls_are_absolute(self):
        assert (
            body("<p><a href='../a?b=1&amp;c'>x</a>", "p") == '<p><a href="https://example.org/a?b=1&amp;c">x</a></p>'
        )

    @pytest.mark.parametrize(
        "address",
        [
            "javascript:alert(1)",
            " JavaScript:x",
            "java&#10;script:x",
            "data:text/html,x",
            "vbscript:x",
            "file:///etc/x",
        ],
    )
    def test_unsafe_urls_are_removed(self, address):
        assert body(f'<p><a href="{address}">x</a> y', "p") == "<p>x y</p>"

    def test_malformed_url_is_removed(self):
        assert body('<p><a href="http://[x">x</a>', "p") == "<p>x</p>"

    def test_mail(self):
        assert body('<p><a href="mailto:a@b.c">x</a>', "p") == '<p><a href="mailto:a@b.c">x</a></p>'

    def test_link_without_url_is_removed(self):
        assert body("<p><a name=top>x</a>", "p") == "<p>x</p>"

    def test_link_around_blocks_is_moved_into_each(self):
        source = '<a href="/x"><h2>T</h2><p>text</p></a>'
        link = '<a href="https://example.org/x">'
        assert body(source, "hp") == f"<h2>{link}T</a></h2><p>{link}text</a></p>"

    def test_same_element_twice_is_written_once(self):
        assert body("<p><b><b>x</b></b>", "p") == "<p><b>x</b></p>"


class TestImages:
    def test_between_kept_blocks(self):
        assert body('<p>a</p><img src="i.png" alt="Map"><p>b', "pp") == (
            '<p>a</p><p><img src="https://example.org/dir/i.png" alt="Map"></p><p>b</p>'
        )

    def test_in_a_line(self):
        assert body('<p>a <img src="/i.png" alt=":)"> b', "p") == (
            '<p>a <img src="https://example.org/i.png" alt=":)"> b</p>'
        )

    def test_in_a_word(self):
        assert body('<p>a<img src="/i.png" alt=":)">b', "p") == (
            '<p>a<img src="https://example.org/i.png" alt=":)">b</p>'
        )

    def test_next_to_boilerplate_is_removed(self):
        assert body('<p>a</p><img src="i.png" alt="Ad"><p>ad', "po") == "<p>a</p>"

    @pytest.mark.parametrize(
        "figure",
        [
            '<figure><img src="/i.png" alt="Map"><figcaption>A map</figcaption></figure>',
            '<div><a href="/large.png"><img src="/i.png" alt="Map"></a><p>A map</div>',
            '<p>By Anna, two hours ago</p><div><img src="/i.png" alt="Map"></div>',
        ],
    )
    def test_beside_text_that_is_left_out(self, figure: str):
        text = body(f"<article><p>a</p>{figure}<p>b</article>", "pop")
        assert re.sub("</?(p|figure)>", "", text) == 'a<img src="https://example.org/i.png" alt="Map">b'

    def test_far_from_kept_text_is_removed(self):
        assert body(f'<p>a</p><p>{"ad " * 200}</p><img src="i.png" alt="Ad"><p>b', "pop") == "<p>a</p><p>b</p>"

    def test_of_a_teaser_is_removed(self):
        teaser = '<div><a href="/other"><img src="i.png" alt="x"> Another story</a></div>'
        assert body(f"<div><p>a</p>{teaser}<p>b</div>", "pop") == "<p>a</p><p>b</p>"

    def test_larger_copies_and_repetitions_are_removed(self):
        images = '<a href="/i-2000.png"><img src="/i.png"></a><img src="/i-2000.png"><img src="/i.png">'
        assert body(f"<p>a</p><div>{images}</div><p>b", "pp").count("<img") == 1

    def test_out(self):
        page = extract_blocks(snapshot('<p>a</p><img src="i.png" alt="x"><p>b'))
        builder = etree.TreeBuilder()
        builder.start("body", {})
        HtmlWriter(page, [Label.PARAGRAPH] * 2, builder, images=False).write()
        builder.end("body")
        assert not builder.close().findall(".//img")

    def test_in_a_figure_with_kept_caption(self):
        source = '<p>ad</p><figure><img src="/i.png" alt="Map"><figcaption>A map</figcaption></figure>'
        image = '<img src="https://example.org/i.png" alt="Map">'
        assert body(source, "op") == f"<figure>{image}<figcaption>A map</figcaption></figure>"

    @pytest.mark.parametrize(
        "image",
        ['<img alt="x">', '<img src="data:x" alt="x">', '<img src="i.png" alt="x" hidden>', '<img src="i.png" hidden>',
         '<img src="i.png" width=1 height=1>', '<img src="i.png" width=600 height=2>', '<img src="i.png" height=16px>',
         '<img src="/img/spacer.gif">', '<img src="/avatar-1.png">', '<img src="data:x">'],
    )  # fmt: skip
    def test_decoration_is_removed(self, image):
        assert body(f"<p>a</p>{image}<p>b", "pp") == "<p>a</p><p>b</p>"

    @pytest.mark.parametrize(
        "attributes", ["", 'alt=""', "width=600 height=400", "width=100%", "height=200", 'data-src="other.png"']
    )
    def test_without_alternative_text(self, attributes):
        image = to_tree(result(snapshot(f'<p>a</p><img src="/i.png" {attributes}><p>b'), "pp")).find(".//p/img")
        assert image.items() == [("src", "https://example.org/i.png")]

    @pytest.mark.parametrize("source", ["", 'src=""', 'src="data:image/gif;base64,R0"'])
    def test_loaded_later(self, source):
        assert body(f'<p>a</p><img {source} data-src="i.png"><p>b', "pp") == (
            '<p>a</p><p><img src="https://example.org/dir/i.png"></p><p>b</p>'
        )

    @pytest.mark.parametrize(
        "image",
        [
            '<img data-lazy-src="i.png" src="data:image/gif;base64,R0">',
            '<img data-src="i.png" src="/blank.gif">',
            '<img data-original="i.png">',
            '<img srcset="h.png 300w,i.png 600w">',
            '<img data-srcset="i.png, data:,">',
            '<picture><source srcset="i.png 2x, h.png"><img></picture>',
        ],
    )
    def test_address_in_other_attributes(self, image):
        assert body(f"<p>a</p>{image}<p>b", "pp") == (
            '<p>a</p><p><img src="https://example.org/dir/i.png"></p><p>b</p>'
        )

    def test_image_after_a_picture(self):
        picture = '<picture><source srcset="i.png"></picture>'
        assert "<img" not in body(f"<p>a</p>{picture}<img><p>b", "pp")

    @pytest.mark.parametrize(("size", "count"), [("", 0), ("width=20", 0), ("width=300 height=200", 1)])
    def test_in_a_line_without_alternative_text(self, size, count):
        assert body(f'<p>a <img src="/i.png" {size}> b', "p").count("<img") == count

    def test_size_on_the_page(self):
        page = laid_out('<p>a</p><img src="/i.png"><img src="/j.png"><p>b')
        images = np.flatnonzero(page.is_tag(("img",))).astype(np.int32)
        box = page.box.copy()
        box[images] = [[0, 0, 300, 200], [0, 0, 20, 20]]
        tree = to_tree(result(replace(page, box=box, image=images), "pp"))
        assert tree.xpath("//img/@src") == ["https://example.org/i.png"]

    @pytest.mark.parametrize(
        ("source", "labels"),
        [
            ('<pre>a<img src="i.png" alt="x">b</pre>', "p"),
            ('<ul><li>a</li><img src="i.png" alt="x"><li>b</ul>', "ll"),
        ],
    )
    def test_not_where_images_are_not_allowed(self, source, labels):
        tree = to_tree(result(snapshot(source), labels))
        assert not tree.xpath("//ul/img | //ul/p")


class TestDocument:
    def test_complete_document(self):
        page = snapshot("<html lang=cs dir=ltr><title>A &amp; B</title><p>Text")
        assert write_html(result(page, "p")) == (
            '<!DOCTYPE html>\n<html lang="cs" dir="ltr"><head><meta charset="utf-8"><title>A &amp; B</title>'
            '<link rel="canonical" href="https://example.org/dir/page.html">'
            '<meta property="og:title" content="A &amp; B"></head>\n'
            "<body>\n<p>Text</p>\n</body></html>\n"
        )

    def test_page_without_blocks(self):
        assert "<body>\n</body>" in write_html(result(snapshot("<hr>"), ""))

    def test_direction(self):
        page = snapshot("<html dir=RTL lang=ar><p>نص")
        assert '<html lang="ar" dir="rtl">' in write_html(result(page, "p"))

    def test_detected_language_comes_first(self):
        page = snapshot("<html lang=en><p>Text")
        assert '<html lang="de">' in write_html(result(page, "p", language="de"))

    def test_empty_title(self):
        """Write the element, which HTML requires and which may be empty."""
        assert "<title></title>" in write_html(result(snapshot("<p>x"), "p", id="page 7"))

    @pytest.mark.parametrize("url", ["", "file:///home/me/page.html"])
    def test_no_canonical_link_to_other_schemes(self, url):
        assert "canonical" not in write_html(result(snapshot("<p>x", url=url), "p"))

    def test_depth_is_bounded(self):
        # Tags beyond the limit are removed, text is kept.
        tree = to_tree(result(snapshot("<blockquote>" * 500 + "deep"), "p"))
        assert tree.xpath("string(//p)") == "deep"
        assert len(tree.xpath("//blockquote")) == MAX_DEPTH

    def test_texts_beyond_the_depth_stay_apart(self):
        cleaned = to_tree(result(snapshot("<ul><li>x" * 60), "l" * 60))
        assert cleaned.xpath("string(body)").split() == ["x"] * 60


TAGS = ["p", "div", "ul", "ol", "li", "table", "tr", "td", "th", "pre", "a href=/x", "b", "h2", "dl", "dt", "dd",
        "blockquote", "figure", "figcaption", "span", "code"]  # fmt: skip

trees = st.recursive(
    st.sampled_from(["one", "two ", " three", "<br>", "<img src=i alt=pic>"]),
    lambda children: st.builds(
        lambda tag, inner: f"<{tag}>{''.join(inner)}</{tag.split()[0]}>", st.sampled_from(TAGS), st.lists(children)
    ),
    max_leaves=20,
)


class TestAnyPage:
    @settings(deadline=None)
    @given(trees, st.randoms(use_true_random=False))
    def test_well_formed_and_with_every_kept_word(self, source, random):
        page = snapshot(f"<div>{source}</div>")
        blocks = extract_blocks(page)
        labels = random.choices("hplco", k=len(blocks))
        found = result(page, labels)
        cleaned = write_html(found)
        completed = complete_sections(blocks, found.prediction.labels, found.prediction.probability)
        pairs = zip(blocks.text, completed, strict=True)
        expected = [word for text, label in pairs if label.is_content for word in text.split()]
        words = html.document_fromstring(cleaned).find("body").text_content().split()
        if "<pre>" in cleaned:  # code stays whole, and has its own line breaks
            assert not Counter("".join(expected)) - Counter("".join(words))
        else:
            assert words == expected
        assert write_html(result(page, labels)) == cleaned

    @settings(deadline=None)
    @given(trees)
    def test_elements_are_valid_children(self, source):
        page = snapshot(f"<div>{source}</div>")
        tree = to_tree(result(page, "p" * len(extract_blocks(page))))
        assert not tree.xpath(
            "//li[not(parent::ul or parent::ol)] | //td[not(parent::tr)] | //p//p | //p//ul | //a//a | //pre//p"
            "| //ul/*[not(self::li)] | //dt[not(parent::dl)] | //tr[not(ancestor::table)] | //h2//p | //p//h2"
        )
