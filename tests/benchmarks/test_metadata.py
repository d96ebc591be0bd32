from __future__ import annotations

from pathlib import Path

import pytest
from helpers.benchmarks import imported_benchmark, write_corpus
from helpers.page_types import PAGES

from vclean.classify.corpora.gold import GoldPage
from vclean.classify.training.fits import FITS
from vclean.labels import PageType


@pytest.fixture(scope="module")
def metadata():
    with imported_benchmark("metadata") as module:
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
    def test_types_of_the_corpora(self, metadata, corpora: list[Path], capsys: pytest.CaptureFixture[str]) -> None:
        pages = list(metadata.typed_pages(corpora, {}))
        assert len(pages) == 23
        assert [page.example.page_type for page in pages[-3:]] == [PageType.ARTICLE] * 3
        assert [page.example.weight for page in pages[-4:]] == [1, 0.2, 0.2, 0.2]
        assert "e of wcxb is left out" in capsys.readouterr().err

    def test_a_file_of_types_overrules_them(self, metadata, corpora: list[Path], tmp_path: Path) -> None:
        path = tmp_path / "types.tsv"
        path.write_text(
            "corpus\tid\tpage_type\turl\nwcxb\thome0\tlisting\thttps://a.example.org/x\nwcxb\tu\tother\t-\n"
        )
        pages = {
            (page.url, page.example.page_type, page.own)
            for page in metadata.typed_pages(corpora, metadata.read_types(path))
        }
        assert ("https://a.example.org/x", PageType.LISTING, PageType.HOME) in pages
        assert ("", PageType.OTHER, None) in pages


class TestTables:
    def test_all_are_right_on_pages_made_alike(
        self, metadata, corpora: list[Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setitem(FITS, "page types", FITS["page types"] | {"min_data_in_leaf": 1})
        pages = [page for page in metadata.typed_pages(corpora, {}) if page.corpus == "wcxb"]
        text = metadata.type_tables(pages)
        assert "| all | 20 | 1.000 | 1.000 |" in text
        assert "| collection | 0 | 0 | 0 | 5 | 0 | 0 | 0 | 0 | 0 |" in text
        assert "wcxb, its seven types" in text
