"""Find the parts of a page that its names, its microdata or a heading call comments of readers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.render.snapshot import Snapshot

_STEMS: Final = ("comment", "coment", "kommentar", "komentar", "disqus", "repl", "respon", "reacti", "reacci")
"""Beginnings of words of which each name below has one; a fast test before that of the pattern."""
_PART_NAME: Final = re.compile(
    r"(?:(?:article|post|posts|user|users|reader|readers|entry|page|blog|view|all|the|js|c|o|m|fb|wp|block|content)[-_]*)*"
    r"(?:comments|comment[-_]*(?:s[-_]*)?(?:area|list|listing|section|container|wrap|wrapper|thread|threads|tree|block|"
    r"box|feed|stream|items)|commentaires|comentarios|commenti|kommentare|kommentarer|kommentarliste|kommentarbereich|"
    r"komentarze|komentare|reacties|reactions|replies|responses|disqus(?:[-_]*(?:thread|comments|container))?)"
    r"(?:[-_]*(?:area|list|section|container|wrap|wrapper|inner|content|block|box|list[-_]*container))?",
    re.IGNORECASE,
)
"""Class or id of a part with comments."""
_COMMENT_NAME: Final = re.compile(r"comment|(?:li-|div-|post-)?comment[-_]?\d+|kommentar|comentario|commentaire", re.I)
"""Class or id of one comment."""
_COMMENT_TYPES: Final = ("Comment", "UserComments")
"""Types of schema.org."""
_WORD: Final = (
    r"(?:comments?|replies|reply|responses?|kommentare?r?|commentaires?|comentarios?|comentários?|commenti|commento|"
    r"reacties?|komentarze|komentarzy|komentáře|hozzászólás(?:ok)?|комментари(?:и|ев|й|я)|коментарі|yorumlar?|σχόλια|"
    r"コメント|评论|評論|留言|댓글)"
)
_HEADING: Final = re.compile(
    rf"\W*(?:(?:\d+|one|no|all|user|reader|readers?['’]s?|leser|latest)\W+)*{_WORD}\W*\d*\W*"
    rf"|(?:\d+|one|two|three)\W+(?:thoughts?|{_WORD})\s+(?:on|to|for|zu|sur|a|su|op|на)\b.*",
    re.IGNORECASE,
)
"""Text of a heading above comments, such as `3 comments`, `Kommentare (5)` or `One thought on “Rain”`."""
_MAX_HEADING: Final = 160
"""Longest heading above comments, in characters."""
_ROOTS: Final = ("html", "body", "form", "head")
"""Tags of elements that are no part with comments, whatever their names."""


def comment_parts(blocks: BlockColumns) -> NDArray[np.bool_]:
    """Return which elements are inside a part of the page with comments: bool (N,)."""
    snapshot = blocks.snapshot
    named = _has_name(snapshot, _PART_NAME) & ~snapshot.is_tag(_ROOTS)
    part = (tree.path_sum(named, snapshot.end) > 0) & ~named
    part |= tree.path_sum(_has_type(snapshot), snapshot.end) > 0
    for first, last in _after_headings(blocks):
        part[first:last] = True
    return np.asarray(part, dtype=bool)


def named_comments(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements are one comment by class, id or microdata: bool (N,)."""
    return np.asarray(_has_name(snapshot, _COMMENT_NAME) | _has_type(snapshot), dtype=bool)


def _has_name(snapshot: Snapshot, pattern: re.Pattern[str]) -> NDArray[np.bool_]:
    """Return which elements have a class or an id that is a name of a pattern: bool (N,)."""
    has_name = np.zeros(len(snapshot), dtype=bool)
    for attribute in ("class", "id"):
        values = snapshot.values(attribute)
        joined = "\n".join(values.distinct).lower()
        if not any(stem in joined for stem in _STEMS):
            continue
        hits = [any(pattern.fullmatch(word[:60]) for word in value[:300].split()) for value in values.distinct]
        has_name[values.node[np.array(hits, dtype=bool)[values.index]]] = True
    return has_name


def _has_type(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements are comments in the vocabulary of schema.org: bool (N,)."""
    has_type = np.zeros(len(snapshot), dtype=bool)
    values = snapshot.values("itemtype")
    if len(values.node):
        hits = [value.rstrip("/").rpartition("/")[2] in _COMMENT_TYPES for value in values.distinct]
        has_type[values.node[np.array(hits, dtype=bool)[values.index]]] = True
    return has_type


def _after_headings(blocks: BlockColumns) -> list[tuple[int, int]]:
    """Return the ranges of elements from the end of each heading above comments to the end of its section."""
    snapshot = blocks.snapshot
    is_heading = snapshot.is_tag(("h1", "h2", "h3", "h4", "h5", "h6", "legend"))[blocks.node]
    ranges = []
    for row in np.flatnonzero(is_heading).tolist():
        if len(blocks.text[row]) <= _MAX_HEADING and _HEADING.fullmatch(blocks.text[row].strip()):
            first = int(snapshot.end[blocks.node[row]])
            ranges.append((first, _end_of_section(snapshot, int(blocks.node[row]))))
    return ranges


def _end_of_section(snapshot: Snapshot, heading: int) -> int:
    """Return the end of the smallest element around a heading with elements after it."""
    first = int(snapshot.end[heading])
    return next((int(snapshot.end[each]) for each in snapshot.ancestors(heading) if snapshot.end[each] > first), first)
