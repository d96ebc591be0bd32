from __future__ import annotations

import re

import numpy as np
import pytest
from helpers.forum import listing, thread
from helpers.pages import context_of

from vclean.features.facts.contents import COLUMNS, content_values

SENTENCE = (
    "The ferry did not leave the harbour on Monday because the wind had turned to the north and the sea was high."
)


def values(html: str) -> dict[str, float]:
    return dict(zip(COLUMNS, content_values(context_of(html)), strict=True))


class TestContentValues:
    def test_running_text(self) -> None:
        found = values(f"<h1>Ferry</h1><p>{SENTENCE}<p>{SENTENCE}<p><a href=/>{SENTENCE}</a>")
        words = len(SENTENCE.split())
        assert np.expm1(found["long_blocks"]) == pytest.approx(2)
        assert np.expm1(found["longest_run"]) == pytest.approx(2 * words)
        assert found["long_share"] == pytest.approx(2 * words / (3 * words + 1))
        assert found["largest_body"] == pytest.approx(found["long_share"])
        assert found["link_words"] == pytest.approx(words / (3 * words + 1))

    def test_records_of_a_grid(self) -> None:
        found = values(listing(5))
        assert np.expm1(found["record_size"]) == pytest.approx(5)
        assert (found["record_linked"], found["record_image"], found["record_price"]) == (1, 1, 1)
        assert np.expm1(found["records_price"]) == pytest.approx(5)

    def test_records_of_a_thread(self) -> None:
        found = values(re.sub(r" odd\d", "", thread(4)))
        assert round(np.expm1(found["name_forum"])) >= 4
        assert round(np.expm1(found["text_replies"])) >= 4
        assert np.expm1(found["records_date"]) == pytest.approx(4)

    def test_terms_in_other_languages(self) -> None:
        assert np.expm1(values("<button>In den Warenkorb</button><p>в корзину")["text_cart"]) == pytest.approx(2)

    def test_tags(self) -> None:
        found = values("<pre>x = 1</pre><form><input type=PASSWORD><input></form><p>y")
        assert found["code_words"] > 0
        assert np.expm1([found["tag_password"], found["tag_field"]]) == pytest.approx([1, 2])

    @pytest.mark.parametrize("html", ["<html></html>", "<p hidden>x", "<img src=a.png>", "<p>" * 2000, "<p>x" * 2000])
    def test_every_page_has_finite_values(self, html: str) -> None:
        assert np.isfinite(content_values(context_of(html))).all()
