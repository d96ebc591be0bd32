from __future__ import annotations

import json
import math
import time
from typing import Any

import numpy as np
import pytest
from helpers.forum import thread
from helpers.pages import context_of
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.facts.page_type import COLUMNS, address_values, page_features


def values(html: str) -> dict[str, float]:
    return dict(zip(COLUMNS, page_features(context_of(html)).tolist(), strict=True))


def script(value: Any) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script><p>x'


class TestAddressValues:
    @pytest.mark.parametrize(
        ("url", "name", "expected"),
        [
            ("https://example.org", "url_root", 1),
            ("https://www.example.org/index.html", "url_root", 1),
            ("https://example.org/?page=2", "url_root", 0),
            ("https://example.org/a/b/c.html", "url_depth", 3),
            ("https://example.org/products/lamp", "path_product", 1),
            ("https://example.org/lamp", "path_product", 0),
            ("https://example.org/rain-in-may-2024", "url_last_digits", 4),
        ],
    )
    def test_reads_the_parts(self, url: str, name: str, expected: float) -> None:
        assert dict(zip(COLUMNS, address_values(url), strict=False))[name] == expected

    @pytest.mark.parametrize("url", ["", "rain", "https://[", "file:///tmp/page.html"])
    def test_is_unknown_without_a_host(self, url: str) -> None:
        known, *rest = address_values(url)
        assert known == 0
        assert all(map(math.isnan, rest))

    @given(st.text())
    def test_has_all_columns_for_any_text(self, url: str) -> None:
        assert (
            len(address_values(url))
            == len(address_values(f"https://example.org/{url}"))
            == COLUMNS.index("title_words")
        )


class TestContents:
    def test_words_and_names_of_a_thread(self) -> None:
        found = values(thread(4))
        assert round(np.expm1(found["name_forum"])) >= 4
        assert found["rate_replies"] > 1

    @pytest.mark.parametrize(
        ("word", "group"),
        [("postbit", "forum"), ("threads", "forum"), ("sku", "product"), ("basket", "cart"), ("xyz", None)],
    )
    def test_names_have_the_group_of_a_word_or_its_longest_stem(self, word: str, group: str | None) -> None:
        found = values(f"<p class={word}>x")
        assert [name for name in found if name.startswith("name_") and found[name]] == [f"name_{group}"] * bool(group)


class TestDeclarations:
    def test_counts_types_of_inner_objects(self) -> None:
        items = [{"@type": "ListItem", "item": {"@type": "Product", "offers": {"@type": "Offer"}}}] * 3
        found = values(script({"@graph": [{"@type": ["ItemList", "Thing"], "itemListElement": items}]}))
        assert (found["type_list"], found["type_element"], found["type_product"], found["type_offer"]) == (1, 3, 3, 3)

    def test_counts_types_of_microdata(self) -> None:
        html = '<div itemscope itemtype="https://schema.org/Recipe"><p>Soup</div>'
        assert (values(html)["type_recipe"], values(html)["type_article"], values("<p>x")["type_any"]) == (1, 1, 0)

    def test_reads_open_graph_and_title(self) -> None:
        found = values('<title>Lamps | Shop</title><meta property=og:type '
                       'content="og:product"><meta property="product:price:amount" content=3><p>x')  # fmt: skip
        assert (found["og_product"], found["meta_price"]) == (1, 1)
        assert (found["title_collection"], found["title_parts"], found["title_words"]) == (1, 1, 2)

    @pytest.mark.parametrize(
        "value",
        [
            {"@type": 7}, {"@type": {"@type": None}}, {"@type": [[], {}, None, 3]}, {"@type": "x" * 100_000},
            [[[[[[[[[[[[{"@type": "Product"}]]]]]]]]]]]], "Product", None,
        ],
        ids=["number", "object", "list", "long", "deep", "string", "null"],
    )  # fmt: skip
    def test_hostile_types_are_skipped(self, value: object) -> None:
        assert values(script(value))["type_product"] == 0

    def test_many_objects_are_bounded(self) -> None:
        started = time.perf_counter()
        found = values(script([{"@type": ["Product"] * 50, "x": [{"@type": "Offer"}] * 20}] * 300))
        assert found["type_product"] == 50
        assert time.perf_counter() - started < 5


class TestPageFeatures:
    def test_columns_have_different_names(self) -> None:
        assert len(set(COLUMNS)) == len(COLUMNS) == len(page_features(context_of("<p>x")))
