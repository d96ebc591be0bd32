"""Decide whether a page is a thread: the posts are its content, though they are marked up as comments or replies.

Forums mark posts with the names that blogs give to readers' comments. The address, microdata and names of a page show
that it is a thread. How clearly they do determines how much of the likely content has to be among the posts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.block.structural import long_text
from vclean.urls import split_url

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.names.element_names import ElementNames
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot

CLEAR_SIGNS, POSSIBLE_SIGN, NO_SIGN = 0.0, 0.5, 0.9
"""Shares of the likely content among the posts from which a page is a thread, by its signs.

A page whose likely content is comments and little else is a thread without any sign: nothing else would remain.
"""
_IS_LIKELY: Final = 0.5
"""Probability from which a block is likely content, or is among posts."""
_LARGE: Final = 0.1
"""Share of the words of long texts from which the names of an element are read."""

_FORUM_PART: Final = re.compile(
    r"(forums?|foros?|foren|bbs|threads?|(show|view)(thread|topic)|questions)(\.\w+)?|(thread|showtopic)-\w*\d.*"
)
"""Part of an address that only threads and their forums have: a label of the host, or a segment of path or query."""
_POSSIBLE_PART: Final = re.compile(
    r"boards?|topics?|thema|question|discuss(ions?)?|community|talk|answers|t|message.?board|.*forums?"
)
_FORUM_NAME: Final = re.compile(
    r"forum.*|foro|foren|phpbb|vbulletin|xenforo|bbp(ress)?|(show|view)(thread|topic)|post(body|list|row|bit)"
)
"""Word in classes and ids of forum software. `thread` is none: comment systems of blogs use it, too."""
_POSSIBLE_NAME: Final = re.compile(r"(message|topic|discussion|question|answer)s?")
_FORUM_WORD: Final = re.compile(
    r"\b(?:\w*forum|forums|foros?|foren|fóra|message boards?|форум\w*)\b|论坛|論壇|掲示板|フォーラム|포럼",
    re.IGNORECASE,
)
"""Words for a forum in titles of documents."""
_POSTING, _QUESTIONS = "DiscussionForumPosting", "QAPage"
"""Types of schema.org."""


def is_thread(
    least_share: float, probability: NDArray[np.float32], words: NDArray[np.float32], comments: NDArray[np.float32]
) -> bool:
    """Return whether the posts of a page are its content.

    Args:
        least_share: share of the likely content that has to be among the posts: see `least_post_share`.
        probability: float32 (B,), probability that a block is content.
        words: float32 (B,), words per block.
        comments: float32 (B,), probability that a block is among comments, which are the posts of a thread.
    """
    likely = words * (probability >= _IS_LIKELY)
    inside = float(likely[comments >= _IS_LIKELY].sum())
    return inside >= least_share * max(float(likely.sum()), 1)


def least_post_share(context: PageContext) -> float:
    """Return the share of the likely content among the posts from which a page is a thread.

    On a page of questions and answers that are marked as such, comments are comments unless they prevail.
    """
    types = {value.rpartition("/")[2] for value in context.snapshot.values("itemtype").distinct}
    parts = _address_parts(context.snapshot.url)
    names = _large_names(context)
    possible = _any(_POSSIBLE_PART, parts) + _any(_POSSIBLE_NAME, names)
    if _QUESTIONS in types:
        return POSSIBLE_SIGN
    if _POSTING in types or _any(_FORUM_PART, parts) or _any(_FORUM_NAME, names) or possible > 1:
        return CLEAR_SIGNS
    return POSSIBLE_SIGN if possible else NO_SIGN


_FORUM_PREFIX: Final = re.compile(
    r"(?:^|[\s_-])(?:forum|phpbb|vbulletin|xenforo|discourse|bbp-|post(?:bit|body|list|row|container|content)\b"
    r"|message--post|topic-(?:post|body)|discussion)|(?:^|\s)thread(?!-(?:even|odd|alt)\b|s\b)",
    re.IGNORECASE,
)
"""Name of forum software or of its parts in a class or id.

`thread-even` and the like are those of comments in WordPress, and `threads` is a social network."""


def has_forum_address(url: str) -> bool:
    """Return whether a URL is that of a thread or its forum."""
    return _any(_FORUM_PART, _address_parts(url))


def names_forum(title: str) -> bool:
    """Return whether the title of a document names a forum.

    >>> names_forum("Leaking tap - DIY Forum"), names_forum("Hahn tropft | Bootsforum"), names_forum("Rain")
    (True, True, False)
    """
    return _FORUM_WORD.search(title) is not None


def has_forum_sign(snapshot: Snapshot) -> bool:
    """Return whether the address, the microdata, a class or an id of a page is that of a forum."""
    types = {value.rpartition("/")[2] for value in snapshot.values("itemtype").distinct}
    if _POSTING in types or _QUESTIONS in types or has_forum_address(snapshot.url):
        return True
    return any(snapshot.having(name, _FORUM_PREFIX).any() for name in ("class", "id"))


def _any(pattern: re.Pattern[str], words: set[str]) -> bool:
    return any(pattern.fullmatch(word) for word in words)


def _address_parts(url: str) -> set[str]:
    """Return the labels of the host, and the segments of path, query and fragment, in lower case."""
    address = split_url(url.lower())
    labels = (address.hostname or "").split(".")
    return {*labels, *re.split(r"[/?&=#;]", f"{address.path}?{address.query}#{address.fragment}")} - {""}


def _large_names(context: PageContext) -> set[str]:
    """Return the words in the classes and ids of elements with a good part of the page's long texts.

    On pages without long texts all words count.
    """
    large = long_text(context)
    words = context.sum_over_subtrees(np.where(large, context.tokens, 0) if large.any() else context.tokens)
    names = context.names
    is_large = words >= _LARGE * words[0]
    indices = [_name_words(names, attribute, is_large) for attribute in ("class", "id")]
    return {names.words[index] for index in np.unique(np.concatenate(indices)).tolist()}


def _name_words(names: ElementNames, attribute: str, elements: NDArray[np.bool_]) -> NDArray[np.int32]:
    """Return the words in the values that an attribute has on `elements`, bool (N,), as indices into `names.words`."""
    values = names.snapshot.values(attribute)
    rows = names.short[np.unique(values.index[elements[values.node]]) + names.first[attribute]]
    return names.value_words.take(rows)[1]
