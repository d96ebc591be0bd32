"""Split the content of a page into chunks for retrieval: passages of limited length under their headings."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vclean.classify.content.postprocess import data_tables
from vclean.errors import UsageError
from vclean.features.text.characters import EncodedTexts
from vclean.labels import Label
from vclean.output.code import code_elements
from vclean.output.sections import complete_sections, heading_levels
from vclean.output.text import TableRows
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from vclean.block import Block
    from vclean.features.blocks import BlockColumns
    from vclean.labels import Box, Kind, Role
    from vclean.result import Result

_END: Final = re.compile(
    r"(?<!\b[^\W\d_])[.!?…؟۔।](?![.!?…])[\"'”’»)\]]*\s+(?=[^\s\W]|[\"'“‘«(\[¿¡])(?![a-zà-öø-ÿ])|[。！？｡][”’」』）]*|\n+"
)
"""End of a sentence: its mark, closing quotes, and white space before something other than a lowercase letter.

A full stop after a single letter is an initial. Marks of Chinese and Japanese need no white space after them.
"""


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, without white space around them.

    >>> split_sentences("It rained. J. Orrin stayed in! Why?")
    ['It rained.', 'J. Orrin stayed in!', 'Why?']
    """
    edges = [0, *(match.end() for match in _END.finditer(text)), len(text)]
    return [sentence for start, end in pairwise(edges) if (sentence := text[start:end].strip())]


def count_words(texts: Sequence[str]) -> list[int]:
    """Return the number of words of each text; letters of scripts without spaces are words.

    >>> count_words(["It rained.", "雨が降った。"])
    [2, 5]
    """
    return [int(count) for count in EncodedTexts(list(texts)).words.per_text().tolist()]


def split_words(text: str, max_words: int) -> list[str]:
    """Return parts of a text with at most `max_words` words each, split before words.

    >>> split_words("one two three", 2)
    ['one two', 'three']
    """
    starts = EncodedTexts([text]).words.start[max_words::max_words].tolist()
    return [part for start, end in pairwise([0, *starts, len(text)]) if (part := text[start:end].strip())]


DEFAULT_MAX_WORDS: Final = 200
"""Default limit on the words of a chunk: about 270 tokens of English, below the 512 of common embedding models."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Consecutive content of a page under the same headings.

    Attributes:
        index: the number of the chunk on the page, from 0.
        headings: the headings above the text, outermost first.
        text: the text, without the headings: paragraphs separated by blank lines, rows of a table by line breaks.
        words: the number of words; letters of scripts without spaces are words.
        blocks: the indices of the blocks, in document order.
        xpaths: the XPath of each block.
        boxes: the box of each block, in CSS px; None for blocks without a box.
        kinds: the kinds of the blocks, each once.
        roles: the roles of the blocks, each once.

    >>> import vclean
    >>> chunk, = vclean.clean("<h1>Rain</h1><p>It rained.", method="text").chunks()
    >>> chunk.headings, chunk.text
    (('Rain',), 'It rained.')
    """

    index: int
    headings: tuple[str, ...]
    text: str
    words: int
    blocks: tuple[int, ...]
    xpaths: tuple[str, ...]
    boxes: tuple[Box | None, ...]
    kinds: tuple[Kind, ...]
    roles: tuple[Role, ...]


class _Heading(NamedTuple):
    level: int
    text: str
    row: int


class _Passage(NamedTuple):
    """Text that stays in one chunk.

    Attributes:
        path: the headings above.
        text: the text.
        words: the number of words.
        rows: the indices of the blocks.
        is_item: whether it is a list item.
        is_whole: whether it is a table or code, which is never split.
    """

    path: tuple[_Heading, ...]
    text: str
    words: int
    rows: tuple[int, ...]
    is_item: bool = False
    is_whole: bool = False


def make_chunks(result: Result, max_words: int = DEFAULT_MAX_WORDS) -> list[Chunk]:
    """Return the chunks of a page in document order.

    Consecutive units under the same headings are joined up to the limit. Longer units are split between sentences, and
    longer sentences between words. Tables and code are never split. A heading without text is a separate chunk.

    Args:
        result: the page.
        max_words: the limit on the words of a chunk, without headings; only a table or code may be longer.

    Raises:
        UsageError: the limit is no integer, or less than 1.
    """
    limit: object = max_words  # callers without a type checker
    if not isinstance(limit, int) or limit < 1:
        raise UsageError(f"the limit on the words of a chunk is {limit!r}: use at least 1, an integer")
    groups = _join(_split(_passages(result), max_words), max_words)
    return [_chunk(index, group, result.blocks) for index, group in enumerate(groups)]


def write_chunks(result: Result) -> str:
    """Return the chunks as lines of JSON, see `docs/reference/output.md`; empty for a page without content."""
    lines: list[str] = []
    for chunk in make_chunks(result):
        record: dict[str, Any] = {"id": result.id, "url": result.columns.snapshot.url}
        record |= {name: getattr(chunk, name) for name in Chunk.__slots__}
        record["boxes"] = [None if box is None else [round(value, 2) for value in box] for box in chunk.boxes]
        lines.append(json.dumps(record, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n")
    return "".join(lines)


def _passages(result: Result) -> Iterator[_Passage]:
    """Iterate over the passages of a page: units, tables, code, and headings without text or a deeper heading below."""
    blocks, prediction = result.columns, result.prediction
    labels = complete_sections(blocks, prediction.labels, prediction.probability, is_thread=result.is_thread)
    is_heading = np.array([label is Label.HEADING for label in labels], bool)
    levels = np.where(is_heading, heading_levels(blocks, is_heading, prediction.headline), 0).tolist()
    title, rows_of_tables = prediction.added_title, TableRows(blocks)
    path: tuple[_Heading, ...] = (_Heading(0, title, -1),) if title else ()
    units = list(_units(blocks, labels))
    below = [0 if element else levels[rows[0]] for rows, element in units[1:]]
    for (rows, element), next_level in zip(units, [*below, 1], strict=False):
        text, level = _text(blocks.text, rows, element, rows_of_tables), 0 if element else levels[rows[0]]
        path = tuple(heading for heading in path if not 0 < level <= heading.level)
        if not level:
            is_item = labels[rows[0]] is Label.LIST_ITEM and not element
            yield _Passage(path, text, 0, rows, is_item, bool(element))
        elif 0 < next_level <= level:
            yield _Passage(path, text, 0, rows[:1])
        path = (*path, _Heading(level, text, rows[0])) if level else path


def _units(blocks: BlockColumns, labels: Sequence[Label]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Iterate over the rows of each unit, and its table or code, 0 without; a continuation joins the unit before."""
    snapshot = blocks.snapshot
    is_group = data_tables(blocks) | code_elements(snapshot)
    is_group &= tree.path_sum(is_group, snapshot.end) == 1
    group = tree.nearest_ancestor(is_group, snapshot.parent)[blocks.node].tolist()
    content = [row for row, label in enumerate(labels) if label.is_content and blocks.text[row].strip()]
    number = np.cumsum([labels[row] is not Label.CONTINUATION for row in content]).tolist()
    keys = {row: (group[row], 0 if group[row] else count) for row, count in zip(content, number, strict=True)}
    for (element, _), rows in groupby(content, keys.__getitem__):
        yield tuple(rows), element


def _text(texts: Sequence[str], unit: Sequence[int], element: int, rows: TableRows) -> str:
    """Return the text of a unit; that of a table has a line per block outside rows, and per row with its cells."""
    if not element:
        return " ".join(texts[block] for block in unit)
    lines: list[str] = []
    for row, group in groupby(unit, rows.row.__getitem__):
        if row > element:
            lines.append(" | ".join(rows.cells(int(row), list(group))))
        else:
            lines += [texts[block] for block in group]
    return "\n".join(lines)


def _split(passages: Iterable[_Passage], max_words: int) -> Iterator[_Passage]:
    """Count the words of passages, and split those over the limit."""
    every = list(passages)
    for passage, words in zip(every, count_words([passage.text for passage in every]), strict=True):
        is_short = words <= max_words or passage.is_whole
        for text, part_words in [(passage.text, words)] if is_short else _parts(passage.text, max_words):
            yield passage._replace(text=text, words=part_words)


def _parts(text: str, max_words: int) -> Iterator[tuple[str, int]]:
    """Iterate over parts of a text below the limit, and their words: as many sentences as fit."""
    pieces = [piece for sentence in split_sentences(text) for piece in split_words(sentence, max_words)]
    part, size = "", 0
    for piece, words in zip(pieces, count_words(pieces), strict=True):
        if part and size + words > max_words:
            yield part, size
            part, size = "", 0
        part, size = f"{part} {piece}".strip(), size + words
    yield part, size


def _join(passages: Iterable[_Passage], max_words: int) -> Iterator[list[_Passage]]:
    """Group consecutive passages with the same headings, up to the limit."""
    group: list[_Passage] = []
    size = 0
    for passage in passages:
        if group and (passage.path != group[0].path or size + passage.words > max_words):
            yield group
            group, size = [], 0
        group.append(passage)
        size += passage.words
    if group:
        yield group


def _chunk(index: int, passages: Sequence[_Passage], blocks: Sequence[Block]) -> Chunk:
    text = passages[0].text
    for before, passage in pairwise(passages):
        text += ("\n" if before.is_item and passage.is_item else "\n\n") + passage.text
    rows = tuple(dict.fromkeys(row for passage in passages for row in passage.rows))
    members = [blocks[row] for row in rows]
    return Chunk(
        index=index,
        headings=tuple(heading.text for heading in passages[0].path),
        text=text,
        words=sum(passage.words for passage in passages),
        blocks=rows,
        xpaths=tuple(block.xpath for block in members),
        boxes=tuple(block.box for block in members),
        kinds=tuple(dict.fromkeys(block.kind for block in members)),
        roles=tuple(dict.fromkeys(block.role for block in members if block.role)),
    )
