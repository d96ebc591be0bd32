from __future__ import annotations

import pytest
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


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("<p>a<br>b<br><br>c", ["a", "br", "b", "c"]),  # a break between blocks is in no block
        ("<table><tr><td>a<td>b</table>", ["a", "b"]),  # a layout table goes with its parts
    ],
)
def test_events(source, expected):
    assert events(source, "pp") == expected


def test_units_directly_in_an_element():
    selection = selected(snapshot("<ul><li>a<p>b</p><ul><li>c</ul></ul>"), "lpl")
    assert [selection.unit_count[row] for row in selection.container.tolist()] == [2, 2, 1]
