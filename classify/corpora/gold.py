"""Define pages with gold, and derive the gold of each of their blocks: whether it is content, and its label."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.corpora.alignment import MatchingRun, UncoveredGold, common_runs, gold_positions, tokenize
from vclean.labels import LABELS, UNKNOWN
from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

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
            units.append(GoldUnit(_PARAGRAPH if fenced else _line_code(line), tokenize(_LINK_TARGET.sub("]", line))))
    return units


def _line_code(line: str) -> int:
    return next((code for pattern, code in _LINE_TYPE if pattern.match(line)), _PARAGRAPH)


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
            is_continuation = unit in started and units[unit].code != UNKNOWN
            codes[index] = _CONTINUATION if is_continuation else units[unit].code
            started.add(unit)
    return codes
