"""Give the searches for records what they read of a labelled page."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.matrix import page_context
from vclean.features.facts.groups import RecordGroups
from vclean.features.facts.linked_titles import linked_blocks
from vclean.features.text.characters import EncodedTexts
from vclean.labels import Kind, Label, Role
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Collection

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot
    from vclean.result import Result

_FRAME: Final = frozenset((Role.NAVIGATION, Role.HEADER, Role.FOOTER, Role.FORM, Role.AD))
"""Roles of regions that every page of a site has."""
_OTHER, _IN_FRAME = 0.1, 0.05
"""Weights of words outside the content and in the frame, relative to a block of the kind that is looked for."""


class LabelledPage:
    """Blocks of a labelled page with the columns that the searches for posts and items read.

    Args:
        result: the labelled page.
    """

    def __init__(self, result: Result) -> None:
        self.result = result

    @property
    def blocks(self) -> BlockColumns:
        """Return the blocks."""
        return self.result.columns

    @property
    def snapshot(self) -> Snapshot:
        """Return the page before labelling."""
        return self.result.columns.snapshot

    @property
    def language(self) -> str:
        """Return the code of the language, from the text or else the markup; empty if unknown."""
        return self.result.language or self.snapshot.language.partition("-")[0]

    @cached_property
    def groups(self) -> RecordGroups:
        """Return the groups of repeated elements."""
        return RecordGroups.find(self.snapshot)

    @cached_property
    def words(self) -> NDArray[np.float64]:
        """Return the number of words of each block, 0 for those that are too hidden for the policy: float64 (B,)."""
        texts = self.blocks.text
        words = EncodedTexts.from_texts(texts).words.per_text().astype(np.float64) if texts else np.zeros(0)
        words[list(self.hidden_rows or ())] = 0
        return words

    @cached_property
    def hidden_rows(self) -> frozenset[int] | None:
        """Return the blocks that are too hidden for the policy; None if there are none."""
        decision = self.result.prediction.decision
        excluded = self.blocks.is_excluded(decision.policy if decision else Policy())
        return frozenset(np.flatnonzero(excluded).tolist()) or None

    @cached_property
    def is_content(self) -> NDArray[np.bool_]:
        """Return which blocks are content: bool (B,)."""
        return np.array([label.is_content for label in self.result.prediction.labels], dtype=bool)

    @cached_property
    def is_heading(self) -> NDArray[np.bool_]:
        """Return which blocks are headings, by label or tag: bool (B,)."""
        is_heading = np.array([label is Label.HEADING for label in self.result.prediction.labels], dtype=bool)
        return is_heading | self.snapshot.is_tag(("h1", "h2", "h3", "h4", "h5", "h6"))[self.blocks.node]

    @cached_property
    def is_linked(self) -> NDArray[np.bool_]:
        """Return which blocks are for the most part links to other documents: bool (B,)."""
        context = self.result.prediction.context or page_context(self.blocks)
        return linked_blocks(self.blocks, context.link_share)

    def has_kind(self, members: Collection[Kind], least: float, *, unknown: bool) -> bool:
        """Return whether a share of the words is in blocks of some kinds; `unknown` for methods without kinds."""
        kinds = self.result.prediction.kinds
        if not kinds:
            return unknown
        of_kind = np.fromiter((kind in members for kind in kinds), bool, len(kinds))
        return bool(self.words[of_kind].sum() >= least * max(float(self.words.sum()), 1))

    def weights(self, kinds: dict[Kind, float], content: float) -> NDArray[np.float64]:
        """Return how much each block may be in a record, its words times a factor: float64 (B,).

        Args:
            kinds: the factor of blocks by kind.
            content: the factor of other blocks that are content.
        """
        prediction = self.result.prediction
        is_content = self.is_content
        factor = np.where(is_content, content, _OTHER)
        if prediction.roles:
            in_frame = np.fromiter((role in _FRAME for role in prediction.roles), bool, len(factor))
            factor[in_frame & ~is_content] = _IN_FRAME
        for kind, value in kinds.items():
            factor[np.fromiter((each is kind for each in prediction.kinds), bool, len(prediction.kinds))] = value
        return self.words * factor
