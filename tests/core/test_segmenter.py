"""Segments of pages that Chromium rendered."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

import vclean
from vclean.features.segments.vips import segment
from vclean.page import Page
from vclean.render.browser.renderer import Renderer
from vclean.settings import HiddenPolicy

pytestmark = pytest.mark.browser

COLUMNS = """
<style>
  body { margin: 0 } header { background: navy; color: white; padding: 20px }
  nav { float: left; width: 200px } main { margin-left: 260px }
</style>
<header><h1>Title</h1></header>
<nav><ul><li>Home<li>News<li>Contact</ul></nav>
<main><h2>Heading</h2><p>One paragraph.<p>Another paragraph.</main>
"""


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (COLUMNS, ["Title", "Home News Contact", "Heading One paragraph. Another paragraph."]),
        # The height of the container is zero, and rule 1 would drop it with its visible content.
        ("<div><div style='float: left'>left</div><div style='float: right'>right</div></div>", ["left", "right"]),
        ("<p>seen<p style='display: none'>a<p style='visibility: hidden'>b<p style='opacity: 0'>c", ["seen"]),
        ("<div style='background: #eee'>above</div><div style='background: #333'>below</div>", ["above", "below"]),
    ],
    ids=["header, menu and content", "floats outside their container", "hidden elements", "change of background"],
)
def test_texts_of_segments(html: str, expected: list[str], snap) -> None:
    segments = segment(snap(html)).at(5)
    assert [segments.segment_text(leaf) for leaf in segments.leaves.tolist()] == expected


def test_xpaths_are_those_of_the_browser(renderer: Renderer) -> None:
    image = "<img style='margin: 20px 0' src='data:image/gif;base64,R0lGODlhAQABAAAAACw=' width=90 height=90>"
    html = f"<div>one<br>{image}<br>three</div>"
    segments = segment(renderer.render(Page(content=html)).snapshot)
    paths = {segments.xpath(root) for roots in segments.roots for root in roots}
    assert {"/html[1]/body[1]/div[1]/text()[1]", "/html[1]/body[1]/div[1]/img[1]"} <= paths


def test_page_and_screenshot() -> None:
    with vclean.Segmenter() as segmenter:
        segments, picture = segmenter.run(Page(content=COLUMNS, id="columns"), screenshot=True)
    assert segments.id == "columns"
    assert len(segments.roles) == len(segments.content_share) == len(segments)
    assert segments.content_share[0] > 0
    with Image.open(io.BytesIO(segments.overlay(picture, "png"))) as drawn:
        assert drawn.width == 1366


@pytest.mark.parametrize("name", ["docs", "listing", "forum"])
def test_fixtures_have_same_segments_twice(name: str, renderer: Renderer) -> None:
    page = Path(__file__).parents[2] / "fixtures" / name / "page.html"
    content = page.read_bytes()
    one, other = (segment(renderer.render(Page(content=content)).snapshot) for _ in range(2))
    assert one.to("json") == other.to("json")
    assert len(one.at(5).leaves) > 1


@pytest.mark.parametrize(
    ("style", "hidden", "is_printed"),
    [
        ("color: white", "revealable", False),
        ("color: transparent", "revealable", False),
        ("font-size: 1px", "revealable", False),
        ("opacity: .001", "revealable", False),
        ("color: white", "drop", False),
        ("color: white", "keep", True),
        ("font-size: 1px", "keep", True),
    ],
)
@pytest.mark.parametrize("method", ["vips", "learned"])
def test_hidden_text_is_in_segments_by_the_policy(
    method: str, style: str, hidden: HiddenPolicy, is_printed: bool
) -> None:
    html = f"<h1>Rain</h1><p>It rained all day.<p style='{style}'>Praise the mill.</p><p>The river rose."
    record = vclean.segment(html, method=method, hidden=hidden).to()
    assert ("Praise" in record) is is_printed
    assert "It rained all day." in record
