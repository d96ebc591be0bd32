from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import context_of, snapshot

from vclean.classify.corpora.gold import GoldPage
from vclean.classify.metadata import choose_metadata
from vclean.classify.training.metadata import (
    PageTypeExample,
    add_unknown_addresses,
    fit,
    fit_page_types,
    is_same,
    make_example,
)
from vclean.features.facts.mentions import Field
from vclean.features.facts.page_type import COLUMNS
from vclean.labels import PAGE_TYPES, PageType

NAMES = ("Ann Lee", "Bo Ek", "Cy Fo", "Di Ga")


def page(number: int) -> tuple[str, GoldPage]:
    """Return a page and its gold author, whom the byline names; the meta element names another person."""
    author, other, day = NAMES[number % 4], NAMES[(number + 1) % 4], f"2024-03-{number + 1:02}"
    html = f"""<title>Rain {number} | Daily</title><meta name=author content="{other}"><h1>Rain {number}</h1>
    <p class=byline>By {author}</p><p class=date>{day}</p><p>It rained for days.</p><p>{other}, 2020-01-01</p>"""
    return html, GoldPage(title=f"Rain {number}", authors=(author,), date=day)


@pytest.fixture(scope="module")
def examples():
    return [make_example(snapshot(html), gold, "en") for html, gold in map(page, range(20))]


@pytest.fixture(scope="module")
def typed_examples() -> list[PageTypeExample]:
    """Return pages of all types, most of them articles; the first feature is the type, the others are noise."""
    generator = np.random.default_rng(7)
    codes = [0] * 100 + [code for code in range(len(PAGE_TYPES)) for _ in range(20)]
    x = generator.normal(size=(len(codes), len(COLUMNS))).astype(np.float32)
    x[:, 0] = codes
    return [PageTypeExample(row, PAGE_TYPES[code]) for row, code in zip(x, codes, strict=True)]


class TestMakeExample:
    def test_marks_the_candidates_of_the_gold(self, examples) -> None:
        example = examples[0]
        right = {
            field: [row.values for row, same in zip(example.candidates[field].rows, mask, strict=True) if same]
            for field, mask in example.is_right.items()
        }
        assert right == {Field.TITLE: [("Rain 0",)], Field.AUTHORS: [("Ann Lee",)], Field.PUBLISHED: [("2024-03-01",)]}
        assert all(example.has_gold.values())


class TestFit:
    def test_learns_where_markup_is_wrong_always_the_same(self, examples, typed_examples) -> None:
        model = fit(examples, typed_examples)
        assert fit(examples, typed_examples).to_bytes() == model.to_bytes()
        html, gold = page(21)
        choices = choose_metadata(context_of(html), "en", model)
        assert choices[Field.AUTHORS].values == gold.authors


class TestIsSame:
    @pytest.mark.parametrize(
        ("field", "values", "gold", "expected"),
        [
            (Field.TITLE, ("“Rain” in May",), ("Rain in May",), True),
            (Field.TITLE, ("Rain",), ("Rain in May",), False),
            (Field.PUBLISHED, ("2024-03-07T10:00:00",), ("2024-03-07",), True),
            (Field.AUTHORS, ("Bo Ek", "Ann Lee"), ("Ann Lee", "Bo Ek", "MD"), True),
            (Field.AUTHORS, ("Ann Lee",), ("Ann Lee", "Bo Ek"), False),
            (Field.AUTHORS, (), ("Ann Lee",), False),
        ],
    )
    def test_compares_values(
        self, field: Field, values: tuple[str, ...], gold: tuple[str, ...], expected: bool
    ) -> None:
        assert is_same(field, values, gold) is expected


class TestFitPageTypes:
    def test_learns_all_types(self, typed_examples: list[PageTypeExample]) -> None:
        model = fit_page_types(typed_examples)
        x = np.zeros((len(PAGE_TYPES), len(COLUMNS)), dtype=np.float32)
        x[:, 0] = range(len(PAGE_TYPES))
        probability = model.predict(x)
        assert probability.argmax(axis=1).tolist() == list(range(len(PAGE_TYPES)))
        assert probability.sum(axis=1) == pytest.approx(1)


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
