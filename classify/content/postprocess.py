"""Apply rules after the trees: adjust probabilities by site and policy, then correct the selection and the labels.

A policy decides about kinds of blocks, such as bylines, captions or comments, which this module finds.

Groups (lists, tables and code) are kept or dropped as one: a table without a few of its cells is worth less than the
whole table.

Corpora disagree about headlines, users do not: of 97 news pages whose gold text begins with the headline, a model
trained on all corpora keeps it on 39. The headline is therefore kept by rule, and once.

Gold texts of most corpora leave out prices and numbers of products. A reader who wants the text of a product page wants
its name, its price and its number; without the rule 74 of 155 such values on 47 pages of shops are kept, with it 132.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.content.expected_f import adjust_for_kind, bounded_log_odds
from vclean.classify.prediction import Headline
from vclean.features.columns import Groups, sorted_unique
from vclean.features.facts.mentions import Field
from vclean.features.facts.subject import find_subject
from vclean.features.headline import find_headline, has_home_url, normalize, strip_site_name, title_agreement
from vclean.labels import Kind, Label
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.content.site_evidence import SiteEvidence
    from vclean.classify.metadata import MetadataModel
    from vclean.classify.prediction import HeadlineSource
    from vclean.features.blocks import BlockColumns
    from vclean.features.facts.subject import Subject
    from vclean.features.page_context import PageContext
    from vclean.settings import Policy


def adjust_probability(
    probability: NDArray[np.float32],
    words: NDArray[np.float32],
    alike: NDArray[np.int32],
    evidence: SiteEvidence | None,
    *,
    policy: Policy,
    find_kinds: Callable[[NDArray[np.float32]], Mapping[str, NDArray[np.bool_]]] | None,
) -> tuple[NDArray[np.float32], Mapping[str, NDArray[np.bool_]], dict[str, NDArray[np.floating]]]:
    """Adjust the probabilities of the B blocks of a page to blocks alike, to its site, and to what the policy requests.

    Args:
        probability: float32 (B,), of the trees.
        words: float32 (B,), words per block.
        alike: int32 (B,), see `smooth_alike`.
        evidence: evidence of the other pages of the site.
        policy: what counts as content.
        find_kinds: returns `requested_kinds` of the policy, given the probabilities before them.

    Returns:
        The probabilities, float32 (B,), the requested kinds, and by group of contributions what was added to the log
        odds, (B,).
    """
    value = smooth_alike(probability, alike, words)
    changes: dict[str, NDArray[np.floating]] = {}
    if value is not probability:
        changes["alike"] = bounded_log_odds(value) - bounded_log_odds(probability)
    if evidence is not None:
        from vclean.classify.content.site_evidence import add_evidence

        value, changes["site"] = add_evidence(value, evidence.log_odds), evidence.log_odds
    kinds = find_kinds(value) if find_kinds else {}
    for name in [name for name in kinds if name != "posts"]:
        members = kinds[name].astype(np.float32)
        adjusted = adjust_for_kind(value, members, words, include=getattr(policy, name))
        change = bounded_log_odds(adjusted) - bounded_log_odds(value)
        value, changes["kinds"] = adjusted, changes.get("kinds", 0) + change
    return value, kinds, changes


SURE: Final = 1.5
"""Log odds from which a block keeps its probability, whatever the others are: a correction of one block holds.

Without this limit word F1 is .0004 higher in the mean."""
_ALIKE_SHARE: Final = 0.8
"""Share of the mean of blocks alike in the log odds of each. From .5 to 1, word F1 differs by .001 on most corpora."""
_MOST_WORDS: Final = 200
"""Words of a block that count in that mean, by their square root."""


def smooth_alike(
    probability: NDArray[np.float32], alike: NDArray[np.int32], words: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the probabilities with the log odds of doubtful blocks moved to the mean of those alike, float32 (B,).

    The titles of the entries of a list, or the texts of the posts of a thread, are content together or not at all.

    Args:
        probability: float32 (B,), of the trees.
        alike: int32 (B,), the group of blocks with the same chain of tags and classes.
        words: float32 (B,), words per block.
    """
    log_odds, weight = bounded_log_odds(probability), np.sqrt(np.clip(words, 1, _MOST_WORDS))
    moves = (np.bincount(alike)[alike] > 1) & (np.abs(log_odds) < SURE)
    if not moves.any():
        return probability
    mean = (np.bincount(alike, log_odds * weight) / np.maximum(np.bincount(alike, weight), 1))[alike]
    moved = 1 / (1 + np.exp((_ALIKE_SHARE - 1) * log_odds - _ALIKE_SHARE * mean))
    return np.where(moves, moved, probability).astype(np.float32)


SAME_TITLE: Final = 0.7
"""Similarity with the title from which a block of the content repeats it."""
_REPEATED: Final = frozenset((Label.HEADING, Label.PARAGRAPH))
"""Labels of blocks that repeat the headline and are left out; cells and items are parts of a table or a list."""


def place_headline(
    context: PageContext, labels: Sequence[Label], policy: Policy
) -> tuple[list[Label], Headline | None]:
    """Label the headline of a page as heading, or as other if the policy leaves it out.

    A page without such a block, if it is no home page, has the title of its document if the content does not repeat it.

    Returns:
        The labels, and the headline; None for a page without headline, and for one without content.
    """
    is_content = np.array([label.is_content for label in labels], dtype=bool)
    if not is_content.any():
        return list(labels), None
    block = find_headline(context)
    is_kept = block >= 0 and not context.blocks.is_excluded(policy)[block]
    if policy.title and not is_kept:
        title = strip_site_name(context.snapshot.title, context.snapshot.url)
        is_repeated = is_content & (title_agreement(context)[0] >= SAME_TITLE)
        has_title = title and not is_repeated.any() and not has_home_url(context.snapshot)
        return list(labels), Headline(title, None, "title") if has_title else None
    if block < 0:
        return list(labels), None
    relabelled = _without_repetitions(context, labels, block)
    relabelled[block] = Label.HEADING if policy.title else Label.OTHER
    source: HeadlineSource = "dropped" if not policy.title else "model" if labels[block] is Label.HEADING else "rule"
    return relabelled, Headline(context.blocks.text[block], block, source)


def _without_repetitions(context: PageContext, labels: Sequence[Label], block: int) -> list[Label]:
    """Return the labels, with other for headings and paragraphs that have the same words as `block`."""
    relabelled, texts, expected = list(labels), context.blocks.text, normalize(context.blocks.text[block])
    for row in np.flatnonzero(context.tokens == context.tokens[block]).tolist():
        if labels[row] in _REPEATED and normalize(texts[row]) == expected:
            relabelled[row] = Label.OTHER
    return relabelled


def place_subject(
    context: PageContext, labels: Sequence[Label], policy: Policy
) -> tuple[list[Label], Subject | None, frozenset[int]]:
    """Label what a page shows of its product or recipe as content.

    The rule does not apply to a page without content, and to policies with the convention of a corpus, whose annotators
    decided otherwise.

    Returns:
        The labels, the product or recipe, and the blocks that are content by this rule.
    """
    if policy.convention or not any(label.is_content for label in labels):
        return list(labels), None, frozenset()
    subject = find_subject(context, ~context.blocks.is_excluded(policy))
    if subject is None:
        return list(labels), None, frozenset()
    snapshot, placed = context.snapshot, list(labels)
    kept = frozenset(row for row in subject.rows if not labels[row].is_content)
    for row in kept:
        is_item = snapshot.tags[snapshot.tag[context.blocks.node[row]]] == "li"
        placed[row] = Label.LIST_ITEM if is_item else Label.PARAGRAPH
    return placed, subject, kept


KEEP_SHARE: Final = 0.75
"""Minimum share of selected words to keep a whole group; up to `DROP_SHARE`, the whole group is dropped.

In cross-validation, this preserves 91 % of the lists, tables and code blocks of the gold completely; without it, 86 %.
Word F1 is the same in the mean.
"""
DROP_SHARE: Final = 0.15
ENCLOSED_PROBABILITY: Final = 0.5
"""Minimum mean probability of the words of a group between two kept blocks; word F1 changes by less than .0001.

On 36 pages of `markdown.parquet` .925 of the items are kept with it, and .884 without it."""

MAX_BLOCKS_PER_PART: Final = 3
"""Blocks per cell or item above which a table or list is taken for page layout, such as a list of posts.

Without this limit for lists word F1 is .014 lower on threads and .013 on magic-forum, and the same elsewhere."""

_LISTS = ("ul", "ol", "dl")
_ITEMS = ("li", "dt", "dd")


def block_groups(blocks: BlockColumns) -> NDArray[np.int32]:
    """Return the innermost list, definition list, `pre` element or data table around each block, or -1, int32 (B,).

    A data table has at least two rows with two text cells each. Lists and data tables with more than
    `MAX_BLOCKS_PER_PART` blocks per item or cell are layout; blocks in them, and in no group inside, have -1.
    """
    snapshot = blocks.snapshot
    is_list = snapshot.is_tag(_LISTS)
    is_group = is_list | snapshot.is_tag(("pre",)) | data_tables(blocks)
    nearest = tree.nearest_ancestor(is_group, snapshot.parent)
    group = nearest[blocks.node]
    item = sorted_unique(tree.nearest_ancestor(snapshot.is_tag(_ITEMS), snapshot.parent)[blocks.node])
    is_layout = is_list & ~_is_sparse(group, nearest[snapshot.parent[item]], len(snapshot))
    return np.where(is_group[group] & ~is_layout[group], group, -1).astype(np.int32)


def data_tables(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return a mask of the elements that are data tables, bool (N,)."""
    snapshot, size = blocks.snapshot, len(blocks.snapshot)
    is_table, is_cell = snapshot.is_tag(("table",)), snapshot.is_tag(("td", "th"))
    if not is_table.any():
        return is_table
    table = tree.nearest_ancestor(is_table, snapshot.parent)
    row = tree.nearest_ancestor(snapshot.is_tag(("tr",)), snapshot.parent)
    inside = sorted_unique(tree.nearest_ancestor(is_cell, snapshot.parent)[blocks.node])
    cells = inside[is_cell[inside]]
    wide_rows = np.flatnonzero(np.bincount(row[cells], minlength=size) > 1)
    grid = np.bincount(table[wide_rows], minlength=size) > 1
    return np.asarray(is_table & grid & _is_sparse(table[blocks.node], table[cells], size))


def _is_sparse(of_blocks: NDArray[np.integer[Any]], of_parts: NDArray[np.integer[Any]], size: int) -> NDArray[np.bool_]:
    """Return which groups have at most `MAX_BLOCKS_PER_PART` blocks per part, bool (N,).

    Args:
        of_blocks: (B,), the group of each block.
        of_parts: (P,), the group of each cell or item with blocks.
        size: N, the number of elements.
    """
    parts = np.bincount(of_parts, minlength=size)
    return np.bincount(of_blocks, minlength=size) <= MAX_BLOCKS_PER_PART * parts


def smooth_groups(
    selected: NDArray[np.bool_], probability: NDArray[np.float32], words: NDArray[np.float32], group: NDArray[np.int32]
) -> NDArray[np.bool_]:
    """Keep groups completely or drop them completely, where the evidence is clear; return a mask, bool (B,).

    A group is kept if most of its words are selected, and dropped if few are. It is also kept if it is enclosed, as
    a table of short cells between two paragraphs: the blocks before and after it are kept, and the mean probability of
    its words is above `ENCLOSED_PROBABILITY`.

    Args:
        selected: bool (B,), the blocks selected one by one.
        probability: float32 (B,), probability that a block is content.
        words: float32 (B,), words per block; a block without words counts as one word.
        group: int32 (B,), the group of each block, or -1; a block alone in its group does not change.
    """
    rows = np.flatnonzero(group >= 0)
    if not len(rows):
        return selected.copy()
    number = Groups(group[rows]).number
    weight = np.maximum(words[rows], 1)
    total = np.bincount(number, weight)
    share = np.bincount(number, weight * selected[rows]) / total
    smoothed = selected.copy()
    smoothed[rows[(share >= KEEP_SHARE)[number]]] = True
    smoothed[rows[(share <= DROP_SHARE)[number]]] = False
    mean = np.bincount(number, weight * probability[rows]) / total
    first, last = np.empty((2, len(total)), dtype=np.intp)
    last[number], first[number[::-1]] = rows, rows[::-1]
    padded = np.concatenate([[False], smoothed, [False]])
    enclosed = padded[first] & padded[last + 2] & (mean > ENCLOSED_PROBABILITY)
    smoothed[rows[enclosed[number]]] = True
    return smoothed


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
