"""Define pages with gold, and derive the gold of each of their blocks: whether it is content, its label and its kind.

No corpus has the kinds of all blocks. L3S-GN1 marks headlines, text, supplements, related links and comments. Other
corpora have readers' comments apart from the article, titles, authors and dates, or types of pages: the content of a
forum consists of posts. Blocks outside the content are `OTHER` unless their names or elements suggest a kind that the
gold leaves out; then their kind is unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate, groupby, pairwise
from typing import TYPE_CHECKING, Final

import lxml.html
import numpy as np
from lxml import etree

from vclean.classify.corpora.alignment import MatchingRun, UncoveredGold, common_runs, gold_positions, tokenize
from vclean.features.names import element_names
from vclean.labels import KINDS, LABELS, UNKNOWN, Kind
from vclean.page import Page
from vclean.render import tree
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.page_context import PageContext
    from vclean.page import Resources


CONTENT_SHARE = 0.5
"""Minimum share of a block's words that is aligned with the gold if the block is content."""
STRAY = 2
"""Maximum length in words of a stray run. Such runs count only if they fill their block or continue another run."""

_NO_RUN = MatchingRun(-100, -100, 0)
_HEADING, _PARAGRAPH, _ITEM, _CONTINUATION, _OTHER = range(len(LABELS))
_MARK = re.compile(r"<([hpl])>", re.IGNORECASE)
_MARK_CODE = {"h": _HEADING, "p": _PARAGRAPH, "l": _ITEM}
_LINE_TYPE = (
    (re.compile(r"\s*\|"), UNKNOWN),  # a row of a table: Markdown does not state the type of its cells
    (re.compile(r"\s*(\*\*|__)[^*_]+\1:?\s*$"), UNKNOWN),  # a line in bold: a heading or a paragraph
    (re.compile(r"\s{0,3}#{1,6}\s"), _HEADING),
    (re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)])\s"), _ITEM),
)
_FENCE = re.compile(r"\s*(?:```|~~~)")
_LINK_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?:\s+\"[^\"]*\")?\)")
_HEADLINE = re.compile(rb'class="x-nc-sel1"[^>]*>([^<]+)<')


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldPage:
    """Page with the text that a careful reader would keep of it.

    Attributes:
        corpus, id: name of the corpus (the stem of its file) and of the page.
        url: empty if unknown.
        page_type: such as "article" or "forum"; empty if unknown.
        html: document as crawled.
        text: gold text; empty if the page has no content.
        markup: gold text with CleanEval's `<h>`, `<p>`, `<l>` before its units, or empty.
        markdown: gold text as Markdown, or empty.
        annotated: document with the marks of L3S-GN1 (class `x-nc-sel1` is the headline), or empty.
        must, must_not: snippets that the clean text must contain, or must not contain.
        comments: text of the readers' comments, or empty.
        title, authors, date: title, names of the authors and day of publication (ISO 8601), or empty.
        resources: source of its style sheets and images, or None.
    """

    corpus: str = ""
    id: str = ""
    url: str = ""
    page_type: str = ""
    html: bytes = b""
    text: str = ""
    markup: str = ""
    markdown: str = ""
    annotated: bytes = b""
    must: tuple[str, ...] = ()
    must_not: tuple[str, ...] = ()
    comments: str = ""
    title: str = ""
    authors: tuple[str, ...] = ()
    date: str = ""
    resources: Resources | None = None

    @property
    def is_partial(self) -> bool:
        """Return whether the gold text is only part of the content: it consists of the snippets in `must`.

        Of the other text of such a page, nothing is known.
        """
        return bool(self.must) and "".join(self.text.split()) == "".join("".join(self.must).split())

    def to_page(self) -> Page:
        """Return the page without its gold."""
        return Page(content=self.html, url=self.url, resources=self.resources, id=self.id)


@dataclass(frozen=True, slots=True, eq=False)
class BlockGold:
    """Gold of the B blocks of a page.

    Attributes:
        content_share: float32 (B,), share of a block's words that are aligned with the gold, in 0..1.
        is_content: bool (B,).
        label: int8 (B,), an index into `vclean.labels.LABELS`, or `UNKNOWN` where a block is content of unknown type.
    """

    content_share: NDArray[np.float32]
    is_content: NDArray[np.bool_]
    label: NDArray[np.int8]


@dataclass(frozen=True, slots=True)
class GoldUnit:
    """Heading, paragraph or list item of the gold: its label code, or `UNKNOWN`, and its words."""

    code: int
    words: list[str]


def align(block_texts: Sequence[str], page: GoldPage) -> BlockGold:
    """Align the texts of a page's blocks, in document order, with the page's gold.

    Content is decided on the gold text: by word alignment and, for gold out of order, by n-grams. Labels come from
    CleanEval's markup, Markdown, or the headlines of L3S-GN1, whichever the page has. The first block of a unit gets
    the label of the unit, the others are continuations. A block that spans several units gets the label of the unit
    with which it shares most words.
    """
    blocks = [tokenize(text) for text in block_texts]
    gold = tokenize(page.text)
    matched, is_content = _cover(blocks, gold)
    units = gold_units(page)
    unit_words = [word for unit in units for word in unit.words]
    typed = matched if unit_words == gold else _cover(blocks, unit_words)[0]
    label = np.where(is_content, _labels(typed, is_content, units), _OTHER)
    return BlockGold(_shares(matched), is_content, label.astype(np.int8))


def find_covered_blocks(block_texts: Sequence[str], text: str) -> NDArray[np.bool_]:
    """Return which blocks have at least half of their words in `text`, bool (B,), as content has in gold."""
    return _cover([tokenize(block) for block in block_texts], tokenize(text))[1]


def gold_units(page: GoldPage) -> list[GoldUnit]:
    """Return the typed units of a page's gold, in order: from its markup, its Markdown, or its headline.

    Without any of these, each line of its text is a unit of unknown type.
    """
    if page.markup:
        return _markup_units(page.markup)
    if page.markdown:
        return _markdown_units(page.markdown)
    headlines = {tuple(tokenize(text.decode("utf-8", "replace"))) for text in _HEADLINE.findall(page.annotated)}
    lines = [tokenize(line) for line in page.text.splitlines()]
    return [GoldUnit(_HEADING if tuple(line) in headlines else UNKNOWN, line) for line in lines if line]


def _markup_units(markup: str) -> list[GoldUnit]:
    before, *marked = _MARK.split(markup)
    units = [GoldUnit(_PARAGRAPH, tokenize(before))]
    units += [
        GoldUnit(_MARK_CODE[mark.lower()], tokenize(text)) for mark, text in zip(marked[::2], marked[1::2], strict=True)
    ]
    return [unit for unit in units if unit.words]


def _markdown_units(markdown: str) -> list[GoldUnit]:
    """Return one unit for each line. A line of fenced code is a paragraph, whatever it begins with."""
    units, fenced = [], False
    for line in markdown.splitlines():
        if _FENCE.match(line):
            fenced = not fenced
        elif line.strip():
            units.append(GoldUnit(_PARAGRAPH if fenced else _line_code(line), tokenize(_plain(line))))
    return units


def _line_code(line: str) -> int:
    return next((code for pattern, code in _LINE_TYPE if pattern.match(line)), _PARAGRAPH)


def _plain(line: str) -> str:
    return _LINK_TARGET.sub("]", line)


def _cover(blocks: list[list[str]], gold: list[str]) -> tuple[list[NDArray[np.int32]], NDArray[np.bool_]]:
    """Return the gold position of each word, block by block, -1 for none; and which blocks are content, bool (B,)."""
    ends = list(accumulate(map(len, blocks)))
    words = [word for block in blocks for word in block]
    runs = _without_strays(common_runs(words, gold), {0, *ends})
    positions = gold_positions(runs, len(words))
    matched = [positions[begin:end] for begin, end in pairwise([0, *ends])]
    is_content = _shares(matched) >= CONTENT_SHARE
    _match_out_of_order(blocks, gold, matched, is_content)
    return matched, is_content


def _shares(matched: list[NDArray[np.int32]]) -> NDArray[np.float32]:
    """Return the share of each block's words that have a position, float32 (B,); 0 without words."""
    lengths = np.array([len(positions) for positions in matched], dtype=np.int64)
    is_matched = np.concatenate([np.zeros(0, dtype=np.int32), *matched]) >= 0
    hits = np.bincount(np.repeat(np.arange(len(matched)), lengths)[is_matched], minlength=len(matched))
    return np.asarray(hits / np.maximum(lengths, 1), dtype=np.float32)


def _without_strays(runs: list[MatchingRun], borders: set[int]) -> list[MatchingRun]:
    """Return `runs` without short runs inside other blocks, which are stop words."""
    padded = [_NO_RUN, *runs, _NO_RUN]
    return [
        run
        for left, run, right in zip(padded, padded[1:], padded[2:], strict=False)
        if run.size > STRAY
        or (run.page in borders and run.page + run.size in borders)
        or _continues(left, run)
        or _continues(run, right)
    ]


def _continues(left: MatchingRun, right: MatchingRun) -> bool:
    gaps = right.page - left.page - left.size, right.gold - left.gold - left.size
    return 0 <= max(gaps) <= STRAY


def _match_out_of_order(
    blocks: list[list[str]], gold: list[str], matched: list[NDArray[np.int32]], is_content: NDArray[np.bool_]
) -> None:
    """Mark as content, in place, blocks that the gold contains in another order."""
    uncovered = UncoveredGold(gold, (matched[index] for index in np.flatnonzero(is_content)))
    for index in np.flatnonzero(~is_content):
        positions = uncovered.match(blocks[index])
        if positions is not None:
            matched[index], is_content[index] = positions, True
            uncovered.mark_covered(positions)


def _labels(matched: list[NDArray[np.int32]], is_content: NDArray[np.bool_], units: list[GoldUnit]) -> NDArray[np.int8]:
    unit_of = np.repeat(np.arange(len(units)), [len(unit.words) for unit in units])
    started: set[int] = set()
    codes = np.full(len(matched), UNKNOWN, dtype=np.int8)
    for index in np.flatnonzero(is_content):
        positions = matched[index][matched[index] >= 0]
        if len(positions):
            unit = int(np.bincount(unit_of[positions]).argmax())
            codes[index] = _label(units[unit].code, unit in started)
            started.add(unit)
    return codes


def _label(code: int, started: bool) -> int:
    return _CONTINUATION if started and code != UNKNOWN else code


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
        inside = tree.inside(named & (words <= words[0] / 2), context.snapshot.end)[context.blocks.node]
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
    is_heading = context.snapshot.is_tag(HEADING_TAGS)
    in_heading = tree.inside(is_heading, context.snapshot.end)[context.blocks.node]
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
