"""Read amounts of money and their currencies, and find the price of each item of a listing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.features.facts.json_ld import first_text
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.features.facts.slots import RecordTexts
    from vclean.render.snapshot import Snapshot


MONEY: Final = re.compile(
    r"(?:[$€£¥￥₹₩₽₺₫฿₪₱]|\b(?:USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|CAD|AUD|Rs\.?|kr\.?|R\$)\s?)\s?\d(?:[\d.,\s]|['’](?=\d)){0,24}"
    r"|\d(?:[\d.,]|['’](?=\d)){0,24}(?:\s\d{3}){0,4}(?:,\d\d|,[-–—])?"
    r"\s?(?:[€£¥￥₹₽₺₴₸₫฿₪₱]|USD|EUR|GBP|CHF|SEK|NOK|DKK|PLN|CAD|AUD|Kč|zł|тг|руб|грн|лв|(?:kr|lei|Ft|din)\b|円|元)",
    re.IGNORECASE,
)
"""Amount of money with its currency."""
_MAX_PRICE: Final = 40
"""Longest text with a price, in characters."""
_CURRENCY: Final = re.compile(
    r"(?:[$€£¥￥₹₩₽₺₴₸₫฿₪₱円元]|US\$|R\$|Kč|zł|kr\.?|Rs\.?|тг|руб|грн|лв|lei|Ft|[A-Z]{3})", re.IGNORECASE
)
"""Text that is a currency, with the amount in another text."""
_MAX_LEVELS: Final = 3
"""Elements around a currency that may hold its amount as well."""
_SPLIT_CENTS: Final = re.compile(r"(?<=\d)\s+(?=[.,]\d)")
"""Space before cents in an element of their own."""
_BARE_CENTS: Final = re.compile(r"(\d)\s(\d\d)\Z")
"""Cents in an element of their own, without a point."""


_CURRENCIES: Final = {
    "€": "EUR", "£": "GBP", "₽": "RUB", "₹": "INR", "₩": "KRW", "₺": "TRY", "zł": "PLN", "Kč": "CZK", "円": "JPY",
}  # fmt: skip
"""Currencies by signs that only one currency has."""
_CODE: Final = re.compile(r"\b(?:USD|EUR|GBP|CHF|CAD|AUD|JPY|CNY|SEK|NOK|DKK|PLN|CZK|RUB|INR)\b")
_TAGS: Final = ("del", "s", "strike")
_NAME: Final = re.compile(
    r"(?:old|was|former|original|compare|strike|crossed|list|msrp|rrp)[-_]*(?:at[-_]*)?price|"
    r"price[-_]*(?:old|was|former|original|compare|strike|crossed|list|rrp)|strike-?through|line-?through",
    re.IGNORECASE,
)
"""Names of elements with the price before a sale."""


def record_prices(texts: RecordTexts) -> dict[int, str]:
    """Return the first price of each record that has one; a former price only for a record without another."""
    prices: dict[int, str] = {}
    struck = is_struck(texts.blocks.snapshot)[texts.parent]
    rows = np.flatnonzero(texts.record >= 0)
    for row in rows[~struck[rows]].tolist():
        _add_price(prices, int(texts.record[row]), texts.texts[row])
    for row in rows[~struck[rows]].tolist():
        if int(texts.record[row]) not in prices and _CURRENCY.fullmatch(texts.texts[row]):
            for text in _texts_around(texts, row):
                _add_price(prices, int(texts.record[row]), text)
    for row in rows[struck[rows]].tolist():
        _add_price(prices, int(texts.record[row]), texts.texts[row])
    return {record: join_cents(price) for record, price in prices.items()}


def _add_price(prices: dict[int, str], record: int, text: str) -> None:
    """Add the price in a text to those of the records, unless the record has one."""
    if record not in prices and len(text) <= _MAX_PRICE and (match := MONEY.search(text)):
        prices[record] = match[0].strip()


def _texts_around(texts: RecordTexts, row: int) -> Iterator[str]:
    """Yield the texts of the elements around a text that are in its record, the innermost first."""
    for element in texts.blocks.snapshot.ancestors(int(texts.parent[row]))[:_MAX_LEVELS]:
        if texts.record_of_element[element] == texts.record[row]:
            yield texts.text_of(element)


def join_cents(price: str) -> str:
    """Return a price with its cents after a point, where they are in an element of their own.

    >>> join_cents("$199 .00"), join_cents("$199 00"), join_cents("1 299 kr")
    ('$199.00', '$199.00', '1 299 kr')
    """
    joined = _SPLIT_CENTS.sub("", price)
    return joined if "." in joined or "," in joined else _BARE_CENTS.sub(r"\1.\2", joined)


def amount(value: Any) -> str:  # noqa: ANN401
    """Return a price as number with a decimal point; empty for other values.

    >>> amount("1.299,00"), amount("$ 25"), amount(3.5), amount("on request")
    ('1299.00', '25', '3.5', '')
    """
    match = re.search(r"\d[\d.,'’ \u00a0\u202f]*", first_text(value, 40))
    if not match:
        return ""
    digits = re.sub(r"['’ \u00a0\u202f]", "", match[0]).rstrip(".,")
    whole, mark, cents = digits.rpartition(max(".,", key=digits.rfind))
    if not mark or (len(cents) > 2 and (digits.count(mark) > 1 or mark == ",")):
        return re.sub(r"[.,]", "", digits)
    return f"{re.sub(r'[.,]', '', whole)}.{cents}"


def currency_of(text: str) -> str:
    """Return the currency of a price; empty if several currencies share its sign, such as the dollar.

    >>> currency_of("\u20ac 3.50"), currency_of("$3.50"), currency_of("350円")
    ('EUR', '', 'JPY')
    """
    code = _CODE.search(text)
    return code[0] if code else next((code for sign, code in _CURRENCIES.items() if sign in text), "")


def is_struck(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements are struck out, or inside of one that is: bool (N,)."""
    struck = snapshot.is_tag(_TAGS)
    struck |= np.array(["line-through" in line for line in snapshot.styles.column("text-decoration-line")], dtype=bool)[
        snapshot.style
    ]
    classes = snapshot.values("class")
    if len(classes.node):
        named = np.array([bool(_NAME.search(names)) for names in classes.distinct], dtype=bool)
        struck[classes.node[named[classes.index]]] = True
    return np.asarray(tree.path_sum(struck, snapshot.end) > 0) if struck.any() else struck
