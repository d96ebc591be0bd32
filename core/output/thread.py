"""Add a heading with author and date before every post of a thread."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from lxml import etree

from vclean.characters import one_line, replace_illegal
from vclean.labels import Label
from vclean.output.html import to_tree
from vclean.output.selection import INLINE

if TYPE_CHECKING:
    from vclean.records import Post
    from vclean.result import Result

_BEGIN, _END = "\ue000", "\ue001"
_MARK: Final = re.compile(f"{_BEGIN}(\\d+){_END}")
"""Number of a post, between characters for private use, at the start of its text while the tree is written."""
_CELLS: Final = frozenset(("td", "th", "caption"))
_TEXT_CONTAINERS: Final = frozenset(("li", "dd", "dt", "blockquote", "body", "figure"))
"""Elements of the output that contain text beside blocks."""


def to_thread_tree(result: Result) -> etree._Element:
    """Return the cleaned page as `vclean.output.html.to_tree` does, with a heading of level 2 before every post.

    A block that has only the author or the date of a post is left out, because its heading has them.
    """
    page = to_tree(_with_marks(result))
    for element in list(page[-1].iter()):
        _place_headings(element, result.posts)
    return page


def post_heading(post: Post, number: int) -> str:
    """Return author and date of a post on one line, or its number if both are unknown."""
    return one_line(" · ".join(filter(None, (post.author, post.date_text)))) or f"#{number + 1}"


def _with_marks(result: Result) -> Result:
    """Return the result with the number of each post before its first text, the headline of the page not counted."""
    headline = result.prediction.headline.block if result.prediction.headline else None
    columns, labels = result.columns, list(result.prediction.labels)
    texts = [text.replace(_BEGIN, "").replace(_END, "") for text in columns.snapshot.texts]
    for number, post in enumerate(result.posts):
        for row in _heading_rows(result, post):
            labels[row] = Label.OTHER
        first = next((row for row in post.blocks if labels[row].is_content and row != headline), -1)
        if first >= 0:
            node = int(columns.members[columns.first[first]])
            texts[node] = f"{_BEGIN}{number}{_END}{texts[node]}"
    marked = replace(columns, snapshot=replace(columns.snapshot, texts=texts))
    return replace(result, columns=marked, prediction=replace(result.prediction, labels=labels))


def _heading_rows(result: Result, post: Post) -> list[int]:
    """Return the blocks before the body of a post that have nothing but its author or its date."""
    if not post.blocks:
        return []
    first, texts = post.blocks[0], result.columns.text
    return [row for row in range(max(first - _NEAR, 0), first) if texts[row] in (post.author, post.date_text)]


_NEAR: Final = 8
"""Largest number of blocks between the body of a post and its author or date."""


def _place_headings(element: etree._Element, posts: tuple[Post, ...]) -> None:
    """Replace the marks in the text and the tail of an element by headings."""
    if element.text and (mark := _MARK.search(element.text)):
        element.text = _MARK.sub("", element.text)
        _insert(element, _heading(mark, posts))
    parent = element.getparent()
    if parent is not None and element.tail and (mark := _MARK.search(element.tail)):
        element.tail = _MARK.sub("", element.tail)
        if parent.tag in _TEXT_CONTAINERS:
            heading = _heading(mark, posts)
            heading.tail, element.tail = element.tail, None
            element.addnext(heading)
        else:
            _insert(parent, _heading(mark, posts))


def _heading(mark: re.Match[str], posts: tuple[Post, ...]) -> etree._Element:
    heading = etree.Element("h2")
    number = int(mark[1])
    heading.text = replace_illegal(post_heading(posts[number], number))
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
