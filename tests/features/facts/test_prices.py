"""Prices of the items of a listing."""

from __future__ import annotations

import time

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.features.blocks import extract_blocks
from vclean.features.facts.groups import RecordTexts
from vclean.features.facts.products import MONEY, _price_text, price_and_currency, record_prices
from vclean.features.facts.subject import Subject


@pytest.mark.parametrize(
    ("text", "price"),
    [
        ("1,199円（税込）", "1,199円"), ("199元", "199元"), ("kr 199", "kr 199"), ("Nu 1 299,00 kr", "1 299,00 kr"),
        ("199,00 zł", "199,00 zł"), ("ab 1.299,- €", "1.299,- €"), ("199.000₫", "199.000₫"), ("SEK 250", "SEK 250"),
        ("￥1200", "￥1200"), ("CHF 1'199.50", "CHF 1'199.50"), ("12 000 Ft", "12 000 Ft"),
    ],
)  # fmt: skip
def test_money(text, price):
    assert MONEY.search(text)[0] == price


@pytest.mark.parametrize("text", ["3 krona", "5 of 12", "kr", "2024", "12 liter"])
def test_no_money(text):
    assert not MONEY.search(text)


@pytest.mark.parametrize("text", ["1 000" * 400, "1," * 1000, "1'" * 1000, "$ " + "1 " * 1000])
def test_long_numbers_take_little_time(text):
    start = time.perf_counter()
    MONEY.search(text)
    assert time.perf_counter() - start < 0.5


@pytest.mark.parametrize(
    ("html", "price"),
    [
        ("<p>Lamp</p><p>$12.50</p>", "$12.50"),
        ("<p>Lamp</p><p><b>$</b><b>40</b><sup>99</sup></p>", "$40.99"),
        ("<p>Lamp</p><p><i>199</i> <i>kr</i></p>", "199 kr"),
        ("<p>Lamp</p><p><s>$9</s> $7</p>", "$7"),
        ("<p>Lamp</p><p><s>$9</s></p>", "$9"),
    ],
)
def test_price_of_a_record(html, price):
    page = snapshot(f"<ul><li>{html}</ul>")
    prices = record_prices(RecordTexts(extract_blocks(page), np.flatnonzero(page.is_tag(("li",))).astype(np.int32)))
    assert {row: text.replace("$ ", "$") for row, text in prices.items()} == {0: price}


@pytest.mark.parametrize(
    ("declared", "currency", "text", "shown", "price"),
    [
        ("75", "USD", "$2.65", "", ("75", "USD")),
        ("173.34", "RON", "17334 Lei", "173.34 Lei", ("173.34", "RON")),
        ("199.00", "EUR", "was € 249 now € 199", "€ 199", ("199.00", "EUR")),
        ("210.00", "USD", "€ 199", "€ 199", ("199", "EUR")),
        ("", "", "was €9, now €7", "€7", ("7", "EUR")),
    ],
)
def test_price_and_its_text_do_not_contradict_each_other(declared, currency, text, shown, price):
    product = Subject(price=declared, currency=currency)
    assert _price_text(text, product) == shown
    assert price_and_currency(product, shown) == price
