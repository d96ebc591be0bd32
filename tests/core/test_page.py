"""Parts and joins of URLs, also of invalid ones."""

import pytest

from vclean.page import host_of, join_url, split_url


@pytest.mark.parametrize("url", ["http://[", "//[x", "http://[::1", "javascript://["])
def test_invalid_url_is_empty(url: str) -> None:
    assert not any(split_url(url))
    assert join_url("https://example.org/a", url) == host_of(url) == ""


@pytest.mark.parametrize(
    ("base", "link", "expected"),
    [
        ("https://example.org/a/b", "../c#d", "https://example.org/c#d"),
        ("https://example.org/a/b", " //other.example/c\n", "https://other.example/c"),
        ("", "a/b", "a/b"),
        ("https://example.org/a", "", "https://example.org/a"),
        ("http://[", "a", ""),
    ],
)
def test_join(base: str, link: str, expected: str) -> None:
    assert join_url(base, link) == expected


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("https://WWW.Example.org:8080/a", "example.org"),
        ("http://blog.example.org/", "blog.example.org"),
        ("file:///home/x/page.html", ""),
        ("", ""),
    ],
)
def test_host(url: str, site: str) -> None:
    assert host_of(url) == site
