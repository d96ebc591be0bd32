"""`Result`: the labelled blocks of a page, and the output formats that are made of them."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, overload

from vclean.errors import UsageError
from vclean.labels import Label, Role, Visibility
from vclean.output import registry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from enum import Enum

    from vclean.classify.explain.reasons import Explanation, Reason
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.output.page_image import PageImage
    from vclean.output.source_positions import SourcePosition
    from vclean.settings import Kind

    _Name = TypeVar("_Name", bound=Enum)


class Box(NamedTuple):
    """A rectangle in CSS px, its origin at the top left of the document, y down."""

    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A text block of a page: a maximal run of inline text inside one block container.

    Attributes:
        index: its number on the page, in document order, from 0.
        text: its text, white space collapsed except in preformatted text.
        label: heading, paragraph, list item, continuation, or other (boilerplate).
        role: what the region around it is for; None outside all regions, and for methods that find no regions.
        probability: that it is content, 0 to 1; NaN where the method gives none.
        box: the union of its line boxes; None where nothing is painted, and if the page was not rendered.
        xpath: the absolute XPath of its container.
        tag: the tag name of its container.
        font_size: of most of its text, CSS px; None if the page was not rendered.
        color: of that text, as `#rrggbb` or `#rrggbbaa`; None if the page was not rendered.
        background: the color behind it, in the same form; None if nothing is painted there.
        visibility: shown, revealable by a click, or hidden.
        reasons: why it was kept or left out, the strongest first; empty without `explain=True`.
        source: where its text begins in the page's source; None without `explain=True`, and for text of scripts.
    """

    index: int
    text: str
    label: Label
    role: Role | None
    probability: float
    box: Box | None
    xpath: str
    tag: str
    font_size: float | None
    color: str | None
    background: str | None
    visibility: Visibility
    reasons: Sequence[Reason] = ()
    source: SourcePosition | None = None

    @property
    def is_content(self) -> bool:
        """Whether it is part of the clean text: any label but `o`."""
        return self.label.is_content


class Blocks(Sequence[Block]):
    r"""Blocks of a page in document order: all of them, or a selection.

    A sequence: it iterates, and takes numbers and slices.

    >>> import vclean
    >>> blocks = vclean.clean("<h1>Rain</h1><p>It rained.<p>All day.", method="text").blocks
    >>> blocks.where(label="p").text
    'It rained.\n\nAll day.\n'
    >>> [block.tag for block in blocks[:2]]
    ['h1', 'p']
    """

    __slots__ = ("_blocks", "_page")

    def __init__(self, blocks: Sequence[Block], page: BlockColumns) -> None:
        self._blocks = tuple(blocks)
        self._page = page

    def __repr__(self) -> str:
        content = sum(block.is_content for block in self)
        return f"<Blocks: {len(self)}, {content} of them content>"

    def __len__(self) -> int:
        """Return the number of blocks."""
        return len(self._blocks)

    def __iter__(self) -> Iterator[Block]:
        """Iterate over the blocks in document order."""
        return iter(self._blocks)

    @overload
    def __getitem__(self, index: int) -> Block: ...
    @overload
    def __getitem__(self, index: slice) -> Blocks: ...
    def __getitem__(self, index: int | slice) -> Block | Blocks:
        """Return the block at a place, or the blocks of a slice; in document order even if its step is negative."""
        if isinstance(index, slice):
            return self._of([self._blocks[row] for row in sorted(range(len(self))[index])])
        return self._blocks[index]

    def filter(self, condition: Callable[[Block], object]) -> Blocks:
        """Return the blocks for which `condition` is true."""
        return self._of([block for block in self if condition(block)])

    def where(
        self,
        *,
        label: Label | str | Collection[Label | str] | None = None,
        role: Role | str | Collection[Role | str] | None = None,
        visibility: Visibility | Collection[Visibility] | None = None,
        tag: str | Collection[str] | None = None,
    ) -> Blocks:
        """Return the blocks that have certain properties: all of those given, each with one of the values given.

        Args:
            label: a label or several, such as `"h"` or `("h", "p")`.
            role: a role or several, such as `"article"`.
            visibility: one or several.
            tag: a tag name of the container, or several.

        Raises:
            UsageError: there is no such label, role or visibility.
        """
        labels = None if label is None else _members(Label, label)
        roles = None if role is None else _members(Role, role)
        visibilities = None if visibility is None else _members(Visibility, visibility)
        tags = {tag} if isinstance(tag, str) else tag
        return self.filter(
            lambda block: (
                (labels is None or block.label in labels)
                and (roles is None or block.role in roles)
                and (visibilities is None or block.visibility in visibilities)
                and (tags is None or block.tag in tags)
            )
        )

    @property
    def text(self) -> str:
        """The text of all blocks: a blank line between them, none between list items; continuations are joined."""
        from vclean.output.text import to_text

        labels = [block.label if block.is_content else Label.PARAGRAPH for block in self]
        return to_text([block.text for block in self], labels)

    @property
    def box(self) -> Box | None:
        """The smallest box around the boxes of all blocks; None where no block has one."""
        boxes = [block.box for block in self if block.box]
        if not boxes:
            return None
        left, top = min(box.x for box in boxes), min(box.y for box in boxes)
        right, bottom = (max(box.x + box.width for box in boxes), max(box.y + box.height for box in boxes))
        return Box(left, top, right - left, bottom - top)

    @property
    def columns(self) -> BlockColumns:
        """The blocks as arrays, one row each."""
        return self._page if len(self) == len(self._page) else self._page.take([block.index for block in self])

    def _of(self, blocks: Sequence[Block]) -> Blocks:
        return Blocks(blocks, self._page)


def _members(names: type[_Name], values: object) -> frozenset[_Name]:
    """Return the members of an enumeration for one value or several.

    Raises:
        UsageError: it has no such member.
    """
    several = values if isinstance(values, Collection) and not isinstance(values, str) else (values,)
    try:
        return frozenset(map(names, several))
    except ValueError as error:
        choices = ", ".join(str(name.value) for name in names)
        raise UsageError(f"{error}: choose of {choices}") from None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metadata:
    """Facts about a page as a whole.

    Attributes:
        url: its address; empty when unknown.
        title: of the document.
        language: of the content, detected, ISO 639-1; empty when unknown.
        declared_language: what the document says of itself, a BCP 47 tag or empty.
        rendered: whether a browser laid it out.
        width, height: of the document, CSS px; NaN if it was not rendered.
        noscript: whether its text is that of `noscript` elements.
        browser: the name and version of the browser; empty if it was not rendered.
        settings: the render settings, by name.
    """

    url: str
    title: str
    language: str
    declared_language: str
    rendered: bool
    width: float
    height: float
    noscript: bool
    browser: str
    settings: dict[str, float | bool]


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    """The labelled blocks of a page.

    `blocks` and `content` have them one by one; `columns` and `prediction` hold the same as arrays.

    Attributes:
        columns: the text blocks as arrays, with the page itself in `columns.snapshot`.
        prediction: labels, probabilities and roles of the blocks, and the confidence of the page.
        method: the name of the method, "vclean" for the model.
        versions: of vclean and of the model, by name.
        language: of the content, detected, ISO 639-1, or empty.
        id: the page's name.
        screenshot: of the page, PNG or JPEG, one px per CSS px; empty where none was asked for.
        explanation: why each block was kept or left out; None without `explain=True`.
        positions: per block, where its text begins in the page's source, None where that is not known; empty without
            `explain=True`.
    """

    columns: BlockColumns
    prediction: Prediction
    method: str = "vclean"
    versions: dict[str, str] = field(default_factory=dict)
    language: str = ""
    id: str = ""
    screenshot: bytes = b""
    explanation: Explanation | None = None
    positions: Sequence[SourcePosition | None] = ()

    def __repr__(self) -> str:
        language, confidence = self.language or "unknown", f"{self.confidence:.2f}"
        kept = f"{self.content_count} of {len(self.columns)} blocks"
        return f"<Result {self.id!r}: {kept}, {language=!s}, {confidence=!s}>"

    @cached_property
    def blocks(self) -> Blocks:
        """All blocks of the page."""
        columns, prediction, unknown = self.columns, self.prediction, [None] * len(self.columns)
        reasons: Sequence[Sequence[Reason]] = self.explanation.reasons if self.explanation else [()] * len(unknown)
        roles, positions = prediction.roles or unknown, self.positions or unknown
        probability, box = prediction.probability.tolist(), columns.box.tolist()
        xpath, tag, visibility = columns.xpath, columns.tag, columns.visibility.tolist()
        font_size, color, background = columns.font_size.tolist(), columns.color, columns.background
        blocks = [
            Block(
                index=row,
                text=text,
                label=prediction.labels[row],
                role=roles[row],
                probability=probability[row],
                box=Box(*box[row]) if all(map(math.isfinite, box[row])) else None,
                xpath=xpath[row],
                tag=tag[row],
                font_size=font_size[row] if math.isfinite(font_size[row]) else None,
                color=color[row],
                background=background[row],
                visibility=Visibility(visibility[row]),
                reasons=tuple(reasons[row]),
                source=positions[row],
            )
            for row, text in enumerate(columns.text)
        ]
        return Blocks(blocks, columns)

    @property
    def content(self) -> Blocks:
        """The blocks that were kept: those of any label but `o`."""
        return self.blocks.filter(lambda block: block.is_content)

    @property
    def content_count(self) -> int:
        """How many blocks were kept."""
        return sum(label.is_content for label in self.prediction.labels)

    @property
    def confidence(self) -> float:
        """The word F1 that is expected of the page, 0 to 1; NaN where the method gives none."""
        return self.prediction.confidence

    @property
    def metadata(self) -> Metadata:
        """Facts about the page as a whole."""
        snapshot = self.columns.snapshot
        return Metadata(
            url=snapshot.url,
            title=snapshot.title,
            language=self.language,
            declared_language=snapshot.language,
            rendered=snapshot.rendered,
            width=snapshot.width,
            height=snapshot.height,
            noscript=snapshot.noscript,
            browser=snapshot.build,
            settings=snapshot.settings,
        )

    def to(self, format: str) -> str:  # noqa: A002 - it is the name of the option, too
        """Return the result in an output format: one of `vclean.output.registry.FORMATS`, or `explanation`.

        Raises:
            UsageError: there is no such format, or no explanation.
        """
        if format not in self._written:
            self._written[format] = registry.writer(format)(self)
        return self._written[format]

    def to_text(self) -> str:
        """Return the clean text without marks."""
        return self.to("text")

    def to_cleaneval(self) -> str:
        """Return the clean text, one unit per line behind its mark, `<h>`, `<p>` or `<l>`, as in CleanEval 2007."""
        return self.to("cleaneval")

    def to_markdown(self) -> str:
        """Return the cleaned page in Markdown (CommonMark with the tables of GitHub)."""
        return self.to("markdown")

    def to_html(self) -> str:
        """Return the cleaned page as a whole HTML document."""
        return self.to("html")

    def to_json(self) -> str:
        """Return everything known of the page and its blocks on one line of JSON; see `docs/reference/output.md`."""
        return self.to("json")

    def to_explanation(self) -> str:
        """Return why each block was kept or left out, in lines of text; see `docs/guides/explain.md`.

        Raises:
            UsageError: no explanation was asked for.
        """
        return self.to(registry.EXPLANATION)

    def to_dict(self) -> dict[str, Any]:
        """Return what `to_json` writes, as dictionaries and lists."""
        return registry.to_dict(self)

    def page_image(self, screenshot: bytes = b"") -> PageImage:
        """Return the screenshot of the page, to draw blocks, segments and more on.

        Args:
            screenshot: where it is not part of the result: PNG or JPEG, one px per CSS px.

        Raises:
            UsageError: there is no screenshot, or the page was not rendered, so that its blocks have no boxes.
            OutputError: the screenshot cannot be read.
        """
        return registry.page_image(self, screenshot or self.screenshot)

    def overlay(self, screenshot: bytes, kind: Kind) -> bytes:
        """Return the blocks drawn over `screenshot`, as an image or a page to explore; errors as `page_image`."""
        return self.page_image(screenshot).draw_blocks().to_bytes(kind)

    @cached_property
    def _written(self) -> dict[str, str]:
        """The formats that were written before."""
        return {}
