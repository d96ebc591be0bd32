"""Find the positions of the blocks of a page in its source.

Neither browsers nor parsers report the position of a text. So the texts between the tags of the source are aligned with
the texts of the snapshot in document order. The position of a block is that of its first aligned text. Text that a
script wrote is not in the source and has no position.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Final

from vclean.classify.corpora.gold import aligned_positions
from vclean.render.decode import source_text
from vclean.render.repair import SourceOffsets, apply_edits, find_edits
from vclean.render.static import styles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.features.blocks import BlockColumns
    from vclean.page import Page
    from vclean.render.snapshot import Snapshot

DISTINCTIVE_LENGTH: Final = 8
"""Fewest characters of a text that is unlikely to occur twice by chance."""
KEY_LENGTH: Final = 24
"""Characters of the key of a text, without white space; keys are short because comments split texts in browsers."""

# Unclosed constructs extend to the end of the source in each alternative: this keeps the time linear.
_TOKEN: Final = re.compile(
    r"""
    <!--.*?(?:-->|\Z)
    | <(?P<raw>script|style|template|textarea|title|iframe|noembed|noframes|xmp)(?=[\s/>])
      (?:=\s*+(?:"[^"]*+"|'[^']*+')|[^>])*+(?:>|\Z).*?(?:(?=</(?P=raw)[\s/>])|\Z)
    | <(?P<tag>/?[a-z][^\s/>]*+)(?:=\s*+(?:"[^"]*+"|'[^']*+')|[^>])*+(?:>|\Z)
    | </?[a-z!?/][^>]*+(?:>|\Z)
    | (?P<text>[^<]++|<[^<]*+)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_LINE_END: Final = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class SourcePosition:
    r"""Position of the text of a block in the decoded source of its page.

    Attributes:
        line: the line number, from 1.
        column: the column in characters, from 1.

    >>> import vclean
    >>> vclean.clean("<h1>Rain</h1>\n<p>It rained.", method="text", explain=True).blocks[1].source
    SourcePosition(line=2, column=4)
    """

    line: int
    column: int


def find_positions(page: Page, blocks: BlockColumns, max_bytes: int) -> list[SourcePosition | None]:
    """Find the positions of blocks in the source of their page.

    Args:
        page: the page; live pages and stored snapshots have no source, hence no positions.
        blocks: the blocks of the page.
        max_bytes: the limit on the size of the document with which the page was read.

    Returns:
        The position of each block; None if its text is not in the source.
    """
    if not page.content or page.snapshot is not None:
        return [None] * len(blocks)
    source, _ = source_text(page, max_bytes)
    edits = find_edits(source)
    offsets = text_offsets(apply_edits(source, edits), blocks.snapshot)
    block_offsets: list[int | None] = [None] * len(blocks)
    for text in reversed(blocks.members.tolist()):
        block_offsets[blocks.text_block[text]] = offsets.get(text, block_offsets[blocks.text_block[text]])
    line_starts = [0, *(end.end() for end in _LINE_END.finditer(source))]
    in_source = SourceOffsets(edits)
    return [None if offset is None else _position(line_starts, in_source.of(offset)) for offset in block_offsets]


def _position(line_starts: Sequence[int], offset: int) -> SourcePosition:
    line = bisect_right(line_starts, offset)
    return SourcePosition(line, offset - line_starts[line - 1] + 1)


def text_offsets(source: str, snapshot: Snapshot) -> dict[int, int]:
    """Find the offsets of the text nodes of a snapshot in the source of its page.

    A text that a script moved has the offset of the only other text with its key.

    Returns:
        The offset in characters, by text node.
    """
    page, gold = _page_texts(snapshot), _source_texts(source)
    places = list(gold)
    positions = aligned_positions(list(page.values()), list(gold.values())).tolist()
    aligned_texts = zip(page, positions, strict=True)
    offsets = {text: places[position] for text, position in aligned_texts if position >= 0}
    aligned = set(offsets.values())
    in_page = _unique({text: key for text, key in page.items() if text not in offsets})
    in_source = _unique({offset: key for offset, key in gold.items() if offset not in aligned})
    return offsets | {in_page[key]: in_source[key] for key in in_page.keys() & in_source.keys()}


def _unique(keys: dict[int, str]) -> dict[str, int]:
    """Return the index of each key that occurs once and is long enough to be distinctive."""
    count = Counter(keys.values())
    return {key: index for index, key in keys.items() if count[key] == 1 and len(key) >= DISTINCTIVE_LENGTH}


def _source_texts(source: str) -> dict[int, str]:
    """Return the keys of the texts between the tags of a source, by offset.

    Comments and scripts do not split a text, because parsers and browsers differ in whether they do.
    """
    keys: dict[int, str] = {}
    last = -1
    for token in _TOKEN.finditer(source):
        text, tag = token["text"], token["tag"] or token["raw"]
        if key := _key(unescape(text or "")):
            last = last if last >= 0 else token.start() + len(text) - len(text.lstrip())
            keys[last] = (keys.get(last, "") + key)[:KEY_LENGTH]
        elif tag and tag.lower() not in styles.SKIPPED_TAGS:
            last = -1
    return keys


def _page_texts(snapshot: Snapshot) -> dict[int, str]:
    """Return the keys of the texts of a snapshot in document order, by the first of adjacent nodes of one parent."""
    keys: dict[int, str] = {}
    last, place = -1, (-1, -1)
    places = zip(snapshot.text_after.tolist(), snapshot.text_parent.tolist(), strict=True)
    for text, (words, place_of_text) in enumerate(zip(snapshot.texts, places, strict=True)):
        if key := _key(words):
            last, place = (last if place == place_of_text else text), place_of_text
            keys[last] = (keys.get(last, "") + key)[:KEY_LENGTH]
    return keys


def _key(text: str) -> str:
    """Return the first characters of a text without white space; empty for a text of white space."""
    return "".join(text[: 4 * KEY_LENGTH].split())[:KEY_LENGTH] or "".join(text.split())[:KEY_LENGTH]
