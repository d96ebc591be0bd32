"""Labelled blocks of a page, and their conversion to output formats."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from vclean.block import Block, Blocks
from vclean.characters import format_count
from vclean.classify.content.postprocess import block_kinds, comment_blocks
from vclean.classify.prediction import LazyList
from vclean.features.matrix import page_context
from vclean.features.text.language import detect
from vclean.labels import Box, EmptyReason, Kind, Role, Visibility
from vclean.output import EXPLANATION, FRONT_MATTER, writer
from vclean.render.snapshot import Hidden
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.classify.explain.reasons import Explanation, Reason
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.facts.threads import LabelledBlocks
    from vclean.features.page_context import PageContext
    from vclean.output.chunks import Chunk
    from vclean.output.overlay import PageImage
    from vclean.output.source_positions import SourcePosition
    from vclean.records import Item, Metadata, Post, Product, Recipe
    from vclean.settings import OverlayFormat


@dataclass(frozen=True, kw_only=True, eq=False)
class Result:
    r"""Labelled blocks of a page.

    `blocks` and `content` are collections of `Block` objects; `columns` and `prediction` contain the same as arrays.

    Attributes:
        columns: the blocks as arrays, with the snapshot of the page in `columns.snapshot`.
        prediction: the labels, probabilities and roles of the blocks, and the confidence of the page.
        method: the name of the method, "vclean" for the model.
        versions: the versions of vclean and of the model, by name.
        id: the name of the page.
        screenshot: the screenshot of the page, PNG or JPEG, one px per CSS px; empty if not requested.
        explanation: the reasons for the label of each block; None without `explain=True`.
        positions: for each block, the position of its text in the source of the page, None if unknown; empty without
            `explain=True`.
        render_reason: why the page was rendered with `render="auto"`; empty if it was only parsed, or without "auto".
        render_change: share of words in which the parsed and the rendered text differ, 0 to 1, if there is a reason.

    >>> import vclean
    >>> result = vclean.clean("<h1>Rain</h1><p>It rained.", method="text")
    >>> len(result.blocks), result.to_markdown()
    (2, '# Rain\n\nIt rained.\n')
    """

    columns: BlockColumns
    prediction: Prediction
    method: str = "vclean"
    versions: dict[str, str] = field(default_factory=dict)
    id: str = ""
    screenshot: bytes = b""
    explanation: Explanation | None = None
    positions: Sequence[SourcePosition | None] = ()
    render_reason: str = ""
    render_change: float | None = None
    _written: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def __repr__(self) -> str:
        language, confidence = self.language or "unknown", f"{self.confidence:.2f}"
        content = f"{self.content_count} of {format_count(len(self.columns), 'block')}"
        return f"<Result {self.id!r}: {content}, {language=!s}, {confidence=!s}>"

    def _repr_html_(self) -> str:
        """Return the blocks as a table, below the overlay if there is a screenshot, for notebooks."""
        from vclean.output.reports import result_html

        return result_html(self)

    @cached_property
    def blocks(self) -> Blocks:
        """Return all blocks of the page."""
        columns, prediction, unknown = self.columns, self.prediction, [None] * len(self.columns)
        reasons: Sequence[Sequence[Reason]] = self.explanation.reasons if self.explanation else [()] * len(unknown)
        roles, kinds, positions = self.roles, self.kinds, self.positions or unknown
        probability, box = prediction.probability.tolist(), columns.box.tolist()
        xpath, tag, visibility = columns.xpath, columns.tag, columns.visibility.tolist()
        technique = [Hidden(code).technique for code in columns.technique.tolist()]
        font_size, color, background = columns.font_size.tolist(), columns.color, columns.background
        blocks = [
            Block(
                index=row,
                text=text,
                label=prediction.labels[row],
                role=roles[row],
                kinds=kinds,
                probability=probability[row],
                box=Box.painted(box[row]),
                xpath=xpath[row],
                tag=tag[row],
                font_size=font_size[row] if math.isfinite(font_size[row]) else None,
                color=color[row],
                background=background[row],
                visibility=Visibility(visibility[row]),
                technique=technique[row],
                reasons=tuple(reasons[row]),
                source=positions[row],
            )
            for row, text in enumerate(columns.text)
        ]
        return Blocks(blocks, columns)

    @cached_property
    def roles(self) -> Sequence[Role | None]:
        """Return the role of each block: that of the method, and `overlay` for any method."""
        overlays = [Role.OVERLAY if in_overlay else None for in_overlay in self.columns.in_overlay.tolist()]
        return self.prediction.roles or overlays

    @cached_property
    def kinds(self) -> Sequence[Kind]:
        """Return what each block is in its document, found on the first use."""
        return LazyList(self._find_kinds)

    def _find_kinds(self) -> list[Kind]:
        if not len(self.columns):
            return []
        evidence = self.metadata.evidence
        posts, items = ([row for each in records for row in each.blocks] for records in (self.posts, self.items))
        if self._labelled.is_thread:
            facts = {Kind.POST: posts, Kind.ITEM: items}
        else:
            comments = [*comment_blocks(self._context).nonzero()[0].tolist(), *posts]
            facts = {Kind.COMMENT: comments, Kind.ITEM: items}
        for kind, name in ((Kind.DATE, "published"), (Kind.BYLINE, "authors"), (Kind.TITLE, "title")):
            block = evidence[name].block if name in evidence else None
            facts[kind] = [] if block is None else [block]
        return block_kinds(self.columns, self.prediction.labels, facts)

    @property
    def content(self) -> Blocks:
        """Return the blocks that are content: those with another label than `o`."""
        return self.blocks.filter(lambda block: block.is_content)

    @property
    def hidden(self) -> Blocks:
        """Return the blocks that no reader sees; see `docs/guides/hidden-text.md`."""
        return self.blocks.where(visibility=Visibility.HIDDEN)

    @property
    def injection_suspect(self) -> bool:
        """Return whether a sentence that is like content is hidden from readers, with no control that opens it."""
        from vclean.output.reports import has_hidden_sentence

        return has_hidden_sentence(self.columns, self.prediction.probability)

    @cached_property
    def language(self) -> str:
        """Return the detected language of the content, ISO 639-1; or empty."""
        from vclean.output.text import to_text

        columns = self.columns
        content = to_text(columns.text, self.prediction.labels)  # without menus, which mislead
        text = content if len(content) >= 200 else " ".join(columns.text)  # less content is too little to tell
        return detect(text, columns.snapshot.language)

    @property
    def empty_reason(self) -> EmptyReason | None:
        """Return why the clean text is empty; None if it is not."""
        if self.content_count:
            return None
        from vclean.output.reports import empty_reason

        return empty_reason(self.columns)

    @property
    def notes(self) -> tuple[str, ...]:
        """Return notes about the page, as lines of text: repairs of its source, and why its clean text is empty.

        >>> import vclean
        >>> vclean.clean("<iframe/><p>It rained.", method="text").notes
        ('the source was repaired: no end of <iframe>',)
        """
        notes = self.columns.snapshot.notes
        if reason := self.empty_reason:
            from vclean.output.reports import describe_empty

            return (*notes, describe_empty(self, reason))
        return notes

    @property
    def content_count(self) -> int:
        """Return the number of blocks that are content."""
        return sum(label.is_content for label in self.prediction.labels)

    @property
    def confidence(self) -> float:
        """Return the expected word F1 of the page, 0 to 1; NaN for methods without confidence."""
        return self.prediction.confidence

    @cached_property
    def metadata(self) -> Metadata:
        """Return the metadata of the page, found on the first use."""
        from vclean.records import read_metadata

        return read_metadata(self)

    @cached_property
    def posts(self) -> tuple[Post, ...]:
        """Return the posts of a thread, or the comments of readers, in document order; empty without."""
        from vclean.records import read_posts

        return read_posts(self._labelled)

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Return the items of a listing or grid in document order; empty without."""
        from vclean.records import read_items

        return read_items(self._labelled)

    @cached_property
    def is_thread(self) -> bool:
        """Return whether posts of a thread are the content of the page, and no comments below a document."""
        from vclean.classify.page_type import may_be_forum

        return may_be_forum(self._context, self.prediction.metadata_model) and self._labelled.is_thread

    @property
    def product(self) -> Product | None:
        """Return the product that the page is about; None for other pages."""
        return self._subject[0]

    @property
    def recipe(self) -> Recipe | None:
        """Return the recipe that the page is about; None for other pages."""
        return self._subject[1]

    @cached_property
    def _subject(self) -> tuple[Product | None, Recipe | None]:
        from vclean.records import read_subject

        return read_subject(self)

    @cached_property
    def _context(self) -> PageContext:
        """Return the blocks as features see them, with values derived from them."""
        return self.prediction.context or page_context(self.columns)

    @cached_property
    def _labelled(self) -> LabelledBlocks:
        """Return the blocks with their labels, to find posts and items."""
        from vclean.classify.page_type import is_named_forum, page_type
        from vclean.features.facts.threads import LabelledBlocks

        prediction = self.prediction
        return LabelledBlocks(
            blocks=self.columns,
            context=self._context,
            labels=prediction.labels,
            probability=prediction.probability,
            policy=prediction.decision.policy if prediction.decision else Policy(),
            in_forum=is_named_forum(self.columns.snapshot),
            language=cache(lambda: self.language or self.columns.snapshot.language.partition("-")[0]),
            page_type=cache(lambda: page_type(self._context, prediction.metadata_model)),
        )

    def to(self, format: str) -> str:  # noqa: A002 - it is the name of the option, too
        r"""Return the result in an output format.

        Args:
            format: one of `vclean.output.FORMATS`, or `explanation`.

        Raises:
            UsageError: the format does not exist, or the result has no explanation.

        >>> import vclean
        >>> vclean.clean("<p>It rained.", method="text").to("cleaneval")
        '<p>It rained.\n'
        """
        if format not in self._written:
            self._written[format] = writer(format)(self)
        return self._written[format]

    def to_text(self) -> str:
        """Return the clean text without markup."""
        return self.to("text")

    def to_cleaneval(self) -> str:
        """Return the clean text as in CleanEval 2007: one line per unit, marked `<h>`, `<p>` or `<l>`."""
        return self.to("cleaneval")

    def to_markdown(self, *, front_matter: bool = False) -> str:
        """Return the cleaned page in Markdown (CommonMark with the tables of GitHub).

        Args:
            front_matter: whether the metadata of the page come first, as YAML.
        """
        return self.to(FRONT_MATTER if front_matter else "markdown")

    def to_html(self) -> str:
        """Return the cleaned page as a complete HTML document."""
        return self.to("html")

    def to_json(self) -> str:
        """Return the page and all its blocks as one line of JSON; see `docs/reference/output.md`."""
        return self.to("json")

    def to_explanation(self) -> str:
        """Return the reasons for the label of each block as text; see `docs/guides/explain.md`.

        Raises:
            UsageError: the result has no explanation: it needs `explain=True`.
        """
        return self.to(EXPLANATION)

    def to_dict(self) -> dict[str, Any]:
        """Return the content of `to_json` as dictionaries and lists."""
        from vclean.output.json import to_record

        return to_record(self)

    def to_chunks(self) -> str:
        """Return the chunks of the page as lines of JSON; see `docs/reference/output.md`."""
        return self.to("chunks")

    def chunks(self, max_words: int | None = None) -> list[Chunk]:
        """Return the content as chunks for retrieval: passages under their headings, with boxes and XPaths.

        Tables and code are never split; paragraphs are split between sentences.

        Args:
            max_words: the limit on the words of a chunk, without headings; None for the default, 200.

        Raises:
            UsageError: the limit is less than 1.

        >>> import vclean
        >>> page = vclean.clean("<h1>Rain</h1><p>It rained. It stopped.", method="text")
        >>> [(chunk.headings, chunk.text) for chunk in page.chunks(max_words=2)]
        [(('Rain',), 'It rained.'), (('Rain',), 'It stopped.')]
        """
        from vclean.output.chunks import DEFAULT_MAX_WORDS, make_chunks

        return make_chunks(self, DEFAULT_MAX_WORDS if max_words is None else max_words)

    def page_image(self, screenshot: bytes = b"") -> PageImage:
        """Return a drawing on the screenshot of the page, for blocks, segments, separators and lines of text.

        Args:
            screenshot: a screenshot in place of that of the result: PNG or JPEG, one px per CSS px.

        Raises:
            UsageError: there is no screenshot, or the page was not rendered and its blocks have no boxes.
            OutputError: the screenshot cannot be read.
        """
        from vclean.output.overlay import PageImage

        return PageImage(self, screenshot or self.screenshot)

    def overlay(self, screenshot: bytes, kind: OverlayFormat) -> bytes:
        """Return an overlay of the blocks on `screenshot`, as an image or an interactive page.

        Args:
            screenshot: the screenshot of the page, PNG or JPEG, one px per CSS px.
            kind: the file format of the overlay.

        Raises:
            UsageError: the page was not rendered, or the screenshot is empty.
            OutputError: the screenshot cannot be read.
        """
        return self.page_image(screenshot).draw_blocks().draw_hidden().to_bytes(kind)
