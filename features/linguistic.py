"""Linguistic columns: what a block's text looks like, whatever the page looks like.

Sources: Victor (Marek, Pecina, Spousta 2007: character and token classes, sentences, duplicates, patterns), Web2Text
(Vogels et al. 2018), jusText (stop words), FIASCO (Bauer et al. 2007: words, word types, sentences).
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.columns import ratio, table
from vclean.features.groups import Groups
from vclean.features.text import ALPHA, DIGIT, PUNCT, SINGLE, SPACE, SYMBOL, UPPER, Texts, Words, hash_words, mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.view import View

COLUMNS = table(
    """
chars | characters | Length of the text.
words | words | Number of words; characters of Thai, Chinese, Japanese and the like count one each.
word_length | characters | Mean length of a word.
word_types | share | Distinct words over the words.
page_words | words | Words of the whole page.
page_blocks | blocks | Blocks of the whole page.
words_of_page | share | The block's share of the page's words.
alpha | share | Letters among the characters, white space aside.
upper | share | Capital letters among the letters.
digit | share | Digits among the characters, white space aside.
punctuation | share | Punctuation marks among the characters, white space aside.
symbol | share | Symbols (currency, arithmetic, emoji) among the characters, white space aside.
unspaced_script | share | Characters of scripts written without spaces among the characters, white space aside.
capitalised_words | share | Words that begin with a capital.
digit_words | share | Words that begin with a digit.
all_caps | flag | All letters are capitals, and there is one.
commas | marks per word | Commas of any script.
stop_words | share | Stop words of the page's language among the words; 0 without a list for it.
stop_word_count | words | Number of stop words.
sentences | sentences | Marks that end a sentence, with white space or an unspaced script behind.
sentence_length | words | Words per sentence end; all words where there is none.
starts_capital | flag | The first character is a capital.
starts_digit | flag | The first character is a digit.
starts_lower | flag | The first character is a letter, no capital and of no unspaced script.
starts_bullet | flag | The first character is a bullet, dash or arrow.
ends_sentence | flag | The last character ends a sentence, a closing quote or bracket aside.
ends_question | flag | The last character is a question or exclamation mark, a closing quote or bracket aside.
ends_colon | flag | The last character is a colon.
ends_ellipsis | flag | The last character is an ellipsis, or ends in a full stop that stands two places behind another.
pipes | characters | Vertical bars, raquos and middle dots, which part the entries of a menu.
slashes | characters | Slashes.
currency | characters | Currency signs.
quotes | characters | Quotation marks.
brackets | characters | Brackets and parentheses.
hashes | characters | Hash and at signs.
dates | matches | Dates in figures, and clock times.
months | words | Names of months, and "days ago".
years | words | Years 1900-2099.
urls | words | What web addresses begin with: http, https, www.
emails | matches | At signs between two letters or digits.
copyrights | matches | Signs of copyright and trade mark, and the words "copyright" and "all rights".
prices | matches | Amounts with a currency sign or code.
phones | matches | Telephone numbers.
actions | matches | Words of interface actions: read more, sign in, subscribe, share, add to cart.
bylines | matches | Words of authorship and posting: by, posted, published, author.
boilerplate | matches | Words of notices: privacy, terms, cookie, newsletter, advertisement.
duplicates | blocks | Other blocks of the page with the same text.
duplicate_shape | blocks | Other blocks with the same text once digits are taken as one digit.
duplicate_number | blocks | Blocks with the same text before this one.
title_overlap | share | Distinct words of the block that occur in the page's title.
title_covered | share | Distinct words of the page's title that occur in the block.
repeated_words | share | Distinct words of the block that occur in another block of the page too.
rare_words | share | Distinct words of the block that occur nowhere else on the page.
language_known | flag | A stop word of the page's language occurs on the page.
"""
)

_ENDS = ".!?…。！？؟।॥"
_CLASSES = {
    "commas": ",،、，;；",
    "pipes": "|»«›‹·•¦",
    "slashes": "/\\",
    "currency": "$€£¥₹₽₩¢₴₺",
    "quotes": "\"“”„‟'‘’«»「」『』",
    "brackets": "()[]{}（）【】",
    "hashes": "#@",
}
_BULLETS = "•·-–—*▪■●○◦‣»›→►▶✓✔+"
_CLOSERS = "\"'”’)]»」』"

_DATE = re.compile(r"\d{1,2}(?:[./-]\d{1,2}[./-]\d{2,4}|:\d\d)|\d{4}-\d\d-\d\d|\d{1,4}年|\d{1,2}月\d{1,2}日")
_PRICE = re.compile(r"[$€£¥₹₽] ?\d|\d ?(?:[€£]|USD|EUR|GBP|Kč|zł|руб)")
_PHONE = re.compile(r"\+\d{1,3}[ .-]\d|\d{3}\)?[ .-]\d{3}[ .-]\d{4}")
_PATTERNS = {"dates": _DATE, "prices": _PRICE, "phones": _PHONE}

_TERMS = {
    "months": """jan feb mar apr jun jul aug sep sept oct nov dec january february march april june july august
        september october november december yesterday today hours_ago days_ago minutes_ago months_ago years_ago
        weeks_ago""",
    "urls": "http https www",
    "copyrights": "copyright all_rights",
    "actions": """read_more learn_more show_more see_more view_more load_more show_all see_all view_all show_less
        sign_in sign_up sign_out log_in log_out login logout subscribe share tweet print add_to click buy_now download
        reply search back_to follow next previous skip_to register checkout cart menu close""",
    "bylines": "by posted published author updated written_by views comment comments replies",
    "boilerplate": """privacy terms_of terms_and cookie cookies newsletter newsletters advertise advertisement
        advertising sponsored disclaimer contact_us about_us sitemap related recommended you_may powered_by
        trademark""",
}


@cache
def _term_hashes(name: str) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Hashes of the single words of a term list, and of its pairs of words."""
    terms = _TERMS[name].split()
    pairs = Texts.of([term.replace("_", " ") for term in terms if "_" in term] or [""]).words
    return hash_words([term for term in terms if "_" not in term]), np.unique(pairs.bigram[pairs.bigram_owner >= 0])


def compute(view: View) -> Values:
    """The linguistic columns of a page, each (B,)."""
    values: Values = {}
    for part in (_counts, _shares, _edges, _characters, _patterns, _terms, _duplicates, _vocabulary):
        values.update(part(view))
    return values


def _counts(view: View) -> Values:
    texts, words, count = view.texts, view.words, len(view)
    chars = np.diff(texts.start, append=len(texts.code)) - 1
    tokens = view.tokens
    length = words.per_text((words.end - words.start).astype(np.float32))
    return {
        "chars": chars,
        "words": tokens,
        "word_length": ratio(length, tokens),
        "page_words": np.full(count, tokens.sum()),
        "page_blocks": np.full(count, count),
        "words_of_page": ratio(tokens, float(tokens.sum())),
        "stop_words": ratio(view.stop_words, tokens),
        "stop_word_count": view.stop_words,
        "digit_words": ratio(view.digit_words, tokens),
        "language_known": np.full(count, view.stop_words.any()),
    }


def _shares(view: View) -> Values:
    texts, words = view.texts, view.words
    kind = texts.kind
    ink = texts.count((kind & SPACE) == 0)
    letters, capitals = texts.count((kind & ALPHA) > 0), texts.count((kind & UPPER) > 0)
    capitalised = words.per_text(((kind[words.start] & UPPER) > 0).astype(np.float32))
    return {
        "alpha": ratio(letters, ink),
        "upper": ratio(capitals, letters),
        "digit": ratio(texts.count((kind & DIGIT) > 0), ink),
        "punctuation": ratio(texts.count((kind & PUNCT) > 0), ink),
        "symbol": ratio(texts.count((kind & SYMBOL) > 0), ink),
        "unspaced_script": ratio(texts.count((kind & SINGLE) > 0), ink),
        "capitalised_words": ratio(capitalised, view.tokens),
        "all_caps": (letters > 0) & (letters == capitals),
    }


def _edges(view: View) -> Values:
    texts = view.texts
    first = texts.code[texts.start]
    end = np.append(texts.start[1:], len(texts.code)) - 2
    last = texts.code[np.maximum(end, texts.start)]
    inner = texts.code[np.maximum(end - _is_in(last, _CLOSERS), texts.start)]
    kind = texts.kind[texts.start]
    dots = end - 2 >= texts.start
    return {
        "starts_capital": (kind & UPPER) > 0,
        "starts_digit": (kind & DIGIT) > 0,
        "starts_lower": ((kind & ALPHA) > 0) & ((kind & (UPPER | SINGLE)) == 0),
        "starts_bullet": _is_in(first, _BULLETS),
        "ends_sentence": _is_in(inner, _ENDS),
        "ends_question": _is_in(inner, "?!？！؟"),
        "ends_colon": _is_in(last, ":："),
        "ends_ellipsis": _is_in(last, "…") | (dots & _is_in(last, ".") & _is_in(texts.code[end - 2], ".")),
    }


def _characters(view: View) -> Values:
    texts = view.texts
    count = {name: texts.count(_is_in(texts.code, characters)) for name, characters in _CLASSES.items()}
    following = np.append((texts.kind[1:] & (SPACE | SINGLE)) > 0, True)
    sentences = texts.count(_is_in(texts.code, _ENDS) & following)
    return {
        **count,
        "commas": ratio(count["commas"], view.tokens),
        "sentences": sentences,
        "sentence_length": view.tokens / np.maximum(sentences, 1),
    }


def _patterns(view: View) -> Values:
    figures = np.flatnonzero(view.texts.count((view.texts.kind & DIGIT) > 0)).tolist()  # no pattern is without a digit
    values: Values = {"emails": _emails(view.texts), "years": _years(view)}
    for name, pattern in _PATTERNS.items():
        column = np.zeros(len(view), dtype=np.float32)
        column[figures] = [len(pattern.findall(view.blocks.text[index])) for index in figures]
        values[name] = column
    return values


def _emails(texts: Texts) -> NDArray[np.float32]:
    """float32 (B,): at signs between two letters or digits."""
    word_like = (texts.kind & (ALPHA | DIGIT)) > 0
    inside = (texts.code[1:-1] == ord("@")) & word_like[:-2] & word_like[2:]
    return texts.count(np.concatenate([[False], inside, [False]]))


def _years(view: View) -> NDArray[np.float32]:
    """float32 (B,): words of four characters that begin with 19 or 20 and end with a digit."""
    words, code = view.words, view.texts.code
    first, second = code[words.start], code[np.minimum(words.start + 1, len(code) - 1)]
    found = ((first == ord("1")) & (second == ord("9"))) | ((first == ord("2")) & (second == ord("0")))
    found &= words.end - words.start == 4
    found &= (view.texts.kind[words.end - 1] & DIGIT) > 0
    return words.per_text(found.astype(np.float32))


def _terms(view: View) -> Values:
    count = {name: _count_terms(view.words, name) for name in _TERMS}
    return {**count, "copyrights": count["copyrights"] + view.texts.count(_is_in(view.texts.code, "©®™"))}


def _count_terms(words: Words, name: str) -> NDArray[np.float32]:
    """float32 (B,): how many terms of the list `name` a block has."""
    single, pairs = _term_hashes(name)
    found = np.isin(words.bigram, pairs) & (words.bigram_owner >= 0)
    in_pairs = np.bincount(words.bigram_owner[found], minlength=len(words.texts.start))
    return words.per_text(np.isin(words.hash, single).astype(np.float32)) + in_pairs.astype(np.float32)


def _duplicates(view: View) -> Values:
    numbers: dict[str, int] = {}
    same = Groups.by(np.array([numbers.setdefault(text, len(numbers)) for text in view.blocks.text], dtype=np.int64))
    return {
        "duplicates": same.size - 1,
        "duplicate_shape": Groups.by(_shapes(view.words)).size - 1,
        "duplicate_number": same.place,
    }


def _shapes(words: Words) -> NDArray[np.uint64]:
    """uint64 (B,): a number for the folded words of each text in their order."""
    count = len(words.texts.start)
    place = np.arange(len(words)) - np.searchsorted(words.owner, np.arange(count))[words.owner]
    shape = np.zeros(count, dtype=np.uint64)
    np.add.at(shape, words.owner, words.hash * (mix(place.astype(np.uint64)) | np.uint64(1)))
    return shape


def _vocabulary(view: View) -> Values:
    """Columns on the distinct words of each block."""
    words, count = view.words, len(view)
    distinct = np.unique(mix(words.hash) ^ words.owner.astype(np.uint64), return_index=True)[1]
    owner, hashes = words.owner[distinct], words.hash[distinct]
    types = np.bincount(owner, minlength=count)
    title = np.unique(Texts.of([view.snapshot.title]).words.hash)
    shared = np.bincount(owner, Groups.by(hashes).size > 1, minlength=count)
    covered = np.bincount(owner, np.isin(hashes, title), minlength=count)
    return {
        "word_types": ratio(types, view.tokens),
        "repeated_words": ratio(shared, types),
        "rare_words": ratio(types - shared, types),
        "title_overlap": ratio(covered, types),
        "title_covered": ratio(covered, len(title)),
    }


def _is_in(codes: NDArray[np.uint32], characters: str) -> NDArray[np.bool_]:
    """Whether a code point is one of `characters`; comparing with each beats `np.isin` for a handful."""
    found = np.zeros(len(codes), dtype=bool)
    for character in characters:
        found |= codes == ord(character)
    return found
