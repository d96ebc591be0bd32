"""Count dates, clock times, prices and telephone numbers in the formats of several countries."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.text.characters import CURRENCY, DIGIT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.columns import Values
    from vclean.features.text.characters import EncodedTexts

_DATE = re.compile(
    r"\d{1,2}[./-] ?\d{1,2}[./-] ?\d{2,4}|\d{1,2}:\d\d|\d{4}[./-] ?\d{1,2}[./-] ?\d{1,2}"
    r"|\d{1,4} ?[年년] ?\d{1,2} ?[月월](?: ?\d{1,2} ?[日일號号])?|\d{4} ?[年년]|\d{1,2} ?[月월] ?\d{1,2} ?[日일號号]"
    r"|\d{1,2} ?[时時點点시] ?\d{1,2} ?[分분]|\d{1,2} ?h ?\d\d\b"
)
_BESIDE_DIGIT = re.compile(r"(?:(?<=\d)|(?<=\d ))|.(?= ?\d)")
_MONEY = re.compile(
    r"\d+ ?[千万億亿萬만천]?(?:(?:USD|EUR|GBP|CHF|JPY|CNY|INR|RUB|PLN|CZK|SEK|NOK|DKK|HUF|RON|TRY|BRL)\b"
    r"|(?:kr|Ft|lei|Rs|Rp|TL|đ)\b|Kč|zł|руб|грн|лв|тг|дин|元|円|块|圓|원|บาท|درهم|دينار|ريال|جنيه|ليرة|ریال|تومان|रुपये|रुपए|টাকা)"
)
"""Currencies written after an amount: ISO 4217 codes that are common on pages, and names."""
_MONEY_BEFORE = re.compile(r"(?<!\S)(?:Rs\.?|Rp\.?|kr|CHF|EUR|USD|GBP) ?\Z")
_PHONE = re.compile(
    r"(?<=\+)\d{1,3}[ .-]?\(?\d"
    r"|(?<![.,/-])(?:\d{3}\)?[ .-]\d{3}[ .-]\d{4}|(?!\d\d-\d\d-\d{4})0\d{1,4}\)?(?:[ -]\d{2,4}){2,4}(?![\d:]))"
)
"""International numbers, North American numbers, and groups of digits that begin with the trunk prefix 0."""


def compute(texts: EncodedTexts, plain: str) -> Values:
    """Return the columns `dates`, `prices` and `phones`: float32 (B,) each.

    Args:
        texts: the encoded texts.
        plain: the same texts as one string, with a line feed after each.
    """
    digit = np.concatenate([[False], (texts.kind & DIGIT) > 0])
    numbers = np.flatnonzero(digit[1:] > digit[:-1]).tolist()
    signs = np.flatnonzero(texts.kind & CURRENCY).tolist()
    prices = [sign for sign in signs if _BESIDE_DIGIT.match(plain, sign)]
    prices += [
        each for each in numbers if _MONEY.match(plain, each) or _MONEY_BEFORE.search(plain[max(each - 6, 0) : each])
    ]
    positions = {"dates": _matches(_DATE, plain, numbers), "prices": prices, "phones": _matches(_PHONE, plain, numbers)}
    return {name: _count_per_text(texts, np.array(at, dtype=np.int64)) for name, at in positions.items()}


def _matches(pattern: re.Pattern[str], plain: str, positions: Sequence[int]) -> list[int]:
    """Return the `positions` at which the pattern matches, without positions inside the previous match."""
    matches, end = [], 0
    for position in positions:
        if position >= end and (match := pattern.match(plain, position)):
            matches.append(position)
            end = match.end()
    return matches


def _count_per_text(texts: EncodedTexts, positions: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the number of matches in each text: float32 (B,)."""
    owner = np.searchsorted(texts.start, positions, side="right") - 1
    return np.bincount(owner, minlength=len(texts.start)).astype(np.float32)
