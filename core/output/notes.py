"""Find the footnotes of a page: the marks in its text, and the text of each note.

A mark is a number or a sign that links to its note, as in `<sup><a href="#fn1">1</a></sup>`. Where it links to nothing,
or is no link, its note is a later block that begins with the same mark.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.output.code import count_characters
from vclean.render.snapshot import HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns

_MARK: Final = re.compile(r"[\[(]?\s*((?:(?:note|nb|n\.)\s)?\d{1,3}|[*†‡§¶]{1,3}|(?<=\[)[a-z])\s*[\])]?")
_BACK: Final = re.compile(
    r"[\s\[]*(?:[↩↑⏎⤴↵^⬆][\ufe0e\ufe0f]?|back|return|jump up|[a-z]|\d+(?:\.\d+)?)?[\s\]]*", re.IGNORECASE
)
"""Text of a link from a note back to its mark."""
_NUMBERED: Final = re.compile(r"(?:(?:foot|end)?note|fn)[-_:]?(\d{1,3})", re.IGNORECASE)
"""Id of a note to which its mark does not link."""
_MAX_LENGTH: Final = 4000
"""Characters of a note at most."""
_MAX_LABEL: Final = 8
"""Characters that an element around a note has more than the note, at most: its mark, and a link back."""
_LEVELS: Final = 6


@dataclass(frozen=True, slots=True)
class Note:
    """Footnote of a page.

    Attributes:
        label: its number, or the number of its place among the notes.
        marks: for each of its marks, the text nodes.
        start, end: the range of its text nodes.
        left_out: text nodes in the range that are its mark, or a link back to the text.
    """

    label: str
    marks: tuple[tuple[int, ...], ...]
    start: int
    end: int
    left_out: frozenset[int]


@dataclass(frozen=True, slots=True)
class _Mark:
    """Mark in a text, or before a note.

    Attributes:
        element: the outermost `sup` or `a` with the mark alone.
        label: the number or sign.
        fragment: the fragment of its link, or empty.
        texts: its text nodes.
        begins: whether it is at the start of a block.
    """

    element: int
    label: str
    fragment: str
    texts: tuple[int, ...]
    begins: bool


class NoteFinder:
    """Finder of the notes that kept blocks refer to.

    Args:
        blocks: the B blocks of the page.
        content: bool (B,), which blocks are kept.
    """

    def __init__(self, blocks: BlockColumns, content: NDArray[np.bool_]) -> None:
        self._blocks, self._snapshot = blocks, blocks.snapshot
        self._content = content
        self._links = self._snapshot.attributes("href")
        self._first_texts = set(blocks.members[blocks.first].tolist())
        self._is_heading = self._snapshot.is_tag(HEADING_TAGS)

    def find(self) -> list[Note]:
        """Return the notes in the order of their first marks."""
        found = list(self._marks())
        by_anchor = self._by_anchor(found) if found else {}
        ranges = self._ranges(sorted(by_anchor)) if by_anchor else {}
        groups = [(ranges[anchor], group) for anchor, group in by_anchor.items() if anchor in ranges]
        labels = [group[0].label for _, group in groups]
        use_labels = all(map(str.isdecimal, labels)) and len(set(labels)) == len(labels)
        notes = []
        for number, ((start, end), group) in enumerate(groups, 1):
            left_out = self._left_out(start, end, group)
            if any(text not in left_out for text in range(start, end)):
                label = group[0].label if use_labels else str(number)
                notes.append(Note(label, tuple(mark.texts for mark in group), start, end, left_out))
        return notes

    def _marks(self) -> Iterator[_Mark]:
        """Iterate over the marks of the page, in document order."""
        snapshot, end = self._snapshot, 0
        for element in np.flatnonzero(snapshot.is_tag(("sup", "a"))).tolist():
            if element < end:
                continue
            words = snapshot.text_in(element).strip()
            mark = _MARK.fullmatch(words) if len(words) <= _MAX_LABEL else None
            if mark is None:
                continue
            end = int(snapshot.end[element])
            link = next((each for each in range(element, end) if "#" in self._links.get(each, "")), -1)
            fragment = self._links[link].partition("#")[2] if link >= 0 else ""
            if not fragment and snapshot.tags[snapshot.tag[element]] == "a":
                continue
            visible = tuple(text for text in snapshot.texts_in(element) if self._blocks.text_block[text] >= 0)
            if visible:
                begins = visible[0] in self._first_texts
                yield _Mark(element, mark[1].split()[-1], fragment, visible, begins)

    def _by_anchor(self, marks: list[_Mark]) -> dict[int, list[_Mark]]:
        """Return the marks in the text by the element at which their note begins."""
        snapshot = self._snapshot
        ids = {
            name: element for attribute in ("name", "id") for element, name in snapshot.attributes(attribute).items()
        }
        numbered = {found[1]: element for name, element in ids.items() if (found := _NUMBERED.fullmatch(name))}
        starts = self._starts(marks)
        by_anchor: dict[int, list[_Mark]] = {}
        used = -1
        for mark in marks:
            if mark.begins or not self._content[self._blocks.text_block[mark.texts[0]]]:
                continue
            target = ids.get(mark.fragment, -1) if mark.fragment else numbered.get(mark.label, -1)
            if target > mark.element:
                by_anchor.setdefault(target, []).append(mark)
            elif target < 0 and mark.label.isdecimal():
                least = max(mark.element, used)
                later = (element for label, element in starts if label == mark.label and element > least)
                if (anchor := next(later, -1)) > 0:
                    used = anchor
                    by_anchor.setdefault(anchor, []).append(mark)
        return by_anchor

    def _starts(self, marks: list[_Mark]) -> list[tuple[str, int]]:
        """Return label and element of the numbers at the start of a block: marks, or in bold."""
        snapshot = self._snapshot
        bold = snapshot.is_tag(("b", "strong"))[snapshot.text_parent]
        starts = [(mark.label, mark.element) for mark in marks if mark.begins]
        for text in filter(bold.__getitem__, sorted(self._first_texts)):
            label = snapshot.texts[text].strip(" .")
            if label.isdecimal():
                starts.append((label, int(snapshot.text_parent[text])))
        return sorted(starts, key=lambda start: start[1])

    def _ranges(self, anchors: list[int]) -> dict[int, tuple[int, int]]:
        """Return the range of the text nodes of each note, by its anchor; notes that are sections are left out."""
        snapshot = self._snapshot
        has_anchor, length = snapshot.count_in(np.array(anchors)), count_characters(snapshot)
        units = [self._unit(anchor, has_anchor, length) for anchor in anchors]
        ranges: dict[int, tuple[int, int]] = {}
        continues = False
        for index, (anchor, unit) in enumerate(zip(anchors, units, strict=True)):
            texts, parent = snapshot.texts_in(unit), int(snapshot.parent[unit])
            following = units[index + 1] if index + 1 < len(units) else -1
            end = texts.stop
            is_short = length[unit] <= _MAX_LABEL
            if following > 0 and snapshot.parent[following] == parent and not self._is_heading[unit:following].any():
                end = snapshot.texts_in(following).start
                continues |= end > texts.stop
            elif is_short or (continues and snapshot.parent[units[index - 1]] == parent):
                end = snapshot.texts_in(parent).stop
            text = snapshot.text_length[texts.start : end].sum()
            last = int(snapshot.text_parent[end - 1]) if end else 0
            if 0 < text <= _MAX_LENGTH and not self._is_heading[unit : last + 1].any():
                ranges[anchor] = texts.start, end
        return ranges

    def _unit(self, anchor: int, has_anchor: NDArray[np.int64], length: NDArray[np.float64]) -> int:
        """Return the largest element around an anchor that has one note and nothing else."""
        snapshot, unit = self._snapshot, anchor
        for parent in snapshot.ancestors(anchor)[1 : _LEVELS + 1]:
            if parent == 0 or has_anchor[parent] != has_anchor[unit]:
                break
            if length[unit] > _MAX_LABEL and length[parent] > length[unit] + _MAX_LABEL:
                break
            unit = parent
        return unit

    def _left_out(self, start: int, end: int, marks: list[_Mark]) -> frozenset[int]:
        """Return the text nodes of a note that are its mark, or in a link back to the text."""
        snapshot = self._snapshot
        ids = {
            snapshot.attributes("id").get(each, "")
            for mark in marks
            for each in (*snapshot.ancestors(mark.element)[:3], *range(mark.element, int(snapshot.end[mark.element])))
        } - {""}
        left_out: set[int] = set()
        for text in range(start, end):
            parent, words = int(snapshot.text_parent[text]), snapshot.texts[text].strip()
            around = snapshot.ancestors(parent)[:4]
            link = next((each for each in around if each in self._links), -1)
            is_back = link >= 0 and bool(_BACK.fullmatch(words)) and ("#" in self._links[link] or not words.isalnum())
            is_label = words.strip("[]().: ") == marks[0].label and not left_out and text < start + _MAX_LABEL
            if self._links.get(link, "").partition("#")[2] in ids or is_back or is_label or words == "^":
                left_out.add(text)
        return frozenset(left_out)


def leading_label(label: str) -> re.Pattern[str]:
    """Return the pattern of a mark at the start of the text of a note."""
    return re.compile(rf"\A\s*(?:\^\s*|[\[(]?{re.escape(label)}(?:[\])][.:]?|[.:])\s*)")
