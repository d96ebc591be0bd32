"""Find the terms of word lists in the words of a page: single words and phrases, in any script.

A term is a sequence of words. In scripts without spaces each letter is a word, and a term is found as a substring.
Languages are ISO 639-1 codes. The lists are data files: `data/interface_words.tsv` (labels of buttons, phrases of
authorship, titles of notices) and `data/date_words.tsv`. Date words do not come from a locale library: importing one
takes longer than processing a page, and its lists may depend on previously loaded locales.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.columns import sorted_unique
from vclean.features.text._characters import find_terms
from vclean.features.text.characters import EncodedTexts, mix
from vclean.files import read_table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.features.text.characters import Words

_BUCKETS = 1 << 12  # `BUCKET_BITS` of `_characters.c`
_CONTINUES = np.uint32(1 << 31)
"""The list of all beginnings of longer terms."""
_MATCH = np.dtype([("start", "i4"), ("length", "i4"), ("lists", "u4")])
"""Rows of `_characters.c`."""


class Terms:
    """Lists of terms, stored as hashes.

    Args:
        lists: terms by the name of their list; letter case and punctuation between words are ignored.

    Attributes:
        names: the names of the lists.
        keys: uint64 (T,), the hashes of terms and of their beginnings, ascending; of two words, as in `Words.bigram`.
        lists: uint32 (T,), the lists that contain each, one bit per index in `names`, and `_CONTINUES`.
        first: int32 (_BUCKETS + 1,), the index of the first key in each bucket: those with equal leading bits.
    """

    def __init__(self, lists: Mapping[str, Sequence[str]]) -> None:
        self.names = tuple(lists)
        bits = np.repeat(1 << np.arange(len(lists), dtype=np.uint32), [len(terms) for terms in lists.values()])
        words = EncodedTexts([*chain.from_iterable(lists.values()), ""]).words
        count, start = words.per_text(), np.flatnonzero(np.diff(words.owner, prepend=-1))
        value, values, bits_of = words.hash[start], [words.hash[:0]], [bits[:0]]
        while len(start):
            term, length = words.owner[start], len(values)
            goes_on = count[term] > length
            values.append(value)
            bits_of.append(np.where(goes_on, _CONTINUES, bits[term]))
            start = start[goes_on]
            value = mix(value[goes_on] * np.uint64(3) + words.hash[start + length])
        self.keys = sorted_unique(np.concatenate(values))
        self.lists = np.zeros(len(self.keys), dtype=np.uint32)
        np.bitwise_or.at(self.lists, np.searchsorted(self.keys, np.concatenate(values)), np.concatenate(bits_of))
        buckets = (self.keys // np.uint64((1 << 64) // _BUCKETS)).astype(np.int64)
        self.first = np.searchsorted(buckets, np.arange(_BUCKETS + 1)).astype(np.int32)

    def find(self, words: Words) -> TermMatches:
        """Find all occurrences of terms that lie within one text."""
        rows = np.frombuffer(find_terms(self.keys, self.lists, self.first, words.hash, words.owner), _MATCH)
        return TermMatches(words, self.names, rows["start"], rows["length"], rows["lists"])


@dataclass(frozen=True, eq=False)
class TermMatches:
    """M matches of terms in `words`.

    Attributes:
        words: the words.
        names: the names of the lists.
        start: int32 (M,), the first word of each match.
        length: int32 (M,), its number of words.
        lists: uint32 (M,), the lists that contain the term, one bit per index in `names`.
    """

    words: Words
    names: tuple[str, ...]
    start: NDArray[np.int32]
    length: NDArray[np.int32]
    lists: NDArray[np.uint32]

    def count(self, name: str) -> NDArray[np.float32]:
        """Return the number of matches of one list in each text: float32 (B,)."""
        start = self.start[self._in_list(name)]
        return np.bincount(self.words.owner[start], minlength=len(self.words.texts.start)).astype(np.float32)

    def covered_words(self, name: str, weight: NDArray[np.float32] | None = None) -> NDArray[np.float32]:
        """Return the number of words of each text in matches of one list: float32 (B,).

        With `weight` (W,), return the sum of their weights.
        """
        listed, count = self._in_list(name), len(self.words) + 1
        start, end = self.start[listed], self.start[listed] + self.length[listed]
        change = np.bincount(start, minlength=count) - np.bincount(end, minlength=count)
        inside = (np.cumsum(change[:-1]) > 0).astype(np.float32)
        return self.words.per_text(inside if weight is None else inside * weight)

    def _in_list(self, name: str) -> NDArray[np.bool_]:
        """Return which matches are in one list."""
        return (self.lists & np.uint32(1 << self.names.index(name))) > 0


INTERFACE_LISTS = ("actions", "bylines", "boilerplate", "copyrights")
"""Words of interface actions; of authorship and posting; of notices, advertising and recommendations; of copyright."""
STOP_WORDS, MONTHS, URLS = "stop_words", "months", "urls"

_URLS = ["http", "https", "www"]
_ALIASES = {"nb": "no", "nn": "no", "hr": "sh", "bs": "sh", "sr": "sh"}
"""Languages that share most of these words: the standards of Norwegian and of Serbo-Croatian."""
_INTERFACE_ALIASES = {**_ALIASES, "ms": "id"}
_STOP_WORD_ALIASES = {"nb": "no", "nn": "no", "bs": "hr"}


@cache
def terms_of(language: str) -> Terms:
    """Return the words of interface and of dates of a language, joined with those of English, by list.

    English words occur on most pages.
    """
    words, english_words = interface_words(language), interface_words("en")
    lists = {name: [*english_words[name], *words.get(name, [])] for name in INTERFACE_LISTS}
    lists[MONTHS] = date_words("en") + date_words(language)
    return Terms({**lists, URLS: _URLS})


@cache
def stop_words_of(language: str) -> Terms | None:
    """Return the stop words of a language that contain a letter; None without a list for the language."""
    words = _stop_words().get(_STOP_WORD_ALIASES.get(language, language))
    if words is None:
        return None
    return Terms({STOP_WORDS: sorted(word for word in set(words) if any(map(str.isalpha, word)))})


@cache
def _stop_words() -> dict[str, list[str]]:
    """Read the stop words by language from the file of `stopwordsiso`; its import takes ten times as long."""
    package = Path(str(getattr(find_spec("stopwordsiso"), "origin", "")))
    words: dict[str, list[str]] = json.loads(package.with_name("stopwords-iso.json").read_bytes())
    return words


@cache
def interface_words(language: str) -> dict[str, list[str]]:
    """Return the terms of each of `INTERFACE_LISTS`; an empty dict for a language without lists."""
    code, rows = _INTERFACE_ALIASES.get(language, language), read_table(__file__, "interface_words.tsv")
    return {name: terms.split(", ") for of_language, name, terms in rows if of_language == code}


@cache
def date_words(language: str) -> list[str]:
    """Return terms of dates: months, "yesterday", "days ago"; an empty list for a language without a list."""
    code, rows = _ALIASES.get(language, language), read_table(__file__, "date_words.tsv")
    return next((terms.split(", ") for of_language, terms, *_ in rows if of_language == code), [])
