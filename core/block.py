"""`Block` and `Blocks`: the labelled blocks of a page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

from vclean.errors import UsageError
from vclean.labels import Box, Kind, Label, Role, Visibility

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vclean.classify.explain.reasons import Reason
    from vclean.features.blocks import BlockColumns
    from vclean.output.source_positions import SourcePosition


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Text block of a page: a maximal run of inline text inside one block container.

    Attributes:
        index: the number of the block on the page, in document order, from 0.
        text: the text, with white space collapsed except in preformatted text.
        label: the label: heading, paragraph, list item, continuation, or other (boilerplate).
        role: the role of the region around the block; None outside all regions. Methods without roles have only
            `overlay`.
        probability: the probability that the block is content, 0 to 1; 0 or 1 for methods without probabilities.
        box: the union of the line boxes, in CSS px; None if the block is not painted, or the page was not rendered.
        xpath: the absolute XPath of the container.
        tag: the tag name of the container.
        font_size: the font size of most of the text, CSS px; None if the page was not rendered.
        color: the color of most of the text, as `#rrggbb` or `#rrggbbaa`; None if the page was not rendered.
        background: the background color, in the same form; None if no background is painted.
        visibility: shown, revealable by a click, or hidden.
        technique: what hides it, such as `display` or `off-page`; empty for blocks that are shown.
        reasons: the reasons for the label, strongest first; empty without `explain=True`.
        source: the position of the text in the source of the page; None without `explain=True`, and for text that a
            script wrote.
        kinds: the kinds of all blocks of the page, found when the first one is read.

    >>> import vclean
    >>> block = vclean.clean("<h1>Rain</h1><p>It rained.", method="text").blocks[0]
    >>> block.tag, block.xpath, block.text
    ('h1', '/html[1]/body[1]/h1[1]', 'Rain')
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
    technique: str = ""
    reasons: Sequence[Reason] = ()
    source: SourcePosition | None = None
    kinds: Sequence[Kind] = field(default=(), repr=False, compare=False)

    @property
    def kind(self) -> Kind:
        """Return what the block is in its document, such as title, byline or comment."""
        return self.kinds[self.index]

    @property
    def is_content(self) -> bool:
        """Return whether the block is part of the clean text: whether its label is not `o`."""
        return self.label.is_content


class Blocks(Sequence[Block]):
    r"""Sequence of blocks of a page in document order: all blocks, or a selection.

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
        """Return the block at an index, or the blocks of a slice, in document order even if the step is negative."""
        if isinstance(index, slice):
            return Blocks([self._blocks[row] for row in sorted(range(len(self))[index])], self._page)
        return self._blocks[index]

    def filter(self, condition: Callable[[Block], object]) -> Blocks:
        """Return the blocks for which `condition` is true.

        Args:
            condition: a function from a block to a truth value.

        >>> import vclean
        >>> vclean.clean("<h1>Rain</h1><p>It rained.", method="text").blocks.filter(lambda block: len(block.text) > 5)
        <Blocks: 1, 1 of them content>
        """
        return Blocks([block for block in self if condition(block)], self._page)

    def where(
        self,
        *,
        label: Label | str | Collection[Label | str] | None = None,
        role: Role | str | Collection[Role | str] | None = None,
        kind: Kind | str | Collection[Kind | str] | None = None,
        visibility: Visibility | Collection[Visibility] | None = None,
        tag: str | Collection[str] | None = None,
    ) -> Blocks:
        r"""Return the blocks that match all conditions; each condition is one value or several alternatives.

        Args:
            label: a label or several, such as `"h"` or `("h", "p")`; None for any label.
            role: a role or several, such as `"article"`; None for any role.
            kind: a kind or several, such as `"byline"`; None for any kind.
            visibility: a visibility or several; None for any visibility.
            tag: a tag name of the container or several; None for any tag.

        Raises:
            UsageError: a label, role, kind or visibility does not exist.

        >>> import vclean
        >>> vclean.clean("<h1>Rain</h1><p>It rained.", method="text").blocks.where(tag=("h1", "h2")).text
        'Rain\n'
        """
        types = {"label": Label, "role": Role, "kind": Kind, "visibility": Visibility, "tag": str}
        values = {"label": label, "role": role, "kind": kind, "visibility": visibility, "tag": tag}
        allowed = {name: _members(types[name], value) for name, value in values.items() if value is not None}
        return self.filter(lambda block: all(getattr(block, name) in choices for name, choices in allowed.items()))

    @property
    def text(self) -> str:
        """Return the text of all blocks, with a blank line between two blocks.

        There is no blank line between two list items. A continuation is joined to the block before it.
        """
        from vclean.output.text import to_text

        labels = [block.label if block.is_content else Label.PARAGRAPH for block in self]
        return to_text([block.text for block in self], labels)

    @property
    def box(self) -> Box | None:
        """Return the smallest box around the boxes of all blocks, in CSS px; None if no block has a box."""
        return Box.around(block.box for block in self)

    @property
    def columns(self) -> BlockColumns:
        """Return the blocks as arrays, with one row for each block."""
        return self._page if len(self) == len(self._page) else self._page.take([block.index for block in self])


def _members(kind: type[Any], values: object) -> frozenset[object]:
    """Return one value or several as members of an enumeration or strings; a wrong one is a `UsageError`."""
    several = values if isinstance(values, Collection) and not isinstance(values, str) else (values,)
    try:
        return frozenset(map(kind, several))
    except ValueError as error:
        choices = ", ".join(str(name.value) for name in kind)
        raise UsageError(f"{error}: choose one of {choices}") from None
