from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.features.facts.address import COLUMNS, address_values


def values(url: str) -> dict[str, float]:
    return dict(zip(COLUMNS, address_values(url), strict=True))


class TestAddressValues:
    @pytest.mark.parametrize(
        ("url", "name", "expected"),
        [
            ("https://example.org", "url_root", 1),
            ("https://www.example.org/index.html", "url_root", 1),
            ("https://example.org/?page=2", "url_root", 0),
            ("https://example.org/a/b/c.html", "url_depth", 3),
            ("https://example.org/a/b/c.html", "url_extension", 1),
            ("https://docs.example.org/x", "host_documentation", 1),
            ("https://docs.example.org/x", "url_subdomain", 1),
            ("https://www.example.org/x", "url_subdomain", 0),
            ("https://example.org/products/lamp", "path_product", 1),
            ("https://example.org/lamp", "path_product", 0),
            ("https://example.org/showthread.php?t=3", "last_forum", 1),
            ("https://example.org/2024/05/rain", "url_date", 1),
            ("https://example.org/rain-in-may-2024", "url_last_digits", 4),
        ],
    )
    def test_reads_the_parts(self, url: str, name: str, expected: float) -> None:
        assert values(url)[name] == expected

    @pytest.mark.parametrize("url", ["", "rain", "https://[", "file:///tmp/page.html"])
    def test_is_unknown_without_a_host(self, url: str) -> None:
        known, *rest = address_values(url)
        assert known == 0
        assert all(map(math.isnan, rest))

    @given(st.text())
    def test_has_all_columns_for_any_text(self, url: str) -> None:
        assert len(address_values(url)) == len(address_values(f"https://example.org/{url}")) == len(COLUMNS)
