from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from helpers.pages import laid_out, result, snapshot
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html

from vclean.classify.prediction import Headline
from vclean.features.blocks import extract_blocks
from vclean.output.html import MAX_DEPTH, to_tree, write_html
from vclean.output.sections import complete_sections


def body(source, labels, headings=None):
    """Return the content of the cleaned body, without line breaks between blocks."""
    tree = to_tree(result(snapshot(source), labels), headings=headings)
    text = etree.tostring(tree.find("body"), method="html", encoding="unicode", with_tail=False)
    return text.removeprefix("<body>").removesuffix("</body>").replace(">\n", ">").replace("\n<", "<").strip()


@pytest.mark.parametrize(
    ("source", "labels", "expected"),
    [
        ("<p>a &lt;b&gt; &amp; c", "p", "<p>a &lt;b&gt; &amp; c</p>"),
        # Links to the page itself, and buttons beside text, go.
        ("<h2>C <b>#</b></h2>", "h", "<h2>C <b>#</b></h2>"),
        ("<h2>Title <a href=#t>part #</a></h2><p id=t>x", "hp", "<h2>Title part #</h2><p>x</p>"),
        ("<h2 id=t>Title <a class=headerlink href='#t'>Link to this heading</a></h2>", "h", "<h2>Title</h2>"),
        ("<h2><a href='https://example.org/dir/page.html#t'>◆</a> Title</h2>", "h", "<h2>Title</h2>"),
        ("<h2>Title <button>Copy path</button></h2>", "h", "<h2>Title</h2>"),
        ("<h2><button>Title</button></h2>", "h", "<h2>Title</h2>"),
        ("<h2 id=t><a href='#t'>Title</a></h2>", "h", "<h2>Title</h2>"),
        ("<h2><a href='#b'>A</a><a href='#c'>B</a></h2>", "h", "<h2>A B</h2>"),
        ("<p>Go <a href='#'>up</a></p>", "p", "<p>Go up</p>"),
        ("<p>Go <a href='https://example.org/dir/page.html'>up</a></p>", "p", "<p>Go up</p>"),
        ("<p>Go <a href='page.html#'>up</a></p>", "p", "<p>Go up</p>"),
        # A list directly in a list belongs to the item before.
        ("<ul><li>a</li><ul><li>b</ul></ul>", "ll", "<ul><li>a<ul><li>b</li></ul></li></ul>"),
        ("<ul><ul><li>b</ul></ul>", "l", "<ul><li><ul><li>b</li></ul></li></ul>"),
        # A continuation in other structure, and texts of layout tables, are paragraphs.
        ("<p>a</p><blockquote>b</blockquote>", "pc", "<p>a</p><blockquote><p>b</p></blockquote>"),
        ("<ul><li><table><tr><td>a<td>b</table></ul>", "pp", "<ul><li><p>a</p><p>b</p></li></ul>"),
        ("<ul><li>a<p>b</p><ul><li>c</ul></ul>", "lpl", "<ul><li><p>a</p><p>b</p><ul><li>c</li></ul></li></ul>"),
        ("<ul><li>a<div>b</div></ul>", "lc", "<ul><li>a b</li></ul>"),
        ("<p>a<br>b<br><br>c", "pp", "<p>a<br>b</p><p>c</p>"),
        ("<pre>def f():\n    pass</pre>", "p", "<pre>def f():\n    pass</pre>"),
        ("<pre><code><b>a</b>(b)\nc</code></pre>", "p", "<pre><code>a(b)\nc</code></pre>"),
        ('<pre><code class="x language-c++">x', "p", '<pre><code class="language-c++">x</code></pre>'),
        ("<p>Use <code>x</code> and <kbd>y</kbd>", "p", "<p>Use <code>x</code> and <kbd>y</kbd></p>"),
        ('<p><a href="http://[x">x</a>', "p", "<p>x</p>"),
        ("<p>is <math><msub><mi>a</mi><mn>1</mn></msub></math>", "p",
         r'<p>is <span class="math inline">\(a_1\)</span></p>'),
        # A text beside the cells makes a table layout.
        ("<table><tr><th>a<th>b</tr><tr><div>x</div></tr></table>", "ppp", "<p>a</p><p>b</p><p>x</p>"),
        ('<p>ad</p><figure><img src="/i.png" alt="Map"><figcaption>A map</figcaption></figure>', "op",
         '<figure><img src="https://example.org/i.png" alt="Map"><figcaption>A map</figcaption></figure>'),
    ],
)  # fmt: skip
def test_body(source, labels, expected):
    assert body(source, labels) == expected


def test_characters_that_markup_does_not_allow():
    page = snapshot("<p>ab")
    page.texts[0] = "a\x0bb"
    assert "<p>a b</p>" in write_html(result(page, "p"))


@pytest.mark.parametrize("item", ["• a", "- a", "– a", "•&nbsp;a", "<b>•</b> a", "<span>*</span>a", " ▪  a"])
def test_bullets_of_items_without_a_list_go(item):
    assert body(f"<div>{item}</div><div>{item}</div>", "ll") == "<ul><li>a</li><li>a</li></ul>"


@pytest.mark.parametrize(
    "address",
    ["javascript:alert(1)", " JavaScript:x", "java&#10;script:x", "data:text/html,x", "vbscript:x", "file:///etc/x"],
)
def test_unsafe_urls_are_removed(address):
    assert body(f'<p><a href="{address}">x</a> y', "p") == "<p>x y</p>"


@pytest.mark.parametrize(
    ("source", "labels", "block", "expected"),
    [
        ("<p>a<p>b", "pc", 1, "<p>a</p><h2>Ada</h2><p>b</p>"),
        ("<h2>t</h2><blockquote>a", "hp", 1, "<h2>t</h2><h3>Ada</h3><blockquote><p>a</p></blockquote>"),
        ("<ul><li>a<li>b</ul>", "ll", 1, "<ul><li>a</li><li><h2>Ada</h2>b</li></ul>"),
        ("<table><tr><th>b</table>", "p", 0, "<table><tbody><tr><th>b</th></tr></tbody></table>"),
    ],
)
def test_heading_of_a_post(source, labels, block, expected):
    """Write it before a continuation and outside quotes, in items, and not in cells."""
    assert body(source, labels, {block: "Ada"}) == expected


def test_headings_are_below_a_title_that_is_added():
    page = result(snapshot("<h1>Part</h1><p>Text"), "hp")
    headline = Headline("Title", None, "title")
    page = replace(page, prediction=replace(page.prediction, headline=headline))
    assert [element.tag for element in to_tree(page).find("body")] == ["h1", "h2", "p"]


class TestImages:
    def test_larger_copies_and_repetitions_are_removed(self):
        images = '<a href="/i-2000.png"><img src="/i.png"></a><img src="/i-2000.png"><img src="/i.png">'
        assert body(f"<p>a</p><div>{images}</div><p>b", "pp").count("<img") == 1

    @pytest.mark.parametrize(
        "image",
        ['<img alt="x">', '<img src="data:x" alt="x">', '<img src="i.png" alt="x" hidden>', '<img src="i.png" hidden>',
         '<img src="i.png" width=1 height=1>', '<img src="i.png" width=600 height=2>', '<img src="i.png" height=16px>',
         '<img src="/img/spacer.gif">', '<img src="/avatar-1.png">', '<img src="data:x">',
         '<picture><source srcset="i.png"></picture><img>'],
    )  # fmt: skip
    def test_decoration_is_removed(self, image):
        assert body(f"<p>a</p>{image}<p>b", "pp") == "<p>a</p><p>b</p>"

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


def test_depth_is_bounded():
    """Tags beyond the limit are removed, texts are kept, and stay apart."""
    tree = to_tree(result(snapshot("<blockquote>" * 500 + "deep"), "p"))
    assert tree.xpath("string(//p)") == "deep"
    assert len(tree.xpath("//blockquote")) == MAX_DEPTH
    tree = to_tree(result(snapshot("<ul><li>x" * 60), "l" * 60))
    assert tree.xpath("string(body)").split() == ["x"] * 60


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
