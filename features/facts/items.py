"""Decide whether a page is a listing, and find its items: repeated elements with a title, most of them with a link.

A page may have several lists of items, such as featured and latest articles: the best group of repeated elements is
taken, then the best of the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.facts.groups import RecordTexts, sum_weights
from vclean.features.facts.products import record_prices
from vclean.labels import Label, PageType
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.facts.threads import LabelledBlocks
    from vclean.render.snapshot import Snapshot

_LEAST_LINKS: Final = 3
"""Fewest linked titles of a page of another type with items."""
_LEAST_TITLES: Final = 4
"""Headings with links from which its items need not have most of the content."""
_LIST_SHARE: Final = 0.6
"""Share of the words of the content that the items of a page with fewer of them need to have."""
_MOST: Final = 0.7
"""Share of the items of a page of another type that need to have a linked title."""
_MAX_WORDS: Final = 150
"""Median number of words of the items of a listing; sections of a document have more."""
_MAX_LISTS: Final = 4
_LEAST_ALL: Final = 0.2
"""Share of the weighted words of a page that its items need to have; articles have lists of links as well."""
_LEAST_CONTENT: Final = 0.5
"""Share of the titles of a list of items that are content; menus and links to other pages have less."""
_LEAST_ITEMS: Final = 3
_MOST_HEADINGS: Final = 1.5
"""Mean number of headings of an item; elements with more are sections."""
_MAX_TITLE: Final = 250
"""Longest title of an item, in characters."""
_TITLE_NAME: Final = re.compile(r"title|headline|heading|titre|titel", re.IGNORECASE)
_LETTERS: Final = re.compile(r"[^\W\d_]{2}")


@dataclass(frozen=True, slots=True, eq=False)
class ItemRecord:
    """One item, by positions on its page.

    Attributes:
        element: the element of the item.
        title: the title.
        link: the element `a` of the title, -1 without.
        image: the element `img`, -1 without.
        price: the price as on the page, empty without.
        rows: the blocks of the item.
        title_row: the block of the title.
    """

    element: int
    title: str
    link: int
    image: int
    price: str
    rows: tuple[int, ...]
    title_row: int


def find_items(page: LabelledBlocks) -> list[ItemRecord]:
    """Return the items of a page in document order; empty if it is no listing. Headings with links may be of posts."""
    if not len(page.blocks):
        return []
    is_listing = page.page_type() in (PageType.LISTING, PageType.COLLECTION)  # with lists of any form
    if not is_listing and (np.count_nonzero(page.is_linked & page.is_content) < _LEAST_LINKS or page.posts):
        return []
    items = _find_lists(page)
    if not is_listing and not (items and _have_form_of_items(page, items)):
        return []
    hidden = page.is_hidden
    seen = [item for item in items if not hidden[item.title_row]]
    return [replace(item, rows=tuple(row for row in item.rows if not hidden[row])) for item in seen]


def _have_form_of_items(page: LabelledBlocks, items: Sequence[ItemRecord]) -> bool:
    """Return whether items are no sections of a document, but short, and most of them have a linked title.

    With few headings that are links, they also need most of the content.
    """
    are_linked = page.is_linked[[item.title_row for item in items]].mean() >= _MOST
    are_short = np.median([page.words[list(item.rows)].sum() for item in items]) <= _MAX_WORDS
    is_heading = page.snapshot.is_tag(HEADING_TAGS)[page.blocks.node]
    is_heading |= np.array([label is Label.HEADING for label in page.labels], dtype=bool)
    headings = np.count_nonzero(page.is_linked & is_heading & page.is_content)
    share = page.content_share([row for item in items for row in item.rows])
    return bool(are_linked and are_short and (headings >= _LEAST_TITLES or share >= _LIST_SHARE))


def _find_lists(page: LabelledBlocks) -> list[ItemRecord]:
    """Return the items that are repeated elements: of the best lists of the page."""
    blocks, snapshot = page.blocks, page.snapshot
    linked = tree.subtree_sum(_is_link(snapshot), snapshot.end) + tree.inside(_is_link(snapshot), snapshot.end)
    rest, total, items, covered = page.weights, max(float(page.weights.sum()), 1), [], 0.0
    for _ in range(_MAX_LISTS):
        members = _best_group(page, rest, linked)
        if not len(members):
            break
        texts = RecordTexts(blocks, members)
        inside = texts.record_of_element[blocks.node] >= 0
        of_list = _items(texts)
        if of_list and np.mean(page.is_content[[item.title_row for item in of_list]]) >= _LEAST_CONTENT:
            items += of_list
            covered += float(rest[inside].sum()) / total
        rest = np.where(inside, 0, rest)
    if covered < _LEAST_ALL:
        return []
    items.sort(key=lambda item: item.element)
    # Cards for screens of two sizes have the same title and link as the one before.
    addresses = snapshot.attributes("href")
    same = groupby(items, key=lambda item: (item.title, addresses.get(item.link)))
    return [next(several) for _, several in same]


def _is_link(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements are links with an address: bool (N,)."""
    has_href = np.bincount(snapshot.values("href").node, minlength=len(snapshot)) > 0
    return np.asarray(has_href & snapshot.is_tag(("a",)))


def _best_group(page: LabelledBlocks, weight: NDArray[np.float64], linked: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the elements of the best list of items, empty if there is none; see `posts._best_group`."""
    groups, blocks, total = page.groups, page.blocks, max(float(page.weights.sum()), 1)
    snapshot = blocks.snapshot
    words = sum_weights(blocks, weight)
    cover = groups.total(words) / total
    filled = groups.count(words >= 1)
    share = groups.count((linked > 0) & (words >= 1)) / np.maximum(groups.size, 1)
    score = cover * share * (1 - 1 / np.maximum(filled, 1)) ** 2
    headings = tree.subtree_sum(snapshot.is_tag(HEADING_TAGS), snapshot.end)
    score *= np.minimum(
        1, _MOST_HEADINGS * groups.size / np.maximum(np.bincount(groups.group, headings[groups.element]), 1)
    )
    score[filled < _LEAST_ITEMS] = 0
    best = groups.best(score)
    if best < 0:
        return np.zeros(0, dtype=np.int32)
    members = groups.members(best)
    members = members[words[members] > 0]
    # Of items inside one another, the inner ones are the items.
    inner = np.append(members[1:] >= snapshot.end[members[:-1]], True)
    return np.asarray(members[inner], dtype=np.int32)


def _items(texts: RecordTexts) -> list[ItemRecord]:
    rows, prices = texts.blocks_of_each(), record_prices(texts)
    snapshot, record_of_element = texts.blocks.snapshot, texts.record_of_element
    images = texts.first_of_each(snapshot.is_tag(("img",)), record=record_of_element).tolist()
    links = texts.first_of_each(_is_link(snapshot), record=record_of_element).tolist()
    items = []
    for record, title in enumerate(_titles(texts).tolist()):
        if title >= 0:
            text, link, row = _title(texts, title)
            link = link if link >= 0 else links[record]
            element, price = int(texts.records[record]), prices.get(record, "")
            items.append(ItemRecord(element, text, link, images[record], price, rows[record], row))
    return items


def _title(texts: RecordTexts, title: int) -> tuple[str, int, int]:
    """Return the title with a text node, the link around it, -1 without, and its block."""
    snapshot = texts.blocks.snapshot
    row = int(texts.blocks.text_block[texts.node[title]])
    around, addresses = snapshot.ancestors(int(texts.parent[title])), snapshot.attributes("href")
    links = [each for each in around if each in addresses]
    # An inline link may be among author and date; a link around a card is no better than the block.
    inline = {each for each in links if each > texts.blocks.node[row]}
    titles = [each for each in around if each in inline or snapshot.tags[snapshot.tag[each]] in HEADING_TAGS]
    text = texts.text_of(titles[-1]) if titles else texts.blocks.text[row]
    if len(text) > _MAX_TITLE:
        text = texts.texts[title]
    return text, links[0] if links else -1, row


def _titles(texts: RecordTexts) -> NDArray[np.int64]:
    """Return the text with the title of each item, -1 without: int64 (R,)."""
    snapshot = texts.blocks.snapshot
    in_link = tree.inside(_is_link(snapshot), snapshot.end)[texts.parent]
    in_heading = tree.inside(snapshot.is_tag(HEADING_TAGS), snapshot.end)[texts.parent]
    length = np.array([len(text) for text in texts.texts], dtype=np.float64)
    has_letters = np.array([bool(_LETTERS.search(text)) for text in texts.texts], dtype=bool)
    candidates = has_letters & (length <= _MAX_TITLE)
    is_named = snapshot.having("class", _TITLE_NAME)[texts.parent]
    bonus = 0.6 * in_link + 0.6 * in_heading + 0.4 * is_named + 0.5 * np.minimum(length, 60) / 60
    bonus += 0.4 * np.minimum(2 * texts.distinct_share(candidates), 1)
    in_slot = texts.in_best_slot(candidates, bonus)
    return texts.first_of_each(*(candidates & mask for mask in (in_slot, in_heading, in_link)))
