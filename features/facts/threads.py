"""Decide whether a page has posts of a thread, or comments of readers below a document, and find them.

Comments are in parts of the page that its names or a heading call comments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.facts.groups import RecordGroups
from vclean.features.facts.mentions import pattern_of
from vclean.features.facts.posts import PostRecord, find_posts
from vclean.labels import Label, PageType
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot
    from vclean.settings import Policy

_OTHER: Final = 0.05
"""Weight of words outside the content, relative to words in it."""
_LINK: Final = 0.5
"""Share of link text above which a block is a link."""
_PROBABILITY: Final = 0.35
"""Probability of content from which a block is worth more in the body of a post than outside."""
_MOST: Final = 0.7
"""Share of the records in a part with comments that need an author or a date."""
_IS_COMMENT: Final = 0.5
"""Share of the blocks of a record in parts with comments from which it is a comment."""
_COMMENTS_SHARE: Final = 0.25
"""Share of the words of the content in parts with comments from which these are posts; below documents it is near 0."""

_THREAD_SHARE: Final = 0.5
"""Share of the words of the content in posts from which a page is a thread."""

_PART_NAME: Final = re.compile(
    r"(?<!\S)(?:(?:article|post|posts|user|users|reader|readers|entry|page|blog|view|all|the|js|c|o|m|fb|wp|block|content)[-_]*)*"
    r"(?:comments|comment[-_]*(?:s[-_]*)?(?:area|list|listing|section|container|wrap|wrapper|thread|threads|tree|block|"
    r"box|feed|stream|items)|commentaires|comentarios|commenti|kommentare|kommentarer|kommentarliste|kommentarbereich|"
    r"komentarze|komentare|reacties|reactions|replies|responses|disqus(?:[-_]*(?:thread|comments|container))?)"
    r"(?:[-_]*(?:area|list|section|container|wrap|wrapper|inner|content|block|box|list[-_]*container))?(?!\S)",
    re.IGNORECASE,
)
"""Class or id of a part with comments."""
_COMMENT_NAME: Final = re.compile(
    r"(?<!\S)(?:comment|(?:li-|div-|post-)?comment[-_]?\d+|kommentar|comentario|commentaire)(?!\S)", re.IGNORECASE
)
"""Class or id of one comment."""
_HEADING: Final = (
    r"\W*(?:(?:\d+|one|no|all|user|reader|readers?['’]s?|leser|latest)\W+)*(?:{comments})\W*\d*\W*"
    r"|(?:\d+|one|two|three)\W+(?:thoughts?|(?:{comments}))\s+(?:on|to|for|zu|sur|a|su|op|на)\b.*"
)
"""Text of a heading above comments, such as `3 comments`, `Kommentare (5)` or `One thought on “Rain”`."""
_MAX_HEADING: Final = 160
"""Longest heading above comments, in characters."""


@dataclass(frozen=True, eq=False, kw_only=True)
class LabelledBlocks:
    """B blocks with their labels, their posts, and what the search for items reads.

    Attributes:
        blocks: the blocks.
        context: the blocks as features see them, for the share of linked text.
        labels: the label of each block.
        probability: float (B,), the probability that each block is content.
        policy: what may be content; blocks that are too hidden for it belong to no record.
        in_forum: whether the title or the address of the page is that of a forum.
        language: returns the language of the content, or else of the markup, ISO 639-1; empty if unknown.
        page_type: returns the type of the page, a value of `PageType`; empty if unknown.
    """

    blocks: BlockColumns
    context: PageContext
    labels: Sequence[Label]
    probability: NDArray[np.floating]
    policy: Policy
    in_forum: bool = False
    language: Callable[[], str] = str
    page_type: Callable[[], str] = str

    @property
    def snapshot(self) -> Snapshot:
        """Return the page before labelling."""
        return self.blocks.snapshot

    @cached_property
    def groups(self) -> RecordGroups:
        """Return the groups of repeated elements."""
        return RecordGroups.find(self.snapshot)

    @cached_property
    def words(self) -> NDArray[np.float64]:
        """Return the number of words of each block, 0 for those that are too hidden for the policy: float64 (B,)."""
        return np.where(self.is_hidden, 0, self.context.tokens).astype(np.float64)

    @cached_property
    def is_hidden(self) -> NDArray[np.bool_]:
        """Return which blocks are too hidden for the policy: bool (B,)."""
        return self.blocks.is_excluded(self.policy)

    @cached_property
    def is_content(self) -> NDArray[np.bool_]:
        """Return which blocks are content: bool (B,)."""
        return np.array([label.is_content for label in self.labels], dtype=bool)

    @cached_property
    def is_linked(self) -> NDArray[np.bool_]:
        """Return which blocks are for the most part links to other documents: bool (B,)."""
        snapshot, address = self.snapshot, self.snapshot.url.partition("#")[0]
        links = snapshot.values("href")
        leads_away = [link.partition("#")[0] not in ("", address) for link in links.distinct]
        away = np.zeros(len(snapshot), dtype=np.int64)
        away[links.node] = np.array(leads_away, dtype=np.int64)[links.index]
        has_link = tree.inside(away > 0, snapshot.end) | (tree.subtree_sum(away, snapshot.end) > 0)
        return np.asarray((self.context.link_share > _LINK) & has_link[self.blocks.node])

    def content_share(self, rows: Collection[int]) -> float:
        """Return the share of the words of the content that is in some blocks."""
        words = self.words * self.is_content
        return float(words[list(set(rows))].sum()) / max(float(words.sum()), 1)

    @cached_property
    def weights(self) -> NDArray[np.float64]:
        """Return how much each block may be in a record, its words, or less outside the content: float64 (B,)."""
        return self.words * np.where(self.is_content, 1.0, _OTHER)

    @cached_property
    def posts(self) -> list[PostRecord]:
        """Return the posts by position; empty for a page without posts."""
        if not len(self.blocks):
            return []
        posts, comments = self._thread_posts(), self._part_comments()
        if not self._is_forum:
            # Records may be the document above the comments, too, or columns of the page.
            in_part = self._parts[self.blocks.node]
            posts = [post for post in posts if post.rows and in_part[list(post.rows)].mean() >= _IS_COMMENT]
            posts = comments if len(comments) > len(posts) else posts
            dated = [post for post in posts if post.date >= 0]
            # A form for comments has no date.
            return dated if 2 * len(dated) > len(posts) or len(posts) == 1 else posts
        # Without names, replies inside the posts have another parent: only in a part with comments are they a group.
        return comments if {each.element for each in posts} < {each.element for each in comments} else posts

    @cached_property
    def is_thread(self) -> bool:
        """Return whether the page is one of a forum, and its posts have most words of the content."""
        rows = [row for post in self.posts for row in post.rows] if self._is_forum else []
        return bool(rows) and len(self.posts) > 1 and self.content_share(rows) >= _THREAD_SHARE

    @cached_property
    def _parts(self) -> NDArray[np.bool_]:
        """Return which elements are in a part with comments: bool (N,)."""
        return comment_parts(self.blocks)

    @cached_property
    def _is_forum(self) -> bool:
        """Return whether the page is one of a forum, and no document with comments below it."""
        in_part = self._parts[self.blocks.node]
        are_posts = not in_part.any() or self.content_share(np.flatnonzero(in_part).tolist()) >= _COMMENTS_SHARE
        return self.in_forum or (are_posts and self.page_type() == PageType.FORUM)

    def _thread_posts(self) -> list[PostRecord]:
        """Return the records of a page of a forum that may be posts: most have an author or a date."""
        if not self.in_forum and self.page_type() != PageType.FORUM:
            return []
        posts = find_posts(self.blocks, self.groups, self.weights, self._gain, self.language())
        signed = sum(post.author >= 0 or post.date >= 0 for post in posts)
        is_whole = all(post.author >= 0 and post.date >= 0 for post in posts)
        # Of two records, both need an author and a date.
        are_posts = is_whole if len(posts) == 2 else 2 * signed >= len(posts)
        return self._without_hidden(posts) if are_posts else []

    def _without_hidden(self, posts: Sequence[PostRecord]) -> list[PostRecord]:
        """Return posts without what is too hidden for the policy: whole posts, blocks, authors and dates."""
        hidden, block, kept = self.is_hidden, self.blocks.text_block, []
        for post in posts:
            rows = tuple(row for row in post.rows if not hidden[row])
            author, date = (-1 if hidden[block[node]] else node for node in (post.author, post.date))
            if rows or not post.rows:
                kept.append(replace(post, rows=rows, author=author, date=date))
        return kept

    @cached_property
    def _gain(self) -> NDArray[np.float64]:
        """Return the words of each block, times how much more likely than not they are in a post: float64 (B,)."""
        return self.words * (self.probability.astype(np.float64) - _PROBABILITY)

    def _part_comments(self) -> list[PostRecord]:
        """Return the comments in the parts of a page that are named so; most need an author and a date."""
        part = self._parts
        if not part.any():
            return []
        groups = RecordGroups.find(self.snapshot, part, _has_name(self.snapshot, _COMMENT_NAME))
        words = self.words * part[self.blocks.node]
        gain = np.where(words > 0, words, self._gain)
        posts = find_posts(self.blocks, groups, words, gain, self.language(), opening=self._is_forum)
        if sum(post.author >= 0 or post.date >= 0 for post in posts) < max(_MOST * len(posts), 1):
            return []
        return self._without_hidden(posts)


def comment_parts(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return which elements are inside a part of the page with comments: bool (N,)."""
    snapshot = blocks.snapshot
    # These are no part with comments, whatever their names.
    named = _has_name(snapshot, _PART_NAME) & ~snapshot.is_tag(("html", "body", "form", "head"))
    part = tree.inside(named, snapshot.end) & ~named
    is_heading = snapshot.is_tag((*HEADING_TAGS, "legend"))[blocks.node]
    for row in np.flatnonzero(is_heading).tolist():
        if len(blocks.text[row]) <= _MAX_HEADING and pattern_of(_HEADING).fullmatch(blocks.text[row].strip()):
            # The elements after the heading in its section: the smallest element around it that has any.
            first = int(snapshot.end[blocks.node[row]])
            ends = (int(snapshot.end[each]) for each in snapshot.ancestors(int(blocks.node[row])))
            part[first : next((end for end in ends if end > first), first)] = True
    return np.asarray(part, dtype=bool)


def _has_name(snapshot: Snapshot, pattern: re.Pattern[str]) -> NDArray[np.bool_]:
    """Return which elements have a class or an id that is a name of a pattern: bool (N,)."""
    return snapshot.having("class", pattern) | snapshot.having("id", pattern)
