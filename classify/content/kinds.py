"""Find the kind of each block, such as title, byline or comment, and what a policy requests about kinds."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content.postprocess import block_groups, data_tables
from vclean.features.facts.mentions import Field
from vclean.features.headline import find_headline
from vclean.labels import Kind
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.metadata import MetadataModel
    from vclean.features.blocks import BlockColumns
    from vclean.features.page_context import PageContext
    from vclean.labels import Label
    from vclean.settings import Policy

_CAPTION: Final = re.compile(r"(?:^|[\s_-])caption|bildunterschrift|legende?\b", re.IGNORECASE)
"""Class of a caption."""
_MAX_BLOCKS: Final = 4
"""Maximum number of blocks in an element that is named as a caption."""
_MAX_BYLINE: Final = 25
"""Most words of a byline or date; longer blocks name authors and dates in passing."""
_NEAR: Final = 8
"""Most blocks between the headline and the byline of its document; teasers and comments have authors as well."""
_LIKELY: Final = 0.5
"""Probability from which a block is a text of the content."""
_LEAST_LINKS: Final = 3
"""Blocks of a list of links, at least."""
_LINKED: Final = 0.5
"""Share of its characters in links, at least."""
_APART: Final = ("aside", "button", "footer", "form", "header", "nav")
"""Elements around lists that lead to other parts of a site."""


def block_kinds(blocks: BlockColumns, labels: Sequence[Label], facts: Mapping[Kind, Collection[int]]) -> list[Kind]:
    """Return the kinds of the B blocks of a page: by its facts, else by the element around content, else by the label.

    Args:
        blocks: the blocks.
        labels: B labels.
        facts: the blocks of posts, comments, items, date, byline and title; of several kinds the last one decides.
    """
    kinds = [Kind.BODY if label.is_content else Kind.OTHER for label in labels]
    for kind, rows in facts.items():
        for row in rows:
            kinds[row] = kind
    elements = {
        Kind.CODE: blocks.snapshot.is_tag(("pre",)),
        Kind.TABLE: data_tables(blocks),
        Kind.QUOTE: blocks.snapshot.is_tag(("blockquote",)),
    }
    inside = {kind: tree.inside(mask, blocks.snapshot.end)[blocks.node] for kind, mask in elements.items()}
    for kind, mask in {Kind.CAPTION: caption_blocks(blocks), **inside}.items():
        for row in np.flatnonzero(mask).tolist():
            kinds[row] = kind if kinds[row] in (Kind.BODY, Kind.POST) else kinds[row]
    return kinds


def requested_kinds(
    policy: Policy, context: PageContext, metadata: MetadataModel | None, probability: NDArray[np.float32]
) -> dict[str, NDArray[np.bool_]]:
    """Return the blocks of each kind about which a policy decides: bool (B,) by name of the kind in `Policy`.

    If the posts of a thread are in a part for comments, they are `posts`, which a policy without comments keeps.

    Args:
        policy: what counts as content.
        context: the blocks as features see them.
        metadata: the model that finds byline and type of the page; None for the one that ships with the package.
        probability: float32 (B,), the probability that each block is content.
    """
    kinds: dict[str, NDArray[np.bool_]] = {}
    if policy.comments is not None:
        from vclean.classify.page_type import is_thread  # most policies ask for no comments

        comments = comment_blocks(context)
        keeps_posts = not policy.comments and is_thread(context, metadata, probability, comments)
        kinds["posts" if keeps_posts else "comments"] = comments
    if policy.captions is not None:
        kinds["captions"] = caption_blocks(context.blocks)
    if policy.byline is not None:
        kinds["byline"] = byline_blocks(context, metadata)
    if policy.lists is not None:
        kinds["lists"] = lists_of_links(context, probability >= _LIKELY)
    return kinds


def comment_blocks(context: PageContext) -> NDArray[np.bool_]:
    """Return which blocks are in a part of the page that is called comments, bool (B,)."""
    from vclean.features.facts.threads import comment_parts  # most policies ask for no comments

    return comment_parts(context.blocks)[context.blocks.node]


def caption_blocks(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return which blocks are in an element that is a caption by tag or class, bool (B,)."""
    snapshot = blocks.snapshot
    is_caption = snapshot.is_tag(("figcaption", "caption")) | snapshot.having("class", _CAPTION)
    count = tree.subtree_sum(np.bincount(blocks.node, minlength=len(snapshot)), snapshot.end)
    # A class of a large element names its layout, not its text.
    return np.asarray(tree.inside(is_caption & (count <= _MAX_BLOCKS), snapshot.end)[blocks.node])


def byline_blocks(context: PageContext, metadata: MetadataModel | None) -> NDArray[np.bool_]:
    """Return which short blocks near the headline show the authors or the day of publication, bool (B,)."""
    from vclean.classify.metadata import choose_metadata

    is_byline = np.zeros(len(context), dtype=bool)
    choices = choose_metadata(context, context.language, metadata) if len(context) else {}
    for field in (Field.AUTHORS, Field.PUBLISHED):
        mentions = choices[field].mentions if field in choices else ()
        is_byline[[mention.block for mention in mentions if mention.block >= 0]] = True
    is_near = np.abs(np.arange(len(context)) - find_headline(context)) <= _NEAR
    return is_byline & is_near & (context.tokens <= _MAX_BYLINE)


def lists_of_links(context: PageContext, is_text: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which blocks are in a list, a table or a row of siblings with most of its characters in links, bool (B,).

    Lists before the first text, after the last one, and in elements for other parts of the site do not count.
    """
    blocks, position, texts = context.blocks, np.arange(len(context)), np.flatnonzero(is_text)
    if not len(texts):
        return is_text
    group = block_groups(blocks)
    group = np.where(group >= 0, group, np.maximum(blocks.snapshot.parent[blocks.node], 0))
    total, linked = (np.bincount(group, weights) for weights in (context.chars, context.chars * context.link_share))
    is_list = (np.bincount(group) >= _LEAST_LINKS) & (linked >= _LINKED * total)
    apart = tree.inside(blocks.snapshot.is_tag(_APART), blocks.snapshot.end)[blocks.node]
    return np.asarray(is_list[group] & ~apart & (position >= texts[0]) & (position <= texts[-1]))
