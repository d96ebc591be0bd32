from __future__ import annotations

import pytest
from helpers.pages import result, snapshot
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html
from markdown_it import MarkdownIt

from vclean.features.blocks import extract_blocks
from vclean.output.html import to_tree
from vclean.output.markdown import _begins_with_heading

MATH = "<math><msub><mi>a</mi><mn>1</mn></msub><mo>*</mo><mi>b</mi></math>"
DISPLAY = MATH.replace("<math", "<math display=block")


def markdown(source, labels):
    return result(snapshot(source), labels).to_markdown()


@pytest.mark.parametrize(
    ("source", "labels", "expected"),
    [
        ("<p>x<ul><li>a<ol start=3><li>b<li>c</ol><li>d</ul><p>y", "pllllp",
         "x\n\n- a\n\n  3. b\n  4. c\n- d\n\ny"),
        ("<ol start=9><li><p>a<p>b<li>c</ol>", "lpl", "9. a\n\n   b\n10. c"),
        ("<pre><code class='hl language-python'>x</code></pre>", "p", "```python\nx\n```"),
        # Links and buttons of the page itself go.
        ("<h2>Rain<span class=mw-editsection>[<a href=/e>edit</a>]</span></h2>", "h", "## Rain"),
        ("<h2><a class=heading-anchor href=#x>Rain</a></h2>", "h", "## Rain"),
        ("<p><a class=AnchorLink href=/team>Rovers</a> won", "p", "[Rovers](https://example.org/team) won"),
        ("<p>It rained <a class=permalink href=#c5>#</a>", "p", "It rained"),
        ("<div><code><a>a</a>, <a>b</a>, <a>c</a>, <a>d</a></code></div>", "p", "`a, b, c, d`"),
        ("<p><ruby>水<rp>(</rp><rt>みず</rt><rp>)</rp></ruby>", "p", "水"),
        # A list whose items begin with headings is no list.
        ("<ul><li><h2>A</h2><p>x</p><li><h2>B</h2><p>y</p></ul>", "hphp", "## A\n\nx\n\n## B\n\ny"),
        ("<h1>A</h1><h1>B</h1><h2>C</h2>", "hhh", "# A\n\n## B\n\n## C"),
        ("<dl><dt>Rope<dd>It crosses.<dt><b>Step</b><dd><p>One.<p>Two.</dl>", "lllll",
         "**Rope**\n\nIt crosses.\n\n**Step**\n\nOne.\n\nTwo."),
        ("<dl><dt><pre>x</pre><dd>y</dl>", "pp", "```\nx\n```\n\ny"),
        # Tables
        ("<table><tr><th>a<td>1<tr><th>b<td>2</table>", "pppp", "|  |  |\n| --- | --- |\n| a | 1 |\n| b | 2 |"),
        ("<table><caption>C</caption><tr><th>a<th>b<tr><td>1<td>2</table>", "ppppp",
         "C\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ("<table><tr><th rowspan=2>a<th colspan=2>b<th>c<tr><td>1<td>2<td>3<tr><td colspan=3>4<td>5</table>", "p" * 8,
         "| a | b |  | c |\n| --- | --- | --- | --- |\n|  | 1 | 2 | 3 |\n| 4 |  |  | 5 |"),
        ("<table><tr><th rowspan=0>a<th>b<tr><td>1<tr><td>2</table>", "pppp",
         "| a | b |\n| --- | --- |\n|  | 1 |\n|  | 2 |"),
        # Formulas
        (f"<p>is {MATH}, so", "p", "is $a_1*b$, so"),
        (f"<p>is {DISPLAY} so", "p", "is\n\n$$\na_1*b\n$$\n\nso"),
        (f"<ul><li>one<li>{MATH}</ul>", "l", "- one\n- $a_1*b$"),
        (f"<h1>On {DISPLAY}</h1>", "h", "# On $a_1*b$"),
    ],
)  # fmt: skip
def test_blocks(source, labels, expected):
    assert markdown(source, labels) == expected + "\n"


PARAGRAPHS = [
    # Only what would be markup is escaped,
    ("2 * 3", "2 * 3"), ("2*3", r"2\*3"), ("* no item", r"\* no item"), ("snake_case", "snake_case"),
    ("_x_", r"\_x\_"), ("__init__", r"\_\_init\_\_"), ("~~x~~", r"\~\~x\~\~"), ("~5", "~5"), ("a `b`", r"a \`b\`"),
    ("[1] and [2]", "[1] and [2]"), ("[a](b)", r"[a\](b)"), ("a &lt; b", "a < b"), ("&lt;b>", r"\<b>"),
    ("&amp;amp;", r"\&amp;"), ("R&amp;D", "R&D"), ("# no heading", r"\# no heading"), ("#tag", "#tag"),
    ("- no item", r"\- no item"), ("-5", "-5"), ("1. no item", r"1\. no item"), ("1.5", "1.5"),
    (">> no quotation", r"\>> no quotation"), ("> no quotation", r"\> no quotation"), ("C:\\dir", r"C:\\dir"),
    (r"so $\frac{a_1}{b}$ is", r"so $\frac{a_1}{b}$ is"), ("for $5_ and $6_", r"for $5\_ and $6\_"),
    # some of it at the start of a line,
    ("a <b>b</b> - c", "a **b** - c"), ("a <b>b</b> 1. c", "a **b** 1. c"), ("a<br>- b", "a  \n\\- b"),
    ("a<br>* b", "a  \n\\* b"), ("<u>1.</u> a", r"1\. a"),
    # and an exclamation mark before a link.
    ("Wow!<a href=/x>y</a>", r"Wow\![y](https://example.org/x)"),
    ("Wow! <a href=/x>y</a>", "Wow! [y](https://example.org/x)"), ("Wow!<b>y</b>", "Wow!**y**"),
    # Emphasis ends after punctuation only before space or punctuation (CommonMark 0.31, 6.2).
    ("<b>a</b>b", "**a**b"), ("<b>current.</b>Make", "**current.** Make"), ("Make<b>(x)</b>", "Make **(x)**"),
    ("(<b>(x)</b>)", "(**(x)**)"), ("<b>x:</b>, y", "**x:**, y"), ("<i>a<b>b.</b></i>c", "*a**b.*** c"),
    ("<b><u>x.</u></b><u>y</u>", "**x.** y"), ("<b>x.</b><br>y", "**x.**  \ny"), ("<del>x.</del>y", "~~x.~~ y"),
    ("H<sub>2</sub>O, 10<sup>6</sup>", "H<sub>2</sub>O, 10<sup>6</sup>"),
    ("<b>Rain</b><i>: snow</i>", "**Rain** *: snow*"),
    # Line breaks at its edges move out.
    ("<b>a<br></b>b", "**a**  \nb"), ("a<b><br>b</b>", "a  \n**b**"), ("<b><i>a<br></i></b>b", "***a***  \nb"),
    ("<b>a<br>b</b>", "**a  \nb**"),
    ("<code>a<br>- b</code>", "`a - b`"), ("<code>a`b</code>", "`` a`b ``"), ("<code>a_*b</code>", "`a_*b`"),
    ("<a href=https://a.org/x_y>https://a.org/x_y</a>", "<https://a.org/x_y>"),
    ('<a href="/a_(b)">x</a>', "[x](https://example.org/a_(b))"),
    ('<a href="/a(b">x</a>', "[x](<https://example.org/a(b>)"),
    ('a <img src="/i.png" alt="[x]"> b', r"a ![\[x\]](https://example.org/i.png) b"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "expected"), PARAGRAPHS)
def test_in_a_paragraph(source, expected):
    assert markdown(f"<p>{source}", "p") == expected + "\n"


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("Learn C #", r"Learn C \#"), ("Learn C##", "Learn C##"), ("1. Rain", "1. Rain"), ("- Rain -", "- Rain -"),
        ("a<br>b", "a b"), ('a <img src=/i.png alt="b"> c', "a ![b](https://example.org/i.png) c"),
        ("10<sup>6</sup>", "10<sup>6</sup>"),
    ],
)  # fmt: skip
def test_in_a_heading(source, expected):
    assert markdown(f"<h1>{source}</h1>", "h") == f"# {expected}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("a [b", r"a \[b"), ("b] c", r"b\] c"), ("b] [c", r"b\] \[c"), ("a [b](c)", r"a \[b\](c)"), ("[1]", "[1]")],
)
def test_in_a_link(text, expected):
    assert markdown(f"<p><a href=/x>{text}</a>", "p") == f"[{expected}](https://example.org/x)\n"


@pytest.mark.parametrize(
    ("cell", "labels", "expected"),
    [
        ("<code>a|b</code>", "p", r"`a\|b`"), ("<a href='/a|b'>x</a>", "p", r"[x](https://example.org/a\|b)"),
        ("a<br>b", "p", "a<br>b"), ("<p>a<p>b", "pp", "a<br>b"), ("<ul><li>a<li>b</ul>", "ll", "a<br>b"),
        ("x<ul><li>a<li>b</ul>y", "pllp", "x<br>a<br>b<br>y"), (f"is {DISPLAY}", "p", "is $a_1*b$"),
        ("<pre>a  b\n  c`</pre>", "p", "`a  b`<br>``   c` ``"), ("1. x", "p", "1. x"),
        ("a <img src=/i.png alt=b> c", "p", "a ![b](https://example.org/i.png) c"),
    ],
)  # fmt: skip
def test_in_a_cell(cell, labels, expected):
    source = f"<table><tr><th>a<th>b<tr><td>{cell}<td>2<tr><td>3<td>4</table>"
    assert markdown(source, f"pp{labels}ppp") == (f"| a | b |\n| --- | --- |\n| {expected} | 2 |\n| 3 | 4 |\n")


COUNTED = {"h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "tr", "pre", "blockquote"}
TAGS = ["p", "div", "ul", "ol", "ol start=4", "li", "table", "tr", "td", "pre", "a href=/x", "b", "h2", "h3",
        "blockquote", "span", "code", "dl", "dt", "dd"]  # fmt: skip

trees = st.recursive(
    st.sampled_from(["one", "two ", " three", "<br>", "1. four", "- five", "# six", "a*b"]),
    lambda children: st.builds(
        lambda tag, inner: f"<{tag}>{''.join(inner)}</{tag.split()[0]}>",
        st.sampled_from(TAGS),
        st.lists(children, max_size=4),
    ),
    max_leaves=20,
)


def shape(body):
    """Return elements with text outside cells with their depth in lists and quotations."""
    elements = []
    for element in body.iter(*COUNTED):
        above = [ancestor.tag for ancestor in element.iterancestors()]
        if not {"td", "th"} & set(above) and element.text_content().strip():
            elements.append((element.tag, sum(tag in ("ul", "ol") for tag in above), above.count("blockquote")))
    return elements


def without_lists_of_sections(body):
    """Remove the lists of sections, as the Markdown has none."""
    lists = [each for each in body.iter("ul", "ol") if any(map(_begins_with_heading, each))]
    for element in [each for items in lists for each in (items, *items)]:
        element.tag = "div"


class TestReparsed:
    """Round trip: the Markdown, parsed as CommonMark, has the structure of the cleaned page."""

    @settings(deadline=None)
    @given(trees, st.randoms(use_true_random=False))
    def test_structure_survives(self, source, random):
        page = snapshot(f"<div>{source}</div>")
        cleaned = result(page, random.choices("hpll", k=len(extract_blocks(page))))
        body = html.fromstring(html.tostring(to_tree(cleaned)[-1]))
        without_lists_of_sections(body)
        parsed = MarkdownIt("commonmark").enable("table").render(cleaned.to_markdown())
        assert shape(html.fromstring(f"<div>{parsed}</div>")) == shape(body)
