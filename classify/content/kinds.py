"""Predict the kind of each block, such as title, byline or comment, and adjust probabilities to a policy on kinds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.content.postprocess import block_groups, data_tables
from vclean.errors import UsageError
from vclean.labels import KINDS, LEARNED_KINDS, Kind
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.trees.forest import Forest
    from vclean.features.blocks import BlockColumns
    from vclean.labels import Label
    from vclean.settings import Policy

_BODY: Final = tuple(KINDS.index(kind) for kind in (Kind.LEAD, Kind.BODY, Kind.POST, Kind.OTHER))
"""Learned kinds that the element around a block makes more precise."""
_CAPTION: Final = re.compile(r"(?:^|[\s_-])caption|bildunterschrift|legende?\b", re.IGNORECASE)


def kind_probability(trees: Forest, x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the probabilities of `LEARNED_KINDS` for the B rows of a feature matrix, float32 (B, K)."""
    if not len(x):
        return np.zeros((0, len(LEARNED_KINDS)), dtype=np.float32)
    return trees.predict(x).astype(np.float32)


def block_kinds(trees: Forest, x: NDArray[np.float32], blocks: BlockColumns, labels: Sequence[Label]) -> list[Kind]:
    """Return the kinds of the B blocks of a page.

    The most probable learned kind, or for body text in a figure caption, a quotation, a data table or code this
    element. Such text outside the content keeps its learned kind.

    Args:
        trees: boosted trees for the kind of a block.
        x: float32 (B, len(stacking.COLUMNS)), the feature matrix.
        blocks: the blocks.
        labels: B labels.
    """
    codes = kind_probability(trees, x).argmax(axis=1)
    is_content = np.array([label.is_content for label in labels], dtype=bool)
    refinable = np.isin(codes, _BODY) & (is_content | (codes != KINDS.index(Kind.OTHER)))
    for kind, mask in element_kinds(blocks):
        codes[refinable & mask] = KINDS.index(kind)
    return [KINDS[code] for code in codes.tolist()]


def element_kinds(blocks: BlockColumns) -> Sequence[tuple[Kind, NDArray[np.bool_]]]:
    """Return the kinds that follow from elements, each with the blocks inside, bool (B,); the last one decides."""
    snapshot = blocks.snapshot
    elements = (
        (Kind.QUOTE, snapshot.is_tag(("blockquote",))),
        (Kind.TABLE, data_tables(blocks)),
        (Kind.CODE, snapshot.is_tag(("pre",))),
        (Kind.CAPTION, _captions(blocks)),
    )
    return [(kind, tree.inside(mask, snapshot.end)[blocks.node]) for kind, mask in elements if mask.any()]


def _captions(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return a mask of the elements that contain a caption, by tag or class, bool (N,)."""
    snapshot = blocks.snapshot
    is_caption = snapshot.is_tag(("figcaption", "caption")) | snapshot.having("class", _CAPTION)
    # A class of a large element names its layout, not its text.
    return is_caption & (
        tree.subtree_sum(np.bincount(blocks.node, minlength=len(snapshot)), snapshot.end) <= _MAX_BLOCKS
    )


_MAX_BLOCKS: Final = 4
"""Maximum number of blocks in an element that is named as a caption."""


@dataclass(frozen=True, slots=True, eq=False)
class KindRequest:
    """Request of a policy about blocks of some kinds on a page of B blocks.

    Attributes:
        name: name of the kinds, as in `Policy`.
        members: float32 (B,), probability that a block is of these kinds.
        include: whether they are content.
    """

    name: str
    members: NDArray[np.float32]
    include: bool


def kind_requests(
    policy: Policy, trees: Forest | None, x: NDArray[np.float32], blocks: BlockColumns
) -> list[KindRequest]:
    """Return the requests of a policy for the B blocks of a page.

    Args:
        policy: what counts as content.
        trees: boosted trees for the kind of a block; None if the model has none.
        x: float32 (B, len(stacking.COLUMNS)), the feature matrix.
        blocks: the blocks.

    Raises:
        UsageError: the policy requests kinds that the model does not know.
    """
    choices = {"captions": policy.captions, "byline": policy.byline, "lists": policy.lists}
    requested = {name: choice for name, choice in choices.items() if choice is not None}
    if not requested:
        return []
    if trees is None:
        name = next(iter(requested))
        raise UsageError(f"the model knows no kinds of text: leave out --{name}, or train it with --metadata")
    probability = kind_probability(trees, x)
    return [KindRequest(name, _members(name, probability, blocks, x), choice) for name, choice in requested.items()]


def _members(
    name: str, probability: NDArray[np.float32], blocks: BlockColumns, x: NDArray[np.float32]
) -> NDArray[np.float32]:
    if name == "lists":
        is_text = probability[:, LEARNED_KINDS.index(Kind.OTHER)] < _TEXT
        return _lists_of_links(blocks, x[:, _LINK_SHARE], is_text).astype(np.float32)
    if name == "captions":
        masks = dict(element_kinds(blocks))
        return masks.get(Kind.CAPTION, np.zeros(len(blocks), dtype=bool)).astype(np.float32)
    kinds = [LEARNED_KINDS.index(kind) for kind in (Kind.BYLINE, Kind.DATE)]
    return np.asarray(probability[:, kinds].sum(axis=1) * _is_near_title(probability))


def _lists_of_links(
    blocks: BlockColumns, link_share: NDArray[np.float32], is_text: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """Return which blocks are in a list, a table or a row of siblings with most of its characters in links, bool (B,).

    Lists before the first text, after the last one, and in elements for other parts of the site do not count.
    """
    position = np.arange(len(blocks))
    texts = position[is_text]
    if not len(texts):
        return is_text
    group = block_groups(blocks)
    group = np.where(group >= 0, group, np.maximum(blocks.snapshot.parent[blocks.node], 0))
    length = np.array([len(text) for text in blocks.text], dtype=np.float64)
    total, linked = (np.bincount(group, weights) for weights in (length, length * link_share))
    is_list = (np.bincount(group) >= _LEAST_LINKS) & (linked >= _LINKED * total)
    apart = tree.inside(blocks.snapshot.is_tag(_APART), blocks.snapshot.end)[blocks.node]
    return np.asarray(is_list[group] & ~apart & (position >= texts[0]) & (position <= texts[-1]))


_TEXT: Final = 0.5
"""Probability of other blocks than text, below which a block is text."""
_LEAST_LINKS: Final = 3
"""Blocks of a list of links, at least."""
_LINKED: Final = 0.5
"""Share of its characters in links, at least."""
_APART: Final = ("aside", "button", "footer", "form", "header", "nav")
"""Elements around lists that lead to other parts of a site."""
_LINK_SHARE: Final = [column.name for column in stacking.COLUMNS].index("link_share")


def _is_near_title(probability: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return the blocks next to the most probable title, bool (B,): teasers and comments have authors as well."""
    position = np.arange(len(probability))
    title = int(probability[:, LEARNED_KINDS.index(Kind.TITLE)].argmax()) if len(probability) else 0
    return (position >= title - _NEAR_TITLE) & (position <= title + _NEAR_TITLE)


_NEAR_TITLE: Final = 8
"""Maximum number of blocks between the title and byline or date of a document."""
