"""Find the posts of a thread, or the comments below a document: their elements, authors, dates and bodies.

Posts are the repeated elements that together have most of the text, each with a date. The texts that all posts have at
the same position, and that look like a name or a date, are authors and dates; the largest repeated part of a post
without them is its body.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.facts.groups import LEAST_SHARE, RecordTexts, sum_weights
from vclean.features.facts.mentions import pattern_of
from vclean.features.text.terms import date_words
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns
    from vclean.features.facts.groups import RecordGroups

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
_NO_NAME_END: Final = re.compile(r"(?:[:?!,]|\w{4}\.|\.\.)$")
"""End of a text that is no name; names may end in an initial or an abbreviation."""
_FORMATTING: Final = ("b", "strong", "i", "em", "u", "font")
"""Tags of elements around the names of moderators, in color, that do not take the place of the markup of authors."""
_AUTHOR_NAME: Final = re.compile(
    r"author|user(?!\w*title)|member|nick|poster|byline|profile|creator|autor|contributor|\bname\b|-name|name-",
    re.IGNORECASE,
)
_AUTHOR_URL: Final = re.compile(
    r"(?m)(?:^|[/?&.=_-])(?:u|users?|members?|memberlist|profiles?|profil|author|people|mitglied(?:er)?|membres?|usuarios?|showuser|viewprofile)(?:[/?&;.=_-]|$)",
    re.I,
)
_NUMBER: Final = re.compile(r"\d[\d.,]* ")
_NAME: Final = re.compile(r"[^\W\d_]")
CLEAR_SIGN: Final = 0.8
"""Sign of an author from which a text is one without others in its slot."""
_MAX_NAME: Final = 50
"""Longest name of an author, in characters."""
_DEPTH: Final = re.compile(r"(?:depth|level|indent)[-_]?(\d{1,2})\b", re.IGNORECASE)
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
        [r"(?:a|an|\d+)\s?(?:[smhdwy]|secs?|mins?|hrs?|mos?)\s+ago", *phrases, *sorted(_NEAR_DAYS & set(terms))]
    )
    month = rf"\d[\W_]{{0,3}}(?:de\s|of\s)?(?:{names})\b|\b(?:{names})\b\.?[\W_]{{0,3}}\d"
    return re.compile(rf"{_NUMERIC}|{month}|\b(?:{relative})\b", re.IGNORECASE)


def find_date_texts(blocks: BlockColumns, language: str) -> NDArray[np.bool_]:
    """Return which of the K text nodes in blocks (`blocks.members`) are short and contain a date: bool (K,)."""
    pattern, snapshot = _pattern(language), blocks.snapshot
    is_date = snapshot.is_tag(("time",))[snapshot.text_parent[blocks.members]]
    texts = (snapshot.texts[row] for row in blocks.members.tolist())
    is_date |= np.array([len(text.strip()) <= MAX_CHARACTERS and bool(pattern.search(text)) for text in texts], bool)
    return is_date


def find_authors(texts: RecordTexts, is_date: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the text with the author of each post, -1 without: int64 (R,)."""
    sign = author_signs(texts.blocks)[texts.member]
    answer = pattern_of(r".*(?:{answer_label})\W*")  # before the name of somebody whom a post answers
    short = np.array(
        [
            1 < len(text) <= _MAX_NAME
            and bool(_NAME.search(text))
            and text[0] != "("
            and not _NUMBER.match(text)
            and not _NO_NAME_END.search(text)
            and not is_action(text)
            and not answer.fullmatch(texts.label_before(row))
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
    bonus = sign + np.minimum(distinct * 3, 1) - 0.02 * texts.order_in_record(candidates)
    return texts.first_of_each(candidates & texts.in_best_slot(candidates, bonus), candidates & clear)


def is_action(text: str) -> bool:
    """Return whether a text is that of controls of a post.

    >>> is_action("Reply"), is_action("Like 3 Reply"), is_action("Reply to the mayor")
    (True, True, False)
    """
    return len(text) <= MAX_CHARACTERS and bool(
        pattern_of(r"(?:(?:log in to |reply to )?(?:{action})\W*\d*\W*)+").fullmatch(text)
    )


def author_signs(blocks: BlockColumns) -> NDArray[np.float64]:
    """Return how clearly markup shows that each of the K text nodes in blocks is an author: float64 (K,)."""
    snapshot = blocks.snapshot
    text_parent = snapshot.text_parent[blocks.members]
    sign = np.zeros(len(snapshot))
    for attribute, pattern, value in (
        ("itemprop", re.compile("author|creator|name"), 0.6), ("rel", re.compile("author"), 0.6),
        ("rel", re.compile("tag|bookmark"), -1.0),
        ("class", _AUTHOR_NAME, 0.5), ("href", _AUTHOR_URL, 0.8),
    ):  # fmt: skip
        sign[snapshot.having(attribute, pattern)] += value
    parent = np.maximum(snapshot.parent, 0)
    sign += 0.7 * sign[parent] + 0.4 * sign[parent[parent]]
    around = tree.nearest_ancestor(~snapshot.is_tag(_FORMATTING), snapshot.parent)[text_parent]
    is_bold = snapshot.is_tag(("b", "strong"))[text_parent]  # ranks and places are less often
    return np.asarray(sign[around] + 0.2 * is_bold, dtype=np.float64)


def post_depths(texts: RecordTexts, authors: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the depth of replies: by nesting, by the classes or attributes of the records, or by edges: int64 (R,).

    Args:
        texts: the texts of the records.
        authors: int64 (R,), the text with the author of each post, -1 without.
    """
    snapshot, records = texts.blocks.snapshot, texts.records
    nested = tree.path_sum(np.bincount(records, minlength=len(snapshot)), snapshot.end)[records] - 1
    if nested.any():
        return nested
    if levels := _declared_levels(texts):
        return np.array(levels, dtype=np.int64) - min(levels)
    edges = [snapshot.box[records, 0]]
    if len(authors) and authors.min() >= 0:
        edges.append(snapshot.box[texts.parent[authors], 0])
    if not np.isfinite(edges[0]).all():
        styles = snapshot.attributes("style")
        indents = [_INDENT.search(styles.get(record, "")[:500]) for record in records.tolist()]
        return _ranks([float(indent[1]) if indent else 0 for indent in indents])
    ranks = [_ranks(edge.tolist()) for edge in edges if np.isfinite(edge).all()]
    return next((rank for rank in ranks if rank.any()), ranks[0])


def _declared_levels(texts: RecordTexts) -> list[int]:
    """Return the depth of each record by its classes, or else by an attribute of it or of an element in it.

    The list is empty if no record has such a class, and no attribute is in all of them.
    """
    snapshot, records = texts.blocks.snapshot, texts.records.tolist()
    classes = snapshot.attributes("class")
    matches = [_DEPTH.search(classes.get(record, "")) for record in records]
    if any(matches):
        return [int(match[1]) if match else 0 for match in matches]
    for name in ("data-depth", "data-level", "depth", "indent", "aria-level"):
        numbers: dict[int, int] = {}
        for element, value in snapshot.attributes(name).items():
            if _LEVEL.fullmatch(value):
                numbers.setdefault(int(texts.record_of_element[element]), int(value))
        if all(record in numbers for record in range(len(records))):
            return [numbers[record] for record in range(len(records))]
    return []


def _ranks(edges: list[float]) -> NDArray[np.int64]:
    """Return the rank of each of some left edges, in CSS px, among the distinct ones: int64 (R,)."""
    return np.unique(np.round(np.array(edges) / 4), return_inverse=True)[1].astype(np.int64)


LEAST_COVER: Final = 0.3
"""Share of the weighted words of a page that records need to have to be its posts."""
_SAME_COVER: Final = 0.95
"""Share of the words of records that those around them need to have."""
_MOST: Final = 0.8
"""Share of the records that need to have two cells, one of them with less than half of the words of the other."""
_UNDATED: Final = 0.35
"""Weight of a record without a date, relative to one with a date."""
_UNNAMED: Final = 0.75
"""Weight of a record that is not named as a post, such as a column of the page."""
_POST_NAME: Final = re.compile(
    r"post|comment|message|msg|reply|replies|answer|beitrag|kommentar|thread|discussion|review|topic", re.IGNORECASE
)
_WITH_SLOT: Final = 0.6
"""Weight of a part with the author or the date of a post inside, as its body."""
_SEVERAL_PARTS: Final = 0.95
"""Weight of a body in several parts: the cell of the author may be one of them."""
_CLOCK: Final = re.compile(r"\d[:h]\d\d")


@dataclass(frozen=True, slots=True, eq=False)
class PostRecord:
    """One post, by positions on its page.

    Attributes:
        element: the element of the post.
        rows: the blocks of its body.
        author: the text node of the author in the snapshot, -1 if unknown.
        date: the text node of the date in the snapshot, -1 if unknown.
        depth: the number of posts that it replies to, directly or not; 0 for posts that are no reply.
    """

    element: int
    rows: tuple[int, ...]
    author: int
    date: int
    depth: int


def find_posts(
    blocks: BlockColumns,
    groups: RecordGroups,
    weight: NDArray[np.float64],
    gain: NDArray[np.float64],
    language: str,
    *,
    opening: bool = True,
) -> list[PostRecord]:
    """Return the posts of a page in document order; empty if it has none.

    Args:
        blocks: the blocks of the page.
        groups: the groups of repeated elements of the page.
        weight: float64 (B,), how much each block may be the text of a post: its words times a factor from 0 to 1.
        gain: float64 (B,), words times how much more likely than not each block is content, -0.5 to 0.5.
        language: the language of the page, ISO 639-1.
        opening: whether the text before the posts may be a post of another structure, as that which opens a thread.
    """
    snapshot = blocks.snapshot
    is_date = find_date_texts(blocks, language)
    words = sum_weights(blocks, weight)
    dates = snapshot.count_in(snapshot.text_parent[blocks.members[is_date]])
    best = _best_group(groups, words, dates)
    if best < 0:
        return []
    members = groups.members(best)
    members = members[words[members] > 0]
    texts = RecordTexts(blocks, members)
    date, author = _dates(texts, is_date[texts.member], language), find_authors(texts, is_date[texts.member])
    bodies = _bodies(texts, groups, weight, gain, np.concatenate([date, author]))
    node = np.append(texts.node, -1).tolist()  # the last one is that of posts without author or date
    posts = [
        PostRecord(element, body, node[by], node[on], depth)
        for element, body, by, on, depth in zip(
            members.tolist(), bodies, author.tolist(), date.tolist(), post_depths(texts, author).tolist(), strict=True
        )
        if body
    ]
    return [*(_opening(blocks, int(members[0]), gain, is_date) if opening else []), *posts]


def _opening(
    blocks: BlockColumns, first: int, gain: NDArray[np.float64], is_date: NDArray[np.bool_]
) -> list[PostRecord]:
    """Return the opening post if it has another structure than the replies after it, which begin with `first`.

    It is the element before them with most content, if that contains an author or a date.
    """
    snapshot = blocks.snapshot
    heading = tree.inside(snapshot.is_tag(("h1", "h2", "h3", "title")), snapshot.end)[blocks.node]
    body_gain = np.where(heading, 0, np.maximum(gain, 0))
    content = sum_weights(blocks, body_gain)
    before = snapshot.end <= first
    if not before.any():
        return []
    element = int(np.flatnonzero(before & (content == content[before].max()))[0])
    inside = np.isin(blocks.members, snapshot.texts_in(element))
    sign = np.where(inside, author_signs(blocks), 0)
    is_author = (sign >= CLEAR_SIGN) & (sign == sign.max())
    author, date = (next(iter(blocks.members[mask].tolist()), -1) for mask in (is_author, inside & is_date))
    if author == date == -1:
        return []
    slots = blocks.text_block[[node for node in (author, date) if node >= 0]]
    in_element = (blocks.node >= element) & (blocks.node < snapshot.end[element]) & (body_gain > 0)
    in_element[slots] = False
    rows = tuple(np.flatnonzero(in_element).tolist())
    return [PostRecord(element, rows, author, date, 0)] if rows else []


def _best_group(groups: RecordGroups, words: NDArray[np.float64], dates: NDArray[np.int64]) -> int:
    """Return the group that is most likely the posts, -1 if there is none.

    The score is the share of the words in the group, times the share of members with a date, times a factor that
    grows with their number: two columns have all the words as well.
    """
    cover = groups.total(words) / max(float(words[0]), 1)
    filled = np.maximum(groups.count(words >= 1), 1)
    dated = groups.count((dates > 0) & (words >= 1))
    is_named = groups.snapshot.having("class", _POST_NAME) | groups.snapshot.having("id", _POST_NAME)
    named = 2 * groups.count(is_named) > groups.size
    share = np.where(dated > 0, _UNDATED + (1 - _UNDATED) * dated / groups.size, _UNDATED * named)
    share *= np.where(named, 1, _UNNAMED)
    score = np.where(cover >= LEAST_COVER, cover * share * (1 - 1 / (filled + groups.is_part)) ** 2, 0)
    best = groups.best(score)
    if best < 0:
        return best
    around = np.flatnonzero(named & (cover >= _SAME_COVER * cover[best]) & (groups.size < groups.size[best]))
    return next((group for group in around.tolist() if _has_two_cells(groups, group, best, words)), best)


def _has_two_cells(groups: RecordGroups, group: int, cells: int, words: NDArray[np.float64]) -> bool:
    """Return whether most members of a group have two of another: a short cell with the author, and a long one."""
    outer, inner = groups.members(group), groups.members(cells)
    first, last = np.searchsorted(inner, outer), np.searchsorted(inner, groups.snapshot.end[outer])
    pairs = first[last - first == 2]
    if len(pairs) < 2 or len(pairs) < _MOST * len(outer):
        return False
    before, after = words[inner[pairs]], words[inner[pairs + 1]]
    return bool(max((2 * before < after).mean(), (2 * after < before).mean()) >= _MOST)


def _dates(texts: RecordTexts, is_date: NDArray[np.bool_], language: str) -> NDArray[np.int64]:
    """Return the text with the date of each post, -1 without: int64 (R,)."""
    snapshot, pattern, bonus = texts.blocks.snapshot, _pattern(language), np.zeros(len(is_date))
    for row in np.flatnonzero(is_date).tolist():
        text = texts.texts[row]
        before = "" if row and is_date[row - 1] else texts.label_before(row)
        match = pattern.search(text)
        label = f"{before} {text[: match.start() if match else 0]}"
        # When the author joined, or when the post was changed.
        is_other = pattern_of("{other_date}").search(label)
        bonus[row] = 0.3 * bool(_CLOCK.search(text)) - 1.0 * bool(is_other)
    bonus += 0.3 * snapshot.is_tag(("time",))[texts.parent] - texts.order_in_record(is_date) * 0.1
    likely = is_date & (bonus > -0.6)
    return texts.first_of_each(likely & texts.in_best_slot(is_date, bonus), likely)


def _bodies(
    texts: RecordTexts,
    groups: RecordGroups,
    weight: NDArray[np.float64],
    gain: NDArray[np.float64],
    slots: NDArray[np.int64],
) -> list[tuple[int, ...]]:
    """Return the blocks of the body of each post: those in its largest repeated part, but for author and date.

    A part with the author or the date inside counts less than one without. A post without a body has all its blocks
    with weight.
    """
    blocks, snapshot = texts.blocks, texts.blocks.snapshot
    size, record, slots = len(snapshot), texts.record_of_element, slots[slots >= 0]
    is_free = snapshot.count_in(texts.parent[slots]) == 0
    in_slot = np.bincount(blocks.text_block[texts.node[slots]], minlength=len(blocks)) > 0
    gain_at = np.bincount(blocks.node, gain * ((record[blocks.node] >= 0) & ~in_slot), minlength=size)
    # A record inside another is no part of it.
    has_record = snapshot.count_in(texts.records) > 0
    words = np.where(has_record, 0, tree.subtree_sum(gain_at, snapshot.end) * np.where(is_free, 1, _WITH_SLOT))
    is_part = words > 0
    covered = _covered_records(groups, record, is_part, len(texts.records))
    score = np.where(covered >= LEAST_SHARE, groups.total(words) * np.minimum(covered + 0.2, 1), 0)
    score *= np.where(groups.count(is_part) > covered * len(texts.records), _SEVERAL_PARTS, 1)
    part = np.zeros(size, dtype=bool)
    if score.max(initial=0) > 0:
        chosen = groups.members(int(score.argmax()))
        part[chosen[~has_record[chosen]]] = True
    in_part = tree.inside(part, snapshot.end)[blocks.node] & ~in_slot
    has_body = np.zeros(len(texts.records), dtype=bool)
    has_body[record[blocks.node[in_part]]] = True
    without_body = ~has_body[record[blocks.node]] & ~in_slot & (weight > 0)
    return texts.blocks_of_each(in_part | without_body)


def _covered_records(
    groups: RecordGroups, record: NDArray[np.int64], valid: NDArray[np.bool_], count: int
) -> NDArray[np.float64]:
    """Return the share of the records with a valid member of each group: float64 (G,)."""
    keep = valid[groups.element]
    pairs = np.unique(groups.group[keep] * count + record[groups.element[keep]])
    return np.bincount(pairs // count, minlength=len(groups)) / count
