"""Input documents, their subresources, and URLs, of which pages have invalid ones."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol
from urllib.parse import SplitResult, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Resource:
    """Subresource of a page, or a response.

    Attributes:
        body: the bytes as stored.
        content_type: the `Content-Type` header as served; empty if unknown.
        status: the HTTP status code.

    >>> Resource(b"p { color: red }", "text/css").status
    200
    """

    body: bytes
    content_type: str = ""
    status: int = 200


class Resources(Protocol):
    """Source of the subresources of a page: style sheets, images and frames.

    >>> class Styles:
    ...     def get(self, url: str) -> Resource | None:
    ...         return Resource(b"p { color: red }", "text/css") if url.endswith(".css") else None
    >>> Page(content="<p>It rained.", resources=Styles()).resources.get("https://example.org/a.png") is None
    True
    """

    def get(self, url: str, /) -> Resource | None:
        """Return the resource at the absolute `url`, or None if this source does not have it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """Input document.

    Attributes:
        content: the document, as bytes (decoded as browsers do) or as text.
        url: the URL it came from; relative links resolve against it. Empty if unknown.
        charset: the encoding declared by the transport (HTTP header, archive record); empty if unknown.
        path: the file it was read from, or None.
        resources: the source of its subresources, or None for no subresources.
        live: whether the page is fetched from `url` over the network.
        id: the name of the page in logs and in output.
        record_id, record_date: `WARC-Record-ID` and `WARC-Date` of the archived response; empty for other pages.
        snapshot: a stored snapshot of the page as bytes (see `vclean.render.cache.to_bytes`), used in place of
            `content`; or None.

    >>> page = Page(content="<p>It rained.", url="https://example.org/", id="rain")
    >>> page.live, page.resources
    (False, None)
    """

    content: bytes | str = field(default=b"", repr=False)
    url: str = ""
    charset: str = ""
    path: Path | None = None
    resources: Resources | None = None
    live: bool = False
    id: str = ""
    record_id: str = ""
    record_date: str = ""
    snapshot: bytes | None = field(default=None, repr=False)


@dataclass(frozen=True, slots=True)
class Source:
    """Page that can be read.

    Attributes:
        id: the name of the page in messages and output: the path from the command line, the URL, or the id in its
            container.
        read: a function that returns the page; it raises `InputError`, `LimitError`, `NetworkError` or `DeadlineError`.
        origin: in a farm, the absolute path of the file that contains it, or a URL, or an argument that gave no page.
    """

    id: str
    read: Callable[[], Page]
    origin: str = ""


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
