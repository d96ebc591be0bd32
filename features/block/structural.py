"""Compute structural columns: a block's position in the tree, elements around it, and repetition of its path.

Sources: Victor (container.*, split.*), FIASCO (depth, heading, paragraph, links, images), Web2Text (parent tags),
Kohlschuetter, Fankhauser, Nejdl 2010 (link density), CETD (Sun et al. 2011: text against tags in a subtree).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.features import element_names
from vclean.features.columns import Groups, ratio, read_columns, read_parts
from vclean.labels import Visibility
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot

_CONTAINERS = {
    "article": ("article",), "main": ("main",), "list_item": ("li",), "table": ("table",), "cell": ("td", "th"),
    "code": ("pre", "code", "samp", "kbd"), "link": ("a",),
}  # fmt: skip
IMAGES = ("img", "svg", "picture", "video", "canvas")
_TAGS = """
h1 h2 h3 h4 h5 h6 title p blockquote pre li dd dt td th caption figcaption summary article main section div center span
font b strong i em a label button legend option select form nav header footer aside address ul ol dl table tr body html
"""
TAG_CODES = tuple(_TAGS.split())
"""Tags with a code; the code is the index in this tuple."""
_SPLITS = {"heading": HEADING_TAGS, "li": ("li",), "row": ("tr",)}
LARGE_BLOCK = 20
"""Minimum number of words of a long text."""
LINK_LIMIT = 0.33
"""Maximum link share of a long text (boilerpipe's NumWordsRules, 1/3)."""
_HOLDERS = (50, 75)

_TAG_CODE = {tag: code for code, tag in enumerate(TAG_CODES)}
_CONTAINER_OF = {tag: code for code, tags in enumerate(_CONTAINERS.values()) for tag in tags}
_HEADING_OF = {tag: level for level, tag in enumerate(HEADING_TAGS)}
_BOLD = ("b", "strong", *HEADING_TAGS, "th")


def tag_codes(snapshot: Snapshot) -> NDArray[np.int64]:
    """Return the code of each element's tag, its index in `TAG_CODES`: int64 (N,); `len(TAG_CODES)` for other tags."""
    return np.array([_TAG_CODE.get(tag, len(TAG_CODES)) for tag in snapshot.tags], dtype=np.int64)[snapshot.tag]


def _element_columns(context: PageContext) -> Values:
    """Return columns about the elements around the text, and the words before it."""
    snapshot, node = context.snapshot, context.blocks.node
    code, parent = tag_codes(snapshot), np.maximum(snapshot.parent, 0)
    children = np.bincount(parent[1:], minlength=len(snapshot))
    return {
        "tag": code[node],
        "inner_tag": code[context.blocks.main_element],
        "depth": snapshot.depth[node],
        "link_share": context.link_share,
        "bold_share": context.char_mean(context.within(_BOLD)),
        "siblings": children[parent[node]],
        "words_before": context.words_before,
    }


def links(context: PageContext) -> NDArray[np.int64]:
    """Return the number of links in each block, including a link around it: int64 (B,)."""
    starts = np.cumsum(context.snapshot.is_tag(("a",)))
    after = context.snapshot.text_after[context.blocks.members]
    bounds = np.append(context.blocks.first[1:], len(after)) - 1
    inside = starts[after[bounds]] - starts[after[context.blocks.first]]
    return np.asarray(inside + context.in_link[context.member_parent[context.blocks.first]])


def heading_level(context: PageContext) -> NDArray[np.int64]:
    """Return the level of the heading element around each block, 0 without one: int64 (B,).

    For nested headings it is the lowest number.
    """
    inside = _count_around(context, _HEADING_OF, len(_HEADING_OF)) > 0
    return np.where(inside.any(axis=0), inside.argmax(axis=0) + 1, 0)


def _heading_columns(context: PageContext) -> Values:
    """Return columns about headings before the block."""
    level = heading_level(context)
    index = np.arange(len(context))
    last = np.maximum.accumulate(np.where(level > 0, index, -1))
    before = context.words_before
    h1 = np.flatnonzero(level == 1)
    return {
        "heading_level": level,
        "since_heading": index - np.maximum(last, 0),
        "last_heading_level": np.where(last >= 0, level[np.maximum(last, 0)], 0),
        "after_h1": before - before[h1[0]] if len(h1) else before,
    }


def long_text(context: PageContext) -> NDArray[np.bool_]:
    """Return which blocks have many words and few links, and are not hidden: bool (B,)."""
    is_long = (context.tokens >= LARGE_BLOCK) & (context.link_share <= LINK_LIMIT)
    return is_long & (context.blocks.visibility < Visibility.HIDDEN)


def _page_columns(context: PageContext) -> Values:
    """Return columns about the page, and the visibility of the blocks."""
    count, tokens = len(context), context.tokens
    long_share = ratio(float(tokens[long_text(context)].sum()), float(tokens.sum()))
    hidden = ratio(float(tokens[context.blocks.visibility > Visibility.SHOWN].sum()), float(tokens.sum()))
    chars = context.chars
    return {
        "page_link_share": np.full(count, ratio(float((context.link_share * chars).sum()), float(chars.sum()))),
        "page_elements": np.full(count, len(context.snapshot)),
        "long_share": np.full(count, long_share),
        "hidden_share": np.full(count, hidden),
        "visibility": np.where(context.blocks.visibility == Visibility.HIDDEN, Visibility.HIDDEN, Visibility.SHOWN),
    }


def _tag_columns(context: PageContext) -> Values:
    """Return columns about the tags of the ancestors, and of elements that begin after the block before."""
    masks = np.stack([context.snapshot.is_tag(tags) for tags in _SPLITS.values()])
    counts = (*_count_around(context, _CONTAINER_OF, len(_CONTAINERS)), *count_opened_before(context, masks))
    names = (*(f"in_{name}" for name in _CONTAINERS), *(f"split_{name}" for name in _SPLITS))
    return dict(zip(names, counts, strict=True))


def _count_around(context: PageContext, code_of: Mapping[str, int], codes: int) -> NDArray[np.int64]:
    """Return how many elements around each block have each of the codes 0 to `codes - 1`: int64 (codes, B)."""
    snapshot = context.snapshot
    code = np.array([code_of.get(tag, -1) for tag in snapshot.tags], dtype=np.int64)[snapshot.tag]
    return tree.path_counts(code, codes, snapshot.end).take(context.blocks.main_element, axis=1)


def count_opened_before(context: PageContext, masks: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return how many elements in each of k `masks` (k, N) begin between a block and the one before: int64 (k, B)."""
    members, first = context.blocks.members, context.blocks.first
    begins = context.snapshot.text_after[members[first]]
    ends = np.maximum.accumulate(context.snapshot.text_after[members[first[1:] - 1]])  # a block may go on later
    running = np.cumsum(masks, axis=1, dtype=np.int64)
    counts = running.take(begins, axis=1)
    counts[:, 1:] -= running.take(ends, axis=1)
    return np.maximum(counts, 0)


def _holder_columns(context: PageContext) -> Values:
    """Return columns about the deepest elements with a given share of the words in long texts.

    On pages without long texts all words count.
    """
    large = long_text(context)
    inside = context.sum_over_subtrees(np.where(large, context.tokens, 0) if large.any() else context.tokens)
    values: Values = {}
    for share in _HOLDERS:
        enough = (inside >= share / 100 * inside[0]) & (context.block_count > 0)
        holder = int(np.argmax(np.where(enough, context.snapshot.depth, -1)))
        relative = _relative_to_holder(context, holder)
        values |= {f"holder{share}_{part}": column for part, column in relative.items()}
    return values


def _relative_to_holder(context: PageContext, holder: int) -> Values:
    """Return columns about the positions of the blocks relative to the element `holder`."""
    depth, node, index = context.snapshot.depth, context.blocks.node, np.arange(len(context))
    rows = np.flatnonzero((node >= holder) & (node < context.snapshot.end[holder]))
    begin, end = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, 0)
    distance = np.where(index < begin, begin - index, np.maximum(index - end + 1, 0))
    before = context.words_before
    words = float(context.tokens[begin:end].sum())
    return {
        "inside": distance == 0,
        "side": np.sign(index - begin) * (distance > 0),
        "distance": distance,
        "place": np.clip(ratio(before - before[begin : begin + 1].sum(), words), -1, 2),
        "depth": depth[node] - depth[holder],
        "words": np.full(len(context), ratio(words, float(context.tokens.sum()))),
    }


def _repetition_columns(context: PageContext) -> Values:
    """Return columns about other blocks with the same path."""
    snapshot, tokens, groups = context.snapshot, context.tokens, context.blocks_by_class_path
    by_tag = element_names.path_signature(snapshot, element_names.name_hashes(snapshot.tags)[snapshot.tag])
    alike, all_words = Groups(by_tag[context.blocks.main_element]), float(tokens.sum())
    words = groups.total(tokens)
    return {
        "path_blocks": alike.size,
        "path_share": ratio(alike.total(tokens), all_words),
        "class_blocks": groups.size,
        "class_share": ratio(words, all_words),
        "class_mean_words": words / groups.size,
        "class_link_share": groups.total(context.link_share) / groups.size,
        "class_stop_words": ratio(groups.total(context.stop_words), words),
        "class_spread": groups.spread / len(context),
    }


PARTS = read_parts("structural", globals())
COLUMNS = read_columns("structural")
