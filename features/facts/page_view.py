"""Read what readers see for metadata: texts of elements, the headline, bylines and dates."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.characters import is_sentence
from vclean.features import element_names
from vclean.features.facts.mentions import MAX_CHARS, MAX_NAME_CHARS, Field, Mention, Source, clean_text, pattern_of
from vclean.features.facts.names import byline_word, looks_like_name, split_names
from vclean.features.headline import strip_site_name, text_before, title_runs
from vclean.features.text.dates import find_dates, is_day_first
from vclean.labels import Visibility
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.features.page_context import PageContext
    from vclean.render.snapshot import Snapshot


_MAX_TEXTS: Final = 40
"""Most text nodes of an element that are read: names and dates have few."""
_COMMENT_WORDS: Final = 8
"""Fewest words of a comment with its author and date."""
NAMES: Final = ("author", "date", "comments", "related", "footer", "side", "meta", "title", "nav", "article", "header")
"""Groups of names of elements that features distinguish, see `vclean.features.element_names`."""


@dataclass(frozen=True, eq=False)
class PageView:
    """Page with N elements and B blocks, and what several fields of metadata need of it.

    Attributes:
        context: the blocks of the page.
        language: ISO 639-1 code of its language, for names of months; empty if unknown.
    """

    context: PageContext
    language: str = ""

    @property
    def snapshot(self) -> Snapshot:
        """Return the snapshot of the page."""
        return self.context.snapshot

    @cached_property
    def day_first(self) -> bool:
        """Return whether 3/7/2024 is in July on this page."""
        text = "\n".join(self.texts[block] for block in _date_blocks(self))
        return is_day_first(self.language, self.snapshot.language, self.snapshot.url, text)

    @cached_property
    def texts(self) -> list[str]:
        """Return the texts of the blocks; empty for sentences that no reader sees."""
        hidden, texts = self._hidden_sentences, self.context.blocks.text
        return ["" if row in hidden else text for row, text in enumerate(texts)]

    @cached_property
    def headline(self) -> int:
        """Return the block with the highest score as headline; 0 if no block can be one."""
        return int(self.context.headline_scores.argmax()) if len(self.context) else 0

    @cached_property
    def block_names(self) -> NDArray[np.bool_]:
        """Return which blocks are in elements with names of the groups `NAMES`, but for the largest: bool (B, G)."""
        context, bits = self.context, self.context.name_bits
        few = context.block_count <= max(len(context) / 3, 3)
        named = np.where(few, bits, np.uint64(0))
        around = (named | element_names.ancestor_bits(named, self.snapshot.parent))[context.blocks.main_element]
        inside = [(around & np.uint64(1 << element_names.NAME_GROUPS.index(name))) > 0 for name in NAMES]
        return np.array(inside, dtype=bool).T.reshape(-1, len(NAMES))

    @cached_property
    def in_comments(self) -> NDArray[np.bool_]:
        """Return which blocks are in elements that are named after comments, without the headline: bool (B,).

        Running text comes before comments; what has such a name before it is a count of comments, or a comment itself.
        An element with a few words is no comment, but a date or a count.
        """
        context, end = self.context, self.snapshot.end
        if not len(context):
            return np.zeros(0, dtype=bool)
        headline, element = context.blocks.main_element[self.headline], np.arange(len(end))
        named = (context.name_bits & np.uint64(1 << element_names.NAME_GROUPS.index("comments"))) > 0
        named &= (element > headline) | (end <= headline)
        named &= context.sum_over_subtrees(context.tokens) >= _COMMENT_WORDS
        return np.asarray(tree.inside(named, end)[context.blocks.main_element] & (text_before(context) > 0))

    @cached_property
    def _hidden_sentences(self) -> frozenset[int]:
        """Return the blocks that no reader sees, of the length of a sentence."""
        blocks = self.context.blocks
        hidden = np.flatnonzero(blocks.visibility == Visibility.HIDDEN).tolist()
        return frozenset(row for row in hidden if is_sentence(blocks.text[row]))

    def parts_of(self, block: int) -> str:
        """Return the text of a block with a line break where an element ends, but not around `and` or in a name."""
        columns = self.context.blocks
        first = int(columns.first[block])
        last = int(columns.first[block + 1]) if block + 1 < len(columns) else len(columns.members)
        lines: list[str] = []
        for row in columns.members[first:last][:_MAX_TEXTS].tolist():
            text = clean_text(self.snapshot.texts[row], 3 * MAX_NAME_CHARS)
            if lines and (
                _GOES_ON_AFTER.search(lines[-1]) or _GOES_ON_BEFORE.match(text) or " " not in lines[-1] + text
            ):
                lines[-1] += f" {text}"
            else:
                lines.append(text)
        return "\n".join(lines)

    def properties_in(self, element: int) -> Iterator[tuple[int, str]]:
        """Yield the descendants of an element with the attribute `itemprop`, and its value."""
        values = self.snapshot.values("itemprop")
        start, end = np.searchsorted(values.node, [element + 1, int(self.snapshot.end[element])])
        for node, index in zip(values.node[start:end].tolist(), values.index[start:end].tolist(), strict=True):
            yield node, values.distinct[index]

    def block_of(self, element: int) -> int:
        """Return the block of the first text in an element; -1 if it has none."""
        owners = self.context.blocks.text_block[self.snapshot.texts_in(element)[:_MAX_TEXTS]]
        return next((owner for owner in owners.tolist() if owner >= 0), -1)

    def text_of(self, element: int, limit: int = MAX_CHARS) -> str:
        """Return the text of an element and its descendants, parts of elements separated by spaces; bounded.

        Sentences that no reader sees are left out; hidden words and numbers may be markup on purpose.
        """
        owner, texts = self.context.blocks.text_block, self.snapshot.texts
        inside = self.snapshot.texts_in(element)[:_MAX_TEXTS]
        rows = [row for row in inside if int(owner[row]) not in self._hidden_sentences]
        return clean_text(" ".join(texts[row][: 2 * limit] for row in rows), limit)


HEADLINES: Final = 6
"""Blocks with the highest scores that are candidates for the title."""
MAX_BYLINE_WORDS: Final = 40
MAX_DATE_BLOCKS: Final = 60
"""Most blocks that are searched for dates, those nearest to the headline."""
MAX_BYLINES: Final = 40
_NEAR: Final = 5
"""Blocks before the headline in which names may be authors; after it, twice as many."""
_MAX_DATE_WORDS: Final = 10
"""Most words of a block that is only a date."""
_GOES_ON_AFTER: Final = pattern_of(r"(?:^|\s)(?:{by}|{and})\s*[:：]?$|[,;:&(]$")
_GOES_ON_BEFORE: Final = pattern_of(r"(?:{and})\b|[,;:&)’']")
"""Ends and beginnings of texts of a byline that belong to the text of the next element, and of the one before."""
_ONLY_BY: Final = re.compile(r"\S{1,12}(?: (?:by|von|par|por))?\s*:?", re.IGNORECASE)
"""Blocks of a byline that have only its first words; the names are in the next block."""


def title_mentions(page: PageView) -> list[Mention]:
    """Return the blocks with the highest scores as headlines, and runs of parts of the title of the document."""
    scores, snapshot = page.context.headline_scores, page.snapshot
    best = np.argsort(-scores, kind="stable")[:HEADLINES].tolist()
    mentions = [
        Mention(Field.TITLE, (clean_text(page.texts[block], 500),), Source.PAGE, f"headline{rank}", block, -1)
        for rank, block in enumerate(best)
        if np.isfinite(scores[block])
    ]
    title = clean_text(snapshot.title, 1000)
    runs = {text: "part" if rank else "whole" for rank, text in enumerate(title_runs(title))}
    named = [(title, "document"), (strip_site_name(title, snapshot.url), "stripped"), *runs.items()]
    return mentions + [Mention(Field.TITLE, (text[:500],), Source.TITLE, name) for text, name in named if text]


def byline_mentions(page: PageView) -> list[Mention]:
    """Return short blocks that may name authors, near the headline first.

    The name of a mention is the evidence: the text begins with a word of authorship (`by`), an element is named after
    authors (`class`), a date is beside the text or in the next block (`beside`), or it looks like a name next to the
    headline (`near`). A block has two mentions if its names depend on where its elements end.
    """
    context = page.context
    named = page.block_names[:, NAMES.index("author")]
    short = np.flatnonzero((context.tokens <= MAX_BYLINE_WORDS) & (context.tokens > 0))
    mentions = []
    for block in _nearest(short, page.headline).tolist():
        text = page.texts[block]
        if len(text) <= 2 * MAX_NAME_CHARS and (kind := _byline_kind(page, block, named=bool(named[block]))):
            if kind == "by" and _ONLY_BY.fullmatch(text) and block + 1 < len(context):
                text, block = f"{text} {page.texts[block + 1][:MAX_NAME_CHARS]}", block + 1  # noqa: PLW2901 - the name follows
            mentions.append(Mention(Field.AUTHORS, (text,), Source.PAGE, kind, block))
            if split_names(parts := page.parts_of(block)) != split_names(text):
                mentions.append(Mention(Field.AUTHORS, (parts,), Source.PAGE, kind, block))
            if len(mentions) >= MAX_BYLINES:
                break
    return mentions


def _byline_kind(page: PageView, block: int, *, named: bool) -> str:
    """Return why a block may name authors, see `byline_mentions`; an empty string if it does not."""
    text = page.texts[block]
    if byline_word(f"{text} X") or byline_word(text):
        return "by"
    if named:
        return "class"
    if not -_NEAR <= block - page.headline <= 2 * _NEAR or block == page.headline:
        return ""
    if next(find_dates(text), None):
        names = split_names(text)
        return "beside" if names and looks_like_name(names[0]) else ""
    if not looks_like_name(text):
        return ""
    after = block + 1
    is_short = after < len(page.context) and page.context.tokens[after] <= _MAX_DATE_WORDS
    return "beside" if is_short and next(find_dates(page.texts[after]), None) else "near"


def date_mentions(page: PageView) -> list[Mention]:
    """Return the dates in short blocks, near the headline first.

    The name of a mention is the meaning of the text before the date: `updated`, `published`, or `text` if unknown.
    """
    return [mention for block in _date_blocks(page) for mention in block_dates(page, block)]


def _date_blocks(page: PageView) -> list[int]:
    digits = np.flatnonzero((page.context.digit_words > 0) & (page.context.tokens <= MAX_BYLINE_WORDS))
    return list(map(int, _nearest(digits, page.headline)[:MAX_DATE_BLOCKS]))


def block_dates(page: PageView, block: int) -> Iterator[Mention]:
    """Yield the dates in a block, see `date_mentions`."""
    text, position = page.texts[block], 0
    before = page.texts[block - 1][-40:] if block and len(page.texts[block - 1]) <= 40 else ""
    for date in find_dates(text, page.language, day_first=page.day_first):
        cue = text[position : date.start] if position or date.start else before
        names = (name for name in ("updated", "published") if pattern_of(f"{{{name}}}").search(cue))
        name = next(names, "text")
        field = Field.MODIFIED if name == "updated" else Field.PUBLISHED
        yield Mention(field, (date.value,), Source.PAGE, name, block)
        position = date.end


def _nearest(blocks: NDArray[np.intp], headline: int) -> NDArray[np.intp]:
    """Return blocks in the order of their distance from the headline; those before it count three times as far."""
    distance = np.where(blocks >= headline, blocks - headline, 3 * (headline - blocks))
    return blocks[np.argsort(distance, kind="stable")]
