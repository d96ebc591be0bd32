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
    COLON,
    COMMA,
    DIGIT,
    LOWER,
    MARK,
    PIPE,
    SENTENCE_END,
    SPACE,
    UNCONDITIONAL_END,
    UNSPACED,
    UPPER,
    mix,
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
    texts, tokens, count = context.texts, context.tokens, len(context)
    return {
        "chars": np.diff(texts.start, append=len(texts.code)) - 1,
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
    texts, kind = context.texts, context.texts.kind
    letters, capitals = texts.count_class(ALPHA), texts.count_class(UPPER)
    opened, closed = (texts.count(texts.code == ord(mark)) for mark in "«»")
    return {
        "upper": _ratio_or_nan(capitals, texts.count_class(UPPER | LOWER), letters),
        "digit": ratio(texts.count_class(DIGIT), texts.count((kind & SPACE) == 0)),
        "all_caps": (capitals > 0) & (capitals == texts.count((kind & (ALPHA | MARK)) == ALPHA)),
        "pipes": texts.count_class(PIPE) + np.abs(opened - closed),
        "commas": ratio(texts.count_class(COMMA), context.tokens),
    }


def _capital_columns(context: PageContext) -> Values:
    """Return columns about words that begin with a capital."""
    words = context.words
    first = words.texts.kind[words.start]
    capitalised = words.per_text(((first & UPPER) > 0).astype(np.float32))
    can_be_capitalised = words.per_text(((first & (UPPER | LOWER | DIGIT)) > 0).astype(np.float32))
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
    texts, kind = context.texts, context.texts.kind
    marks, following = (kind[:-1] & SENTENCE_END) > 0, kind[1:]
    ends = marks & (((following & (SPACE | UNSPACED | CLOSER)) > 0) | ((kind[:-1] & UNCONDITIONAL_END) > 0))
    # In most European languages, full stops after one or two digits and before a space mark ordinals and dates.
    digit = np.concatenate([np.zeros(3, dtype=bool), (kind & DIGIT) > 0])
    short = digit[2:-2] & ~(digit[1:-3] & digit[:-4])
    is_ordinal = short & (texts.code[1:] == ord(" ")) & (texts.code[:-1] == ord("."))
    ends &= ((following & SENTENCE_END) == 0) & ~is_ordinal
    sentences = texts.count(np.append(ends, False))
    return {
        "sentences": _nan_without_sentence_marks(context, sentences),
        "sentence_length": _nan_without_sentence_marks(context, context.tokens / np.maximum(sentences, 1)),
    }


def _pattern_columns(context: PageContext) -> Values:
    """Return columns about dates, prices, email addresses and years."""
    texts, patterns = context.texts, context.number_patterns
    word_like = (texts.kind & (ALPHA | DIGIT)) > 0
    in_address = (texts.code[1:-1] == ord("@")) & word_like[:-2] & word_like[2:]
    return {
        "dates": patterns["dates"],
        "prices": patterns["prices"],
        "emails": texts.count(np.concatenate([[False], in_address, [False]])),
        "years": _count_years(context),
    }


def _count_years(context: PageContext) -> NDArray[np.float32]:
    """Return the number of four-digit words that begin with the digits of this or the last century: float32 (B,).

    Digits of any script count.
    """
    words, digit = context.words, context.texts.digit
    has_four = words.end - words.start == 4
    start, owner = words.start[has_four], words.owner[has_four]
    century = digit[start].astype(np.int64) * 10 + digit[start + 1]
    is_year = np.isin(century, (19, 20, *_CENTURIES.get(context.language, ())))
    is_year &= (digit[start + 2] < 10) & (digit[start + 3] < 10)
    return np.bincount(owner[is_year], minlength=len(context)).astype(np.float32)


def _term_columns(context: PageContext) -> Values:
    """Return columns about stop words, interface words and URLs."""
    texts, stop_words = context.texts, context.stop_words
    count = {name: context.terms.count(name) for name in INTERFACE_LISTS}
    if not interface_words(context.language):  # zeros are unknown
        count = {name: np.where(matches > 0, matches, np.float32(np.nan)) for name, matches in count.items()}
    return {
        **count,
        "stop_words": ratio(stop_words, context.tokens),
        "stop_word_count": stop_words,
        "urls": context.terms.count(URLS),
        "copyrights": count["copyrights"] + sum(texts.count(texts.code == ord(sign)) for sign in "©®™℗"),
    }


def _duplicate_columns(context: PageContext) -> Values:
    """Return columns about other blocks with the same text."""
    numbers: dict[str, int] = {}
    number = np.array([numbers.setdefault(text, len(numbers)) for text in context.blocks.text], dtype=np.int64)
    words, same = context.words, Groups(number)
    position = np.arange(len(words)) - np.searchsorted(words.owner, np.arange(len(context)))[words.owner]
    shape = np.zeros(len(context), dtype=np.uint64)  # hash of the sequence of folded words
    np.add.at(shape, words.owner, words.hash * (mix(position.astype(np.uint64)) | np.uint64(1)))
    return {
        "duplicates": same.size - 1,
        "duplicate_shape": Groups(shape).size - 1,
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
