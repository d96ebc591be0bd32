from __future__ import annotations

from helpers.pages import snapshot

from vclean.features.blocks import extract_blocks
from vclean.labels import Label
from vclean.output.selection import INLINE, STRUCTURE, Kind, prune


def pruned(page, labels):
    return prune(extract_blocks(page), [Label(letter) for letter in labels])


def events(source, labels):
    """What is kept of a page: tags of elements, texts as they are."""
    page = snapshot(source)
    names = []
    for kind, index in pruned(page, labels).events:
        names.append(page.texts[index] if kind is Kind.TEXT else page.tags[page.tag[index]])
    return names


def test_no_element_has_two_parts():
    assert not STRUCTURE & INLINE


class TestEvents:
    def test_document_order(self):
        assert events("<p>a <b>b</b> c<ul><li>d</ul>", "pl") == ["a ", "b", "b", " c", "ul", "li", "d"]

    def test_elements_without_kept_text_go(self):
        assert events("<ul><li>a<li><b>ad</b></ul>", "lo") == ["ul", "li", "a"]

    def test_break_between_blocks_is_none_of_a_block(self):
        assert events("<p>a<br>b<br><br>c", "pp") == ["a", "br", "b", "c"]

    def test_break_of_boilerplate_goes(self):
        assert events("<p>a<br>b", "o") == []

    def test_image_in_a_line_and_between_blocks(self):
        image = '<img src="i" alt="x">'
        page = snapshot(f"<p>a {image} b</p>{image}<p>c")
        kinds = [kind for kind, _ in pruned(page, "pp").events]
        assert kinds == [Kind.TEXT, Kind.INLINE_IMAGE, Kind.TEXT, Kind.IMAGE, Kind.TEXT]

    def test_white_space_only_in_code(self):
        assert events("<pre><b>a</b>\n<b>c</b></pre><p><b>a</b> <b>c</b>", "pp") == [
            "pre", "b", "a", "\n", "b", "c", "b", "a", "b", "c",
        ]  # fmt: skip

    def test_white_space_between_blocks_of_code(self):
        """Lines in blocks of their own: the indents stand in text nodes that are in none."""
        lines = "<div><b>a</b></div>\n  <div><b>b</b></div>"
        assert events(f"<pre>{lines}</pre>", "pp") == ["pre", "b", "a", "\n  ", "b", "b"]
        assert events(f"<div>{lines}</div>", "pp") == ["b", "a", "b", "b"]

    def test_layout_table_goes_with_its_parts(self):
        assert events("<table><tr><td>a<td>b</table>", "pp") == ["a", "b"]

    def test_inner_table_of_data_in_a_table_of_layout(self):
        source = "<table><tr><td><table><tr><th>a<tr><td>b</table></table>"
        assert events(source, "pp") == ["table", "tr", "th", "a", "tr", "td", "b"]

    def test_empty_page(self):
        assert pruned(snapshot("<p>"), "").events == []


class TestLevel:
    def test_of_headings(self):
        assert pruned(snapshot("<h3>A</h3><p>B</p>"), "hh").level.tolist() == [3, 4]


class TestCrowd:
    def test_units_directly_in_an_element(self):
        page = snapshot("<ul><li>a<p>b</p><ul><li>c</ul></ul>")
        found = pruned(page, "lpl")
        assert [found.crowd[home] for home in found.home.tolist()] == [2, 2, 1]

    def test_continuations_and_boilerplate_do_not_count(self):
        page = snapshot("<ul><li>a<p>b</p><p>c</p></ul>")
        found = pruned(page, "lco")
        assert found.crowd[found.home[0]] == 1
