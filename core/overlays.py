"""What an overlay shows of a result: its blocks, with what is known of each."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from vclean.labels import Visibility
from vclean.record import main_element
from vclean.render.overlay import Overlay
from vclean.render.overlay_html import OverlayBlock, OverlayPage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.classify.reasons import Reason
    from vclean.features.blocks import Blocks
    from vclean.result import Result

_BOLD = 600
"""The least font weight that is called bold."""


def overlay_of(result: Result) -> Overlay:
    """What a drawing of the blocks needs; as long as it has roles, they give the colours."""
    return Overlay(
        box=result.blocks.box,
        labels=result.labels,
        probability=result.probability,
        texts=result.blocks.text,
        hidden=result.blocks.visibility != Visibility.SHOWN,
        lines=result.blocks.snapshot.line_box,
        page_height=result.blocks.snapshot.height,
        roles=result.roles,
    )


def overlay_page(result: Result, picture: bytes) -> OverlayPage:
    """What a page to explore needs, without segments.

    Args:
        result: what was made of the page; without reasons, none are told.
        picture: of the page, PNG or JPEG, one px per CSS px; or empty.
    """
    snapshot = result.blocks.snapshot
    return OverlayPage(
        id=result.id,
        url=snapshot.url,
        title=snapshot.title,
        width=snapshot.width,
        height=snapshot.height,
        picture=picture,
        blocks=overlay_blocks(result),
        facts=_facts(result),
    )


def overlay_blocks(result: Result) -> list[OverlayBlock]:
    """The blocks as a page to explore shows them."""
    blocks, fonts = result.blocks, _fonts(result.blocks)
    reasons: Sequence[Sequence[Reason]] = result.reasons or [()] * len(blocks)
    places = result.places or [None] * len(blocks)
    return [
        OverlayBlock(
            box=blocks.box[row].tolist(),
            label=result.labels[row],
            role=result.roles[row] if result.roles else None,
            probability=float(result.probability[row]),
            font=fonts[row],
            xpath=blocks.snapshot.xpath(node),
            text=blocks.text[row],
            visibility=Visibility(int(blocks.visibility[row])).name.lower(),
            reasons=reasons[row],
            source=f"line {place.line}, column {place.column}" if (place := places[row]) else "",
        )
        for row, node in enumerate(blocks.node.tolist())
    ]


def _facts(result: Result) -> dict[str, str]:
    kept = sum(label.is_content for label in result.labels)
    facts = {"Kept": f"{kept} of {len(result.blocks)} blocks", "Method": result.method}
    if isfinite(result.confidence):
        facts["Confidence"] = f"{result.confidence:.2f}"
    if result.language:
        facts["Language"] = result.language
    return facts


def _fonts(blocks: Blocks) -> list[str]:
    """What each block's main text is set in: `16 px Georgia, bold, italic`; empty where that is not known."""
    snapshot = blocks.snapshot
    styles = snapshot.styles
    columns = ("font-weight", "font-style", "font-family")
    rows = zip(styles.number("font-size").tolist(), *(styles.column(name) for name in columns), strict=True)
    names = [_font(*row) for row in rows]
    return [names[style] for style in snapshot.style[main_element(blocks)].tolist()]


def _font(size: float, weight: str, slant: str, family: str) -> str:
    if not isfinite(size):
        return ""
    face = family.partition(",")[0].strip("\"' ")
    bold = weight == "bold" or (weight.isdecimal() and int(weight) >= _BOLD)
    parts = [f"{size:g} px {face}".rstrip(), "bold" * bold, slant * (slant not in ("", "normal"))]
    return ", ".join(filter(None, parts))
