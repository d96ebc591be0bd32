from __future__ import annotations

import pytest
from helpers import result, snapshot


def markdown(source, labels):
    return result(snapshot(source), labels).markdown


class TestStructure:
    def test_headings(self):
        assert markdown("<h1>A</h1><h2>B</h2><div>C</div>", "hhh") == "# A\n\n## B\n\n## C\n"

    def test_nested_lists(self):
        source = "<p>x<ul><li>a<ol start=3><li>b<li>c</ol><li>d</ul><p>y"
        assert markdown(source, "pllllp") == "x\n\n- a\n  3. b\n  4. c\n- d\n\ny\n"

    def test_list_without_tags(self):
        assert markdown("<div>a</div><div>b</div>", "ll") == "- a\n- b\n"

    def test_table(self):
        source = "<table><tr><th>a<th>b<tr><td>1<td>x|y</table>"
        assert markdown(source, "pppp") == "| a | b |\n| --- | --- |\n| 1 | x\\|y |\n"

    def test_table_without_header(self):
        """Tables of GitHub need a header row: the first row is taken."""
        source = "<table><tr><td>a<td>b<tr><td>1<td>2</table>"
        assert markdown(source, "pppp") == "| a | b |\n| --- | --- |\n| 1 | 2 |\n"

    def test_code_block(self):
        assert markdown("<pre><code>def f(*a):\n    pass\n</code></pre>", "p") == "```\ndef f(*a):\n    pass\n```\n"

    def test_code_block_that_holds_a_fence(self):
        assert markdown("<pre>```\nx\n```</pre>", "p") == "````\n```\nx\n```\n````\n"

    def test_quotation(self):
        assert markdown("<blockquote><p>a<p>b</blockquote>", "pp") == "> a\n>\n> b\n"

    def test_inline(self):
        source = "<p>a <b>b</b> <em>c</em> <code>d*</code> <a href='/x'>e</a>"
        assert markdown(source, "p") == "a **b** *c* `d*` [e](https://example.org/x)\n"

    def test_line_break(self):
        assert markdown("<p>Rose<br>is a rose", "p") == "Rose  \nis a rose\n"

    def test_image(self):
        source = '<p>a</p><img src="/i.png" alt="Map"><p>b'
        assert markdown(source, "pp") == "a\n\n![Map](https://example.org/i.png)\n\nb\n"

    def test_title_is_not_text(self):
        assert markdown("<title>T</title><p>x", "p") == "x\n"


class TestEscape:
    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("2 * 3", r"2 \* 3"),
            ("snake_case", "snake_case"),
            ("_x_", r"\_x\_"),
            ("a `b`", r"a \`b\`"),
            ("[1] and [2]", "[1] and [2]"),
            ("[a](b)", r"[a\](b)"),
            ("a &lt; b", "a < b"),
            ("&lt;b>", r"\<b>"),
            ("&amp;amp;", r"\&amp;"),
            ("R&amp;D", "R&D"),
            ("# no heading", r"\# no heading"),
            ("#tag", "#tag"),
            ("- no item", r"\- no item"),
            ("-5", "-5"),
            ("1. no item", r"1\. no item"),
            ("1.5", "1.5"),
            ("> no quotation", r"\> no quotation"),
            ("C:\\dir", r"C:\\dir"),
        ],
    )
    def test_only_what_would_be_markup(self, text, expected):
        assert markdown(f"<p>{text}", "p") == expected + "\n"
