"""Repeated records of a page: the posts of a thread and the items of a listing."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.box import Box
from vclean.classify.content.threads import has_forum_address, has_forum_sign, names_forum
from vclean.features import tree
from vclean.features.matrix import page_context
from vclean.features.metadata.dates import is_day_first, parse_date
from vclean.features.records.groups import RecordGroups
from vclean.features.records.items import ItemRecord, find_items
from vclean.features.records.posts import PostRecord, find_posts
from vclean.features.text.characters import EncodedTexts
from vclean.labels import Kind, Label, Role
from vclean.output.text import to_text
from vclean.settings import Policy

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot
    from vclean.result import Result

_POST_KINDS: Final = frozenset((Kind.POST, Kind.COMMENT))
_FRAME: Final = frozenset((Role.NAVIGATION, Role.HEADER, Role.FOOTER, Role.FORM, Role.AD))
"""Roles of regions that every page of a site has."""
_CONTENT, _OTHER, _IN_FRAME = 0.5, 0.1, 0.05
"""Weights of words by their block, relative to a block of the kind that is looked for."""
_ITEM_CONTENT: Final = 0.8
_RELATED: Final = 0.3
_LEAST_SHARE: Final = 0.03
"""Share of the words of a page in blocks of the kind that is looked for below which a page has no such records."""
_LEAST_ITEMS: Final = 0.01
"""The same for items. Most pages have less; a search for items takes as long as writing JSON."""
_PROBABILITY: Final = 0.35
"""Probability of content from which a block is worth more in the body of a post than outside."""
_LEAST_POSTS: Final = 3
"""Fewest posts of a thread that only the title of its page shows to be one."""
_LEAST_TITLES: Final = 4
"""Fewest headings with links of a listing whose blocks the model does not call items."""
_MOST: Final = 0.7
"""Share of the posts that need author and date, and no heading with a link, on such a thread."""
_LINK: Final = 0.5
"""Share of link text above which a heading is a link."""
_MAX_SNIPPET: Final = 500
"""Longest snippet of an item, in characters."""
_THREAD_SHARE: Final = 0.5
"""Share of the words of the content in posts from which a page is a thread."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """Post of a thread, or comment of a reader.

    Attributes:
        author: the name of the author as on the page; empty if unknown.
        date: the date in ISO 8601, with the time if the page has it; empty if unknown or relative.
        date_text: the date as on the page; empty if unknown.
        text: the text of the body, without author and date.
        depth: the number of posts that it replies to, directly or not; 0 for posts that are no reply.
        box: the box of the whole post, in CSS px; None if the page was not rendered.
        xpath: the absolute XPath of the element of the post.
        blocks: the indices of the blocks of the body.
    """

    author: str
    date: str
    date_text: str
    text: str
    depth: int
    box: Box | None
    xpath: str
    blocks: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Item of a listing or grid, such as a teaser, a product or a search result.

    Attributes:
        title: the title.
        link: the address that the title, or the item, links to; empty without.
        image: the address of the first image; empty without.
        price: the first price as on the page; empty without.
        snippet: the longest text of the item beside its title, cut to 500 characters; empty without.
        box: the box of the item, in CSS px; None if the page was not rendered.
        xpath: the absolute XPath of the element of the item.
        blocks: the indices of the blocks of the item.
    """

    title: str
    link: str
    image: str
    price: str
    snippet: str
    box: Box | None
    xpath: str
    blocks: tuple[int, ...]


class PageRecords:
    """Records of a page, each kind found on its first use.

    Args:
        result: the labelled page.
    """

    def __init__(self, result: Result) -> None:
        self._result = result

    @cached_property
    def post_records(self) -> list[PostRecord]:
        """Return the posts by position; empty for a page without posts."""
        is_likely = self._may_have_posts()
        if not is_likely and not (len(self._blocks) and names_forum(self._snapshot.title)):
            return []
        posts = self._find_posts(opening=False)
        are_posts = self._is_forum or _are_signed(posts) if is_likely else self._are_a_thread(posts)
        if not posts or not are_posts:
            return []
        has_opening = self._is_forum or has_forum_sign(self._snapshot) or self._content_share(posts) >= _THREAD_SHARE
        found = self._find_posts(opening=True) if has_opening else posts
        return found if self._hidden_rows is None else self._without_hidden(found)

    def _without_hidden(self, posts: Sequence[PostRecord]) -> list[PostRecord]:
        """Return posts without what is too hidden for the policy: whole posts, blocks, authors and dates."""
        hidden = self._hidden_rows or frozenset()
        block = self._blocks.text_block
        kept = []
        for post in posts:
            rows = tuple(row for row in post.rows if row not in hidden)
            author, date = (-1 if int(block[node]) in hidden else node for node in (post.author, post.date))
            if rows or not post.rows:
                kept.append(replace(post, rows=rows, author=author, date=date))
        return kept

    @cached_property
    def _hidden_rows(self) -> frozenset[int] | None:
        """Return the blocks that are too hidden for the policy; None if there are none."""
        decision = self._result.prediction.decision
        excluded = self._blocks.is_excluded(decision.policy if decision else Policy())
        return frozenset(np.flatnonzero(excluded).tolist()) or None

    def _find_posts(self, *, opening: bool) -> list[PostRecord]:
        """Return the records that may be posts, see `find_posts`."""
        weight = self._weights(dict.fromkeys(_POST_KINDS, 1.0), _CONTENT)
        gain = self._words * (self._result.prediction.probability.astype(np.float64) - _PROBABILITY)
        return find_posts(self._blocks, self._groups, weight, gain, self._language, opening=opening)

    @cached_property
    def item_records(self) -> list[ItemRecord]:
        """Return the items by position; empty for a page without items."""
        if not len(self._blocks):
            return []
        if not self._has_kind({Kind.ITEM}, _LEAST_ITEMS, unknown=True) and not self._lists_links():
            return []
        weight = self._weights({Kind.ITEM: 1.0, Kind.RELATED: _RELATED}, _ITEM_CONTENT)
        items = find_items(self._blocks, self._groups, self._words, weight)
        hidden = self._hidden_rows
        if hidden is None:
            return items
        seen = [item for item in items if item.title_row not in hidden]
        return [replace(item, rows=tuple(row for row in item.rows if row not in hidden)) for item in seen]

    @cached_property
    def posts(self) -> tuple[Post, ...]:
        """Return the posts in document order."""
        return tuple(self._post(record) for record in self.post_records)

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """Return the items in document order."""
        return tuple(self._item(record) for record in self.item_records)

    @cached_property
    def is_thread(self) -> bool:
        """Return whether the posts have most words of the content, and are no comments below a document."""
        if len(self.post_records) < 2 or self._content_share(self.post_records) < _THREAD_SHARE:
            return False
        return self._is_forum

    @property
    def _blocks(self) -> BlockColumns:
        return self._result.columns

    @property
    def _snapshot(self) -> Snapshot:
        return self._result.columns.snapshot

    @property
    def _language(self) -> str:
        return self._result.language or self._snapshot.language.partition("-")[0]

    @cached_property
    def _groups(self) -> RecordGroups:
        return RecordGroups.find(self._snapshot)

    @cached_property
    def _words(self) -> NDArray[np.float64]:
        """Return the number of words of each block, 0 for those that are too hidden for the policy: float64 (B,)."""
        texts = self._blocks.text
        words = EncodedTexts.from_texts(texts).words.per_text().astype(np.float64) if texts else np.zeros(0)
        words[list(self._hidden_rows or ())] = 0
        return words

    @property
    def _is_forum(self) -> bool:
        """Return whether the page is one of a forum, and no document with comments below it."""
        kinds = self._result.prediction.kinds
        is_named = names_forum(self._snapshot.title) or has_forum_address(self._snapshot.url)
        return is_named or kinds.count(Kind.POST) > kinds.count(Kind.COMMENT)

    def _may_have_posts(self) -> bool:
        """Return whether the model or the page names posts or comments; for most pages neither does."""
        if not len(self._blocks):
            return False
        return self._has_kind(_POST_KINDS, _LEAST_SHARE, unknown=False) or has_forum_sign(self._snapshot)

    def _are_a_thread(self, posts: Sequence[PostRecord]) -> bool:
        """Return whether records on a page whose title names a forum are the posts of a thread.

        Posts of a thread have most of the content; most have a date and an author, and few a heading with a link.
        """
        if len(posts) < _LEAST_POSTS:
            return False
        covered = self._content_share(posts)
        rows = [list(post.rows) for post in posts]
        signed = sum(post.date >= 0 and post.author >= 0 for post in posts)
        linked = sum(bool(self._is_linked_heading[each].any()) for each in rows)
        return covered >= _THREAD_SHARE and min(signed, len(posts) - linked) >= _MOST * len(posts)

    def _content_share(self, posts: Sequence[PostRecord]) -> float:
        """Return the share of the words of the content that are in some posts."""
        content = np.array([label.is_content for label in self._result.prediction.labels], dtype=bool)
        in_post = np.zeros(len(content), dtype=bool)
        in_post[[row for post in posts for row in post.rows]] = True
        words = self._words * content
        return float(words[in_post].sum()) / max(float(words.sum()), 1)

    def _lists_links(self) -> bool:
        """Return whether several headings of the content are links, as the titles of a listing."""
        labels = self._result.prediction.labels
        rows = [row for row in np.flatnonzero(self._is_linked_heading).tolist() if labels[row].is_content]
        return len(rows) >= _LEAST_TITLES and not self.post_records

    @cached_property
    def _is_linked_heading(self) -> NDArray[np.bool_]:
        """Return which blocks are headings, and for the most part links to other documents: bool (B,)."""
        is_heading = np.array([label is Label.HEADING for label in self._result.prediction.labels], dtype=bool)
        is_heading |= self._snapshot.is_tag(("h1", "h2", "h3", "h4", "h5", "h6"))[self._blocks.node]
        context = self._result.prediction.context or page_context(self._blocks)
        is_linked = is_heading & (context.link_share > _LINK)
        if not is_linked.any():
            return np.asarray(is_linked, dtype=bool)
        links, address = self._snapshot.values("href"), self._snapshot.url.partition("#")[0]
        leads_away = [not link.startswith("#") and link.partition("#")[0] != address for link in links.distinct]
        away = np.zeros(len(self._snapshot), dtype=np.int64)
        away[links.node] = np.array(leads_away, dtype=np.int64)[links.index]
        has_link = tree.subtree_sum(away, self._snapshot.end) + tree.path_sum(away > 0, self._snapshot.end) > 0
        return np.asarray(is_linked & has_link[self._blocks.node], dtype=bool)

    def _has_kind(self, members: Collection[Kind], least: float, *, unknown: bool) -> bool:
        """Return whether a share of the words is in blocks of some kinds; `unknown` for methods without kinds."""
        kinds = self._result.prediction.kinds
        if not kinds:
            return unknown
        of_kind = np.fromiter((kind in members for kind in kinds), bool, len(kinds))
        return bool(self._words[of_kind].sum() >= least * max(float(self._words.sum()), 1))

    def _weights(self, kinds: dict[Kind, float], content: float) -> NDArray[np.float64]:
        """Return how much each block may be in a record, its words times a factor: float64 (B,).

        Args:
            kinds: the factor of blocks by kind.
            content: the factor of other blocks that are content.
        """
        prediction = self._result.prediction
        is_content = np.array([label.is_content for label in prediction.labels], dtype=bool)
        factor = np.where(is_content, content, _OTHER)
        if prediction.roles:
            in_frame = np.fromiter((role in _FRAME for role in prediction.roles), bool, len(factor))
            factor[in_frame & ~is_content] = _IN_FRAME
        for kind, value in kinds.items():
            factor[np.fromiter((each is kind for each in prediction.kinds), bool, len(prediction.kinds))] = value
        return self._words * factor

    def _post(self, record: PostRecord) -> Post:
        texts = self._snapshot.texts
        date = " ".join(texts[record.date].split()) if record.date >= 0 else ""
        return Post(
            author=" ".join(texts[record.author].split()) if record.author >= 0 else "",
            date=self._iso_date(record.date, date),
            date_text=date,
            text=self._text(record.rows),
            depth=record.depth,
            box=self._box(record.element),
            xpath=self._snapshot.xpath(record.element),
            blocks=record.rows,
        )

    def _iso_date(self, node: int, text: str) -> str:
        """Return the date of a text node: that of the attributes around it, or else of its text."""
        if node < 0:
            return ""
        language, snapshot = self._language, self._snapshot
        day_first = is_day_first(language, snapshot.language)
        for element in snapshot.ancestors(int(snapshot.text_parent[node]))[:2]:
            for name in ("datetime", "title", "content"):
                if date := parse_date(snapshot.attributes(name).get(element, ""), language, day_first=day_first):
                    return date
        return parse_date(text, language, day_first=day_first)

    def _text(self, rows: Sequence[int]) -> str:
        labels = [self._result.prediction.labels[row] for row in rows]
        shown = [label if label.is_content else Label.PARAGRAPH for label in labels]
        return to_text([self._blocks.text[row] for row in rows], shown).strip("\n")

    def _item(self, record: ItemRecord) -> Item:
        rest = [self._blocks.text[row] for row in record.rows if row != record.title_row]
        link, image = self._snapshot.attributes("href"), self._snapshot.attributes("src")
        return Item(
            title=record.title,
            link=link.get(record.link, ""),
            image=image.get(record.image, ""),
            price=record.price,
            snippet=max(rest, key=len, default="")[:_MAX_SNIPPET],
            box=self._box(record.element),
            xpath=self._snapshot.xpath(record.element),
            blocks=record.rows,
        )

    def _box(self, element: int) -> Box | None:
        box = self._snapshot.box[element].tolist()
        return Box(*box) if all(map(math.isfinite, box)) else None


def _are_signed(posts: Sequence[PostRecord]) -> bool:
    """Return whether most of some records have an author or a date, as posts have; columns of a layout have neither."""
    return 2 * sum(post.author >= 0 or post.date >= 0 for post in posts) >= len(posts)
