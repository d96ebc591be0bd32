"""Count dates, clock times, prices and telephone numbers in the formats of several countries.

Regular expressions are tried only at runs of digits with neighboring characters that allow a match.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.names.element_names import sorted_unique
from vclean.features.text.characters import CURRENCY, DIGIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.text.characters import EncodedTexts


def _code_points(characters: str) -> NDArray[np.uint32]:
    """Return the code points of some characters, ascending."""
    return np.array(sorted(map(ord, characters)), dtype=np.uint32)


_DATE = re.compile(
    r"\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4}|\d{1,2}:\d\d|\d{4}[./-] ?\d{1,2}[./-] ?\d{1,2}"
    r"|\d{1,4} ?[年년] ?\d{1,2} ?[月월](?: ?\d{1,2} ?[日일號号])?|\d{4} ?[年년]|\d{1,2} ?[月월] ?\d{1,2} ?[日일號号]"
    r"|\d{1,2} ?[時时點点시] ?\d{1,2} ?[分분]|\d{1,2} ?h ?\d\d\b"
)
_DATE_MARKS = _code_points("./-:年년月월時时點点시h")

_MONEY = re.compile(
    r"\d ?[千万億亿萬만천]?(?:(?:USD|EUR|GBP|CHF|JPY|CNY|INR|RUB|PLN|CZK|SEK|NOK|DKK|HUF|RON|TRY|BRL)\b"
    r"|(?:kr|Ft|lei|Rs|Rp|TL|đ)\b|Kč|zł|руб|грн|лв|тг|дин|元|円|块|圓|원|บาท|درهم|دينار|ريال|جنيه|ليرة|ریال|تومان|रुपये|रुपए|টাকা)"
)
"""Currencies written after an amount: ISO 4217 codes that are common on pages, and names."""
_MONEY_BEGINS = _code_points("UEGCJIRPSNDHTBkFlđKzргłлтд元円块圓원千万億亿萬만천بدرجلتรบरট")
_MONEY_ENDS = _code_points("spr.FRDP")
_MONEY_BEFORE = ("Rs", "Rs.", "Rp", "Rp.", "kr", "CHF", "EUR", "USD", "GBP")

_PHONE = re.compile(
    r"\+\d{1,3}[ .-]?\(?\d|\d{3}\)?[ .-]\d{3}[ .-]\d{4}|(?!\d\d-\d\d-\d{4})0\d{1,4}\)?(?:[ -]\d{2,4}){2,4}(?![\d:])"
)
"""International numbers, North American numbers, and groups of digits that begin with the trunk prefix 0."""
_AFTER_PREFIX, _NOT_BEFORE = _code_points(" .-)"), _code_points(".,/-")
"""Characters after the first digits of a telephone number, and characters that never come before them."""


@dataclass(frozen=True, eq=False)
class _DigitRuns:
    """R runs of digits in the texts of a page.

    Attributes:
        begin, end: int64 (R,), indices of the first digit and of one past the last.
        before: int64 (R,), the index of the character before the run, or of the one before that if it is a space.
        after: int64 (R,), the index of the character after the run, or of the one after that if it is a space.
    """

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    before: NDArray[np.int64]
    after: NDArray[np.int64]


def compute(texts: EncodedTexts, plain: str) -> Values:
    """Return the columns `dates`, `prices` and `phones`: float32 (B,) each.

    Args:
        texts: the encoded texts.
        plain: the same texts as one string, with a line feed after each.
    """
    runs = _find_digit_runs(texts)
    matches = {"dates": _find_dates(texts, runs, plain), "prices": _find_prices(texts, runs, plain)}
    matches["phones"] = _find_phones(texts, runs, plain)
    return {name: _count_per_text(texts, np.array(positions, dtype=np.int64)) for name, positions in matches.items()}


def _find_digit_runs(texts: EncodedTexts) -> _DigitRuns:
    """Find all runs of digits."""
    digit = np.concatenate([[False], (texts.kind & DIGIT) > 0])  # the last character is a line feed
    edges = np.flatnonzero(digit[1:] != digit[:-1])
    begin, end = edges[::2], edges[1::2]
    code, last = texts.code, len(texts.code) - 1
    before = np.maximum(begin - 1, 0)
    before = np.where(code[before] == ord(" "), np.maximum(before - 1, 0), before)
    after = np.where(code[end] == ord(" "), np.minimum(end + 1, last), end)
    return _DigitRuns(begin, end, before, after)


def _count_per_text(texts: EncodedTexts, positions: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the number of matches in each text: float32 (B,)."""
    owner = np.searchsorted(texts.start, positions, side="right") - 1
    return np.bincount(owner, minlength=len(texts.start)).astype(np.float32)


def _is_among(code: NDArray[np.uint32], ascending: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which code points are among `ascending`; for few runs a binary search is faster than `np.isin`."""
    return np.asarray(ascending.take(np.searchsorted(ascending, code), mode="clip") == code)


def _find_dates(texts: EncodedTexts, runs: _DigitRuns, plain: str) -> list[int]:
    """Return the positions of dates and clock times."""
    candidates = (runs.end - runs.begin <= 4) & _is_among(texts.code[runs.after], _DATE_MARKS)
    return _find_matches(_DATE, plain, runs.begin[candidates].tolist())


def _find_matches(pattern: re.Pattern[str], plain: str, positions: list[int]) -> list[int]:
    """Return the `positions` at which the pattern matches, without positions inside the previous match."""
    matches, end = [], 0
    for position in positions:
        if position >= end and (match := pattern.match(plain, position)):
            matches.append(position)
            end = match.end()
    return matches


def _find_prices(texts: EncodedTexts, runs: _DigitRuns, plain: str) -> list[int]:
    """Return the positions of currency signs beside runs of digits, each once, and of runs beside currency names."""
    kind, code = texts.kind, texts.code
    sign_after, sign_before = (kind[runs.after] & CURRENCY) > 0, (kind[runs.before] & CURRENCY) > 0
    signs = sorted_unique(np.concatenate([runs.after[sign_after], runs.before[sign_before]]))
    name_after = ~sign_after & _is_among(code[runs.after], _MONEY_BEGINS)
    name_after[name_after] = [bool(_MONEY.match(plain, end - 1)) for end in runs.end[name_after].tolist()]
    name_before = ~(sign_before | sign_after | name_after) & _is_among(code[runs.before], _MONEY_ENDS)
    name_before[name_before] = [_follows_currency_name(plain, begin) for begin in runs.begin[name_before].tolist()]
    return [*signs.tolist(), *runs.begin[name_after | name_before].tolist()]


def _follows_currency_name(plain: str, begin: int) -> bool:
    """Return whether a currency name is directly before the amount that begins at `begin`."""
    return plain[max(begin - 6, 0) : begin].rsplit("\n", maxsplit=1)[-1].strip().split(" ")[-1] in _MONEY_BEFORE


def _find_phones(texts: EncodedTexts, runs: _DigitRuns, plain: str) -> list[int]:
    """Return the positions of telephone numbers."""
    code, first, length = texts.code, texts.digit[runs.begin], runs.end - runs.begin
    plus = code[np.maximum(runs.begin - 1, 0)] == ord("+")
    has_prefix = _is_among(code[runs.end], _AFTER_PREFIX) & (
        (length == 3) | ((first == 0) & (length >= 2) & (length <= 5))
    )
    has_prefix &= ~_is_among(code[np.maximum(runs.begin - 1, 0)], _NOT_BEFORE)
    return _find_matches(_PHONE, plain, (runs.begin - plus)[plus | has_prefix].tolist())
