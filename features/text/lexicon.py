"""Compile the word lists of a language into `Terms`.

Languages are ISO 639-1 codes. The lists are data files: `data/interface_words.tsv` (labels of buttons, phrases of
authorship, titles of notices) and `data/date_words.tsv`. Date words do not come from a locale library: importing one
takes longer than processing a page, and its lists may depend on previously loaded locales.
"""

from __future__ import annotations

from functools import cache

import stopwordsiso

from vclean.features.text.terms import Terms
from vclean.files import read_table

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
    """Return the stop words of a language, and its other lists joined with those of English.

    English words occur on most pages.
    """
    words, english_words = interface_words(language), interface_words("en")
    lists = {name: [*english_words[name], *words.get(name, [])] for name in INTERFACE_LISTS}
    lists[MONTHS] = date_words("en") + date_words(language)
    return Terms.from_lists({**lists, URLS: _URLS, STOP_WORDS: _stop_words(language)})


@cache
def has_stop_words(language: str) -> bool:
    """Return whether a language has a list of stop words."""
    return bool(_stop_words(language))


def has_interface_words(language: str) -> bool:
    """Return whether a language has lists of interface words."""
    return _INTERFACE_ALIASES.get(language, language) in _interface_table()


def interface_words(language: str) -> dict[str, list[str]]:
    """Return the terms of each of `INTERFACE_LISTS`; an empty dict for a language without lists."""
    lists = _interface_table().get(_INTERFACE_ALIASES.get(language, language), {})
    return {name: terms.split(", ") for name, terms in lists.items()}


def date_words(language: str) -> list[str]:
    """Return terms of dates: months, "yesterday", "days ago"; an empty list for a language without a list."""
    terms = _date_table().get(_ALIASES.get(language, language))
    return terms.split(", ") if terms else []


@cache
def _interface_table() -> dict[str, dict[str, str]]:
    """Read the lists of interface words: joined terms by language and name of the list."""
    table: dict[str, dict[str, str]] = {}
    for language, name, terms in read_table(__file__, "interface_words.tsv"):
        table.setdefault(language, {})[name] = terms
    return table


@cache
def _date_table() -> dict[str, str]:
    """Read the lists of date words: joined terms by language."""
    return {row[0]: row[1] for row in read_table(__file__, "date_words.tsv")}


def _stop_words(language: str) -> list[str]:
    """Return the stop words of a language that contain a letter."""
    code = _STOP_WORD_ALIASES.get(language, language)
    if not stopwordsiso.has_lang(code):
        return []
    return sorted(word for word in stopwordsiso.stopwords(code) if any(map(str.isalpha, word)))
