from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.text.characters import EncodedTexts, count_number_patterns


def values(name, *texts):
    return count_number_patterns(EncodedTexts.from_texts(texts), "\n".join(texts) + "\n")[name].tolist()


class TestDates:
    def test_several(self):
        assert values("dates", "On 3.11.2026 and 2026-11-03 at 12:30", "none", "1.2.2026") == [3, 0, 1]


class TestPrices:
    @pytest.mark.parametrize(
        "text",
        [
            "$10", "€ 20", "30 EUR", "30€", "1 290 Kč", "99 zł", "500 руб.", "R$ 49", "₹499", "50元", "3千円",
            "9,800円", "15000원", "299 บาท", "٥٠ درهم", "100 ریال", "500 रुपये", "Rs 500", "Rs. 500", "Rp 50", "kr 99",
            "99 kr", "₫50", "10万円", "¥1,280", "￥500", "CHF 20", "฿100", "20 ₴",
        ],
    )  # fmt: skip
    def test_one_price(self, text):
        assert values("prices", text) == [1]

    def test_a_sign_belongs_to_one_amount(self):
        assert values("prices", "10 € 20 €", "$10 $20", "10€20") == [2, 2, 1]


class TestPhones:
    @pytest.mark.parametrize(
        "text",
        ["+49 30 123", "+1 (555) 123-4567", "(555) 123-4567", "555-123-4567", "030 123 4567", "01 23 45 67 89",
         "03-1234-5678", "(0)+420 601 234 567", "010-1234-5678"],
    )  # fmt: skip
    def test_one_number(self, text):
        assert values("phones", text) == [1]


class TestCompute:
    @given(st.lists(st.text(alphabet="0123 .:-/$€年h+(kr\u0663", min_size=1, max_size=12), min_size=1, max_size=4))
    def test_values_do_not_depend_on_position(self, texts):
        for name in ("dates", "prices", "phones"):
            assert values(name, *texts) == [values(name, text)[0] for text in texts]
