"""Test methods that need the rendered page."""

from __future__ import annotations

import pytest

from vclean.classify.methods import get
from vclean.features.blocks import extract_blocks

pytestmark = pytest.mark.browser

TEXT = "<p>It rained all day in the valley, and nobody who lived there minded it at all, for it was warm.</p>"
PAGE = f"""
<style>
  body {{ margin: 0 }} nav {{ float: left; width: 200px }} main {{ margin: 0 260px; display: block }}
  aside {{ position: absolute; right: 0; top: 0; width: 200px }}
</style>
<nav><ul><li><a href=/a>Home</a><li><a href=/b>News</a><li><a href=/c>Contact</a></ul></nav>
<main><h1>Rain</h1>{TEXT * 4}</main><aside><p>Buy now.</p></aside>
"""


@pytest.mark.parametrize("name", ["vips", "template", "cetd"])
def test_keeps_the_text_in_the_middle(snap, name: str, tmp_path) -> None:
    template = tmp_path / "main.txt"
    template.write_text("main\n-css:h1")
    blocks = extract_blocks(snap(PAGE))
    labels = get(name, template if name == "template" else None)(blocks).labels
    content = [text for text, label in zip(blocks.text, labels, strict=True) if label.is_content and text != "Rain"]
    assert len(content) == 4
    assert all(text.startswith("It rained") for text in content)
