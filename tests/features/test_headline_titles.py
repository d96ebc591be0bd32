from __future__ import annotations

import pytest

from vclean.features.headline import is_site_name, normalize, split_title, strip_site_name


class TestSplitTitle:
    def test_number_of_parts_is_limited(self) -> None:
        assert split_title("a | b | c | d | e | f | g")[-1] == "f | g"


class TestIsSiteName:
    @pytest.mark.parametrize("url", ["https://example.org/rain", "", "http://[bad/rain"])
    def test_other_parts(self, url: str) -> None:
        assert not is_site_name("Rain", url)


class TestStripSiteName:
    @pytest.mark.parametrize(
        ("title", "url", "expected"),
        [
            ("The Daily | Rain in May", "https://thedaily.example.org/a", "Rain in May"),
            ("Rain - a story | The Daily", "https://thedaily.example.org/a", "Rain - a story"),
            ("The rain in May and its cost - The Daily", "", "The rain in May and its cost"),
            ("Rain", "https://thedaily.example.org/", "Rain"),
            ("The Daily", "https://thedaily.example.org/", ""),
            ("Rain - Everything about weather in one place", "", "Rain - Everything about weather in one place"),
            ("", "", ""),
        ],
    )
    def test_titles(self, title: str, url: str, expected: str) -> None:
        assert strip_site_name(title, url) == expected


def test_normalize() -> None:
    assert normalize("“RAIN” – in  May_2!") == "rain in may 2"
