"""Find the posts of a thread, and the comments of readers below a document."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.content.threads import has_forum_address, has_forum_sign, names_forum
from vclean.features.facts.comment_parts import comment_parts, named_comments
from vclean.features.facts.groups import RecordGroups
from vclean.features.facts.posts import PostRecord, find_posts
from vclean.item_search import content_share
from vclean.labels import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.labelled_page import LabelledPage

_POST_KINDS: Final = frozenset((Kind.POST, Kind.COMMENT))
_LEAST_SHARE: Final = 0.03
"""Share of the words of a page in blocks of the kind that is looked for below which a page has no such records."""
_PROBABILITY: Final = 0.35
"""Probability of content from which a block is worth more in the body of a post than outside."""
_LEAST_POSTS: Final = 2
"""Fewest posts of a thread that only the title of its page shows to be one."""
_MOST: Final = 0.7
"""Share of the posts that need author and date, and no heading with a link, on such a thread."""
_IS_COMMENT, _IS_LONE_COMMENT = 0.5, 0.9
"""Mean probability from which the blocks of a record are a comment, and the only one of a page."""
_SEVERAL: Final = 3
"""Fewest records that are posts because most have author and date; with a sign of a forum, half of more than these."""
_CONTENT: Final = 0.5
"""Weight of words of content that is no post, relative to a post."""
_THREAD_SHARE: Final = 0.5
"""Share of the words of the content in posts from which a page is a thread."""


class PostSearch:
    """Search for the posts of a page.

    Args:
        page: the labelled page.
    """

    def __init__(self, page: LabelledPage) -> None:
        self._page = page

    @cached_property
    def records(self) -> list[PostRecord]:
        """Return the posts by position; empty for a page without posts."""
        posts, comments = self._thread_posts(), self._part_comments()
        if not self._is_forum:
            posts = self._without_document(posts)
            return _dated(comments if len(comments) > len(posts) else posts)
        # Without names, replies inside the posts have another parent: only in a part with comments are they a group.
        return comments if {each.element for each in posts} < {each.element for each in comments} else posts

    @cached_property
    def is_thread(self) -> bool:
        """Return whether the posts have most words of the content, and are no comments below a document."""
        if not self._is_forum or len(self.records) < 2:
            return False
        return self._content_share(self.records) >= _THREAD_SHARE

    def _without_document(self, posts: list[PostRecord]) -> list[PostRecord]:
        """Return the comments among records, which may be the document above the comments, or columns of the page.

        With a sign of a forum, the document is the first post.
        """
        decision, is_thread = self._page.result.prediction.decision, has_forum_sign(self._page.snapshot)
        if decision is None:
            return posts
        least = _IS_COMMENT if len(posts) > 1 else _IS_LONE_COMMENT
        likely = [post for post in posts if post.rows and decision.comments[list(post.rows)].mean() >= least]
        if 2 * len(likely) > len(posts):
            return posts if is_thread else likely
        signed, count = sum(post.is_signed for post in posts), len(posts)
        several = count >= _SEVERAL and signed >= _MOST * count
        return posts if several or (is_thread and count > _SEVERAL and 2 * signed >= count) else likely

    def _thread_posts(self) -> list[PostRecord]:
        """Return the posts or comments of a page if its model or names show that they are a good part of it."""
        is_likely = self._may_have_posts()
        if not is_likely and not (len(self._page.blocks) and names_forum(self._page.snapshot.title)):
            return []
        posts = self._find_posts(opening=False)
        are_posts = self._is_forum or _are_signed(posts) if is_likely else self._are_a_thread(posts)
        if not posts or not are_posts:
            return []
        has_opening = (
            self._is_forum or has_forum_sign(self._page.snapshot) or self._content_share(posts) >= _THREAD_SHARE
        )
        found = self._find_posts(opening=True) if has_opening else posts
        return found if self._page.hidden_rows is None else self._without_hidden(found)

    def _without_hidden(self, posts: Sequence[PostRecord]) -> list[PostRecord]:
        """Return posts without what is too hidden for the policy: whole posts, blocks, authors and dates."""
        hidden = self._page.hidden_rows or frozenset()
        block = self._page.blocks.text_block
        kept = []
        for post in posts:
            rows = tuple(row for row in post.rows if row not in hidden)
            author, date = (-1 if int(block[node]) in hidden else node for node in (post.author, post.date))
            if rows or not post.rows:
                kept.append(replace(post, rows=rows, author=author, date=date))
        return kept

    def _find_posts(self, *, opening: bool) -> list[PostRecord]:
        """Return the records that may be posts, see `find_posts`."""
        weight = self._page.weights(dict.fromkeys(_POST_KINDS, 1.0), _CONTENT)
        gain = self._page.words * (self._page.result.prediction.probability.astype(np.float64) - _PROBABILITY)
        return find_posts(self._page.blocks, self._page.groups, weight, gain, self._page.language, opening=opening)

    def _part_comments(self) -> list[PostRecord]:
        """Return the comments in the parts of a page that are named so; most need an author and a date."""
        if not len(self._page.blocks):
            return []
        part = comment_parts(self._page.blocks)
        if not part.any():
            return []
        groups = RecordGroups.find_within(self._page.snapshot, part, named_comments(self._page.snapshot))
        words = self._page.words * part[self._page.blocks.node]
        probability = self._page.result.prediction.probability.astype(np.float64)
        gain = np.where(words > 0, words, self._page.words * (probability - _PROBABILITY))
        posts = find_posts(self._page.blocks, groups, words, gain, self._page.language, opening=self._is_forum)
        if sum(post.author >= 0 or post.is_dated for post in posts) < max(_MOST * len(posts), 1):
            return []
        return posts if self._page.hidden_rows is None else self._without_hidden(posts)

    @property
    def _is_forum(self) -> bool:
        """Return whether the page is one of a forum, and no document with comments below it."""
        kinds = self._page.result.prediction.kinds
        is_named = names_forum(self._page.snapshot.title) or has_forum_address(self._page.snapshot.url)
        return is_named or kinds.count(Kind.POST) > kinds.count(Kind.COMMENT)

    def _may_have_posts(self) -> bool:
        """Return whether the model or the page names posts or comments; for most pages neither does."""
        if not len(self._page.blocks):
            return False
        return self._page.has_kind(_POST_KINDS, _LEAST_SHARE, unknown=False) or has_forum_sign(self._page.snapshot)

    def _are_a_thread(self, posts: Sequence[PostRecord]) -> bool:
        """Return True if the records are the posts of a thread, given that the title names a forum.

        Posts of a thread have most of the content; most have a date and an author, and few a heading with a link.
        """
        if len(posts) < _LEAST_POSTS:
            return False
        covered = self._content_share(posts)
        rows = [list(post.rows) for post in posts]
        signed = sum(post.is_signed for post in posts)
        linked = sum(bool((self._page.is_linked & self._page.is_heading)[each].any()) for each in rows)
        return covered >= _THREAD_SHARE and min(signed, len(posts) - linked) >= _MOST * len(posts)

    def _content_share(self, posts: Sequence[PostRecord]) -> float:
        """Return the share of the words of the content that are in some posts."""
        return content_share(posts, self._page.words * self._page.is_content)


def _dated(comments: list[PostRecord]) -> list[PostRecord]:
    """Return comments without those that have no date, if most have one; a form for comments has none."""
    dated = [comment for comment in comments if comment.is_dated]
    has_dates = 2 * len(dated) > len(comments) or len(comments) == 1
    return dated if has_dates else comments


def _are_signed(posts: Sequence[PostRecord]) -> bool:
    """Return whether most of some records have an author or a date, as posts have; columns of a layout have neither."""
    return 2 * sum(post.author >= 0 or post.is_dated for post in posts) >= len(posts)
