"""Define pages with gold, and derive the gold of each of their blocks: whether it is content, and its label.

The words of a page are aligned with its gold text: a longest common subsequence that prefers unbroken runs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from vclean.labels import LABELS, UNKNOWN
from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.page import Resources


CONTENT_SHARE = 0.5
"""Minimum share of a block's words that is aligned with the gold if the block is content."""
MAX_CELLS = 2 * 10**9
"""Upper limit of the product of the lengths of two aligned texts: one bit each, so 250 MB and a second."""

# Prevents pairing the last words of the two texts only because both are last, such as those of a footer and the gold.
_NO_WORD = -1
# Scripts written without spaces have no words to `\w+`; their characters are aligned one by one.
_UNSPACED = r"\u0e00-\u0eff\u1000-\u109f\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]+")
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
            codes = [_PARAGRAPH] if fenced else [code for pattern, code in _LINE_TYPE if pattern.match(line)]
            units.append(GoldUnit([*codes, _PARAGRAPH][0], tokenize(_LINK_TARGET.sub("]", line))))
    return units


def _cover(blocks: list[list[str]], gold: list[str]) -> tuple[list[NDArray[np.int32]], NDArray[np.bool_]]:
    """Return the gold position of each word, block by block, -1 for none; and which blocks are content, bool (B,)."""
    positions = aligned_positions([word for block in blocks for word in block], gold)
    ends = accumulate(map(len, blocks), initial=0)
    matched = [positions[begin:end] for begin, end in pairwise(ends)]
    is_content = _shares(matched) >= CONTENT_SHARE
    match_out_of_order(blocks, gold, matched, is_content)
    return matched, is_content


def _shares(matched: list[NDArray[np.int32]]) -> NDArray[np.float32]:
    """Return the share of each block's words that have a position, float32 (B,); 0 without words."""
    return np.array([np.count_nonzero(each >= 0) / max(len(each), 1) for each in matched], dtype=np.float32)


def _labels(matched: list[NDArray[np.int32]], is_content: NDArray[np.bool_], units: list[GoldUnit]) -> NDArray[np.int8]:
    unit_of = np.repeat(np.arange(len(units)), [len(unit.words) for unit in units])
    started: set[int] = set()
    codes = np.full(len(matched), UNKNOWN, dtype=np.int8)
    for index in np.flatnonzero(is_content):
        positions = matched[index][matched[index] >= 0]
        if len(positions):
            unit = int(np.bincount(unit_of[positions]).argmax())
            is_continuation = unit in started and units[unit].code != UNKNOWN
            codes[index] = _CONTINUATION if is_continuation else units[unit].code
            started.add(unit)
    return codes


def tokenize(text: str) -> list[str]:
    """Return the lower-cased words of `text`, and single characters in scripts that put no space between words."""
    return _TOKEN.findall(text.lower())


def aligned_positions(page: Sequence[str], gold: Sequence[str]) -> NDArray[np.int32]:
    """Align two token lists by a longest common subsequence.

    A run that occurs several times on the page is moved next to the following run of the gold, if it fits there: a
    title then matches the heading above its text, not a menu or a table of contents. Texts whose lengths multiply to
    more than `MAX_CELLS` are not aligned, so time and memory are bounded.

    Returns:
        The position in `gold` of each token of `page`, -1 for none, int32 (len(page),).
    """
    positions = np.full(len(page), -1, dtype=np.int32)
    if len(page) * len(gold) > MAX_CELLS:
        return positions
    from rapidfuzz.distance import LCSseq  # only needed to compare pages with gold

    token_ids: dict[str, int] = {}
    left = [token_ids.setdefault(token, len(token_ids)) for token in page]
    right = [token_ids.setdefault(token, len(token_ids)) for token in gold]
    runs = LCSseq.opcodes([*left, _NO_WORD], right).as_matching_blocks()
    page_end, gold_end = len(left), len(right)
    for run in reversed([run for run in runs if run.size]):
        start = page_end - run.size
        words = right[run.b : run.b + run.size]
        fits = run.b + run.size == gold_end and start >= 0 and left[start:page_end] == words
        page_end, gold_end = start if fits else run.a, run.b
        positions[page_end : page_end + run.size] = np.arange(run.b, run.b + run.size)
    return positions


MIN_MATCH_SHARE = 0.7
"""Minimum share of a block's n-grams that has to occur in the free gold words."""
GRAM = 3
"""Length of the n-grams in words."""
MAX_STARTS = 16
"""Maximum number of positions tried for an n-gram: bounds the time on repetitive gold."""


def match_out_of_order(
    blocks: list[list[str]], gold: list[str], matched: list[NDArray[np.int32]], is_content: NDArray[np.bool_]
) -> None:
    """Mark as content, in place, blocks that the gold contains in another order, in words that no content covers."""
    free = np.ones(len(gold), dtype=bool)
    for index in np.flatnonzero(is_content):
        free[matched[index][matched[index] >= 0]] = False
    starts: dict[tuple[str, ...], list[int]] = {}
    for start in np.flatnonzero(free).tolist():
        gram_starts = starts.setdefault(tuple(gold[start : start + GRAM]), [])
        if len(gram_starts) < MAX_STARTS:
            gram_starts.append(start)
    for index in np.flatnonzero(~is_content) if starts else ():
        positions = _match(blocks[index], gold, free, starts)
        if positions is not None:
            matched[index], is_content[index] = positions, True
            free[positions[positions >= 0]] = False


def _match(
    block: list[str], gold: list[str], free: NDArray[np.bool_], starts: dict[tuple[str, ...], list[int]]
) -> NDArray[np.int32] | None:
    """Return the free gold position of each word of `block`, -1 for none; None if too few n-grams match.

    A position is used once only, so a block that repeats itself needs gold that repeats itself.
    """
    positions, free = np.full(len(block), -1, dtype=np.int32), free.copy()
    hits = index = 0
    while index + GRAM <= len(block):
        found = starts.get(tuple(block[index : index + GRAM]), ())
        sizes = {start: _run_size(block[index:], gold, free, start) for start in found}
        start = max(sizes, key=sizes.__getitem__, default=0)
        size = sizes.get(start, 0)
        if size >= GRAM:
            positions[index : index + size] = np.arange(start, start + size)
            free[start : start + size] = False
            hits += size - GRAM + 1
        index += size if size >= GRAM else 1
    return positions if hits and hits >= MIN_MATCH_SHARE * (len(block) - GRAM + 1) else None


def _run_size(words: list[str], gold: list[str], free: NDArray[np.bool_], start: int) -> int:
    """Return how many of the first `words` are in the gold from `start`, and free there."""
    size = 0
    for word, position in zip(words, range(start, len(gold)), strict=False):
        if word != gold[position] or not free[position]:
            break
        size += 1
    return size
