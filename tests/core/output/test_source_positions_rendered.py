"""Positions of the blocks of rendered pages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from vclean.features.blocks import extract_blocks
from vclean.input.sources import read_file
from vclean.output.source_positions import find_positions
from vclean.page import Page

if TYPE_CHECKING:
    from vclean.render.browser.renderer import Renderer

pytestmark = pytest.mark.browser

FIXTURES = Path(__file__).parents[3] / "fixtures"
MAX_BYTES = 2**24
SCRIPTED = """<!DOCTYPE html><title>Rain</title>
<h1>Rain in the valley</h1>
<div id=app></div>
<p>It rained for a week.</p>
<script>
  document.getElementById('app').innerHTML = '<p>Written by a script.</p><p>Twice.</p>'
  document.body.append(document.querySelector('h1'))
</script>
<noscript><p>Never shown.</p></noscript>
<table><tr><td>One cell<td>Another</table>"""


def lines(renderer: Renderer, page: Page) -> dict[str, int | None]:
    blocks = extract_blocks(renderer.render(page).snapshot)
    places = find_positions(page, blocks, MAX_BYTES)
    return {text: position and position.line for text, position in zip(blocks.text, places, strict=True)}


def test_with_scripts(scripting: Renderer) -> None:
    """Find the position of text that a script moved, and none of text that it wrote."""
    assert lines(scripting, Page(content=SCRIPTED, url="http://example.org/")) == {
        "Written by a script.": None,
        "Twice.": None,
        "It rained for a week.": 4,
        "One cell": 10,
        "Another": 10,
        "Rain in the valley": 2,
    }


@pytest.mark.parametrize("name", ["news", "forum", "japanese", "utf16", "noscript"])
def test_every_block_of_a_page_without_scripts(renderer: Renderer, name: str) -> None:
    page = read_file(FIXTURES / name / "page.html", MAX_BYTES)
    line_numbers = lines(renderer, page)
    assert line_numbers
    assert None not in line_numbers.values()
