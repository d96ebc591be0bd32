"""Derive the kind of each block from gold: from marks and metadata of the corpora, and from names in the page.

No corpus has the kinds of all blocks. L3S-GN1 marks headlines, text, supplements, related links and comments. Other
corpora have readers' comments apart from the article, titles, authors and dates, or types of pages: the content of a
forum consists of posts. Blocks outside the content are `OTHER` unless their names or elements suggest a kind that the
gold leaves out; then their kind is unknown.
"""

from __future__ import annotations

import re
from itertools import groupby
from typing import TYPE_CHECKING, Final

import lxml.html
import numpy as np
from lxml import etree

from vclean.classify.corpora.alignment import tokenize
from vclean.classify.corpora.gold import find_covered_blocks
from vclean.features.names import element_names
from vclean.labels import KINDS, UNKNOWN, Kind
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.gold import GoldPage
    from vclean.features.page_context import PageContext

MAX_META_WORDS: Final = 25
"""Maximum number of words of a byline or date: longer blocks name authors and dates in passing."""
_L3S: Final = {"1": Kind.TITLE, "2": Kind.BODY, "3": Kind.LEAD, "4": Kind.RELATED, "5": Kind.COMMENT}
_L3S_CLASS: Final = re.compile(r"\bx-nc-sel([1-5])\b")
_CONTENT_BY_PAGE_TYPE: Final = {
    "forum": Kind.POST,
    "listing": Kind.ITEM,
    "collection": Kind.ITEM,
    "article": Kind.BODY,
    "documentation": Kind.BODY,
    "service": Kind.BODY,
}
_NAMED: Final = {"comments": Kind.COMMENT, "author": Kind.BYLINE, "date": Kind.DATE, "related": Kind.RELATED}
"""Kinds that the name of an element around a block suggests, by group of names."""
_HEADINGS: Final = ("h1", "h2", "h3", "h4", "h5", "h6")
_MIN_LEAD_WORDS: Final = 8
_DIGIT: Final = re.compile(r"\d")


def gold_kinds(context: PageContext, page: GoldPage, is_content: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Return the kinds of the B blocks of a page, int8 (B,): indices into `KINDS`, `UNKNOWN` where gold is silent.

    Args:
        context: the blocks of the page.
        page: its gold.
        is_content: bool (B,), which blocks the gold text contains.
    """
    kinds = np.where(is_content, _content_kind(page), _code(Kind.OTHER)).astype(np.int8)
    if page.is_partial:
        kinds[~is_content] = UNKNOWN
    suggested = _suggested_kinds(context)
    kinds[~is_content & (suggested != UNKNOWN)] = UNKNOWN
    for kind, covered in _known_texts(context.blocks.text, page):
        kinds[covered] = _code(kind)
    # A name is believed where the gold agrees that the block is no content.
    weak = ~is_content & (kinds == UNKNOWN) & (suggested != UNKNOWN) & ~np.isin(suggested, [_code(Kind.RELATED)])
    kinds[weak] = suggested[weak]
    _mark_metadata(context, page, kinds)
    return kinds


def _code(kind: Kind) -> int:
    return KINDS.index(kind)


def _content_kind(page: GoldPage) -> int:
    """Return the kind of content blocks that have no other mark: from the type of the page, or of the corpus."""
    if page.page_type in _CONTENT_BY_PAGE_TYPE:
        return _code(_CONTENT_BY_PAGE_TYPE[page.page_type])
    # Articles with comments apart, or with marks in the page: the rest of the gold text is their body.
    return _code(Kind.BODY) if page.comments or page.annotated else UNKNOWN


def _suggested_kinds(context: PageContext) -> NDArray[np.int8]:
    """Return the kinds that names of elements around the blocks suggest, int8 (B,), `UNKNOWN` for none."""
    suggested = np.full(len(context), UNKNOWN, dtype=np.int8)
    short = context.tokens <= MAX_META_WORDS
    has_digit = np.array([bool(_DIGIT.search(text)) for text in context.blocks.text], dtype=bool)
    possible = {Kind.BYLINE: short & ~has_digit, Kind.DATE: short & has_digit}
    words = context.sum_over_subtrees(context.tokens)
    for group, kind in _NAMED.items():
        named = (context.name_bits & np.uint64(1 << element_names.NAME_GROUPS.index(group))) > 0
        # An element with most of the page is named after its content as a whole.
        inside = tree.path_sum(named & (words <= words[0] / 2), context.snapshot.end)[context.blocks.node] > 0
        suggested[inside & possible.get(kind, True)] = _code(kind)
    return suggested


def _known_texts(texts: Sequence[str], page: GoldPage) -> list[tuple[Kind, NDArray[np.bool_]]]:
    """Return kinds with the blocks, bool (B,), that a text of this kind in the gold covers."""
    marked = _marked_texts(page.annotated) if page.annotated else {}
    if page.comments:
        marked[Kind.COMMENT] = page.comments
    return [(kind, find_covered_blocks(texts, text)) for kind, text in marked.items()]


def _marked_texts(annotated: bytes) -> dict[Kind, str]:
    """Return the texts of each kind in a document with the marks of L3S-GN1."""
    try:
        document = lxml.html.document_fromstring(annotated)
    except (etree.ParserError, etree.XMLSyntaxError):
        return {}
    spans = [
        (_L3S[match[1]], " ".join(map(str, element.itertext())))
        for element in document.iter("span")
        if (match := _L3S_CLASS.search(element.get("class", "")))
    ]
    spans.sort(key=lambda span: KINDS.index(span[0]))
    return {kind: "\n".join(text for _, text in group) for kind, group in groupby(spans, key=lambda span: span[0])}


def _mark_metadata(context: PageContext, page: GoldPage, kinds: NDArray[np.int8]) -> None:
    """Mark the blocks with the title, the authors and the date of the gold, in place."""
    texts = [tuple(tokenize(text)) for text in context.blocks.text]
    title = _title_block(context, texts, tuple(tokenize(page.title)))
    if title >= 0:
        kinds[title] = _code(Kind.TITLE)
        _mark_lead(page, texts, title, kinds)
    names = [tuple(tokenize(name)) for name in page.authors]
    for block, words in enumerate(texts):
        if len(words) > MAX_META_WORDS or block == title or kinds[block] == _code(Kind.COMMENT):
            continue
        if any(len(name) > 1 and _contains(words, name) for name in names):
            kinds[block] = _code(Kind.BYLINE)
        elif page.date and _has_day(words, page.date):
            kinds[block] = _code(Kind.DATE)


def _title_block(context: PageContext, texts: Sequence[tuple[str, ...]], title: tuple[str, ...]) -> int:
    """Return the first block with the words of the title, preferably a heading; -1 if there is none."""
    same = [block for block, words in enumerate(texts) if title and words == title]
    is_heading = context.snapshot.is_tag(_HEADINGS)
    in_heading = tree.path_sum(is_heading, context.snapshot.end)[context.blocks.node] > 0
    return next((block for block in same if in_heading[block]), same[0] if same else -1)


def _mark_lead(page: GoldPage, texts: Sequence[tuple[str, ...]], title: int, kinds: NDArray[np.int8]) -> None:
    """Mark the block after the title as lead, in place, if the gold text begins with the title and then this block."""
    lines = [tuple(tokenize(line)) for line in page.text.splitlines() if line.strip()][:3]
    if len(lines) == 3 and lines[0] == texts[title] and len(lines[1]) >= _MIN_LEAD_WORDS and not page.markdown:
        same = [block for block in range(title + 1, len(texts)) if texts[block] == lines[1]]
        kinds[same[:1]] = _code(Kind.LEAD)


def _contains(words: tuple[str, ...], name: tuple[str, ...]) -> bool:
    return any(words[start : start + len(name)] == name for start in range(len(words) - len(name) + 1))


def _has_day(words: tuple[str, ...], date: str) -> bool:
    """Return whether numbers among the words are those of the day: year and day, and a month as number or word."""
    year, month, day = (int(part) for part in date[:10].split("-"))
    numbers = {int(word) for word in words if word.isdecimal() and len(word) <= 4}
    has_month = month in numbers or any(word.isalpha() and len(word) > 2 for word in words)
    return {year, day} <= numbers | {2000 + number for number in numbers if number < 100} and has_month
