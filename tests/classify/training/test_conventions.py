from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.synthetic import rows

from vclean.classify.training.conventions import MIN_PAGES, convention_name, conventions


class TestConventionName:
    @pytest.mark.parametrize(
        ("corpus", "name"),
        [
            ("cleaneval-final", "cleaneval"),
            ("dragnet", "dragnet"),
            ("wcxb_test", "wcxb"),
            ("final-draft", "final-draft"),
        ],
    )
    def test_parts_share_a_convention(self, corpus: str, name: str) -> None:
        assert convention_name(corpus) == name


class TestConventions:
    PAGE = rows(0)

    def pages(self, count: int, corpus: str, **changes: object):
        return [replace(self.PAGE, corpus=corpus, id=str(number), **changes) for number in range(count)]

    def test_small_corpora_have_none(self) -> None:
        pages = [*self.pages(MIN_PAGES, "news"), *self.pages(MIN_PAGES - 1, "blogs")]
        assert set(conventions(pages)[:MIN_PAGES]) == {"news"}
        assert set(conventions(pages)[MIN_PAGES:]) == {""}

    def test_readings_of_a_page_count_once(self) -> None:
        page = self.pages(MIN_PAGES // 2, "news")
        assert set(conventions([*page, *page])) == {""}

    def test_partial_gold_has_none(self) -> None:
        assert set(conventions(self.pages(MIN_PAGES, "news", is_partial=True))) == {""}
