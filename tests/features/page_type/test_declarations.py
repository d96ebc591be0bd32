from __future__ import annotations

import json
import time

import pytest
from helpers.pages import snapshot

from vclean.features.facts.declarations import COLUMNS, declared_values


def values(html: str) -> dict[str, float]:
    return dict(zip(COLUMNS, declared_values(snapshot(html)), strict=True))


def script(value: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(value)}</script><p>x'


class TestDeclaredValues:
    def test_counts_types_of_inner_objects(self) -> None:
        items = [{"@type": "ListItem", "item": {"@type": "Product", "offers": {"@type": "Offer"}}}] * 3
        found = values(script({"@graph": [{"@type": ["ItemList", "Thing"], "itemListElement": items}]}))
        assert (found["type_list"], found["type_element"], found["type_product"], found["type_offer"]) == (1, 3, 3, 3)

    def test_counts_types_of_microdata(self) -> None:
        html = '<div itemscope itemtype="https://schema.org/Recipe"><p>Soup</div>'
        assert (values(html)["type_recipe"], values(html)["type_article"], values("<p>x")["type_any"]) == (1, 1, 0)

    def test_reads_open_graph_generator_and_title(self) -> None:
        found = values('<title>Lamps | Shop</title><meta name=generator content="Discourse 3.1"><meta property=og:type '
                       'content="og:product"><meta property="product:price:amount" content=3><p>x')  # fmt: skip
        assert (found["generator_forum"], found["og_product"], found["meta_price"]) == (1, 1, 1)
        assert (found["title_product"], found["title_parts"], found["title_words"]) == (1, 1, 2)

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
