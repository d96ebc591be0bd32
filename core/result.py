"""`Result`: what vclean says of a page, in every output format."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

from vclean import formats, markup, record
from vclean.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from vclean.classify.reasons import Explanation, Reason
    from vclean.drawing import PageImage
    from vclean.features.blocks import Blocks
    from vclean.labels import Label
    from vclean.render.overlay_kinds import Kind
    from vclean.roles import Role
    from vclean.source_place import SourcePlace


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
        image: the page's picture, PNG or JPEG, one px per CSS px; empty where none was asked for.
        explanation: why each block was kept or left out; None where that was not asked for.
        places: per block, where it stands in the page's source, None where that is not known; empty if not explained.
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
    image: bytes = b""
    explanation: Explanation | None = None
    places: Sequence[SourcePlace | None] = ()

    def __repr__(self) -> str:
        content = sum(label.is_content for label in self.labels)
        language, confidence = self.language or "unknown", f"{self.confidence:.2f}"
        return f"<Result {self.id!r}: {content} of {len(self.blocks)} blocks, {language=!s}, {confidence=!s}>"

    @property
    def reasons(self) -> Sequence[Sequence[Reason]]:
        """Per block, why it was kept or left out, the strongest first; empty where that was not asked for."""
        return self.explanation.reasons if self.explanation else ()

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
        """The result in the format `name`, one of `vclean.formats.FORMATS`, or `explanation`: see there.

        Raises:
            UsageError: there is no such format, or no explanation.
        """
        if name not in (*formats.FORMATS, formats.EXPLANATION):
            raise UsageError(f"no output format {name!r}: choose one of {', '.join(formats.FORMATS)}")
        text: str = getattr(self, "explained" if name == formats.EXPLANATION else name)
        return text

    @cached_property
    def explained(self) -> str:
        """Why each block was kept or left out, in lines of text: see `vclean.explained`.

        Raises:
            UsageError: no explanation was asked for.
        """
        from vclean.explained import to_explanation

        if self.explanation is None:
            raise UsageError("the result was not explained: clean the page with explain=True")
        return to_explanation(self, self.explanation)

    def picture(self, image: bytes = b"") -> PageImage:
        """The picture of the page, to draw blocks, segments and more on: see `vclean.drawing.PageImage`.

        Args:
            image: the picture, where it is not part of the result: PNG or JPEG, one px per CSS px.

        Raises:
            UsageError: there is no picture, or the page was not rendered, so that its blocks have no boxes.
            OutputError: the picture cannot be read.
        """
        from vclean.drawing import PageImage

        return PageImage(self, image or self.image)

    def overlay(self, picture: bytes, kind: Kind) -> bytes:
        """The blocks drawn over `picture` as a picture or a page to explore; errors as for `picture`."""
        return self.picture(picture).draw_blocks().to_bytes(kind)
