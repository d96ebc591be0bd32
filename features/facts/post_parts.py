"""Find parts of posts: texts that are dates or contain one, authors, and to how many posts each post replies."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.facts.groups import LEAST_SHARE, order_in_record
from vclean.features.facts.mentions import pattern_of
from vclean.features.text.terms import date_words
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.facts.groups import RecordTexts

MAX_CHARACTERS: Final = 120
"""Length of a text that may be a date with its label, such as `Posted by Ines on 3 May 2020, 14:05`."""
_NUMERIC: Final = "|".join((
    r"\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4}", r"\d{4}[./-] ?\d{1,2}[./-] ?\d{1,2}",
    r"\d{4} ?[年년] ?\d{1,2} ?[月월]", r"\d{1,2} ?[月월] ?\d{1,2} ?[日일]",
))  # fmt: skip

_NEAR_DAYS: Final = frozenset((
    "yesterday", "today", "gestern", "heute", "hier", "aujourd'hui", "ayer", "hoy", "ieri", "oggi", "ontem", "hoje",
))  # fmt: skip
"""Words of `data/date_words.tsv` that are dates by themselves."""
_ACTION: Final = r"(?:(?:log in to |reply to )?(?:{action})\W*\d*\W*)+"
"""Text of controls of a post, as a template for `pattern_of`."""
_ANSWER_LABEL: Final = r".*(?:{answer_label})\W*"
"""Text before the name of somebody whom a post answers, as a template."""
_NO_NAME_END: Final = re.compile(r"(?:[:?!,]|\w{4}\.|\.\.)$")
"""End of a text that is no name; names may end in an initial or an abbreviation."""
_FORMATTING: Final = ("b", "strong", "i", "em", "u", "font")
"""Tags of elements around the names of moderators, in color, that do not take the place of the markup of authors."""
_NAME_TAGS: Final = ("b", "strong")
"""Elements that names of authors are in more often than ranks and places."""
_AUTHOR_NAME: Final = re.compile(
    r"author|user(?!\w*title)|member|nick|poster|byline|profile|creator|autor|contributor|\bname\b|-name|name-",
    re.IGNORECASE,
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
_DEPTH: Final = re.compile(r"(?:depth|level|indent)[-_]?(\d{1,2})\b", re.IGNORECASE)
_DEPTH_ATTRIBUTES: Final = ("data-depth", "data-level", "depth", "indent", "aria-level")
_LEVEL: Final = re.compile(r"\d{1,2}", re.ASCII)
_INDENT: Final = re.compile(r"(?:margin|padding)-left:\s*(\d{1,4}(?:\.\d{1,4})?)(?:px|em|rem|%)?", re.IGNORECASE)
"""Indentation in the inline style of a post."""


@lru_cache(maxsize=64)
def _pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of dates in English and another language: digits, months beside digits, relative times."""
    terms = dict.fromkeys([*date_words("en"), "may", *date_words(language)])
    months = [re.escape(term) for term in terms if " " not in term]
    phrases = [re.escape(term).replace("00", "0").replace("0", r"\d+") for term in terms if " " in term]
    names = "|".join(sorted(months, key=len, reverse=True))
    relative = "|".join(
        [r"(?:a|an|\d+)\s?(?:[smhdwy]|secs?|mins?|hrs?|mos?)\s+ago", *phrases, *sorted(_relative(terms))]
    )
    month = rf"\d[\W_]{{0,3}}(?:de\s|of\s)?(?:{names})\b|\b(?:{names})\b\.?[\W_]{{0,3}}\d"
    return re.compile(rf"{_NUMERIC}|{month}|\b(?:{relative})\b", re.IGNORECASE)


def _relative(terms: dict[str, None]) -> frozenset[str]:
    """Return the words for today and yesterday."""
    return _NEAR_DAYS & set(terms)


def date_start(text: str, language: str) -> int:
    """Return the index of the first character of the date in a text, 0 if it is only marked up as one."""
    match = _pattern(language).search(text)
    return match.start() if match else 0


def find_date_texts(blocks: BlockColumns, language: str) -> NDArray[np.bool_]:
    """Return which of the K text nodes in blocks (`blocks.members`) are short and contain a date: bool (K,)."""
    pattern, snapshot, members = _pattern(language), blocks.snapshot, blocks.members
    in_time = snapshot.is_tag(("time",))[snapshot.text_parent[members]].tolist()
    texts = snapshot.texts
    has_date = [
        timed or (len(text.strip()) <= MAX_CHARACTERS and bool(pattern.search(text)))
        for text, timed in zip((texts[row] for row in members.tolist()), in_time, strict=True)
    ]
    return np.array(has_date, dtype=bool)


def find_authors(texts: RecordTexts, is_date: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the text with the author of each post, -1 without: int64 (R,)."""
    sign = author_signs(texts)
    short = np.array(
        [
            1 < len(text) <= _MAX_NAME
            and bool(_NAME.search(text))
            and text[0] != "("
            and not _NUMBER.match(text)
            and not _NO_NAME_END.search(text)
            and not is_action(text)
            and not pattern_of(_ANSWER_LABEL).fullmatch(texts.label_before(row))
            for row, text in enumerate(texts.texts)
        ],
        dtype=bool,
    )
    clear, is_template = sign >= CLEAR_SIGN, texts.is_template
    candidates = short & ~is_date
    # The same text in every post is a label such as "View profile", unless the posts have one author.
    is_label = is_template & texts.are_labels(candidates)
    named = np.unique(texts.record[candidates & clear & ~is_label])
    candidates &= ~is_label if 2 * len(named) >= len(texts.records) else ~is_template | clear
    distinct = texts.distinct_share(candidates)
    bonus = sign + np.minimum(distinct * 3, 1) - 0.02 * order_in_record(texts, candidates)
    slot = texts.best_slot(candidates, bonus, LEAST_SHARE)
    found = texts.fill(candidates, slot)
    rest = texts.fill_any(candidates & (sign >= CLEAR_SIGN))
    return np.where(found >= 0, found, rest)


def is_action(text: str) -> bool:
    """Return whether a text is that of controls of a post.

    >>> is_action("Reply"), is_action("Like 3 Reply"), is_action("Reply to the mayor")
    (True, True, False)
    """
    return len(text) <= MAX_CHARACTERS and bool(pattern_of(_ACTION).fullmatch(text))


def author_signs(texts: RecordTexts) -> NDArray[np.float64]:
    """Return how clearly markup shows that each text is an author: float64 (K,)."""
    snapshot = texts.blocks.snapshot
    sign = np.zeros(len(snapshot))
    for attribute, pattern, value in (
        ("itemprop", re.compile("author|creator|name"), 0.6), ("rel", re.compile("author"), 0.6),
        ("rel", re.compile("tag|bookmark"), -1.0),
        ("class", _AUTHOR_NAME, 0.5), ("href", _AUTHOR_URL, 0.8),
    ):  # fmt: skip
        values = snapshot.values(attribute)
        hit = np.array([bool(pattern.search(text[-200:])) for text in values.distinct], dtype=bool)
        if hit.any():
            sign[values.node[hit[values.index]]] += value
    parent = np.maximum(snapshot.parent, 0)
    sign += 0.7 * sign[parent] + 0.4 * sign[parent[parent]]
    around = tree.nearest_ancestor(~snapshot.is_tag(_FORMATTING), snapshot.parent)[texts.parent]
    return np.asarray(sign[around] + 0.2 * snapshot.is_tag(_NAME_TAGS)[texts.parent], dtype=np.float64)


def post_depths(texts: RecordTexts, authors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the depth of replies: by nesting, by the classes or attributes of the records, or by edges: int64 (R,).

    Args:
        texts: the texts of the records.
        authors: int64 (R,), the text with the author of each post, -1 without.
    """
    snapshot, records = texts.blocks.snapshot, texts.records
    is_record = np.zeros(len(snapshot), dtype=bool)
    is_record[records] = True
    nested = tree.path_sum(is_record, snapshot.end)[records] - 1
    if nested.any():
        return nested
    classes = snapshot.attributes("class")
    levels = [_DEPTH.search(classes.get(record, "")) for record in records.tolist()]
    if any(levels):
        return _from_zero([int(level[1]) if level else 0 for level in levels])
    for name in _DEPTH_ATTRIBUTES:
        numbers = _numbers_in(texts, name)
        if len(numbers) == len(records):
            return _from_zero([numbers[record] for record in range(len(records))])
    edges = [snapshot.box[records, 0]]
    if len(authors) and authors.min() >= 0:
        edges.append(snapshot.box[texts.parent[authors], 0])
    if not np.isfinite(edges[0]).all():
        styles = snapshot.attributes("style")
        indents = [_INDENT.search(styles.get(record, "")[:500]) for record in records.tolist()]
        return _ranks([float(indent[1]) if indent else 0 for indent in indents])
    ranks = [_ranks(edge.tolist()) for edge in edges if np.isfinite(edge).all()]
    return next((rank for rank in ranks if rank.any()), ranks[0])


def _numbers_in(texts: RecordTexts, name: str) -> dict[int, int]:
    """Return the first whole number in an attribute of each record or of an element in it, by record."""
    numbers: dict[int, int] = {}
    for element, value in texts.blocks.snapshot.attributes(name).items():
        record = int(texts.record_of_element[element])
        if record >= 0 and _LEVEL.fullmatch(value):
            numbers.setdefault(record, int(value))
    return numbers


def _from_zero(numbers: list[int]) -> NDArray[np.int64]:
    return np.array(numbers, dtype=np.int64) - min(numbers)


def _ranks(edges: list[float]) -> NDArray[np.int64]:
    """Return the rank of each of some left edges, in CSS px, among the distinct ones: int64 (R,)."""
    return np.unique(np.round(np.array(edges) / 4), return_inverse=True)[1].astype(np.int64)
