from __future__ import annotations

from helpers.pages import snapshot

from vclean.features.blocks import extract_blocks
from vclean.labels import Label
from vclean.output.selection import INLINE, STRUCTURE, EventKind, select_content


def selected(page, labels):
    return select_content(extract_blocks(page), [Label(letter) for letter in labels])


def events(source, labels):
    """Return the tags of the selected elements, and the selected texts."""
    page = snapshot(source)
    names = []
    for kind, index in selected(page, labels).events:
        names.append(page.texts[index] if kind is EventKind.TEXT else page.tags[page.tag[index]])
    return names


def test_no_element_has_two_parts():
    assert not STRUCTURE & INLINE


class TestEvents:
    def test_break_between_blocks_is_in_no_block(self):
        assert events("<p>a<br>b<br><br>c", "pp") == ["a", "br", "b", "c"]

    def test_layout_table_goes_with_its_parts(self):
        assert events("<table><tr><td>a<td>b</table>", "pp") == ["a", "b"]


class TestHeadingLevel:
    def test_of_headings(self):
        assert selected(snapshot("<h3>A</h3><p>B</p>"), "hh").heading_level.tolist() == [3, 4]


class TestUnitCount:
    def test_units_directly_in_an_element(self):
        page = snapshot("<ul><li>a<p>b</p><ul><li>c</ul></ul>")
        selection = selected(page, "lpl")
        assert [selection.unit_count[row] for row in selection.container.tolist()] == [2, 2, 1]
