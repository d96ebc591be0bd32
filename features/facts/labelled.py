"""Hold what the searches for posts and items read of a labelled page."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from vclean.features.facts.groups import RecordGroups
from vclean.features.facts.linked_titles import linked_blocks
from vclean.features.text.characters import EncodedTexts
from vclean.labels import Kind, Label, Role

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot
    from vclean.settings import Policy

_FRAME: Final = frozenset((Role.NAVIGATION, Role.HEADER, Role.FOOTER, Role.FORM, Role.AD))
"""Roles of regions that every page of a site has."""
_OTHER, _IN_FRAME = 0.1, 0.05
"""Weights of words outside the content and in the frame, relative to a block of the kind that is looked for."""


class ForumSigns(NamedTuple):
    """Whether the title, the address, and anything else of a page are those of a forum."""

    in_title: bool = False
    in_address: bool = False
    anywhere: bool = False


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledBlocks:
    """B blocks with their labels, and the columns that the searches for posts and items read.

    Attributes:
        blocks: the blocks.
        context: the blocks as features see them, for the share of linked text.
        labels: the label of each block.
        probability: float (B,), the probability that each block is content.
        policy: what may be content; blocks that are too hidden for it belong to no record.
        kinds: the kind of each block; empty if unknown.
        roles: the role of each block; empty if unknown.
        comments: float (B,), the probability that each block is among readers' comments; None if unknown.
        signs: the signs of a forum.
        detect: returns the language of the content, ISO 639-1; empty if unknown.
    """

    blocks: BlockColumns
    context: PageContext
    labels: Sequence[Label]
    probability: NDArray[np.floating]
    policy: Policy
    kinds: Sequence[Kind | None] = ()
    roles: Sequence[Role | None] = ()
    comments: NDArray[np.floating] | None = None
    signs: ForumSigns = field(default_factory=ForumSigns)
    detect: Callable[[], str] = str

    @property
    def snapshot(self) -> Snapshot:
        """Return the page before labelling."""
        return self.blocks.snapshot

    @cached_property
    def language(self) -> str:
        """Return the code of the language, from the text or else the markup; empty if unknown."""
        return self.detect() or self.snapshot.language.partition("-")[0]

    @cached_property
    def groups(self) -> RecordGroups:
        """Return the groups of repeated elements."""
        return RecordGroups.find(self.snapshot)

    @cached_property
    def words(self) -> NDArray[np.float64]:
        """Return the number of words of each block, 0 for those that are too hidden for the policy: float64 (B,)."""
        texts = self.blocks.text
        words = EncodedTexts.from_texts(texts).words.per_text().astype(np.float64) if texts else np.zeros(0)
        words[list(self.hidden_rows)] = 0
        return words

    @cached_property
    def hidden_rows(self) -> frozenset[int]:
        """Return the blocks that are too hidden for the policy."""
        return frozenset(np.flatnonzero(self.blocks.is_excluded(self.policy)).tolist())

    @cached_property
    def is_content(self) -> NDArray[np.bool_]:
        """Return which blocks are content: bool (B,)."""
        return np.array([label.is_content for label in self.labels], dtype=bool)

    @cached_property
    def is_heading(self) -> NDArray[np.bool_]:
        """Return which blocks are headings, by label or tag: bool (B,)."""
        is_heading = np.array([label is Label.HEADING for label in self.labels], dtype=bool)
        return is_heading | self.snapshot.is_tag(("h1", "h2", "h3", "h4", "h5", "h6"))[self.blocks.node]

    @cached_property
    def is_linked(self) -> NDArray[np.bool_]:
        """Return which blocks are for the most part links to other documents: bool (B,)."""
        return linked_blocks(self.blocks, self.context.link_share)

    def count_words(self, kinds: Collection[Kind]) -> float:
        """Return the share of the words of the page in blocks of some kinds."""
        of_kind = np.fromiter((kind in kinds for kind in self.kinds), bool, len(self.kinds))
        return float(self.words[of_kind].sum()) / max(float(self.words.sum()), 1) if self.kinds else 0.0

    def content_share(self, rows: Collection[int]) -> float:
        """Return the share of the words of the content that is in some blocks."""
        words = self.words * self.is_content
        return float(words[list(set(rows))].sum()) / max(float(words.sum()), 1)

    def weights(self, kinds: dict[Kind, float], content: float) -> NDArray[np.float64]:
        """Return how much each block may be in a record, its words times a factor: float64 (B,).

        Args:
            kinds: the factor of blocks by kind.
            content: the factor of other blocks that are content.
        """
        factor = np.where(self.is_content, content, _OTHER)
        if self.roles:
            in_frame = np.fromiter((role in _FRAME for role in self.roles), bool, len(factor))
            factor[in_frame & ~self.is_content] = _IN_FRAME
        for kind, value in kinds.items():
            factor[np.fromiter((each is kind for each in self.kinds), bool, len(self.kinds))] = value
        return self.words * factor
