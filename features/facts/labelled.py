"""Hold what the searches for posts and items read of a labelled page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.facts.groups import RecordGroups
from vclean.labels import Label, PageType
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot
    from vclean.settings import Policy


_OTHER: Final = 0.05
"""Weight of words outside the content, relative to words in it."""
_LINK: Final = 0.5
"""Share of link text above which a block is a link."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledBlocks:
    """B blocks with their labels, and the columns that the searches for posts and items read.

    Attributes:
        blocks: the blocks.
        context: the blocks as features see them, for the share of linked text.
        labels: the label of each block.
        probability: float (B,), the probability that each block is content.
        policy: what may be content; blocks that are too hidden for it belong to no record.
        in_forum: whether the title or the address of the page is that of a forum.
        detect: returns the language of the content, ISO 639-1; empty if unknown.
        find_type: returns the type of the page, a value of `PageType`; empty if unknown.
    """

    blocks: BlockColumns
    context: PageContext
    labels: Sequence[Label]
    probability: NDArray[np.floating]
    policy: Policy
    in_forum: bool = False
    detect: Callable[[], str] = str
    find_type: Callable[[], str] = str

    @property
    def snapshot(self) -> Snapshot:
        """Return the page before labelling."""
        return self.blocks.snapshot

    @cached_property
    def language(self) -> str:
        """Return the code of the language, from the text or else the markup; empty if unknown."""
        return self.detect() or self.snapshot.language.partition("-")[0]

    @cached_property
    def page_type(self) -> str:
        """Return the type of the page, a value of `PageType`; empty if unknown."""
        return self.find_type()

    @cached_property
    def may_be_forum(self) -> bool:
        """Return whether the page is one of a forum by its title, its address or its type."""
        return self.in_forum or self.page_type == PageType.FORUM

    @cached_property
    def groups(self) -> RecordGroups:
        """Return the groups of repeated elements."""
        return RecordGroups.find(self.snapshot)

    @cached_property
    def words(self) -> NDArray[np.float64]:
        """Return the number of words of each block, 0 for those that are too hidden for the policy: float64 (B,)."""
        words = self.context.tokens.astype(np.float64)
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
        return is_heading | self.snapshot.is_tag(HEADING_TAGS)[self.blocks.node]

    @cached_property
    def is_linked(self) -> NDArray[np.bool_]:
        """Return which blocks are for the most part links to other documents: bool (B,)."""
        snapshot, address = self.snapshot, self.snapshot.url.partition("#")[0]
        links = snapshot.values("href")
        leads_away = [link.partition("#")[0] not in ("", address) for link in links.distinct]
        away = np.zeros(len(snapshot), dtype=np.int64)
        away[links.node] = np.array(leads_away, dtype=np.int64)[links.index]
        has_link = tree.inside(away > 0, snapshot.end) | (tree.subtree_sum(away, snapshot.end) > 0)
        return np.asarray((self.context.link_share > _LINK) & has_link[self.blocks.node])

    def content_share(self, rows: Collection[int]) -> float:
        """Return the share of the words of the content that is in some blocks."""
        words = self.words * self.is_content
        return float(words[list(set(rows))].sum()) / max(float(words.sum()), 1)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Return how much each block may be in a record, its words, or less outside the content: float64 (B,)."""
        return self.words * np.where(self.is_content, 1.0, _OTHER)
