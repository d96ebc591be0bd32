"""Add a heading with author and date before every post of a thread, and before readers' comments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vclean.characters import one_line
from vclean.labels import Label
from vclean.output.html import to_tree

if TYPE_CHECKING:
    from lxml import etree

    from vclean.records import Post
    from vclean.result import Result


def to_thread_tree(result: Result) -> etree._Element:
    """Return the cleaned page as `vclean.output.html.to_tree` does, with a heading before every post.

    Its level is 2 in a thread. For comments that are content it is below the last heading before them, and comments
    without author and date have none. A block with little else than the author and the date of a post is left out,
    because its heading has them.
    """
    prediction = result.prediction
    headline = prediction.headline.block if prediction.headline else None
    labels, headings = list(prediction.labels), dict[int, str]()
    for number, post in enumerate(result.posts):
        if not _has_heading(result, post, number):
            continue
        for row in _heading_rows(result, post):
            labels[row] = Label.OTHER
        first = next((row for row in post.blocks if labels[row].is_content and row != headline), -1)
        if first >= 0:
            headings[first] = post_heading(post, number)
    return to_tree(result, labels=labels, headings=headings)


def post_heading(post: Post, number: int) -> str:
    """Return author and date of a post on one line, or its number if both are unknown."""
    return one_line(" · ".join(filter(None, (post.author, post.date_text)))) or f"#{number + 1}"


def _has_heading(result: Result, post: Post, number: int) -> bool:
    """Return True for a post of a thread, and for a comment with author or date if its text is content.

    The first post of a thread is below the title: without author and date it has no heading.
    """
    if result.is_thread:
        return bool(number or post.author or post.date_text)
    prediction = result.prediction
    decision = prediction.decision
    if decision is None or not decision.policy.comments or not (post.author or post.date_text):
        return False
    return any(prediction.labels[row].is_content for row in post.blocks)


def _heading_rows(result: Result, post: Post) -> list[int]:
    """Return the blocks before the body of a post that have little else than its author and its date."""
    if not post.blocks:
        return []
    first, texts = post.blocks[0], result.columns.text
    return [row for row in range(max(first - _NEAR, 0), first) if _is_heading(texts[row], post)]


def _is_heading(text: str, post: Post) -> bool:
    rest = text.replace(post.author, "").replace(post.date_text, "")
    words = sum(any(map(str.isalpha, word)) for word in rest.split())
    has_both = bool(post.author and post.date_text) and post.author in text and post.date_text in text
    return rest != text and words <= (_MORE_WORDS if has_both else 0)


_MORE_WORDS: Final = 4
"""Words that a byline has beside author and date, at most, such as `42 points` or `Posted by`."""
_NEAR: Final = 8
"""Largest number of blocks between the body of a post and its author or date."""
