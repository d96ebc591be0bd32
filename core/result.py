"""`Result`: what vclean says of a page, in every output format."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from vclean import formats, markup, record
from vclean.errors import UsageError
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks
    from vclean.labels import Label
    from vclean.roles import Role


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """What vclean says of a page.

    Attributes:
        blocks: the text blocks, with the snapshot they were cut from in `blocks.snapshot`.
        labels: one `Label` per block.
        probability: float32 (B,), that the block is content (any label but `o`).
        confidence: float, of the page: expected F1 of the chosen cut; NaN where the method gives none.
        method: the name of the method, "vclean" for the model.
        version: of vclean and of the model, by name.
        language: of the content, detected, ISO 639-1, or empty.
        roles: per block, what the region round it is for, None outside all; empty where the method tells no regions.
        id: the page's name.
    """

    blocks: Blocks
    labels: Sequence[Label]
    probability: NDArray[np.float32]
    confidence: float = float("nan")
    method: str = "vclean"
    version: dict[str, str] = field(default_factory=dict)
    language: str = ""
    roles: Sequence[Role | None] = ()
    id: str = ""

    def __repr__(self) -> str:
        content = sum(label.is_content for label in self.labels)
        language, confidence = self.language or "unknown", f"{self.confidence:.2f}"
        return f"<Result {self.id!r}: {content} of {len(self.blocks)} blocks, {language=!s}, {confidence=!s}>"

    @cached_property
    def cleaneval(self) -> str:
        """One unit per line with its mark, `<h>`, `<p>` or `<l>`: see `vclean.formats.to_cleaneval`."""
        return formats.to_cleaneval(self.blocks.text, self.labels)

    @cached_property
    def text(self) -> str:
        """The clean text without marks: see `vclean.formats.to_text`."""
        return formats.to_text(self.blocks.text, self.labels)

    @cached_property
    def html(self) -> str:
        """The cleaned page, a whole HTML document: see `vclean.markup`."""
        return markup.to_html(self)

    @cached_property
    def markdown(self) -> str:
        """The cleaned page in Markdown (CommonMark with the tables of GitHub)."""
        from vclean.markdown import to_markdown

        return to_markdown(markup.to_tree(self))

    @cached_property
    def json(self) -> str:
        """Everything known of the page and its blocks, on one line of JSON: see `vclean.record`."""
        return record.to_json(self)

    def to_dict(self) -> record.Record:
        """What `json` holds, as dictionaries and lists."""
        return record.to_record(self)

    def write(self, name: str) -> str:
        """The result in the format `name`, one of `vclean.formats.FORMATS`.

        Raises:
            UsageError: there is no such format.
        """
        if name not in formats.FORMATS:
            raise UsageError(f"no output format {name!r}: choose one of {', '.join(formats.FORMATS)}")
        text: str = getattr(self, name)
        return text

    def overlay(self, picture: bytes, kind: Literal["png", "svg"]) -> bytes:
        """The blocks drawn over `picture`, a PNG or JPEG of the page with one px per CSS px.

        Raises:
            UsageError: the page was not rendered, so that its blocks have no boxes.
            OutputError: the picture cannot be read.
        """
        from vclean.render import overlay_png, overlay_svg
        from vclean.render.overlay import Overlay

        snapshot = self.blocks.snapshot
        if not snapshot.rendered:
            raise UsageError("an overlay needs boxes, and the page was not rendered: add --render")
        content = Overlay(
            box=self.blocks.box,
            labels=self.labels,
            probability=self.probability,
            texts=self.blocks.text,
            hidden=self.blocks.visibility != Visibility.SHOWN,
            lines=snapshot.line_box,
            page_height=snapshot.height,
        )
        if kind == "svg":
            return overlay_svg.draw_svg(picture, content).encode()
        return overlay_png.draw_png(picture, content)
