"""Decide whether a page is a listing, and find its items."""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.facts.items import find_flat_items, find_items
from vclean.features.facts.linked_titles import leads_to_site, linked_starts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.facts.groups import RecordGroups
    from vclean.features.facts.items import ItemRecord
    from vclean.features.facts.posts import PostRecord
    from vclean.labelled_page import LabelledPage

_LEAST_LINKS: Final = 3
"""Fewest blocks that are links of a listing whose blocks the model does not call items."""
_LEAST_TITLES: Final = 4
"""Headings with links from which its items need not have most of the content."""
_LIST_SHARE: Final = 0.6
"""Share of the words of the content that the items of a listing with fewer of them need to have."""
_MOST: Final = 0.7
"""Share of the items of a listing that need to begin with a linked title."""
_MAX_WORDS: Final = 150
"""Median number of words of the items of a listing; sections of a document have more."""
_MAX_SHARE: Final = 0.5
"""Share of the words of all items that one may have."""
_MAX_BEFORE: Final = 8
"""Most words before the title of an item."""


class ItemSearch:
    """Search for the items of a page.

    Args:
        page: the labelled page.
    """

    def __init__(self, page: LabelledPage) -> None:
        self._page = page

    @cached_property
    def is_possible(self) -> bool:
        """Return whether the content has enough links for a listing."""
        return bool(np.count_nonzero(self._may_be_title) >= _LEAST_LINKS)

    def find(
        self, groups: RecordGroups, weight: NDArray[np.float64], *, is_listing: bool, has_posts: bool
    ) -> list[ItemRecord]:
        """Return the items: those of a flat list that has most of the content, or else elements.

        Args:
            groups: the groups of repeated elements of the page.
            weight: float64 (B,), see `find_items`.
            is_listing: whether the model sees items on the page; without, elements need the form of items.
            has_posts: whether the page has posts; headings with links may be theirs.
        """
        titles = self._page.is_linked & self._page.is_content
        if not has_posts and np.count_nonzero(titles) >= _LEAST_LINKS:
            items = find_flat_items(self._page.blocks, titles, self._page.words)
            if items and content_share(items, self._page.words * self._page.is_content) >= _LIST_SHARE:
                return items
        items = find_items(self._page.blocks, groups, self._page.words, weight)
        return items if not items or is_listing or self._have_form_of_items(items) else []

    @cached_property
    def _may_be_title(self) -> NDArray[np.bool_]:
        """Return which blocks of the content are links to other documents, or begin with one in a list: bool (B,)."""
        return (self._page.is_linked | linked_starts(self._page.blocks)) & self._page.is_content

    def _have_form_of_items(self, items: Sequence[ItemRecord]) -> bool:
        """Return whether items are no sections of a document, but short, and most of them begin with a linked title.

        With few headings that are links, they also need most of the content, and lead to the site of the page.
        """
        words = [float(self._page.words[list(item.rows)].sum()) for item in items]
        if float(np.median(words)) > _MAX_WORDS or max(words) > _MAX_SHARE * sum(words):
            return False
        if np.count_nonzero(self._page.is_linked & self._page.is_heading & self._page.is_content) >= _LEAST_TITLES:
            return sum(bool(self._page.is_linked[item.title_row]) for item in items) >= _MOST * len(items)
        with_link = self._repeated_links(items)
        titled = sum(
            self._begins_with_title(item) and (bool(self._may_be_title[item.title_row]) or with_link[number])
            for number, item in enumerate(items)
        )
        distinct = len({item.title for item in items})
        return (
            min(titled, distinct) >= _MOST * len(items)
            and content_share(items, self._page.words * self._page.is_content) >= _LIST_SHARE
            and leads_to_site(self._page.blocks.snapshot, [item.link for item in items])
        )

    def _repeated_links(self, items: Sequence[ItemRecord]) -> list[bool]:
        """Return which items have a link with the text that most have one with, such as `Read more`."""
        texts = [{self._page.blocks.text[row] for row in item.rows if self._page.is_linked[row]} for item in items]
        counts = Counter(text for each in texts for text in each)
        usual, count = counts.most_common(1)[0] if counts else ("", 0)
        return [count >= _MOST * len(items) and usual in each for each in texts]

    def _begins_with_title(self, item: ItemRecord) -> bool:
        """Return whether no more than a date or a category is before the title of an item."""
        before = [row for row in item.rows if row < item.title_row]
        return float(self._page.words[before].sum()) <= _MAX_BEFORE


def content_share(records: Sequence[PostRecord | ItemRecord], words: NDArray[np.float64]) -> float:
    """Return the share of the `words` (B,) of the content that are in some records."""
    in_record = np.zeros(len(words), dtype=bool)
    in_record[[row for record in records for row in record.rows]] = True
    return float(words[in_record].sum()) / max(float(words.sum()), 1)
