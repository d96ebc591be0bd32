"""Show results in notebooks: a table of the blocks, below the overlay if there is a screenshot."""

from __future__ import annotations

import base64
import math
from itertools import islice
from typing import TYPE_CHECKING, Any

from vclean.html_pages import MAX_CHARACTERS, MAX_ROWS, render_fragment
from vclean.render.overlay.layers import PENS, excerpt

if TYPE_CHECKING:
    from vclean.block import Block
    from vclean.result import Result


def result_html(result: Result) -> str:
    """Return a part of an HTML document with the first `MAX_ROWS` blocks; texts of the page are escaped."""
    has_picture = bool(result.screenshot) and result.columns.snapshot.rendered
    picture = result.overlay(result.screenshot, "png") if has_picture else b""
    return render_fragment(
        "notebook_result.html",
        title=result.metadata.title,
        kept=result.content_count,
        count=len(result.blocks),
        confidence=None if math.isnan(result.confidence) else f"{result.confidence:.2f}",
        language=result.metadata.language,
        rendered=result.metadata.rendered,
        picture=base64.b64encode(picture).decode(),
        blocks=[_row(block) for block in islice(result.blocks, MAX_ROWS)],
    )


def _row(block: Block) -> dict[str, Any]:
    red, green, blue = PENS[block.label].color
    return {
        "index": block.index,
        "label": str(block.label),
        "color": f"rgb({red}, {green}, {blue})",
        "probability": "" if math.isnan(block.probability) else f"{block.probability:.2f}",
        "role": block.role and str(block.role),
        "is_content": block.is_content,
        "text": excerpt(block.text, MAX_CHARACTERS),
    }
