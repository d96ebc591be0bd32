from __future__ import annotations

import pytest
from helpers.benchmarks import imported_benchmark
from helpers.pages import context_of, snapshot

from vclean.classify.corpora.gold import GoldPage
from vclean.classify.metadata import choose_metadata, load_shipped
from vclean.features.facts.mentions import Field

NAMES = ("Ann Lee", "Bo Ek", "Cy Fo", "Di Ga")


def page(number: int) -> tuple[str, GoldPage]:
    """Return a page and its gold author, whom the byline names; the meta element names another person."""
    author, other, day = NAMES[number % 4], NAMES[(number + 1) % 4], f"2024-03-{number + 1:02}"
    html = f"""<title>Rain {number} | Daily</title><meta name=author content="{other}"><h1>Rain {number}</h1>
    <p class=byline>By {author}</p><p class=date>{day}</p><p>It rained for days.</p><p>{other}, 2020-01-01</p>"""
    return html, GoldPage(title=f"Rain {number}", authors=(author,), date=day)


@pytest.fixture(scope="module")
def metadata():
    with imported_benchmark("metadata") as module:
        yield module


@pytest.fixture(scope="module")
def examples(metadata):
    return [metadata.make_example(snapshot(html), gold, "en") for html, gold in map(page, range(20))]


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
    def test_learns_where_markup_is_wrong_always_the_same(self, metadata, examples) -> None:
        types = load_shipped().forests[Field.PAGE_TYPE]
        model = metadata.fit(examples, types, {})
        assert metadata.fit(examples, types, {}).to_bytes() == model.to_bytes()
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
        self, metadata, field: Field, values: tuple[str, ...], gold: tuple[str, ...], expected: bool
    ) -> None:
        assert metadata.is_same(field, values, gold) is expected
