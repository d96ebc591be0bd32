"""Read the words that pages of a type have in their address, title, generator, names of elements and text.

The words are in `data/type_words.tsv`. None is specific to one site.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from vclean.features.text.terms import Terms
from vclean.files import read_table

_ROWS: Final = tuple((part, group, words) for part, group, words in read_table(__file__, "type_words.tsv"))


def groups_of(part: str) -> tuple[str, ...]:
    """Return the groups of words of a part of the page, such as `path` or `title`, in the order of the file."""
    return tuple(group for row_part, group, _ in _ROWS if row_part == part)


@cache
def words_of(part: str) -> dict[str, frozenset[str]]:
    """Return the words of each group of a part of the page."""
    return {group: frozenset(words.split()) for row_part, group, words in _ROWS if row_part == part}


@cache
def text_terms() -> Terms:
    """Return the terms of texts, one list for each group."""
    return Terms.from_lists({group: words.split(", ") for row_part, group, words in _ROWS if row_part == "text"})


@cache
def name_bit(word: str) -> int:
    """Return as a bit the group of a word in names of elements: of the whole word, else of its longest stem, else 0."""
    exact, stems = _name_words()
    bit = exact.get(word)
    if bit is None:
        bit = next((stems[word[:n]] for n in range(len(word), 1, -1) if word[:n] in stems), 0)
    return bit


@cache
def _name_words() -> tuple[dict[str, int], dict[str, int]]:
    """Return the bits of whole words, and those of stems."""
    pairs = [(word, 1 << bit) for bit, words in enumerate(words_of("name").values()) for word in sorted(words)]
    exact = {word: bit for word, bit in pairs if word[-1] != "*"}
    return exact, {word[:-1]: bit for word, bit in pairs if word[-1] == "*"}
