"""Draw blocks, segments, separators and lines of text on the screenshot of a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, Self

from vclean.characters import format_count
from vclean.errors import UsageError
from vclean.features.segments.formats import overlay_layer, segment_overlay
from vclean.features.segments.vips.algorithm import segment
from vclean.files import write_atomic
from vclean.labels import Label
from vclean.output.overlay import to_overlay, to_overlay_page, to_overlay_parts
from vclean.render.overlay.draw import draw_png, draw_svg, open_screenshot
from vclean.render.overlay.html import OverlayPage, draw_html
from vclean.render.overlay.layers import Layer, TagPlacer, block_layer, hidden_layer, line_layer, part_layer
from vclean.render.overlay.segments import segment_layer, separator_layer
from vclean.settings import DEFAULT_PDOC, OVERLAY_FORMATS, OverlayFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from vclean.features.segments.segments import Segments
    from vclean.render.overlay.layers import Overlay, Part
    from vclean.result import Result

By = Literal["label", "role"]


class _Drawing(Protocol):
    """Drawing on a screenshot."""

    def layer(self, placer: TagPlacer) -> Layer:
        """Return the layer of an image."""

    def show(self, page: OverlayPage) -> OverlayPage:
        """Return the interactive page, changed to show this drawing initially."""


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
        self._drawings: list[_Drawing] = []
        self.size: tuple[int, int] = open_screenshot(screenshot).size

    def __repr__(self) -> str:
        width, height = self.size
        return f"<PageImage {self._result.id!r}: {width} x {height} px, {format_count(len(self._drawings), 'layer')}>"

    def draw_blocks(self, labels: Iterable[Label | str] | None = None, *, by: By = "label") -> Self:
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
            raise UsageError(f"the method {self._result.method} has no roles: use the method vclean, or by='label'")
        selected = None if labels is None else frozenset(map(_label, labels))
        self._drawings.append(_Blocks(to_overlay(self._result), selected, by))
        return self

    def draw_hidden(self) -> Self:
        """Draw a dotted frame around each hidden block that has a box, with a tag of the technique that hides it."""
        self._drawings.append(_HiddenBlocks(to_overlay(self._result)))
        return self

    def draw_parts(self) -> Self:
        """Draw a frame around title, byline, date, price, recipe, posts and items, as far as the page has them."""
        self._drawings.append(_Parts(to_overlay_parts(self._result)))
        return self

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
        self._drawings.append(_Segments(self._segments(segments, pdoc)))
        return self

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
        self._drawings.append(_Separators(self._segments(segments, pdoc)))
        return self

    def draw_text(self) -> Self:
        """Draw a thin frame around every line of text; return the object itself."""
        self._drawings.append(_Lines(self._result.columns.snapshot.line_box))
        return self

    def reset(self) -> Self:
        """Remove all drawings; return the object itself."""
        self._drawings.clear()
        return self

    def to_bytes(self, kind: OverlayFormat = "png") -> bytes:
        """Return the content of a file: an image with a legend, or an interactive page.

        `docs/guides/overlay.md` describes both. The reader of an interactive page can also show blocks and segments of
        VIPS that were not drawn.

        Args:
            kind: the file format.
        """
        if kind == "html":
            return draw_html(self._page()).encode("utf-8", "replace")
        placer = TagPlacer(*self.size)
        layers = [drawing.layer(placer) for drawing in self._drawings]
        return draw_svg(self._screenshot, layers).encode() if kind == "svg" else draw_png(self._screenshot, layers)

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

    def _segments(self, segments: Segments | None, pdoc: int | None) -> Segments:
        tree = self._vips if segments is None else segments
        return tree if pdoc is None else tree.at(pdoc)

    @cached_property
    def _vips(self) -> Segments:
        return segment(self._result.columns.snapshot)

    def _page(self) -> OverlayPage:
        page = replace(to_overlay_page(self._result, self._screenshot), drawn=False)
        for drawing in self._drawings:
            page = drawing.show(page)
        return page if page.layers else replace(page, layers=[overlay_layer(self._vips.at(DEFAULT_PDOC))])


@dataclass(frozen=True, slots=True, eq=False)
class _Blocks:
    overlay: Overlay
    labels: frozenset[Label] | None
    by: By

    def layer(self, placer: TagPlacer) -> Layer:
        content = self.overlay if self.by == "role" else replace(self.overlay, roles=())
        if self.labels is None:
            return block_layer(content, placer)
        return block_layer(
            content.take([row for row, label in enumerate(content.labels) if label in self.labels]), placer
        )

    def show(self, page: OverlayPage) -> OverlayPage:
        return replace(page, drawn=True, color=self.by, labels=self.labels)


@dataclass(frozen=True, slots=True, eq=False)
class _HiddenBlocks:
    overlay: Overlay

    def layer(self, placer: TagPlacer) -> Layer:
        return hidden_layer(self.overlay, placer)

    def show(self, page: OverlayPage) -> OverlayPage:
        return replace(page, hidden_drawn=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Parts:
    parts: Sequence[Part]

    def layer(self, placer: TagPlacer) -> Layer:
        return part_layer(self.parts, placer)

    def show(self, page: OverlayPage) -> OverlayPage:
        return replace(page, parts_drawn=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Segments:
    segments: Segments

    def layer(self, placer: TagPlacer) -> Layer:
        return segment_layer(segment_overlay(self.segments), placer)

    def show(self, page: OverlayPage) -> OverlayPage:
        return _with_layer(page, self.segments, drawn=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Separators:
    segments: Segments

    def layer(self, placer: TagPlacer) -> Layer:
        return separator_layer(segment_overlay(self.segments), placer)

    def show(self, page: OverlayPage) -> OverlayPage:
        return _with_layer(page, self.segments, separators=True)


@dataclass(frozen=True, slots=True, eq=False)
class _Lines:
    """Boxes of lines of text, float32 (L, 4); an interactive page does not show them."""

    boxes: NDArray[np.float32]

    def layer(self, placer: TagPlacer) -> Layer:
        return line_layer(self.boxes, placer)

    def show(self, page: OverlayPage) -> OverlayPage:
        return page


def _with_layer(page: OverlayPage, segments: Segments, *, drawn: bool = False, separators: bool = False) -> OverlayPage:
    """Return the page with the segments as a layer, merged with the layer of the same name if there is one."""
    new = overlay_layer(segments, drawn=drawn, separators_drawn=separators)
    for index, layer in enumerate(page.layers):
        if layer.name == new.name:
            merged = replace(new, drawn=drawn or layer.drawn, separators_drawn=separators or layer.separators_drawn)
            return replace(page, layers=[*page.layers[:index], merged, *page.layers[index + 1 :]])
    return replace(page, layers=[*page.layers, new])


def _label(name: Label | str) -> Label:
    try:
        return Label(name)
    except ValueError:
        raise UsageError(f"no label {name!r}: choose some of {', '.join(Label)}") from None
