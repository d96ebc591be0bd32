"""Recognize texts that are dates or contain one, in the language of a page."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.text.lexicon import date_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import BlockColumns

MAX_CHARACTERS: Final = 120
"""Length of a text that may be a date with its label, such as `Posted by Ines on 3 May 2020, 14:05`."""
_NUMERIC: Final = "|".join((
    r"\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4}", r"\d{4}[./-] ?\d{1,2}[./-] ?\d{1,2}",
    r"\d{4} ?[年년] ?\d{1,2} ?[月월]", r"\d{1,2} ?[月월] ?\d{1,2} ?[日일]",
))  # fmt: skip

_NEAR_DAYS: Final = frozenset((
    "yesterday", "today", "gestern", "heute", "hier", "aujourd'hui", "ayer", "hoy", "ieri", "oggi", "ontem", "hoje",
))  # fmt: skip
"""Words of `data/date_words.tsv` that are dates by themselves."""


@lru_cache(maxsize=64)
def _pattern(language: str) -> re.Pattern[str]:
    """Return the pattern of dates in English and another language: digits, months beside digits, relative times."""
    terms = dict.fromkeys([*date_words("en"), "may", *date_words(language)])
    months = [re.escape(term) for term in terms if " " not in term]
    phrases = [re.escape(term).replace("00", "0").replace("0", r"\d+") for term in terms if " " in term]
    names = "|".join(sorted(months, key=len, reverse=True))
    relative = "|".join(
        [r"(?:a|an|\d+)\s?(?:[smhdwy]|secs?|mins?|hrs?|mos?)\s+ago", *phrases, *sorted(_relative(terms))]
    )
    month = rf"\d[\W_]{{0,3}}(?:de\s|of\s)?(?:{names})\b|\b(?:{names})\b\.?[\W_]{{0,3}}\d"
    return re.compile(rf"{_NUMERIC}|{month}|\b(?:{relative})\b", re.IGNORECASE)


def _relative(terms: dict[str, None]) -> frozenset[str]:
    """Return the words for today and yesterday."""
    return _NEAR_DAYS & set(terms)


def date_start(text: str, language: str) -> int:
    """Return the index of the first character of the date in a text, 0 if it is only marked up as one."""
    match = _pattern(language).search(text)
    return match.start() if match else 0


def find_date_texts(blocks: BlockColumns, language: str) -> NDArray[np.bool_]:
    """Return which of the K text nodes in blocks (`blocks.members`) are short and contain a date: bool (K,)."""
    pattern, snapshot, members = _pattern(language), blocks.snapshot, blocks.members
    in_time = snapshot.is_tag(("time",))[snapshot.text_parent[members]].tolist()
    texts = snapshot.texts
    has_date = [
        timed
        or (len(text) <= 2 * MAX_CHARACTERS and len(text.strip()) <= MAX_CHARACTERS and bool(pattern.search(text)))
        for text, timed in zip((texts[row] for row in members.tolist()), in_time, strict=True)
    ]
    return np.array(has_date, dtype=bool)
