from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.benchmarks import imported_benchmark, write_corpus
from helpers.page_types import PAGES

from vclean.classify.corpora.gold import GoldPage
from vclean.classify.training.fits import FITS
from vclean.features.facts.page_type import COLUMNS
from vclean.labels import PAGE_TYPES, PageType


@pytest.fixture(scope="module")
def page_types():
    with imported_benchmark("page_types") as module:
        yield module


@pytest.fixture
def corpora(tmp_path: Path) -> list[Path]:
    """Return a corpus with five sites of each type in `PAGES`, and one with three recipes."""
    typed = [
        GoldPage(id=f"{name}{site}", url=page()[1].replace("example", f"example{site}"), page_type=name,
                 html=page()[0].encode())
        for name, page in PAGES.items() for site in range(5)
    ]  # fmt: skip
    recipes = [GoldPage(id=f"r{site}", page_type="recipe", html=b"<h1>Soup</h1><p>Boil it.") for site in range(3)]
    unknown = GoldPage(id="u", html=b"<p>x")
    empty = GoldPage(id="e", page_type="home", html=b"")
    return [
        write_corpus(tmp_path / "wcxb.parquet", [*typed, unknown, empty]),
        write_corpus(tmp_path / "recipes.parquet", recipes),
    ]


class TestTypedPages:
    def test_types_of_the_corpora(self, page_types, corpora: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
        pages = list(page_types.typed_pages(corpora, {}))
        assert len(pages) == 23
        assert [page.page_type for page in pages[-3:]] == [PageType.ARTICLE] * 3
        assert [page.weight for page in pages[-4:]] == [1, 0.2, 0.2, 0.2]
        assert "e of wcxb is left out" in capsys.readouterr().err

    def test_a_file_of_types_overrules_them(self, page_types, corpora: list[Path], tmp_path: Path) -> None:
        path = tmp_path / "types.tsv"
        path.write_text(
            "corpus\tid\tpage_type\turl\nwcxb\thome0\tlisting\thttps://a.example.org/x\nwcxb\tu\tother\t-\n"
        )
        pages = {
            (page.url, page.page_type, page.own)
            for page in page_types.typed_pages(corpora, page_types.read_types(path))
        }
        assert ("https://a.example.org/x", PageType.LISTING, PageType.HOME) in pages
        assert ("", PageType.OTHER, None) in pages


class TestTables:
    def test_all_are_right_on_pages_made_alike(
        self, page_types, corpora: list[Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(FITS, "page types", FITS["page types"] | {"min_data_in_leaf": 1})
        pages = [page for page in page_types.typed_pages(corpora, {}) if page.corpus == "wcxb"]
        text = page_types.tables(pages)
        assert "| all | 20 | 1.000 | 1.000 |" in text
        assert "| collection | 0 | 0 | 0 | 5 | 0 | 0 | 0 | 0 | 0 |" in text
        assert "wcxb, its seven types" in text


class TestFitTypes:
    def test_learns_all_types_with_and_without_address(self, page_types) -> None:
        """Check pages of all types, most of them articles; one feature is the type, the others are noise."""
        generator, at = np.random.default_rng(7), COLUMNS.index("title_words")
        codes = [0] * 100 + [code for code in range(len(PAGE_TYPES)) for _ in range(20)]
        x = generator.normal(size=(len(codes), len(COLUMNS))).astype(np.float32)
        x[:, at] = codes
        pages = [
            page_types.TypedPage("", "", "", row, PAGE_TYPES[code], 0.2, None)
            for row, code in zip(x, codes, strict=True)
        ]
        of_types = np.zeros((len(PAGE_TYPES), len(COLUMNS)), dtype=np.float32)
        of_types[:, at] = range(len(PAGE_TYPES))
        model = page_types.fit_types(pages)
        for rows in (of_types, np.stack([page_types.without_address(row) for row in of_types])):
            probability = model.predict(rows)
            assert probability.argmax(axis=1).tolist() == list(range(len(PAGE_TYPES)))
            assert probability.sum(axis=1) == pytest.approx(1)
