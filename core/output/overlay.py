"""Convert a result to the data of an overlay."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import numpy as np

from vclean.characters import format_count
from vclean.labels import PartKind, Visibility
from vclean.render.overlay.html import OverlayBlock, OverlayPage
from vclean.render.overlay.layers import Overlay, Part
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.box import Box
    from vclean.features.blocks import BlockColumns
    from vclean.metadata import Metadata
    from vclean.result import Result

_BOLD = 600
"""Least CSS font weight of a bold face."""


def to_overlay(result: Result) -> Overlay:
    """Return the data of an image overlay; if the result has roles, they determine the colors."""
    columns, prediction = result.columns, result.prediction
    return Overlay(
        box=np.where(_is_omitted(columns)[:, None], np.float32("nan"), columns.box),
        labels=prediction.labels,
        probability=prediction.probability,
        texts=columns.text,
        hidden=columns.visibility != Visibility.SHOWN,
        lines=columns.snapshot.line_box,
        page_height=columns.snapshot.height,
        roles=prediction.roles,
        techniques=[Hidden(code).technique for code in columns.technique.tolist()],
    )


def to_overlay_page(result: Result, screenshot: bytes) -> OverlayPage:
    """Return the data of an interactive overlay page, without segments.

    Args:
        result: the result; its reasons are shown if it has any.
        screenshot: the screenshot of the page, PNG or JPEG, one px per CSS px; or empty.
    """
    snapshot = result.columns.snapshot
    return OverlayPage(
        id=result.id,
        url=snapshot.url,
        title=snapshot.title,
        width=snapshot.width,
        height=snapshot.height,
        screenshot=screenshot,
        blocks=to_overlay_blocks(result),
        parts=to_overlay_parts(result),
        facts=_facts(result),
    )


def to_overlay_blocks(result: Result) -> list[OverlayBlock]:
    """Return the data of each block for an interactive overlay page."""
    explanation, count = result.explanation, len(result.columns)
    margins = explanation.margins.tolist() if explanation else []
    overruled_by = explanation.overruled_by if explanation else ()
    return [
        OverlayBlock(
            margin=margin,
            overruled_by=rule,
            box=None if is_omitted else block.box,
            label=block.label,
            role=block.role,
            probability=block.probability,
            font=font,
            xpath=block.xpath,
            text=block.text,
            visibility=block.visibility.name.lower(),
            technique=block.technique,
            reasons=block.reasons,
            source=f"line {block.source.line}, column {block.source.column}" if block.source else "",
        )
        for block, font, is_omitted, margin, rule in zip(
            result.blocks,
            _fonts(result.columns),
            _is_omitted(result.columns).tolist(),
            margins or [None] * count,
            overruled_by or [""] * count,
            strict=True,
        )
    ]


def to_overlay_parts(result: Result) -> list[Part]:
    """Return title, byline, date, price, recipe, posts and items of a page, as far as they have boxes."""
    product, recipe = result.product, result.recipe
    found = _metadata_parts(result.metadata)
    found += [(PartKind.PRICE, product.box, product.price_text, None)] if product else []
    found += [(PartKind.RECIPE, recipe.box, recipe.name, None)] if recipe else []
    for post in result.posts:
        text = " · ".join(filter(None, (post.author, post.date_text)))
        found.append((PartKind.POST, post.box, text, min(post.blocks, default=None)))
    found += [(PartKind.ITEM, item.box, item.title, min(item.blocks, default=None)) for item in result.items]
    return [Part(kind=kind, box=box, text=text, block=block) for kind, box, text, block in found if box is not None]


def _metadata_parts(metadata: Metadata) -> list[tuple[PartKind, Box | None, str, int | None]]:
    """Return kind, box, text and block of title, byline and date; one part for a block with both authors and date."""
    evidence, authors = metadata.evidence, ", ".join(metadata.authors)
    fields = [
        (PartKind.TITLE, "title", metadata.title),
        (PartKind.BYLINE, "authors", authors),
        (PartKind.DATE, "published", metadata.published),
    ]
    byline, date = evidence.get("authors"), evidence.get("published")
    if byline and date and byline.block is not None and byline.block == date.block:
        fields[1:] = [(PartKind.BYLINE_DATE, "authors", f"{authors} · {metadata.published}")]
    return [(kind, evidence[name].box, text, evidence[name].block) for kind, name, text in fields if name in evidence]


def _is_omitted(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return which blocks are not on the screenshot, because it was taken without overlays: bool (B,)."""
    return blocks.in_overlay & bool(blocks.snapshot.settings.get("hide_overlays"))


def _facts(result: Result) -> dict[str, str]:
    facts = {"Kept": f"{result.content_count} of {format_count(len(result.columns), 'block')}", "Method": result.method}
    if isfinite(result.confidence):
        facts["Confidence"] = f"{result.confidence:.2f}"
    if result.language:
        facts["Language"] = result.language
    return facts


def _fonts(blocks: BlockColumns) -> list[str]:
    """Return the font of most text of each block, such as `16 px Georgia, bold, italic`; empty if unknown."""
    snapshot = blocks.snapshot
    styles = snapshot.styles
    columns = ("font-weight", "font-style", "font-family")
    rows = zip(styles.number("font-size").tolist(), *(styles.column(name) for name in columns), strict=True)
    names = [_font(*row) for row in rows]
    return [names[style] for style in snapshot.style[blocks.main_element].tolist()]


def _font(size: float, weight: str, slant: str, family: str) -> str:
    if not isfinite(size):
        return ""
    face = family.partition(",")[0].strip("\"' ")
    bold = weight == "bold" or (weight.isdecimal() and int(weight) >= _BOLD)
    parts = [f"{size:g} px {face}".rstrip(), "bold" * bold, slant * (slant not in ("", "normal"))]
    return ", ".join(filter(None, parts))
