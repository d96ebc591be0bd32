"""Find the product that a page is about: the blocks with its price and its numbers; read amounts of money.

The price is the block near the headline with the declared price, or else with an amount of money. Numbers are found by
the declared value, or by their form: a short label and a code, such as `Model: NC5100EF`. The items of listings have
prices, too.
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.features.facts.markup import first_text
from vclean.features.facts.mentions import pattern_of, rows_with
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.features.facts.groups import RecordTexts
    from vclean.features.facts.page_view import PageView
    from vclean.features.facts.subject import Subject
    from vclean.render.snapshot import Snapshot


_SHORT: Final = 14
"""Most words of a block with a price or a number."""
_NEAR: Final = 60
"""Most short blocks between the headline and the price or a number that is not declared."""
_NUMBER_WORDS: Final = 5
"""Most words of a block with a number of the product."""
_BEFORE: Final = 12
"""Most blocks before the headline among which the price may be."""
_SHORT_NUMBER: Final = 2
"""Characters of a declared number that is too short to be found in a text."""
_NUMBER: Final = re.compile(
    r"\W*[^\W\d][^\d:：#]{0,30}?(?:[:：#]|[.°º]\s*:?|\bno|\bnr|\bn°)\s*(?=[\w./-]*\d[\w./-]*\d)[\w./-]{4,25}\W*",
    re.IGNORECASE,
)
"""A label of at most 30 characters, and one code of at least four, with two digits."""
_CODE: Final = re.compile(r"\w[\w./-]*\w")
_DIGIT: Final = re.compile(r"\d")
_NO_DIGITS: Final = re.compile(r"\D+")
_AMOUNT: Final = re.compile(r"\d[\d.,' \u00a0\u202f]*")
_CART_CHARS: Final = 80
"""Longest text of a block with such a button, in characters."""
_MOST_CARTS: Final = 6
"""Most elements with one such name; listings have them at every item."""
_PRICE_WORDS: Final = 6
"""Most words of a block with little beside its price; a product without markup has one."""
_CART_NEAR: Final = 25
"""Most blocks between the headline and the price of a product without markup."""


def looks_like_product(page: PageView) -> bool:
    """Return whether a page without markup is about a product: it has a cart button, and a price near its headline."""
    short = [text for text in page.texts if len(text) <= _CART_CHARS]
    buttons = (row for row in rows_with("cart_text_sign", short) if pattern_of(r"\b(?:{cart_text})").search(short[row]))
    carts = _most_like_a_cart(page) or sum(1 for _ in buttons)
    if not 0 < carts <= _MOST_CARTS:
        return False
    rows = range(page.headline + 1, min(page.headline + 1 + _CART_NEAR, len(page.texts)))
    return any(MONEY.search(page.texts[row]) for row in rows)


def _most_like_a_cart(page: PageView) -> int:
    """Return how often the most frequent name of what puts a product into a shopping cart occurs; 0 without any."""
    most = 0
    for attribute in ("class", "id", "name"):
        values = page.snapshot.values(attribute)
        likely = rows_with("cart_name_sign", values.distinct)
        named = [row for row in likely if pattern_of("{cart_name}").search(values.distinct[row][-200:])]
        most = max(most, int(np.bincount(values.index, minlength=len(values.distinct))[named].max(initial=0)))
    return most


def find_product(page: PageView, declared: Subject, candidates: NDArray[np.bool_]) -> Subject | None:
    """Return the product of a page and where the page shows it; None without a price.

    Args:
        page: the page.
        declared: what it declares of the product.
        candidates: bool (B,), the blocks that may belong to it; others are hidden, or about other products.
    """
    short = np.flatnonzero(candidates & (page.context.tokens <= _SHORT))  # nearest to the headline first
    after, others = short[short > page.headline].tolist(), short[short < page.headline][::-1].tolist()
    near = [*after[:_NEAR], *(row for row in others if row >= page.headline - _BEFORE)]
    texts = _without_struck(page, near)
    price_row = _price(page, texts, near, declared)
    if price_row < 0:
        return None
    rows = {price_row, *_numbers(page, [*after, *others], frozenset(near), declared)}
    text = _price_text(texts[price_row], declared)
    price, currency = price_and_currency(declared, text)
    return replace(
        declared, price=price, currency=currency, rows=tuple(sorted(rows)), price_row=price_row, price_text=text
    )


def _without_struck(page: PageView, rows: list[int]) -> dict[int, str]:
    """Return the texts of some blocks, without what is struck out or named as a former price."""
    texts = {row: page.texts[row] for row in rows}
    snapshot, blocks = page.snapshot, page.context.blocks
    struck = is_struck(snapshot)[snapshot.text_parent] & (blocks.text_block >= 0)
    for row in set(blocks.text_block[struck].tolist()) & texts.keys():
        nodes = np.flatnonzero((blocks.text_block == row) & ~struck).tolist()
        texts[row] = " ".join(" ".join(snapshot.texts[node] for node in nodes).split())
    return texts


def _price_text(text: str, declared: Subject) -> str:
    """Return the amount of money in a text that is the declared price, or else the first that is no former price.

    A price in another currency than the declared one is that of another country; in the same currency, an amount that
    is not the declared price is that of something else, such as a part or a recommended product: it is left out.
    """
    found = list(MONEY.finditer(text))
    if same := next((match[0].strip() for match in found if _has_price(match[0], declared)), ""):
        digits = declared.price.replace(".", "")
        return join_cents(re.sub(rf"\b{digits}\b", declared.price, same))
    former = pattern_of(r"\b(?:{former_price})\W{0,3}\Z")
    now = [match for match in found if not former.search(text, 0, match.start())]
    shown = join_cents([*now, *found][0][0].strip()) if found else text
    is_other = declared.price and currency_of(shown) in ("", declared.currency)
    return "" if is_other and not _has_price(text, declared) else shown


def price_and_currency(declared: Subject, price_text: str) -> tuple[str, str]:
    """Return the price of a product and its currency: as readers see it, with the cents of the declared price."""
    if declared.price and (not price_text or _has_price(price_text, declared)):
        return declared.price, declared.currency or currency_of(price_text)
    return amount(price_text), currency_of(price_text) or declared.currency


def _price(page: PageView, texts: dict[int, str], order: list[int], declared: Subject) -> int:
    """Return the first block with the declared price and a currency, with the declared price, or with any money.

    Blocks with few words beside an amount come first.
    """
    money = [row for row in order if MONEY.search(texts[row])]
    money.sort(key=lambda row: page.context.tokens[row] > _PRICE_WORDS)
    same = (row for rows in (money, order) for row in rows if _has_price(texts[row], declared))
    return next(same, money[0] if money else -1)


def _has_price(text: str, declared: Subject) -> bool:
    """Return whether a text has the declared price: by its digits, with or without cents."""
    whole, _, cents = declared.price.partition(".")
    amounts = {f"{whole}{cents:0<2}", *([] if cents.strip("0") else [whole])} if whole else set()
    return any(_NO_DIGITS.sub("", each) in amounts for each in _AMOUNT.findall(text))


def _numbers(page: PageView, order: list[int], near: frozenset[int], declared: Subject) -> Iterator[int]:
    """Yield the blocks with numbers of the product, and the labels before those that have a number only.

    Args:
        page: the page.
        order: the blocks that may have a declared number.
        near: those that may have another number as well.
        declared: what the page declares of the product.
    """
    numbers = (number.casefold() for number in declared.numbers if _DIGIT.search(number))
    wanted = {number for number in numbers if len(number) > _SHORT_NUMBER}
    for row in order:
        text = page.texts[row]
        if page.context.tokens[row] > _NUMBER_WORDS or MONEY.search(text):
            continue
        is_declared = not wanted.isdisjoint(_CODE.findall(text.casefold()))
        if is_declared or (row in near and _NUMBER.fullmatch(text)):
            if row and len(text.split()) == 1 and page.texts[row - 1].rstrip().endswith((":", "：")):
                yield row - 1
            yield row


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
_CURRENCY_CODE: Final = re.compile(r"\b(?:USD|EUR|GBP|CHF|CAD|AUD|JPY|CNY|SEK|NOK|DKK|PLN|CZK|RUB|INR)\b")
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
    plain, former = np.flatnonzero(~struck).tolist(), np.flatnonzero(struck).tolist()
    bare = [row for row in plain if _CURRENCY.fullmatch(texts.texts[row])]
    own, of_sale = (((row, texts.texts[row]) for row in each) for each in (plain, former))
    around = ((row, text) for row in bare if int(texts.record[row]) not in prices for text in _texts_around(texts, row))
    for row, text in chain(own, around, of_sale):
        record = int(texts.record[row])
        if record not in prices and len(text) <= _MAX_PRICE and (match := MONEY.search(text)):
            prices[record] = match[0].strip()
    return {record: join_cents(price) for record, price in prices.items()}


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
    code = _CURRENCY_CODE.search(text)
    return code[0] if code else next((code for sign, code in _CURRENCIES.items() if sign in text), "")


def is_struck(snapshot: Snapshot) -> NDArray[np.bool_]:
    """Return which elements are struck out, or inside of one that is: bool (N,)."""
    struck = snapshot.is_tag(("del", "s", "strike"))
    struck |= np.array(["line-through" in line for line in snapshot.styles.column("text-decoration-line")], dtype=bool)[
        snapshot.style
    ]
    return tree.inside(struck | snapshot.having("class", _NAME), snapshot.end)
