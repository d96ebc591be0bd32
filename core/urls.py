"""Split and join URLs, of which pages have invalid ones."""

from __future__ import annotations

from urllib.parse import SplitResult, urljoin, urlsplit


def split_url(url: str) -> SplitResult:
    """Return the parts of a URL; those of an invalid one are empty.

    >>> split_url("https://example.org/a?b").path, split_url("http://[").path
    ('/a', '')
    """
    try:
        return urlsplit(url)
    except ValueError:
        return SplitResult("", "", "", "", "")


def join_url(base: str, link: str) -> str:
    """Return a link resolved against `base`, which may be empty; the empty string if the result is no valid URL.

    >>> join_url("https://example.org/a/b", " ../c "), join_url("https://example.org/", "http://[")
    ('https://example.org/c', '')
    """
    try:
        return urljoin(base, link.strip())
    except ValueError:
        return ""


def host_of(url: str) -> str:
    """Return the host of a URL without `www.`; empty for a relative or an invalid one.

    >>> host_of("https://www.example.org/news/1.html"), host_of("/news/1.html")
    ('example.org', '')
    """
    return (split_url(url).hostname or "").removeprefix("www.")
