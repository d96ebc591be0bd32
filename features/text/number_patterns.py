"""What stands round figures: dates, clock times, prices and telephone numbers, in the forms of several countries.

Regular expressions look only where a run of digits begins that can be one of these, by the characters beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.text.characters import CURRENCY, DIGIT

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.text.characters import EncodedTexts


def _code_points(characters: str) -> NDArray[np.uint32]:
    """The code points of some characters, ascending."""
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
"""Currencies as they are written behind an amount: the codes of ISO 4217 that are common on pages, and names."""
_MONEY_BEGINS = _code_points("UEGCJIRPSNDHTBkFlđKzргłлтд元円块圓원千万億亿萬만천بدرجلتรบरট")
_MONEY_ENDS = _code_points("spr.FRDP")
_MONEY_BEFORE = ("Rs", "Rs.", "Rp", "Rp.", "kr", "CHF", "EUR", "USD", "GBP")

_PHONE = re.compile(
    r"\+\d{1,3}[ .-]?\(?\d|\d{3}\)?[ .-]\d{3}[ .-]\d{4}|(?!\d\d-\d\d-\d{4})0\d{1,4}\)?(?:[ -]\d{2,4}){2,4}(?![\d:])"
)
"""International numbers, those of North America, and those in groups that begin with the 0 of a trunk prefix."""
_PARTING, _JOINING = _code_points(" .-)"), _code_points(".,/-")
"""What stands behind the first digits of a telephone number, and what does not stand before them."""


@dataclass(frozen=True, eq=False)
class _Runs:
    """R runs of digits in a page's texts: int64 (R,) where they begin and end; uint32 (R,) what stands beside them.

    `after` is the character behind a run, or the one after that where it is a space; `before` likewise.
    """

    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    before: NDArray[np.int64]
    after: NDArray[np.int64]


def compute(texts: EncodedTexts, plain: str) -> Values:
    """The columns `dates`, `prices` and `phones`, float32 (B,) each; `plain` is what `texts` encode, as one string."""
    runs = _runs(texts)
    found = {"dates": _dates(texts, runs, plain), "prices": _prices(texts, runs, plain)}
    found["phones"] = _phones(texts, runs, plain)
    return {name: _per_text(texts, np.array(places, dtype=np.int64)) for name, places in found.items()}


def _runs(texts: EncodedTexts) -> _Runs:
    digit = np.concatenate([[False], (texts.kind & DIGIT) > 0])  # the last character is a line feed
    edges = np.flatnonzero(digit[1:] != digit[:-1])
    begin, end = edges[::2], edges[1::2]
    code, last = texts.code, len(texts.code) - 1
    before = np.maximum(begin - 1, 0)
    before = np.where(code[before] == ord(" "), np.maximum(before - 1, 0), before)
    after = np.where(code[end] == ord(" "), np.minimum(end + 1, last), end)
    return _Runs(begin, end, before, after)


def _per_text(texts: EncodedTexts, places: NDArray[np.int64]) -> NDArray[np.float32]:
    owner = np.searchsorted(texts.start, places, side="right") - 1
    return np.bincount(owner, minlength=len(texts.start)).astype(np.float32)


def _is_one_of(code: NDArray[np.uint32], ascending: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Whether each code point is among `ascending`; a search beats `np.isin` for the few runs of a page."""
    return np.asarray(ascending.take(np.searchsorted(ascending, code), mode="clip") == code)


def _dates(texts: EncodedTexts, runs: _Runs, plain: str) -> list[int]:
    likely = (runs.end - runs.begin <= 4) & _is_one_of(texts.code[runs.after], _DATE_MARKS)
    return _matches(_DATE, plain, runs.begin[likely].tolist())


def _matches(pattern: re.Pattern[str], plain: str, places: list[int]) -> list[int]:
    """The places where the pattern matches, beyond the match before."""
    found, end = [], 0
    for place in places:
        if place >= end and (match := pattern.match(plain, place)):
            found.append(place)
            end = match.end()
    return found


def _prices(texts: EncodedTexts, runs: _Runs, plain: str) -> list[int]:
    """Currency signs beside a run, each once, and runs beside the name of a currency."""
    kind, code = texts.kind, texts.code
    behind, ahead = (kind[runs.after] & CURRENCY) > 0, (kind[runs.before] & CURRENCY) > 0
    signs = np.unique(np.concatenate([runs.after[behind], runs.before[ahead]]))
    named = ~behind & _is_one_of(code[runs.after], _MONEY_BEGINS)
    named[named] = [bool(_MONEY.match(plain, end - 1)) for end in runs.end[named].tolist()]
    led = ~(ahead | behind | named) & _is_one_of(code[runs.before], _MONEY_ENDS)
    led[led] = [_named_before(plain, begin) for begin in runs.begin[led].tolist()]
    return [*signs.tolist(), *runs.begin[named | led].tolist()]


def _named_before(plain: str, begin: int) -> bool:
    return plain[max(begin - 6, 0) : begin].rsplit("\n", maxsplit=1)[-1].strip().split(" ")[-1] in _MONEY_BEFORE


def _phones(texts: EncodedTexts, runs: _Runs, plain: str) -> list[int]:
    code, first, length = texts.code, texts.digit[runs.begin], runs.end - runs.begin
    plus = code[np.maximum(runs.begin - 1, 0)] == ord("+")
    parted = _is_one_of(code[runs.end], _PARTING) & ((length == 3) | ((first == 0) & (length >= 2) & (length <= 5)))
    parted &= ~_is_one_of(code[np.maximum(runs.begin - 1, 0)], _JOINING)
    return _matches(_PHONE, plain, (runs.begin - plus)[plus | parted].tolist())
