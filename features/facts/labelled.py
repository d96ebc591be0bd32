"""Hold what the searches for posts and items read of a labelled page, and find the blocks that may be titles of items.

These are links to other documents, and the flat lists that they begin. A flat list has no element around each item: a
heading or a term with a link is followed by the text of its item, and then by the next heading or term.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.features.facts.groups import RecordGroups
from vclean.features.text.characters import EncodedTexts
from vclean.labels import Label, PageType
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS
from vclean.urls import host_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot
    from vclean.settings import Policy


_OTHER: Final = 0.05
"""Weight of words outside the content, relative to words in it."""


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
        return is_heading | self.snapshot.is_tag(HEADING_TAGS)[self.blocks.node]

    @cached_property
    def is_linked(self) -> NDArray[np.bool_]:
        """Return which blocks are for the most part links to other documents: bool (B,)."""
        return linked_blocks(self.blocks, self.context.link_share)

    def content_share(self, rows: Collection[int]) -> float:
        """Return the share of the words of the content that is in some blocks."""
        words = self.words * self.is_content
        return float(words[list(set(rows))].sum()) / max(float(words.sum()), 1)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Return how much each block may be in a record, its words, or less outside the content: float64 (B,)."""
        return self.words * np.where(self.is_content, 1.0, _OTHER)


_LINK: Final = 0.5
"""Share of link text above which a block is a link."""
_HEADINGS: Final = HEADING_TAGS[1:]
_CONTAINERS: Final = ("li", "td", "dd", "div")
"""Tags of elements with an item in one block: a link, then the text about it."""
_TITLES: Final = (*_HEADINGS, "dt")
"""Tags of elements that begin an item of a flat list."""
_LEAST_ITEMS: Final = 3
_LEAST_FOLLOWED: Final = 0.8
"""Share of the titles of a flat list that other blocks need to follow."""
_MAX_BLOCKS: Final = 4.0
"""Mean number of blocks after the titles of a flat list; sections of a document have more."""
_MAX_WORDS: Final = 80.0
"""Mean number of words of the items of a flat list; sections of a document have more."""
_LEAST_LOCAL: Final = 0.6
"""Share of the titles of a list that need to lead to the site of the page; those of documents lead elsewhere."""


def linked_blocks(blocks: BlockColumns, link_share: NDArray[np.floating[Any]]) -> NDArray[np.bool_]:
    """Return which blocks are for the most part links to other documents: bool (B,).

    Args:
        blocks: the blocks of the page.
        link_share: float (B,), the share of the text of each block that is in links.
    """
    is_linked = np.asarray(link_share > _LINK, dtype=bool)
    return is_linked & _has_link_away(blocks)[0] if is_linked.any() else is_linked


def linked_starts(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return which blocks of lists and tables begin with a link to another document: bool (B,)."""
    snapshot = blocks.snapshot
    return snapshot.is_tag(_CONTAINERS)[blocks.node] & _has_link_away(blocks)[1]


def _has_link_away(blocks: BlockColumns) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which blocks have a link to another document, and in which their first text is in one: bool (B,) both."""
    snapshot = blocks.snapshot
    links, address = snapshot.values("href"), snapshot.url.partition("#")[0]
    leads_away = [not link.startswith("#") and link.partition("#")[0] != address for link in links.distinct]
    away = np.zeros(len(snapshot), dtype=np.int64)
    away[links.node] = np.array(leads_away, dtype=np.int64)[links.index]
    around = tree.inside(away > 0, snapshot.end)
    has_link = around | (tree.subtree_sum(away, snapshot.end) > 0)
    return has_link[blocks.node], around[snapshot.text_parent[blocks.members[blocks.first]]]


def find_flat_list(
    blocks: BlockColumns, is_linked: NDArray[np.bool_], words: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the titles of the flat list with most words, and the end of each item; empty if there is none.

    An item is the range of elements from its title to before the next title; the last one has no more siblings than
    the others.

    Args:
        blocks: the blocks of the page.
        is_linked: bool (B,), the blocks that may be titles, see `linked_blocks`.
        words: float64 (B,), words per block.
    """
    snapshot = blocks.snapshot
    holds = np.bincount(blocks.node[is_linked], minlength=len(snapshot)) > 0
    is_title = snapshot.is_tag(_TITLES) & (tree.subtree_sum(holds, snapshot.end) > 0)
    titles = np.flatnonzero(is_title).astype(np.int32)
    none = np.zeros(0, dtype=np.int32)
    best, best_words = (none, none), 0.0
    if len(titles) < _LEAST_ITEMS:
        return best
    key = snapshot.parent[titles].astype(np.int64) * len(snapshot.tags) + snapshot.tag[titles]
    numbers, sizes = np.unique(key, return_counts=True)
    for number in numbers[sizes >= _LEAST_ITEMS].tolist():
        first = titles[key == number]
        last = np.append(first[1:], _end_of_last(snapshot, first)).astype(np.int32)
        covered = _item_words(blocks, words, first, last)
        if covered.sum() > best_words and _is_list(blocks, covered, first, last):
            best, best_words = (first, last), float(covered.sum())
    return best


def _end_of_last(snapshot: Snapshot, titles: NDArray[np.int32]) -> int:
    """Return the end of the last item: before the sibling that no item before it has, or that of the parent."""
    parent = int(snapshot.parent[titles[0]])
    siblings = np.flatnonzero(snapshot.parent == parent)
    position = np.searchsorted(siblings, titles)
    after = int(position[-1] + np.diff(position).max())
    return int(siblings[after] if after < len(siblings) else snapshot.end[parent])


def _item_words(
    blocks: BlockColumns, words: NDArray[np.float64], first: NDArray[np.int32], last: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Return the words in each range of elements, the first of which begins at the first title: float64 (R,)."""
    inside = (blocks.node >= first[0]) & (blocks.node < last[-1])
    item = np.searchsorted(first, blocks.node[inside], side="right") - 1
    return np.bincount(item, words[inside], minlength=len(first)).astype(np.float64)


def _is_list(
    blocks: BlockColumns, words: NDArray[np.float64], first: NDArray[np.int32], last: NDArray[np.int32]
) -> bool:
    """Return whether ranges of elements are short items rather than the sections of a document."""
    snapshot = blocks.snapshot
    inside = (blocks.node >= first[0]) & (blocks.node < last[-1])
    node = blocks.node[inside]
    item = np.searchsorted(first, node, side="right") - 1
    after = np.bincount(item, node >= snapshot.end[first[item]], minlength=len(first))
    is_short = np.median(after) <= _MAX_BLOCKS and np.median(words) <= _MAX_WORDS
    is_followed = np.mean(after > 0) >= _LEAST_FOLLOWED
    return bool(is_short and is_followed) and (
        not snapshot.is_tag(_HEADINGS)[first[0]] or leads_to_site(snapshot, first)
    )


def leads_to_site(snapshot: Snapshot, elements: Collection[int] | NDArray[np.int32]) -> bool:
    """Return whether the first links in most elements lead to the site of the page, or its address is unknown."""
    site = host_of(snapshot.url)
    links = snapshot.values("href")
    row = np.searchsorted(links.node, np.asarray(elements, dtype=np.int64))
    targets = [links.distinct[links.index[each]] if each < len(links.node) else "" for each in row.tolist()]
    return not site or float(np.mean([host_of(target) in ("", site) for target in targets])) >= _LEAST_LOCAL
