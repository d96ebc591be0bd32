"""Find the positions of the blocks of a page in its source.

Neither browsers nor parsers report the position of a text. So the source is split into start tags and texts, which are
aligned with the elements and texts of the snapshot in document order. The position of a block is that of its first
aligned text. Text that a script wrote is not in the source and has no position.
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
    | <(?P<tag>[a-z][^\s/>]*+)(?P<attributes>(?:=\s*+(?:"[^"]*+"|'[^']*+')|[^>])*+)(?:>|\Z)
    | </?[a-z!?/][^>]*+(?:>|\Z)
    | (?P<text>[^<]++|<[^<]*+)
    """,
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)
_NAMED: Final = re.compile(r"""\b(class|id)\s*=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""", re.IGNORECASE)
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
    source = source_text(page, max_bytes)
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

    Returns:
        The offset in characters, by text node.
    """
    source_keys, source_offsets = _source_tokens(source)
    page_keys, texts = _page_tokens(snapshot)
    offsets: dict[int, int] = {}
    for text, position in zip(texts, aligned_positions(page_keys, source_keys).tolist(), strict=True):
        if text >= 0 and position >= 0:
            offsets[text] = source_offsets[position]
    page = dict(zip(texts, page_keys, strict=True))
    return _moved(page, dict(zip(source_offsets, source_keys, strict=True)), offsets) | offsets


def _moved(page: dict[int, str], source: dict[int, str], offsets: dict[int, int]) -> dict[int, int]:
    """Find the offsets of texts that a script moved: unaligned texts with a key that is unique in page and source.

    Args:
        page: the keys of the texts of the page, by text node.
        source: the keys of the source, by offset.
        offsets: the offsets of the aligned texts, by text node.
    """
    aligned = set(offsets.values())
    in_source = _unique({offset: key for offset, key in source.items() if offset not in aligned})
    in_page = _unique({text: key for text, key in page.items() if text not in offsets})
    return {in_page[key]: in_source[key] for key in in_page.keys() & in_source.keys()}


def _unique(keys: dict[int, str]) -> dict[str, int]:
    """Return the index of each text key that occurs once and is long enough to be distinctive."""
    texts = {index: key for index, key in keys.items() if key[0] != "<" and len(key) >= DISTINCTIVE_LENGTH}
    count = Counter(texts.values())
    return {key: index for index, key in texts.items() if count[key] == 1}


def _source_tokens(source: str) -> tuple[list[str], list[int]]:
    """Return the keys of the start tags and texts of a source, and the offset of each.

    Comments and scripts do not split a text, because parsers and browsers differ in whether they do.
    """
    keys: list[str] = []
    offsets: list[int] = []
    continues = False
    for token in _TOKEN.finditer(source):
        text, tag = token["text"], token["tag"] or token["raw"]
        if text:
            if key := _text_key(unescape(text)):
                indent = len(text) - len(text.lstrip())
                _add_text(keys, offsets, key, token.start() + indent, continues=continues)
                continues = True
        elif tag and tag.lower() not in styles.SKIPPED_TAGS:
            keys.append(_tag_key(tag.lower(), *_names(token["attributes"] or "")))
            offsets.append(token.start())
        continues &= not (tag and tag.lower() not in styles.SKIPPED_TAGS) and not token[0].startswith("</")
    return keys, offsets


def _add_text(keys: list[str], indices: list[int], key: str, index: int, *, continues: bool) -> None:
    """Add the key and the index of a text; if it continues the text before, extend the key of that one."""
    if continues:
        keys[-1] = (keys[-1] + key)[:KEY_LENGTH]
    else:
        keys.append(key)
        indices.append(index)


def _page_tokens(snapshot: Snapshot) -> tuple[list[str], list[int]]:
    """Return the keys of the elements and texts of a snapshot in document order, and their text nodes.

    The text node of an element is -1. Adjacent text nodes of one parent are a single text with the first of the nodes.
    """
    classes, ids = snapshot.attributes("class"), snapshot.attributes("id")
    parent = snapshot.text_parent.tolist()
    keys: list[str] = []
    texts: list[int] = []
    for element, tag in enumerate(snapshot.tag.tolist()):
        keys.append(_tag_key(snapshot.tags[tag], classes.get(element, ""), ids.get(element, "")))
        texts.append(-1)
        for text in snapshot.texts_after(element):
            if key := _text_key(snapshot.texts[text]):
                last = texts[-1]
                continues = last >= 0 and parent[last] == parent[text]
                _add_text(keys, texts, key, text, continues=continues)
    return keys, texts


def _names(attributes: str) -> tuple[str, str]:
    """Return the class and the id in the attributes of a start tag."""
    names: dict[str, str] = {}
    for name, *values in _NAMED.findall(attributes):
        names.setdefault(name.lower(), unescape("".join(values)))
    return names.get("class", ""), names.get("id", "")


def _tag_key(tag: str, classes: str, name: str) -> str:
    return f"<{tag} {' '.join(classes.split())} {name}"


def _text_key(text: str) -> str:
    """Return the first characters of a text without white space; empty for a text of white space."""
    return "".join(text[: 4 * KEY_LENGTH].split())[:KEY_LENGTH] or "".join(text.split())[:KEY_LENGTH]
