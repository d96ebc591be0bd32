"""Decide whether a page is a thread: the posts are its content, though they are marked up as comments or replies.

Forums mark posts with the names that blogs give to readers' comments. The title, the address and the type of a page
show that it is a thread.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from vclean.classify.metadata.page_type import page_type
from vclean.labels import PageType
from vclean.urls import split_url

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vclean.classify.metadata.choice import MetadataModel
    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot

_ONLY_POSTS: Final = 0.9
"""Share of the likely content among the posts from which a page that is not one of a forum is a thread."""
_IS_LIKELY: Final = 0.5
"""Probability from which a block is likely content."""

_FORUM_PART: Final = re.compile(
    r"(forums?|foros?|foren|bbs|threads?|(show|view)(thread|topic)|questions)(\.\w+)?|(thread|showtopic)-\w*\d.*"
)
"""Part of an address that only threads and their forums have: a label of the host, or a segment of path or query."""
_FORUM_WORD: Final = re.compile(
    r"\b(?:\w*forum|forums|foros?|foren|fóra|message boards?|форум\w*)\b|论坛|論壇|掲示板|フォーラム|포럼",
    re.IGNORECASE,
)
"""Words for a forum in titles of documents."""


def is_thread(
    context: PageContext,
    model: MetadataModel | None,
    probability: NDArray[np.float32],
    comments: NDArray[np.float32],
) -> bool:
    """Return whether the posts of a page are its content: it is one of a forum, or little else is content.

    Args:
        context: the page.
        model: the model that predicts its type; None for the one that ships with the package.
        probability: float32 (B,), probability that a block is content.
        comments: float32 (B,), 1 for blocks among comments, which are the posts of a thread.
    """
    likely = context.tokens * (probability >= _IS_LIKELY)
    inside = float((likely * comments).sum())
    return may_be_forum(context, model) or inside >= _ONLY_POSTS * max(float(likely.sum()), 1)


def may_be_forum(context: PageContext, model: MetadataModel | None) -> bool:
    """Return whether the title, the address or the type of a page is that of a forum; arguments as for `is_thread`."""
    return is_named_forum(context.snapshot) or page_type(context, model) == PageType.FORUM


def is_named_forum(snapshot: Snapshot) -> bool:
    """Return whether the title or the address of a page is that of a forum."""
    return names_forum(snapshot.title) or has_forum_address(snapshot.url)


def has_forum_address(url: str) -> bool:
    """Return whether a URL is that of a thread or its forum."""
    return any(map(_FORUM_PART.fullmatch, _address_parts(url)))


def names_forum(title: str) -> bool:
    """Return whether the title of a document names a forum.

    >>> names_forum("Leaking tap - DIY Forum"), names_forum("Hahn tropft | Bootsforum"), names_forum("Rain")
    (True, True, False)
    """
    return _FORUM_WORD.search(title) is not None


def _address_parts(url: str) -> set[str]:
    """Return the labels of the host, and the segments of path, query and fragment, in lower case."""
    address = split_url(url.lower())
    labels = (address.hostname or "").split(".")
    return {*labels, *re.split(r"[/?&=#;]", f"{address.path}?{address.query}#{address.fragment}")} - {""}
