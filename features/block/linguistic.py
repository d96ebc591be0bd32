"""Compute linguistic columns: properties of a block's text, independent of markup and layout.

Sources: Victor (Marek, Pecina, Spousta 2007: character and token classes, sentences, duplicates, patterns), Web2Text
(Vogels et al. 2018), jusText (stop words), FIASCO (Bauer et al. 2007: words, word types, sentences).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.features.columns import Groups, compute_parts, ratio, read_columns, read_parts, sorted_unique
from vclean.features.text.characters import (
    ALPHA,
    BULLET,
    CLOSER,
    CLOSING_ANGLE,
    COLON,
    COMBINING,
    COMMA,
    DIGIT,
    LOWER,
    OPENING_ANGLE,
    PIPE,
    RIGHTS,
    SENTENCE_END,
    SPACE,
    UNCONDITIONAL_END,
    UNSPACED,
    UPPER,
)
from vclean.features.text.terms import INTERFACE_LISTS, URLS, interface_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Numbers, Values
    from vclean.features.page_context import PageContext

_NO_SENTENCE_MARKS = frozenset(("th", "lo"))
_CENTURIES = {"th": (24, 25), "fa": (13, 14)}
"""First two digits of the years of this and the last century in non-Gregorian calendars."""


def _count_columns(context: PageContext) -> Values:
    """Return columns about numbers of characters and words, and the words of the page's title."""
    tokens, count = context.tokens, len(context)
    return {
        "chars": context.texts.length,
        "words": tokens,
        "page_words": np.full(count, tokens.sum()),
        "page_blocks": np.full(count, count),
        "words_of_page": ratio(tokens, float(tokens.sum())),
        "title_covered": ratio(*_title_words(context)),
    }


def _ratio_or_nan(part: NDArray[np.float32], whole: NDArray[np.float32], others: NDArray[np.float32]) -> Numbers:
    """Return `part / whole`; where the whole is 0, NaN if `others` is positive, else 0."""
    return np.where((whole == 0) & (others > 0), np.float32(np.nan), ratio(part, whole))


def _letter_columns(context: PageContext) -> Values:
    """Return columns about character classes."""
    texts = context.texts
    letters, capitals = texts.count_class(ALPHA), texts.count_class(UPPER)
    angles = texts.count_class(OPENING_ANGLE) - texts.count_class(CLOSING_ANGLE)
    return {
        "upper": _ratio_or_nan(capitals, texts.count_class(UPPER, LOWER), letters),
        "digit": ratio(texts.count_class(DIGIT), texts.length + 1 - texts.count_class(SPACE)),  # 1: the line feed
        "all_caps": (capitals > 0) & (capitals == letters - texts.count_class(COMBINING)),
        "pipes": texts.count_class(PIPE) + np.abs(angles),
        "commas": ratio(texts.count_class(COMMA), context.tokens),
    }


def _capital_columns(context: PageContext) -> Values:
    """Return columns about words that begin with a capital."""
    capitalised = context.texts.count_class(UPPER, of="words")
    can_be_capitalised = context.texts.count_class(UPPER, LOWER, DIGIT, of="words")
    return {"capitalised_words": _ratio_or_nan(capitalised, can_be_capitalised, context.tokens)}


def _edge_columns(context: PageContext) -> Values:
    """Return columns about the first and the last character."""
    texts, kind = context.texts, context.texts.kind
    end = np.append(texts.start[1:], len(texts.code)) - 2
    end = np.maximum(end, texts.start)
    first, last = kind[texts.start], kind[end]
    last_unclosed = kind[np.maximum(end - ((last & CLOSER) > 0), texts.start)]
    return {
        "starts_capital": ((first & ALPHA) > 0) & ((first & LOWER) == 0),
        "starts_bullet": (first & BULLET) > 0,
        "ends_sentence": _nan_without_sentence_marks(context, (last_unclosed & SENTENCE_END) > 0),
        "ends_colon": (last & COLON) > 0,
    }


def _nan_without_sentence_marks(context: PageContext, values: Numbers) -> Numbers:
    """Return `values` about sentence ends, or NaN for languages without marks at sentence ends."""
    return np.full(len(context), np.float32(np.nan)) if context.language in _NO_SENTENCE_MARKS else values


def _sentence_columns(context: PageContext) -> Values:
    """Return columns about sentences. Several marks in a row end one sentence."""
    texts, kind, code, marks = context.texts, context.texts.kind, context.texts.code, context.texts.find(SENTENCE_END)
    following = kind[marks + 1]
    ends = ((following & (SPACE | UNSPACED | CLOSER)) > 0) | ((kind[marks] & UNCONDITIONAL_END) > 0)
    # In most European languages, full stops after one or two digits and before a space mark ordinals and dates.
    before = np.maximum(marks - np.array([[1], [2], [3]]), -1)  # at -1 is a line feed
    digit = (kind[before] & DIGIT) > 0
    is_ordinal = digit[0] & ~(digit[1] & digit[2]) & (code[marks] == ord(".")) & (code[marks + 1] == ord(" "))
    ends &= ((following & SENTENCE_END) == 0) & ~is_ordinal
    sentences = texts.count(marks[ends])
    return {
        "sentences": _nan_without_sentence_marks(context, sentences),
        "sentence_length": _nan_without_sentence_marks(context, context.tokens / np.maximum(sentences, 1)),
    }


def _pattern_columns(context: PageContext) -> Values:
    """Return columns about dates, prices, email addresses and years."""
    texts, patterns = context.texts, context.number_patterns
    signs = np.flatnonzero(texts.code == ord("@"))
    before, after = ((texts.kind[signs + step] & (ALPHA | DIGIT)) > 0 for step in (-1, 1))
    return {
        "dates": patterns["dates"],
        "prices": patterns["prices"],
        "emails": texts.count(signs[before & after]),
        "years": _count_years(context),
    }


def _count_years(context: PageContext) -> NDArray[np.float32]:
    """Return the number of four-digit words that begin with the digits of this or the last century: float32 (B,).

    Digits of any script count.
    """
    words, texts = context.words, context.texts
    start = words.start[words.end - words.start == 4]
    start = start[texts.digit(start + 3) < 10]
    first, second, third = (texts.digit(start + at).astype(np.int64) for at in range(3))
    centuries = np.array([[19, 20, *_CENTURIES.get(context.language, ())]])
    is_year = (first * 10 + second == centuries.T).any(axis=0)
    return texts.count(start[is_year & (third < 10)])


def _term_columns(context: PageContext) -> Values:
    """Return columns about stop words, interface words and URLs."""
    stop_words = context.stop_words
    count = {name: context.terms.count(name) for name in INTERFACE_LISTS}
    if not interface_words(context.language):  # zeros are unknown
        count = {name: np.where(matches > 0, matches, np.float32(np.nan)) for name, matches in count.items()}
    return {
        **count,
        "stop_words": ratio(stop_words, context.tokens),
        "stop_word_count": stop_words,
        "urls": context.terms.count(URLS),
        "copyrights": count["copyrights"] + context.texts.count_class(RIGHTS),
    }


def _duplicate_columns(context: PageContext) -> Values:
    """Return columns about other blocks with the same text."""
    first: dict[str, int] = {}
    number = map(first.setdefault, context.blocks.text, range(len(context)))
    same = Groups(np.fromiter(number, np.int64))
    return {
        "duplicates": same.size - 1,
        "duplicate_shape": Groups(context.texts.rows["shape"]).size - 1,
        "duplicate_number": same.rank,
    }


def _vocabulary_columns(context: PageContext) -> Values:
    """Return columns about the distinct words of each block."""
    words, count = context.words, len(context)
    number = Groups(words.hash).number
    word, owner = np.divmod(sorted_unique(number * count + words.owner), max(count, 1))
    types = np.bincount(owner, minlength=count)
    shared = np.bincount(owner, (np.bincount(word) > 1)[word], minlength=count)
    return {
        "word_types": ratio(types, context.tokens),
        "repeated_words": ratio(shared, types),
        "title_overlap": ratio(_title_words(context)[0], types),
    }


def _title_words(context: PageContext) -> tuple[NDArray[np.int64], int]:
    """Return the number of distinct words of the page's title in each block, int64 (B,), and in the title."""
    _, title, rows, word = context.title_words
    pairs = sorted_unique(context.words.owner[rows] * np.int64(len(title)) + word)
    return np.bincount(pairs // max(len(title), 1), minlength=len(context)), len(title)


PARTS = read_parts("linguistic", globals())
COLUMNS = read_columns("linguistic")


def compute(context: PageContext) -> Values:
    """Return the linguistic columns of a page: (B,) each."""
    return compute_parts(PARTS, context)
