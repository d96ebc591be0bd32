"""Keep sections whole, find the levels of their headings, and add headings to posts.

The headings of kept text are added, and the code, tables, quotes, lists of terms and images between kept texts. The
model labels blocks one by one, and code or short cells are unlike prose. An element stands for the largest element
around it without kept text: a frame with its caption, its toolbar and the like. The level of a heading is that of its
tag, or follows from its font relative to the other headings.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.characters import one_line
from vclean.classify.content.postprocess import data_tables
from vclean.features.columns import sorted_unique
from vclean.labels import Label, Visibility
from vclean.output.code import code_elements
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.prediction import Headline
    from vclean.features.blocks import BlockColumns
    from vclean.records import Post
    from vclean.render.snapshot import Snapshot
    from vclean.result import Result

_LOWEST_LEVEL, _DEFAULT_LEVEL = len(HEADING_TAGS), 2
_BOLD = 600
"""Least CSS font weight of a bold face (CSS Fonts 4, 2.2.1, calls 600 semi-bold)."""


def heading_levels(
    blocks: BlockColumns, heading: NDArray[np.bool_], headline: Headline | None = None
) -> NDArray[np.int64]:
    """Return the level of each block as a heading.

    The level is that of the heading tag around the block, unless the page was rendered and the font sizes contradict
    the tags. A rendered heading without a tag gets the highest level of the tagged headings that are not larger; if all
    are larger, it gets a level below them, by the rank of its size and weight. Without usable tags, the rank alone
    determines the level. On a page that was not rendered, a heading without a tag is one level below the last tagged
    heading, or at level 2 if there is none.

    At level 1 is only the headline, if it has no tag, or else the first heading of this level: a page has one title,
    and the others are of sections.

    Args:
        blocks: the blocks of the page.
        heading: bool (B,), whether each block is a heading.
        headline: the headline of the page, if it is known.

    Returns:
        int64 (B,), 1 to 6.
    """
    tag_level, size = _tag_levels_and_sizes(blocks)
    is_rendered = heading & np.isfinite(size)
    tagged = np.where(heading, tag_level, 0)
    if not is_rendered.any():
        last = np.maximum.accumulate(np.where(tagged > 0, np.arange(len(tagged)), -1))
        level_above = np.where(last >= 0, tagged[last], _DEFAULT_LEVEL - 1)
        without_tag = np.minimum(level_above + 1, _LOWEST_LEVEL)
    else:
        sizes = [
            np.median(size[is_rendered & (tagged == level)]) for level in np.unique(tagged[is_rendered & (tagged > 0)])
        ]
        rise = np.sign(np.subtract.outer(sizes, sizes))
        if np.tril(rise).sum() > 0:  # for most pairs of levels, the lower heading has the larger median font size
            tag_level = tagged = np.zeros_like(tag_level)
        without_tag = _levels_by_size(size, is_rendered, tagged)
    level = np.where(tag_level > 0, tag_level, without_tag)
    title = np.flatnonzero(heading & (level == 1))[:1].tolist()
    if headline is not None and (headline.block is None or (heading[headline.block] and not tag_level[headline.block])):
        title = [] if headline.block is None else [headline.block]
    level = np.maximum(level, 2)
    level[title] = 1
    return level


def _tag_levels_and_sizes(blocks: BlockColumns) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the level of the heading tag around each block, and its font size.

    They are those of most of its text, without formulas if it has other text.

    Returns:
        int64 (B,), 0 without such a tag; float64 (B,), whole px plus 1/4 if bold, which only
        separates headings of equal size, NaN if not rendered.
    """
    snapshot, main = blocks.snapshot, blocks.main_element
    if "math" in snapshot.tags:
        plain = blocks.without_formulas
        has_text = np.isin(np.arange(len(blocks)), plain.text_block)
        main = np.where(has_text, plain.main_element, main) if len(plain) == len(blocks) else main
    level_of_tag = np.array([int(name[1]) if name in HEADING_TAGS else 0 for name in snapshot.tags], dtype=np.int64)
    heading_element = tree.nearest_ancestor(snapshot.is_tag(HEADING_TAGS), snapshot.parent)[main]
    size, weight = (snapshot.styles.number(name)[snapshot.style[main]] for name in ("font-size", "font-weight"))
    level = level_of_tag[snapshot.tag[heading_element]]
    return level, np.asarray(np.round(size) + 0.25 * (weight >= _BOLD), dtype=np.float64)


def _levels_by_size(
    size: NDArray[np.float64], is_rendered: NDArray[np.bool_], tagged: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the level of each block by its font size, relative to tagged headings (`tagged` > 0)."""
    is_tagged = is_rendered & (tagged > 0)
    smallest = size[is_tagged].min(initial=np.inf)
    smaller_sizes = np.unique(size[is_rendered & (size < smallest)])[::-1]
    rank = tagged[is_tagged].max(initial=0) + 1 + np.searchsorted(-smaller_sizes, -size)
    sizes, index = np.unique(size, return_inverse=True)
    highest = np.array([tagged[is_tagged & (size <= limit)].min(initial=_LOWEST_LEVEL) for limit in sizes.tolist()])
    level = np.where(size >= smallest, highest[index], rank)
    return np.where(np.isfinite(size), np.clip(level, 1, _LOWEST_LEVEL), _DEFAULT_LEVEL)


_LEVELS: Final = 6
"""Levels above an element where the element is looked for that has it and its caption."""
_CAPTION: Final = 300
"""Characters of a caption, and of text that is left out between an element and kept text, at most."""
_MAX_HEADING: Final = 200
_MAX_LINKED: Final = 0.3
"""Share of the characters of a quote, table or list that may be in links: more of them are lists of pages."""
_LEAST_PROBABILITY: Final = {Label.PARAGRAPH: 0.1, Label.HEADING: 0.3}
"""Probability of content from which text is added. On 800 pages, half of the added headings are in the gold text."""
_MAX_REPEATED: Final = 2
"""Times that a heading may occur on a page: more of them are labels of posts or products."""
_APART: Final = ("aside", "nav", "footer", "form", "header", "dialog", "menu", "button")
"""Elements that are no part of the section around them."""


def complete_sections(
    blocks: BlockColumns, labels: Sequence[Label], probability: NDArray[np.float32], *, is_thread: bool = False
) -> list[Label]:
    """Return the labels with those of the headings, code, tables, quotes and lists of terms that belong to kept text.

    Text that is not shown, and text in overlays, stays as it is, and so does text of a very low probability of content.

    Args:
        blocks: the B blocks of the page.
        labels: the label of each block.
        probability: float32 (B,), the probability of content of each block; NaN if the method gives none.
        is_thread: whether the page is a thread. It gets no more headings and lists of terms: posts repeat titles and
            names, and the lists are about their authors.
    """
    snapshot, completed = blocks.snapshot, list(labels)
    content = np.array([label.is_content for label in completed], dtype=bool)
    may_add = np.array([not label.is_content for label in labels], dtype=bool)
    may_add &= (blocks.visibility == Visibility.SHOWN) & ~blocks.in_overlay
    if not content.any() or not may_add.any():
        return completed
    sections = Sections(blocks, content)
    is_apart = tree.inside(snapshot.is_tag(_APART), snapshot.end)
    quotes = ("blockquote",) if is_thread else ("blockquote", "dl")
    in_link = tree.inside(snapshot.is_tag(("a", "button")), snapshot.end)
    is_part = (snapshot.is_tag(quotes) | data_tables(blocks)) & ~_are_links(blocks, in_link)
    is_part = (is_part | code_elements(snapshot)) & ~is_apart
    leads_away = in_link | have_link_away(snapshot, page_links(snapshot))
    is_heading = snapshot.is_tag(HEADING_TAGS[1:]) & ~is_apart & ~leads_away
    is_heading &= not is_thread
    for mask, label in ((is_part, Label.PARAGRAPH), (is_heading, Label.HEADING), (is_heading, Label.HEADING)):
        outer = tree.nearest_ancestor(mask & (tree.path_sum(mask, snapshot.end) == 1), snapshot.parent)[blocks.node]
        likely = may_add & mask[outer] & (probability >= _LEAST_PROBABILITY[label])
        elements = sorted_unique(outer[likely]).astype(np.intp)
        elements = elements[~sections.has_kept[elements] | snapshot.is_tag(("table",))[elements]]
        is_added = sections.are_titles(elements) if label is Label.HEADING else sections.are_enclosed(elements)
        added = np.isin(outer, elements[is_added]) & may_add
        if label is Label.HEADING:
            count = Counter(blocks.text[row] for row in np.flatnonzero(mask[outer]).tolist())
            added &= np.array([count[text] <= _MAX_REPEATED for text in blocks.text], dtype=bool)
        for row in np.flatnonzero(added).tolist():
            completed[row] = label
        content, may_add = content | added, may_add & ~added
        sections = Sections(blocks, content)
    return completed


def _are_links(blocks: BlockColumns, in_link: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which elements are lists of links, bool (N,): much of their text is in elements of `in_link`."""
    snapshot, texts = blocks.snapshot, blocks.text_nodes
    length = np.bincount(snapshot.text_parent[texts], snapshot.text_length[texts], len(snapshot))
    total, linked = (tree.subtree_sum(lengths, snapshot.end) for lengths in (length, length * in_link))
    return np.asarray(linked > _MAX_LINKED * total)


def page_links(snapshot: Snapshot) -> dict[int, str]:
    """Return the URL fragments of links to the page itself, by element; empty for a link without fragment."""
    page_urls = ("", snapshot.url.partition("#")[0])
    targets = ((link, value.strip().partition("#")) for link, value in snapshot.attributes("href").items())
    return {link: fragment for link, (url, _, fragment) in targets if url in page_urls}


def have_link_away(snapshot: Snapshot, links: Mapping[int, str]) -> NDArray[np.bool_]:
    """Return which elements are or contain a link to another page, bool (N,), given the links to the page itself."""
    away = np.zeros(len(snapshot), dtype=bool)
    away[[*(snapshot.attributes("href").keys() - links.keys())]] = True
    return np.asarray(tree.subtree_sum(away, snapshot.end) > 0)


class Sections:
    """Kept and other texts around the elements of a page.

    Args:
        blocks: the blocks of the page.
        content: bool (B,), which blocks are kept.

    Attributes:
        has_kept: bool (N,), whether each element contains kept text.
        words: float64 (N,), the characters in each element.
    """

    def __init__(self, blocks: BlockColumns, content: NDArray[np.bool_]) -> None:
        snapshot, self._texts = blocks.snapshot, blocks.text_nodes
        self._snapshot = snapshot
        kept = content[blocks.text_block[self._texts]]
        self._length = snapshot.text_length[self._texts].astype(np.float64)
        parents = snapshot.text_parent[self._texts]
        self._count = snapshot.count_in(parents)
        self.words = tree.subtree_sum(np.bincount(parents, self._length, len(snapshot)), snapshot.end)
        self.has_kept = snapshot.count_in(parents[kept]) > 0
        self._positions = np.flatnonzero(kept)
        self._dropped = np.append(0, np.cumsum(np.where(kept, 0, self._length)))

    def around(self, elements: NDArray[np.intp]) -> NDArray[np.intp]:
        """Return the largest elements around K elements without kept text, and with no more text than a caption."""
        around, least = elements.copy(), self.words[elements]
        for _ in range(_LEVELS):
            parent = self._snapshot.parent[around]
            fits = ~self.has_kept[parent] & (self.words[parent] <= least + _CAPTION) & (parent > 0)
            around = np.where(fits, parent, around)
        return around

    def are_enclosed(self, elements: NDArray[np.intp], *, at_edges: bool = False) -> NDArray[np.bool_]:
        """Return which of K elements have kept text close before and after them, bool (K,).

        What is left out in between are captions, and other ones of the elements. With `at_edges`, kept text on one side
        is enough in the `article` or `main` element of the kept text.
        """
        _, start, end, before, after = self._frames(elements)
        own = np.zeros(len(self._texts) + 1)
        np.add.at(own, start, 1)
        np.add.at(own, end, -1)
        others = np.diff(self._dropped) * (np.cumsum(own)[:-1] == 0)
        dropped = np.append(0, np.cumsum(others))
        is_near = (before >= 0) & (dropped[start] - dropped[before + 1] <= _CAPTION)
        precedes = (after < len(self._texts)) & (dropped[after] - dropped[end] <= _CAPTION)
        if not at_edges:
            return np.asarray(is_near & precedes)
        snapshot = self._snapshot
        frame = tree.nearest_ancestor(snapshot.is_tag(("article", "main")), snapshot.parent)[elements]
        is_apart = tree.inside(snapshot.is_tag(("aside", "nav", "footer")), snapshot.end)[elements]
        in_text = tree.inside(snapshot.is_tag(("figure", "p")), snapshot.end)[elements]
        is_edge = (before < 0) | ((after >= len(self._texts)) & in_text)
        is_edge &= (frame > 0) & self.has_kept[frame] & ~is_apart
        return np.asarray((is_near & precedes) | ((is_near | precedes) & is_edge))

    def are_titles(self, elements: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which of K headings have kept text before them, and close after them in their section, bool (K,)."""
        parent, _, end, before, after = self._frames(elements)
        follows = (before >= 0) & (after < len(self._texts))
        first = self._snapshot.text_parent[self._texts[np.minimum(after, len(self._texts) - 1)]]
        inside = tree.is_ancestor(parent, first, self._snapshot.end)
        no_heading = first < np.append(elements[1:], len(self._snapshot))
        is_short = self.words[elements] <= _MAX_HEADING
        is_near = self._dropped[after] - self._dropped[end] <= _CAPTION
        return np.asarray(follows & inside & is_near & no_heading & is_short)

    def _frames(self, elements: NDArray[np.intp]) -> tuple[NDArray[Any], ...]:
        """Return values of the frames of K elements, (K,): see `around`.

        They are the parents, the positions of the first text and after the last one, and the positions of the kept
        texts before and after; -1 and T for none.
        """
        around = self.around(elements)
        start = np.searchsorted(self._snapshot.text_after[self._texts], around)
        end = start + self._count[around]
        padded = np.concatenate([[-1], self._positions, [len(self._texts)]])
        before = padded[np.searchsorted(self._positions, start)]
        after = padded[np.searchsorted(self._positions, end) + 1]
        return self._snapshot.parent[around], start, end, before, after


_MORE_WORDS: Final = 4
"""Words that a byline has beside author and date, at most, such as `42 points` or `Posted by`."""
_NEAR: Final = 8
"""Largest number of blocks between the body of a post and its author or date."""


def add_post_headings(result: Result) -> tuple[list[Label], dict[int, str]]:
    """Return the labels of a thread, or of a page with comments, and the headings of its posts by their first blocks.

    The first post of a thread is below the title: without author and date it has no heading. In another page, only
    comments that are content and have author or date get one. A block with little else than the author and the date of
    a post is left out, because its heading has them.
    """
    headline = result.prediction.headline
    labels, headings = list(result.prediction.labels), dict[int, str]()
    for number, post in enumerate(result.posts):
        is_named = bool(post.author or post.date_text)
        is_content = any(result.prediction.labels[row].is_content for row in post.blocks)
        if not (is_named or number if result.is_thread else is_named and is_content):
            continue
        start, texts = post.blocks[0] if post.blocks else 0, result.columns.text
        for row in range(max(start - _NEAR, 0), start):
            if _is_byline(texts[row], post):
                labels[row] = Label.OTHER
        body = (row for row in post.blocks if labels[row].is_content and not (headline and row == headline.block))
        if (first := next(body, -1)) >= 0:
            headings[first] = post_heading(post, number)
    return labels, headings


def post_heading(post: Post, number: int) -> str:
    """Return author and date of a post on one line, or its number if both are unknown."""
    return one_line(" · ".join(filter(None, (post.author, post.date_text)))) or f"#{number + 1}"


def _is_byline(text: str, post: Post) -> bool:
    """Return whether a text has little else than the author and the date of a post."""
    rest = text.replace(post.author, "").replace(post.date_text, "")
    words = sum(any(map(str.isalpha, word)) for word in rest.split())
    has_both = bool(post.author and post.date_text) and post.author in text and post.date_text in text
    return rest != text and words <= (_MORE_WORDS if has_both else 0)
