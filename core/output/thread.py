"""Add a heading with author and date before every post of a thread, and before readers' comments."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lxml import etree

from vclean.characters import one_line, replace_illegal
from vclean.labels import Label
from vclean.output.html import to_tree
from vclean.output.selection import INLINE
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vclean.records import Post
    from vclean.result import Result

_BEGIN, _END = "\ue000", "\ue001"
_MARK: Final = re.compile(f"{_BEGIN}(\\d+){_END}")
"""Number of a post, between characters for private use, at the start of its text while the tree is written."""
_MARK_CHARACTERS: Final = re.compile(f"[{_BEGIN}{_END}]")
"""Characters of marks, which pages may contain."""
_CELLS: Final = frozenset(("td", "th", "caption"))
_TEXT_CONTAINERS: Final = frozenset(("li", "dd", "dt", "blockquote", "body", "figure"))
"""Elements of the output that contain text beside blocks."""


def to_thread_tree(result: Result) -> etree._Element:
    """Return the cleaned page as `vclean.output.html.to_tree` does, with a heading before every post.

    Its level is 2 in a thread. For comments that are content it is below the last heading before them, and comments
    without author and date have none. A block with little else than the author and the date of a post is left out,
    because its heading has them.
    """
    posts = {number: post for number, post in enumerate(result.posts) if _has_heading(result, post, number)}
    if not posts:
        return to_tree(result)
    page = to_tree(_with_marks(result, posts), is_thread=result.is_thread)
    headings = {number: post_heading(post, number) for number, post in posts.items()}
    elements = list(page[-1].iter())
    tag = "h2" if result.is_thread else _comment_tag(elements)
    for element in elements:
        _place_headings(element, headings, tag)
    return page


def _comment_tag(elements: Sequence[etree._Element]) -> str:
    """Return the tag for headings of comments, one level below the last heading before the first mark."""
    level = 1
    for element in elements:
        if element.text and _MARK.search(element.text):
            break
        level = HEADING_TAGS.index(str(element.tag)) + 1 if element.tag in HEADING_TAGS else level
        if element.tail and _MARK.search(element.tail):
            break
    return f"h{min(level + 1, len(HEADING_TAGS))}"


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


def _with_marks(result: Result, posts: Mapping[int, Post]) -> Result:
    """Return the result with the number of each post before its first text, the headline of the page not counted."""
    headline = result.prediction.headline.block if result.prediction.headline else None
    columns, labels = result.columns, list(result.prediction.labels)
    texts, block_texts = (
        [_MARK_CHARACTERS.sub("", text) for text in some] for some in (columns.snapshot.texts, columns.text)
    )
    for number, post in posts.items():
        for row in _heading_rows(result, post):
            labels[row] = Label.OTHER
        first = next((row for row in post.blocks if labels[row].is_content and row != headline), -1)
        if first >= 0:
            node = int(columns.members[columns.first[first]])
            words, mark = " ".join(texts[node].split()), f"{_BEGIN}{number}{_END}"
            texts[node] = mark + texts[node].lstrip()
            block_texts[first] = block_texts[first].replace(words, mark + words, 1)
    marked = replace(columns, snapshot=replace(columns.snapshot, texts=texts), text=block_texts)
    return replace(result, columns=marked, prediction=replace(result.prediction, labels=labels))


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


def _place_headings(element: etree._Element, headings: Mapping[int, str], tag: str) -> None:
    """Replace the marks in the text and the tail of an element by headings."""
    if element.text and (mark := _MARK.search(element.text)):
        element.text = _MARK.sub("", element.text)
        _insert(element, _heading(mark, headings, tag))
    parent = element.getparent()
    if parent is not None and element.tail and (mark := _MARK.search(element.tail)):
        element.tail = _MARK.sub("", element.tail)
        if parent.tag in _TEXT_CONTAINERS:
            heading = _heading(mark, headings, tag)
            heading.tail, element.tail = element.tail, None
            element.addnext(heading)
        else:
            _insert(parent, _heading(mark, headings, tag))


def _heading(mark: re.Match[str], headings: Mapping[int, str], tag: str) -> etree._Element:
    heading = etree.Element(tag)
    heading.text = replace_illegal(headings[int(mark[1])])
    return heading


def _insert(element: etree._Element, heading: etree._Element) -> None:
    """Insert a heading before the block around `element`, or as its first child if the block is a list item or so."""
    while element.tag in INLINE:
        parent = element.getparent()
        if parent is None or parent.tag in _TEXT_CONTAINERS:
            break
        element = parent
    element = _outside_quotes(element)
    if element.tag in _TEXT_CONTAINERS and element.tag != "blockquote":
        heading.tail, element.text = element.text, None
        element.insert(0, heading)
    elif element.tag not in _CELLS:
        element.addprevious(heading)


def _outside_quotes(element: etree._Element) -> etree._Element:
    """Return the outermost quote that begins with an element, or else the element."""
    parent = element.getparent()
    while (
        parent is not None and parent.tag == "blockquote" and parent[0] is element and not (parent.text or "").strip()
    ):
        element, parent = parent, parent.getparent()
    return element
