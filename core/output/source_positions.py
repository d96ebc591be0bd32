"""Where the blocks of a page stand in its source.

Neither a browser nor the parser tells that of a text. So the source is cut into start tags and texts, these are aligned
with the elements and texts of the snapshot in document order, and a block is where its first text found stands. What a
script wrote is in no source, and has no place.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from dataclasses import dataclass
from html import unescape
from typing import TYPE_CHECKING, Final

from vclean.classify.corpora.alignment import common_runs
from vclean.render.decode import page_text
from vclean.render.static import styles

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.features.blocks import BlockColumns
    from vclean.page import Page
    from vclean.render.snapshot import Snapshot

TELLING_LENGTH: Final = 8
"""Characters from which on a text is one that two places have hardly by chance."""
KEY_LENGTH: Final = 24
"""Characters, white space aside, by which a text is known again: comments cut texts in two, in browsers only."""

# Every alternative takes what it began to the end of the source if it is never closed: the time is linear.
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
_INK: Final = re.compile(r"\S")


@dataclass(frozen=True, slots=True)
class SourcePosition:
    """Where the text of a block begins in the decoded source: `line` and `column` in characters, both from 1."""

    line: int
    column: int


def find_positions(page: Page, blocks: BlockColumns, max_bytes: int) -> list[SourcePosition | None]:
    """The places of the blocks in the source of their page.

    Args:
        page: what was read; a live page and a stored snapshot have no source, and their blocks no place.
        blocks: its blocks.
        max_bytes: the cap that the page was read under.

    Returns:
        One place per block; None where its text is not in the source.
    """
    if not page.content or page.snapshot is not None:
        return [None] * len(blocks)
    source = page_text(page, max_bytes)
    spots = text_spots(source, blocks.snapshot)
    found: list[int | None] = [None] * len(blocks)
    for text in reversed(blocks.members.tolist()):
        found[blocks.text_block[text]] = spots.get(text, found[blocks.text_block[text]])
    starts = [0, *(end.end() for end in _LINE_END.finditer(source))]
    return [None if spot is None else _place(starts, spot) for spot in found]


def _place(starts: Sequence[int], spot: int) -> SourcePosition:
    line = bisect_right(starts, spot)
    return SourcePosition(line, spot - starts[line - 1] + 1)


def text_spots(source: str, snapshot: Snapshot) -> dict[int, int]:
    """Where the text nodes of a snapshot begin in the source of its page, in characters, by text node."""
    keys, spots = _source_tokens(source)
    page_keys, texts = _page_tokens(snapshot)
    found: dict[int, int] = {}
    for run in common_runs(page_keys, keys):
        for step in range(run.size):
            text = texts[run.page + step]
            if text >= 0:
                found[text] = spots[run.gold + step]
    return _moved(dict(zip(texts, page_keys, strict=True)), dict(zip(spots, keys, strict=True)), found) | found


def _moved(page: dict[int, str], source: dict[int, str], found: dict[int, int]) -> dict[int, int]:
    """The spots of texts that a script moved: they are of no other text, and there is none like them on either side.

    Args:
        page: the keys of the page's texts, by text node.
        source: the keys of the source, by spot.
        found: what is known already.
    """
    taken = set(found.values())
    left = _single({spot: key for spot, key in source.items() if spot not in taken})
    return {
        text: left[key]
        for key, text in _single({text: key for text, key in page.items() if text not in found}).items()
        if key in left
    }


def _single(keys: dict[int, str]) -> dict[str, int]:
    """The place of each text that is told by a key of its own."""
    count = Counter(keys.values())
    return {key: at for at, key in keys.items() if count[key] == 1 and key[0] != "<" and len(key) >= TELLING_LENGTH}


def _source_tokens(source: str) -> tuple[list[str], list[int]]:
    """The keys of the start tags and texts of a source, and where each begins.

    A comment or a script does not end a text: parsers and browsers differ in whether it does.
    """
    keys: list[str] = []
    spots: list[int] = []
    goes_on = False
    for token in _TOKEN.finditer(source):
        text, tag = token["text"], token["tag"] or token["raw"]
        if text:
            if key := _text_key(unescape(text)):
                _add_text(keys, spots, key, token.start() + _indent(text), goes_on=goes_on)
                goes_on = True
        elif tag and tag.lower() not in styles.SKIPPED_TAGS:
            keys.append(_tag_key(tag.lower(), *_names(token["attributes"] or "")))
            spots.append(token.start())
        goes_on &= not (tag and tag.lower() not in styles.SKIPPED_TAGS) and not token[0].startswith("</")
    return keys, spots


def _add_text(keys: list[str], at: list[int], key: str, place: int, *, goes_on: bool) -> None:
    """Add a text, to the one before if it goes on with it."""
    if goes_on:
        keys[-1] = (keys[-1] + key)[:KEY_LENGTH]
    else:
        keys.append(key)
        at.append(place)


def _indent(text: str) -> int:
    ink = _INK.search(text)
    return ink.start() if ink else 0


def _page_tokens(snapshot: Snapshot) -> tuple[list[str], list[int]]:
    """The keys of the elements and texts of a snapshot in document order, and the text node of each, -1 for elements.

    Text nodes with nothing but a comment between them are one text, which the first stands for.
    """
    classes, ids = snapshot.attributes("class"), snapshot.attributes("id")
    after, parent = snapshot.text_after.tolist(), snapshot.text_parent.tolist()
    keys: list[str] = []
    texts: list[int] = []
    text = 0
    for element, tag in enumerate(snapshot.tag.tolist()):
        keys.append(_tag_key(snapshot.tags[tag], classes.get(element, ""), ids.get(element, "")))
        texts.append(-1)
        while text < len(after) and after[text] == element:
            if key := _text_key(snapshot.texts[text]):
                last = texts[-1]
                goes_on = last >= 0 and parent[last] == parent[text]
                _add_text(keys, texts, key, text, goes_on=goes_on)
            text += 1
    return keys, texts


def _names(attributes: str) -> tuple[str, str]:
    """Class and id among the attributes of a start tag."""
    found: dict[str, str] = {}
    for name, *values in _NAMED.findall(attributes):
        found.setdefault(name.lower(), unescape("".join(values)))
    return found.get("class", ""), found.get("id", "")


def _tag_key(tag: str, classes: str, name: str) -> str:
    return f"<{tag} {' '.join(classes.split())} {name}"


def _text_key(text: str) -> str:
    """The first characters of a text, white space aside; nothing for a text without any."""
    return "".join(text[: 4 * KEY_LENGTH].split())[:KEY_LENGTH] or "".join(text.split())[:KEY_LENGTH]
