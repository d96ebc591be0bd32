"""`PageImage`: the screenshot of a page, to be drawn on: blocks, segments, separators, lines of text."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, Self

from vclean.errors import UsageError
from vclean.features.segments.formats import overlay_layer, segment_overlay
from vclean.features.segments.vips.algorithm import segment
from vclean.files import write_atomic
from vclean.labels import Label
from vclean.output.overlay import overlay_of, overlay_page
from vclean.render.overlay.html import OverlayPage, draw_html
from vclean.render.overlay.layers import Layer, TagPlacer, block_layer, line_layer
from vclean.render.overlay.png import draw_png, open_screenshot
from vclean.render.overlay.segments import segment_layer, separator_layer
from vclean.render.overlay.svg import draw_svg
from vclean.settings import KINDS, PDOC, Kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from vclean.features.segments.segments import Segments
    from vclean.render.overlay.layers import Overlay
    from vclean.result import Result

By = Literal["label", "role"]


class _Drawn(Protocol):
    """Something that was drawn."""

    def layer(self, placer: TagPlacer) -> Layer:
        """Its marks, over a picture."""

    def show(self, page: OverlayPage) -> OverlayPage:
        """The page to explore that shows it from the beginning."""


class PageImage:
    """The screenshot of a page, to be drawn on; it shows itself in notebooks.

    Each of its `draw_` methods draws over what was drawn before and gives the object itself, so that calls chain:
    `result.page_image().draw_segments(pdoc=6).draw_blocks(labels="hp").save("page.png")`. Nothing is computed for an
    image before it is shown or saved.

    Args:
        result: what was made of the page.
        screenshot: of the page, PNG or JPEG, one px per CSS px.

    Raises:
        UsageError: there is no screenshot, or the page was not rendered, so that there are no boxes.
        OutputError: the screenshot cannot be read.
    """

    def __init__(self, result: Result, screenshot: bytes) -> None:
        if not result.metadata.rendered:
            raise UsageError("a drawing needs boxes, and the page was not rendered: add --render, or render=True")
        if not screenshot:
            raise UsageError("the result has no screenshot of its page: clean it with screenshot=True")
        self._result = result
        self._screenshot = screenshot
        self._drawn: list[_Drawn] = []
        self.size: tuple[int, int] = open_screenshot(screenshot).size
        """Width and height in px."""

    def __repr__(self) -> str:
        width, height = self.size
        return f"<PageImage {self._result.id!r}: {width} x {height} px, {len(self._drawn)} layers>"

    def draw_blocks(self, labels: Iterable[Label | str] | None = None, *, by: By = "label") -> Self:
        """Draw a frame round every block that is shown, with a tag that tells label or role, and probability.

        Args:
            labels: those of the blocks to draw, such as `"hp"`; None for all.
            by: what colours and tags say.

        Raises:
            UsageError: there is no such label, or the result tells no roles.
        """
        if by == "role" and not self._result.prediction.roles:
            raise UsageError(f"the method {self._result.method} tells no roles: use the method vclean, or by='label'")
        chosen = None if labels is None else frozenset(map(_label, labels))
        self._drawn.append(_Blocks(overlay_of(self._result), chosen, by))
        return self

    def draw_segments(self, segments: Segments | None = None, *, pdoc: int | None = None) -> Self:
        """Draw the frames of segments, each level in a colour of its own.

        Args:
            segments: those of VIPS, unless others are given.
            pdoc: the permitted degree of coherence; None for the segments as they are.

        Raises:
            UsageError: the degree is out of range.
        """
        self._drawn.append(_Segments(self._cut(segments, pdoc)))
        return self

    def draw_separators(self, segments: Segments | None = None, *, pdoc: int | None = None) -> Self:
        """Draw the separators between segments with their weights; arguments and errors as for `draw_segments`."""
        self._drawn.append(_Separators(self._cut(segments, pdoc)))
        return self

    def draw_text(self) -> Self:
        """Draw a thin frame round every line of text."""
        self._drawn.append(_Lines(self._result.columns.snapshot.line_box))
        return self

    def reset(self) -> Self:
        """Take away all that was drawn."""
        self._drawn.clear()
        return self

    def to_bytes(self, kind: Kind = "png") -> bytes:
        """The drawing as a file: a picture with a legend, or a page to explore (see `docs/guides/overlay.md`).

        In the page to explore the reader may show all blocks and the segments of VIPS, too, if they were not drawn.
        """
        if kind == "html":
            return draw_html(self._page()).encode("utf-8", "replace")
        placer = TagPlacer(*self.size)
        layers = [drawn.layer(placer) for drawn in self._drawn]
        return draw_svg(self._screenshot, layers).encode() if kind == "svg" else draw_png(self._screenshot, layers)

    def save(self, path: str | Path) -> Self:
        """Write the drawing to a file, whole or not at all; its suffix, .png, .svg or .html, says as what.

        Raises:
            UsageError: the suffix is another.
            OutputError: the file cannot be written.
        """
        kind = KINDS.get(Path(path).suffix.lower())
        if kind is None:
            raise UsageError(f"the picture {path} has to end in {', '.join(KINDS)}")
        write_atomic(path, self.to_bytes(kind))
        return self

    def _repr_png_(self) -> bytes:
        return self.to_bytes("png")

    def _cut(self, segments: Segments | None, pdoc: int | None) -> Segments:
        whole = self._vips if segments is None else segments
        return whole if pdoc is None else whole.at(pdoc)

    @cached_property
    def _vips(self) -> Segments:
        return segment(self._result.columns.snapshot)

    def _page(self) -> OverlayPage:
        page = replace(overlay_page(self._result, self._screenshot), drawn=False)
        for drawn in self._drawn:
            page = drawn.show(page)
        return page if page.layers else replace(page, layers=[overlay_layer(self._vips.at(PDOC))])


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
    """Lines of text, float32 (L, 4); a page to explore has no use for them."""

    boxes: NDArray[np.float32]

    def layer(self, placer: TagPlacer) -> Layer:
        return line_layer(self.boxes, placer)

    def show(self, page: OverlayPage) -> OverlayPage:
        return page


def _with_layer(page: OverlayPage, segments: Segments, *, drawn: bool = False, separators: bool = False) -> OverlayPage:
    """The page with the segments as a layer; where it has one of that name, what is drawn of both."""
    made = overlay_layer(segments, drawn=drawn, separators_drawn=separators)
    for at, layer in enumerate(page.layers):
        if layer.name == made.name:
            both = replace(made, drawn=drawn or layer.drawn, separators_drawn=separators or layer.separators_drawn)
            return replace(page, layers=[*page.layers[:at], both, *page.layers[at + 1 :]])
    return replace(page, layers=[*page.layers, made])


def _label(name: Label | str) -> Label:
    try:
        return Label(name)
    except ValueError:
        raise UsageError(f"no label {name!r}: choose some of {', '.join(Label)}") from None
