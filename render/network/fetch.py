"""Fetch a page over HTTP without a browser: limited in bytes, time and redirects, from public addresses only."""

from __future__ import annotations

import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag

import httpx

from vclean.characters import format_count
from vclean.errors import DeadlineError, LimitError, NetworkError, NotHtmlError
from vclean.page import Page
from vclean.render.content_coding import decode_content
from vclean.render.network.addresses import host_and_port
from vclean.render.network.transport import CheckedTransport, connection_error, status_error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.settings import RenderSettings

_MAX_REDIRECTS: Final = 10
_TEXT_TYPES: Final = ("text/", "application/xhtml", "application/xml")
_HEADERS: Final = {
    "User-Agent": "Mozilla/5.0 (compatible; vclean)",
    "Accept": "text/html,application/xhtml+xml,*/*;q=0.5",
    "Accept-Language": "en,*;q=0.5",
}


def fetch(url: str, settings: RenderSettings, *, allow_hosts: frozenset[str] = frozenset()) -> Page:
    """Fetch the document at `url` without its style sheets and images.

    Every redirect connects to a checked address, or to the proxy of the environment (see `CheckedTransport`).

    Args:
        url: an http or https URL.
        settings: `deadline`, `max_bytes` and `allow_hosts` are used.
        allow_hosts: host names that are allowed with any address.

    Raises:
        NetworkError: the host is unreachable or refused, or there are too many redirects or an HTTP error status.
        NotHtmlError: the server sends another media type.
        LimitError: the document is larger than `max_bytes`.
        DeadlineError: the download took longer than `deadline`.
    """
    host_and_port(url)
    end = time.monotonic() + settings.deadline
    transport = CheckedTransport(allow_hosts | frozenset(settings.allow_hosts), end)
    client = httpx.Client(transport=transport, headers=_HEADERS, follow_redirects=True, max_redirects=_MAX_REDIRECTS)
    with _as_vclean_errors(url), client, client.stream("GET", url) as response:
        return _page(response, settings.max_bytes, end, force_html=settings.force_html)


@contextmanager
def _as_vclean_errors(url: str) -> Iterator[None]:
    try:
        yield
    except httpx.TooManyRedirects as error:
        message = f"{url} redirects more than {_MAX_REDIRECTS} times: open it in a browser to see why"
        raise NetworkError(message) from error
    except httpx.TimeoutException as error:
        raise DeadlineError(f"{url} did not answer in time: try again or raise --timeout") from error
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise connection_error(url, error) from error


def _page(response: httpx.Response, max_bytes: int, end: float, *, force_html: bool) -> Page:
    url = urldefrag(str(response.url)).url
    _check(response, url, force_html=force_html)
    body = _body(response, url, max_bytes, end)
    return Page(content=body, url=url, charset=response.charset_encoding or "", id=url)


def _check(response: httpx.Response, url: str, *, force_html: bool) -> None:
    if response.is_error:
        raise status_error(url, response)
    kind = response.headers.get("content-type", "text/html").partition(";")[0].strip().lower()
    if kind and not force_html and not kind.startswith(_TEXT_TYPES):
        raise NotHtmlError(f"{url} is {kind}, not HTML")


def _body(response: httpx.Response, url: str, max_bytes: int, end: float) -> bytes:
    body = bytearray()
    for chunk in response.iter_raw():
        body += chunk
        check_size(url, len(body), max_bytes)
        if time.monotonic() > end:
            raise DeadlineError(f"{url} was still arriving at the deadline: raise --timeout")
    return decoded_body(url, response, body, max_bytes)


def decoded_body(url: str, response: httpx.Response, body: bytearray, max_bytes: int) -> bytes:
    """Return the body of a response without its content codings.

    Raises:
        LimitError: it has more than `max_bytes` bytes.
        NetworkError: the body does not have the codings that its header declares.
    """
    try:
        decoded = decode_content(bytes(body), response.headers.get("content-encoding", ""), max_bytes + 1)
    except OSError as error:
        raise connection_error(url, error) from error
    check_size(url, len(decoded), max_bytes)
    return decoded


def check_size(url: str, size: int, max_bytes: int) -> None:
    """Check the size of a body. Raises LimitError if it is over the limit."""
    if size > max_bytes:
        raise LimitError(f"{url} is over the limit of {format_count(max_bytes, 'byte')}: raise it with --max-bytes")
