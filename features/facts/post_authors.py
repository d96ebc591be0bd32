"""Find the authors of posts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.facts.slots import LEAST_SHARE, order_in_record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.facts.slots import RecordTexts

_ACTION: Final = re.compile(
    r"(?:log in to |reply to )?(?:reply|answer|quote|report|share|likes?|upvote|permalink|link|edit|delete|flag|"
    r"antworten|zitieren|melden|teilen|répondre|signaler|citer|responder|citar|rispondi|odpowiedz|reageer|svara|svar|"
    r"ответить|цитировать|回复|回覆|返信|답글)\W*\d*\W*",
    re.IGNORECASE,
)
"""Text of a control of a post."""
_NO_NAME_END: Final = re.compile(r"(?:[:?!,]|\w{4}\.|\.\.)$")
"""End of a text that is no name; names may end in an initial or an abbreviation."""
_NAME_TAGS: Final = ("b", "strong")
"""Elements that names of authors are in more often than ranks and places."""
_AUTHOR_NAME: Final = re.compile(
    r"author|user|member|nick|poster|byline|profile|creator|autor|contributor|\bname\b|-name|name-", re.IGNORECASE
)
_AUTHOR_URL: Final = re.compile(
    r"(?:^|[/?&.=_-])(?:u|users?|members?|memberlist|profiles?|profil|author|people|mitglied(?:er)?|membres?|usuarios?|showuser|viewprofile)(?:[/?&;.=_-]|$)",
    re.I,
)
_NUMBER: Final = re.compile(r"\d[\d.,]* ")
_NAME: Final = re.compile(r"[^\W\d_]")
CLEAR_SIGN: Final = 0.8
"""Sign of an author from which a text is one without others in its slot."""
_MAX_NAME: Final = 50
"""Longest name of an author, in characters."""


def find_authors(texts: RecordTexts, is_date: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the text with the author of each post, -1 without: int64 (R,)."""
    sign = author_signs(texts)
    short = np.array(
        [
            0 < len(text) <= _MAX_NAME
            and bool(_NAME.search(text))
            and not _NUMBER.match(text)
            and not _NO_NAME_END.search(text)
            and not _ACTION.fullmatch(text)
            for text in texts.texts
        ],
        dtype=bool,
    )
    clear, is_template = sign >= CLEAR_SIGN, texts.is_template(ignore_digits=True)
    candidates = short & ~is_date & (texts.record >= 0)
    # The same text in every post is a label such as "View profile", unless the posts have one author.
    named = np.unique(texts.record[candidates & clear & ~is_template])
    candidates &= ~is_template if 2 * len(named) >= len(texts.records) else ~is_template | clear
    distinct = texts.distinct_share(candidates)
    bonus = sign + np.minimum(distinct * 3, 1) - 0.02 * order_in_record(texts, candidates)
    slot = texts.best_slot(candidates, bonus, LEAST_SHARE)
    found = texts.fill(candidates, slot)
    rest = texts.fill_any(candidates & (sign >= CLEAR_SIGN))
    return np.where(found >= 0, found, rest)


def author_signs(texts: RecordTexts) -> NDArray[np.float64]:
    """Return how clearly markup shows that each text is an author: float64 (K,)."""
    snapshot = texts.blocks.snapshot
    sign = np.zeros(len(snapshot))
    for attribute, pattern, value in (
        ("itemprop", re.compile("author|creator|name"), 0.6), ("rel", re.compile("author"), 0.6),
        ("class", _AUTHOR_NAME, 0.5), ("href", _AUTHOR_URL, 0.8),
    ):  # fmt: skip
        values = snapshot.values(attribute)
        hits = [bool(pattern.search(text[-200:])) and not _is_anchor(text, snapshot.url) for text in values.distinct]
        hit = np.array(hits, dtype=bool)
        if hit.any():
            sign[values.node[hit[values.index]]] += value
    parent = np.maximum(snapshot.parent, 0)
    above = sign[parent]
    sign += 0.7 * above + 0.4 * sign[parent[parent]] + 0.2 * snapshot.is_tag(_NAME_TAGS)
    return np.asarray(sign[texts.parent], dtype=np.float64)


def _is_anchor(link: str, url: str) -> bool:
    """Return whether a link leads to another place in the document with a URL."""
    address, mark, _ = link.partition("#")
    return bool(mark) and address in ("", url.partition("#")[0])
