from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree, html

from vclean.output.markdown import flatten


def flat(source):
    """Return the content of a flattened body."""
    body = html.document_fromstring(f"<html><body>{source}</body></html>").find("body")
    flatten(body)
    return etree.tostring(body, method="html", encoding="unicode").removeprefix("<body>").removesuffix("</body>")


class TestTables:
    def test_caption_is_moved_before_table(self):
        body = flat("<table><caption><p>a</p></caption><tr><td>1</td></tr></table>")
        assert body == "<div><p>a</p></div><table><tr><td>1</td></tr></table>"

    @pytest.mark.parametrize(
        ("rows", "expected"),
        [
            ([["2x1", "1x1"], ["1x1", "1x1", "1x1"]], ["X.X", "XXX"]),
            ([["1x2", "1x1"], ["1x1"]], ["XX", ".X"]),
            ([["2x2", "1x1"], ["1x1"], ["1x1", "1x1", "1x1"]], ["X.X", "..X", "XXX"]),
            ([["1x0", "1x1"], ["1x1"], ["1x1"]], ["XX", ".X", ".X"]),
            ([["5x1"], ["1x1", "1x1"]], ["X.", "XX"]),
            ([["1x1"], ["1x1", "1x1"], ["1x1"]], ["X.", "XX", "X"]),
            ([["axb", "0x1"], ["1x1", "1x1"]], ["XX", "XX"]),
        ],
    )
    def test_spans(self, rows, expected):
        # An X is a cell of the page (with the columns x rows it spans), a dot an added empty cell.
        cells = [[f"<td colspan={c} rowspan={r}>X</td>" for c, r in (cell.split("x") for cell in row)] for row in rows]
        table = html.fragment_fromstring(flat("<table>" + "".join(f"<tr>{''.join(row)}</tr>" for row in cells)))
        assert ["".join(cell.text or "." for cell in row) for row in table.iter("tr")] == expected

    def test_spans_end_with_the_group_of_rows(self):
        body = flat("<table><thead><tr><th rowspan=5>a</thead><tbody><tr><td>1</table>")
        assert "<tr><td>1</td></tr>" in body

    @settings(deadline=None)
    @given(st.lists(st.lists(st.tuples(st.integers(0, 9999), st.integers(0, 99999)), max_size=3), max_size=4))
    def test_no_row_is_wider_than_the_first(self, rows):
        cells = ["".join(f"<td colspan={c} rowspan={r}>X</td>" for c, r in row) for row in rows]
        body = html.document_fromstring(f"<body>{flat('<table>' + ''.join(f'<tr>{row}</tr>' for row in cells))}<p>")
        widths = [len(row) for row in body.iter("tr")]
        assert widths[:1] == [max(widths)] if widths else not rows
        assert body.xpath("string()").count("X") == sum(map(len, rows))


class TestCells:
    def test_blocks_are_separated(self):
        body = flat("<table><tr><td>a<ul><li>b</li><li>c</li></ul>d</td></tr></table>")
        cell = html.fragment_fromstring(body).find(".//td")
        assert {child.tag for child in cell} == {"br"}
        assert "|".join(filter(None, (text.strip() for text in cell.itertext()))) == "a|b|c|d"

    def test_blocks_outside_cells_stay(self):
        assert flat("<figure>a</figure>") == "<figure>a</figure>"


class TestTerms:
    def test_emphasis_is_removed(self):
        assert flat("<dl><dt><b>a</b> <i>b</i></dt></dl>") == "<dl><dt>a <i>b</i></dt></dl>"


class TestLineBreaks:
    @pytest.mark.parametrize(
        ("source", "expected"),
        [
            ("<p><b>a<br></b>b</p>", "<p><b>a</b><br>b</p>"),
            ("<p>a<b><br>\nb</b>c</p>", "<p>a<br><b>b</b>c</p>"),
            ("<p><b><i>a<br> </i></b>b</p>", "<p><b><i>a</i></b><br>b</p>"),
            ("<p><b>a<br>b</b></p>", "<p><b>a<br>b</b></p>"),
            ("<p>a<br></p>", "<p>a<br></p>"),
        ],
    )
    def test_move_out_of_inline_elements(self, source, expected):
        assert flat(source) == expected


class TestMarks:
    """Markers of list items."""

    @pytest.mark.parametrize(
        ("lists", "marks"),
        [
            ("<ul><li>a</li><li>b</li></ul>", "- -"),
            ("<ol><li>a</li><li>b</li></ol>", "1. 2."),
            ("<ol start='3'><li>a</li><li>b</li></ol>", "3. 4."),
            ("<ol start='0'><li>a</li></ol>", "0."),
            ("<ol><li value='7'>a</li><li>b</li></ol>", "7. 8."),
            ("<ol start='-2'><li>a</li></ol>", "1."),
            ("<ol start='1234567890'><li>a</li></ol>", "1."),
            ("<ol start='\u00b2'><li>a</li></ol>", "1."),
            ("<ul><li>a</li></ul> <ul><li>b</li></ul><ul><li>c</li></ul>", "- * -"),
            ("<ol><li>a</li></ol><ol><li>b</li></ol>", "1. 1)"),
            ("<ul><li>a</li></ul><ol><li>b</li></ol><ul><li>c</li></ul>", "- 1. -"),
            ("<ul><li>a</li></ul><p>x</p><ul><li>b</li></ul>", "- -"),
            ("<ul><li>a</li></ul>words<ul><li>b</li></ul>", "- -"),
            ("<ul><li>a<ul><li>b</li></ul></li></ul>", "- -"),
            ("<dl><dd><ul><li>a</li></ul></dd></dl><ul><li>b</li></ul>", "- *"),
            ("<ul><li>a</li></ul><dl><dd><ul><li>b</li></ul></dd></dl>", "- *"),
            ("<ul><li>a</li></ul><dl><dd>x<ul><li>b</li></ul></dd></dl>", "- -"),
            ("<dl><dd><ul><li>a</li></ul>x</dd></dl><ul><li>b</li></ul>", "- -"),
        ],
    )
    def test_marks(self, lists, marks):
        body = etree.fromstring(f"<body>{lists}</body>")
        flatten(body)
        assert " ".join(item.get("mark") for item in body.iter("li")) == marks
