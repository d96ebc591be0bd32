from __future__ import annotations

from pathlib import Path

import pytest
from helpers import page_types

from vclean.classify.page_type import page_type
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.labels import PageType
from vclean.page import Page
from vclean.render.static.parse import parse

FIXTURES = Path(__file__).parents[2] / "fixtures"


def type_of(html: str | bytes, url: str = "") -> str:
    return page_type(PageContext(extract_blocks(parse(Page(content=html, url=url)))))


class TestChoosePageType:
    @pytest.mark.parametrize(
        ("folder", "url", "expected"),
        [
            ("news", "https://news.example.org/2024/05/ferry-harbour", PageType.ARTICLE),
            ("product", "https://shop.example.com/products/fennel-2", PageType.PRODUCT),
            ("forum", "https://forum.example.org/viewtopic.php?t=7", PageType.FORUM),
            ("docs", "https://docs.example.org/reference/read", PageType.DOCUMENTATION),
        ],
    )
    def test_of_fixtures(self, folder: str, url: str, expected: PageType) -> None:
        assert type_of((FIXTURES / folder / "page.html").read_bytes(), url) == expected

    @pytest.mark.parametrize(
        ("page", "expected"),
        [
            (page_types.collection(), PageType.COLLECTION),
            (page_types.service(), PageType.SERVICE),
            (page_types.home(), PageType.HOME),
            (page_types.notice(), PageType.OTHER),
        ],
        ids=["collection", "service", "home", "other"],
    )
    def test_of_written_pages(self, page: tuple[str, str], expected: PageType) -> None:
        assert type_of(*page) == expected

    def test_is_deterministic(self) -> None:
        html = (FIXTURES / "news" / "page.html").read_bytes()
        assert type_of(html) == type_of(html)
