"""The word lists of a language, ready to be found in a page."""

from __future__ import annotations

from functools import cache

import stopwordsiso

from vclean.features import month_names, vocabulary
from vclean.features.terms import Terms

STOP_WORDS, MONTHS, URLS = "stop_words", "months", "urls"
_URLS = ["http", "https", "www"]
_STOP_WORD_ALIASES = {"nb": "no", "nn": "no", "bs": "hr"}


@cache
def terms_of(language: str) -> Terms:
    """Stop words of a language (ISO 639-1), and the other lists in it and in English, which is on most pages."""
    own, english = vocabulary.lists_of(language), vocabulary.lists_of("en")
    lists = {name: [*english[name], *own.get(name, [])] for name in vocabulary.LISTS}
    lists[MONTHS] = month_names.months_of("en") + month_names.months_of(language)
    return Terms.of({**lists, URLS: _URLS, STOP_WORDS: _stop_words(language)})


@cache
def has_stop_words(language: str) -> bool:
    """Whether there is a list of stop words for a language."""
    return bool(_stop_words(language))


@cache
def has_vocabulary(language: str) -> bool:
    """Whether there are lists of interface words for a language."""
    return bool(vocabulary.lists_of(language))


def _stop_words(language: str) -> list[str]:
    code = _STOP_WORD_ALIASES.get(language, language)
    if not stopwordsiso.has_lang(code):
        return []
    return sorted(word for word in stopwordsiso.stopwords(code) if any(map(str.isalpha, word)))
