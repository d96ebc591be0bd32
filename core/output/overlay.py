"""Draw results on the screenshot of a page: blocks, segments, separators and lines of text."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from vclean.characters import format_count
from vclean.errors import UsageError
from vclean.features.segments.formats import overlay_layer, segment_rows, separator_rows
from vclean.features.segments.vips import segment
from vclean.files import write_atomic
from vclean.labels import Label, PartKind
from vclean.render.overlay.draw import draw_png, draw_svg, open_screenshot
from vclean.render.overlay.html import OverlayPage, draw_html
from vclean.render.overlay.layers import (
    Layer,
    TagPlacer,
    block_layer,
    hidden_layer,
    line_layer,
    part_layer,
    segment_layer,
    separator_layer,
)
from vclean.settings import DEFAULT_PDOC, OVERLAY_FORMATS, OverlayFormat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from vclean.features.blocks import BlockColumns
    from vclean.features.segments.segments import Segments
    from vclean.render.overlay.layers import JsonObject
    from vclean.result import Result


def to_overlay_page(result: Result, screenshot: bytes) -> OverlayPage:
    """Return the data of an interactive overlay page, without segments.

    Args:
        result: the result; its reasons are shown if it has any.
        screenshot: the screenshot of the page, PNG or JPEG, one px per CSS px; or empty.
    """
    snapshot, is_confident = result.columns.snapshot, isfinite(result.confidence)
    facts = {
        "Kept": f"{result.content_count} of {format_count(len(result.columns), 'block')}",
        "Method": result.method,
        "Confidence": f"{result.confidence:.2f}" if is_confident else "",
        "Language": result.language,
    }
    return OverlayPage(
        id=result.id,
        url=snapshot.url,
        title=snapshot.title,
        width=snapshot.width,
        height=snapshot.height,
        screenshot=screenshot,
        blocks=to_overlay_blocks(result),
        parts=to_overlay_parts(result),
        facts={name: value for name, value in facts.items() if value},
    )


def to_overlay_blocks(result: Result) -> list[JsonObject]:
    """Return the data of each block for an overlay: see `docs/reference/overlay-data.md`."""
    columns, explanation = result.columns, result.explanation
    margins = explanation.margins.tolist() if explanation else []
    is_omitted = columns.in_overlay & bool(columns.snapshot.settings.get("hide_overlays"))  # on the screenshot
    return [
        {
            "box": None if is_omitted[block.index] else block.box,
            "label": block.label,
            "text": block.text,
            "xpath": block.xpath,
            "source": f"line {block.source.line}, column {block.source.column}" if block.source else "",
            "role": block.role,
            "probability": block.probability,
            "font": font,
            "visibility": block.visibility.name.lower(),
            "technique": block.technique,
            "reasons": [
                {"group": reason.group, "text": reason.text, "value": round(reason.contribution, 3)}
                for reason in block.reasons
            ],
            "margin": round(margins[block.index], 3) if margins else None,
            "overruled_by": explanation.overruled_by[block.index] if explanation and margins else "",
        }
        for block, font in zip(result.blocks, _fonts(columns), strict=True)
    ]


def to_overlay_parts(result: Result) -> list[JsonObject]:
    """Return title, byline, date, price, recipe, posts and items of a page, as far as they have boxes."""
    metadata, product, recipe = result.metadata, result.product, result.recipe
    evidence, authors = metadata.evidence, ", ".join(metadata.authors)
    byline, date = evidence.get("authors"), evidence.get("published")
    fields = [(PartKind.TITLE, "title", metadata.title)]
    if byline and date and byline.block is not None and byline.block == date.block:
        fields.append((PartKind.BYLINE_DATE, "authors", f"{authors} · {metadata.published}"))
    else:
        fields += [(PartKind.BYLINE, "authors", authors), (PartKind.DATE, "published", metadata.published)]
    found = [(kind, evidence[name].box, text, evidence[name].block) for kind, name, text in fields if name in evidence]
    found += [(PartKind.PRICE, product.box, product.price_text, None)] if product else []
    found += [(PartKind.RECIPE, recipe.box, recipe.name, None)] if recipe else []
    for post in result.posts:
        text = " · ".join(filter(None, (post.author, post.date_text)))
        found.append((PartKind.POST, post.box, text, min(post.blocks, default=None)))
    found += [(PartKind.ITEM, item.box, item.title, min(item.blocks, default=None)) for item in result.items]
    names = ("kind", "box", "text", "block")
    return [dict(zip(names, part, strict=True)) for part in found if part[1] is not None]


def _fonts(blocks: BlockColumns) -> list[str]:
    """Return the font of most text of each block, such as `16 px Georgia, bold, italic`; empty if unknown."""
    styles, names = blocks.snapshot.styles, list[str]()
    columns = (styles.column(name) for name in ("font-weight", "font-style", "font-family"))
    for size, weight, slant, family in zip(styles.number("font-size").tolist(), *columns, strict=True):
        face = family.partition(",")[0].strip("\"' ")
        bold = weight == "bold" or (weight.isdecimal() and int(weight) >= 600)
        parts = [f"{size:g} px {face}".rstrip(), "bold" * bold, slant * (slant not in ("", "normal"))]
        names.append(", ".join(filter(None, parts)) if isfinite(size) else "")
    return [names[style] for style in blocks.snapshot.style[blocks.main_element].tolist()]


class PageImage:
    """Screenshot of a page with drawings of blocks, segments, separators and lines of text.

    The `draw_` methods add a drawing on top of the earlier ones and return the object, for chained calls. The image is
    computed when it is shown or saved. Notebooks display the object as an image.

    Attributes:
        size: width and height of the screenshot in px.

    Args:
        result: the result of the page.
        screenshot: the screenshot of the page, PNG or JPEG, one px per CSS px.

    Raises:
        UsageError: there is no screenshot, or the page was not rendered and has no boxes.
        OutputError: the screenshot cannot be read.

    >>> import vclean
    >>> result = vclean.clean_file("page.html", render=True, screenshot=True)  # doctest: +SKIP
    >>> result.page_image().draw_segments(pdoc=6).draw_blocks(labels="hp").save("page.png")  # doctest: +SKIP
    """

    def __init__(self, result: Result, screenshot: bytes) -> None:
        if not result.columns.snapshot.rendered:
            raise UsageError("the page was not rendered and has no boxes to draw: add --render, or render=True")
        if not screenshot:
            raise UsageError("the result has no screenshot of its page: clean it with screenshot=True")
        self._result = result
        self._screenshot = screenshot
        self._layers: list[Callable[[TagPlacer], Layer]] = []
        self._trees: dict[str, tuple[Segments, dict[str, bool]]] = {}
        self._shown: dict[str, object] = {}
        self.size: tuple[int, int] = open_screenshot(screenshot).size

    def __repr__(self) -> str:
        width, height = self.size
        return f"<PageImage {self._result.id!r}: {width} x {height} px, {format_count(len(self._layers), 'layer')}>"

    def draw_blocks(
        self, labels: Iterable[Label | str] | None = None, *, by: Literal["label", "role"] = "label"
    ) -> Self:
        """Draw a frame around every visible block, with its label or role and its probability.

        Args:
            labels: the labels of the blocks to draw, such as `"hp"`; None for all blocks.
            by: `label` or `role`, which determines colors and captions.

        Returns:
            The object itself.

        Raises:
            UsageError: a label does not exist, or the result has no roles.
        """
        if by == "role" and not self._result.prediction.roles:
            raise UsageError("the result has no roles: use the method and the model of vclean, or by='label'")
        selected = None if labels is None else sorted(set(labels))
        if unknown := set(selected or ()) - set(Label):
            raise UsageError(f"no label {min(unknown)!r}: choose some of {', '.join(Label)}")
        snapshot = self._result.columns.snapshot

        def layer(placer: TagPlacer) -> Layer:
            blocks = [block for block in self._blocks if selected is None or block["label"] in selected]
            return block_layer(blocks, placer, lines=snapshot.line_box, page_height=snapshot.height, by=by)

        return self._draw(layer, drawn=True, color=by, labels=selected)

    def draw_hidden(self) -> Self:
        """Draw a dotted frame around each hidden block that has a box, with a tag of the technique that hides it."""
        return self._draw(lambda placer: hidden_layer(self._blocks, placer), hidden_drawn=True)

    def draw_parts(self) -> Self:
        """Draw a frame around title, byline, date, price, recipe, posts and items, as far as the page has them."""
        parts = to_overlay_parts(self._result)
        return self._draw(lambda placer: part_layer(parts, placer), parts_drawn=True)

    def draw_segments(self, segments: Segments | None = None, *, pdoc: int | None = None) -> Self:
        """Draw a frame around every segment, with one color for each level of the tree.

        Args:
            segments: the segments; those of VIPS if None.
            pdoc: the permitted degree of coherence, 1 to 11; None for the segments unchanged.

        Returns:
            The object itself.

        Raises:
            UsageError: `pdoc` is out of range.
        """
        drawn = self._segments(segments, pdoc, "drawn")
        height = drawn.snapshot.height
        return self._draw(lambda placer: segment_layer(segment_rows(drawn), placer, page_height=height))

    def draw_separators(self, segments: Segments | None = None, *, pdoc: int | None = None) -> Self:
        """Draw the separators between segments, with their weights.

        Args:
            segments: the segments; those of VIPS if None.
            pdoc: the permitted degree of coherence, 1 to 11; None for the segments unchanged.

        Returns:
            The object itself.

        Raises:
            UsageError: `pdoc` is out of range.
        """
        drawn = self._segments(segments, pdoc, "separators_drawn")
        return self._draw(lambda placer: separator_layer(separator_rows(drawn), placer))

    def draw_text(self) -> Self:
        """Draw a thin frame around every line of text, on images only; return the object itself."""
        boxes = self._result.columns.snapshot.line_box
        return self._draw(lambda placer: line_layer(boxes, placer))

    def reset(self) -> Self:
        """Remove all drawings; return the object itself."""
        self._layers.clear()
        self._trees.clear()
        self._shown.clear()
        return self

    def to_bytes(self, kind: OverlayFormat = "png") -> bytes:
        """Return the content of a file: an image with a legend, or an interactive page.

        `docs/guides/overlay.md` describes both. The reader of an interactive page can also show blocks and segments of
        VIPS that were not drawn.

        Args:
            kind: the file format.
        """
        if kind == "html":
            trees = list(self._trees.values()) or [(self._vips.at(DEFAULT_PDOC), {})]
            layers = [overlay_layer(segments, **flags) for segments, flags in trees]
            page = to_overlay_page(self._result, self._screenshot)
            page = replace(page, shown={"drawn": False, **self._shown}, layers=layers)
            return draw_html(page).encode("utf-8", "replace")
        placer = TagPlacer(*self.size)
        drawn = [layer(placer) for layer in self._layers]
        return draw_svg(self._screenshot, drawn).encode() if kind == "svg" else draw_png(self._screenshot, drawn)

    def save(self, path: str | Path) -> Self:
        """Write a file atomically, in the format of its suffix.

        Args:
            path: the file, with the suffix `.png`, `.svg` or `.html`.

        Returns:
            The object itself.

        Raises:
            UsageError: the file has another suffix.
            OutputError: the file cannot be written.
        """
        kind = OVERLAY_FORMATS.get(Path(path).suffix.lower())
        if kind is None:
            raise UsageError(f"the overlay {path} has to end in {', '.join(OVERLAY_FORMATS)}")
        write_atomic(path, self.to_bytes(kind))
        return self

    def _repr_png_(self) -> bytes:
        return self.to_bytes("png")

    def _draw(self, layer: Callable[[TagPlacer], Layer], **shown: object) -> Self:
        """Add a drawing: the layer of an image, and what shows it at first on the interactive page."""
        self._layers.append(layer)
        self._shown |= shown
        return self

    def _segments(self, segments: Segments | None, pdoc: int | None, shown: str) -> Segments:
        """Return the segments to draw, and show them on the interactive page, which has one tree for each method."""
        tree = self._vips if segments is None else segments
        tree = tree if pdoc is None else tree.at(pdoc)
        _, flags = self._trees.get(tree.method, (tree, {}))
        self._trees[tree.method] = tree, {**flags, shown: True}
        return tree

    @cached_property
    def _blocks(self) -> list[JsonObject]:
        return to_overlay_blocks(self._result)

    @cached_property
    def _vips(self) -> Segments:
        return segment(self._result.columns.snapshot)
