from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from vclean.classify.training.page_type import PageTypeExample, add_unknown_addresses, fit_page_types
from vclean.features.facts.page_type import COLUMNS
from vclean.labels import PAGE_TYPES, PageType


@pytest.fixture(scope="module")
def examples() -> list[PageTypeExample]:
    """Return pages of all types, most of them articles; the first feature is the type, the others are noise."""
    generator = np.random.default_rng(7)
    codes = [0] * 100 + [code for code in range(len(PAGE_TYPES)) for _ in range(20)]
    x = generator.normal(size=(len(codes), 4)).astype(np.float32)
    x[:, 0] = codes
    return [PageTypeExample(row, PAGE_TYPES[code]) for row, code in zip(x, codes, strict=True)]


class TestFitPageTypes:
    def test_learns_all_types(self, examples: list[PageTypeExample]) -> None:
        model = fit_page_types(examples)
        probability = model.predict(np.array([[code, 0, 0, 0] for code in range(len(PAGE_TYPES))], dtype=np.float32))
        assert probability.argmax(axis=1).tolist() == list(range(len(PAGE_TYPES)))
        assert probability.sum(axis=1) == pytest.approx(1)

    def test_is_deterministic(self, examples: list[PageTypeExample]) -> None:
        assert fit_page_types(examples).text == fit_page_types(examples).text

    def test_weights_count(self, examples: list[PageTypeExample]) -> None:
        light = [replace(each, weight=0.01 if each.page_type is PageType.HOME else 1.0) for each in examples]
        row = np.array([[PAGE_TYPES.index(PageType.HOME), 0, 0, 0]], dtype=np.float32)
        home = PAGE_TYPES.index(PageType.HOME)
        assert fit_page_types(light).predict(row)[0, home] < fit_page_types(examples).predict(row)[0, home]


class TestAddUnknownAddresses:
    def test_adds_copies_that_differ_in_the_address(self) -> None:
        x = np.arange(len(COLUMNS), dtype=np.float32)
        known, unknown = add_unknown_addresses([PageTypeExample(x, PageType.HOME, 0.2)])
        assert (known.weight, unknown.weight, unknown.page_type) == (0.1, 0.1, PageType.HOME)
        assert np.array_equal(known.x, x)
        assert dict(zip(COLUMNS, unknown.x.tolist(), strict=True))["url_known"] == 0
        count = COLUMNS.index("title_words")
        assert np.isnan(unknown.x).sum() == count - 1
        assert np.array_equal(unknown.x[count:], x[count:])
