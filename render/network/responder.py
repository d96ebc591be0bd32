"""Answer the requests of a page from the network; this process sends them to checked addresses, not the browser."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final, Self

import httpx

from vclean.errors import NetworkError
from vclean.render.browser.interception import PageResponse, html_response
from vclean.render.decode import Document, decode, refuse_other_text, repaired
from vclean.render.network.fetch import AsyncCheckedTransport, check_html, check_size, connection_error, decoded_body

if TYPE_CHECKING:
    from vclean.render.browser.interception import PageRequest
    from vclean.settings import RenderSettings

_TIMEOUT: Final = httpx.Timeout(15.0)
_MAX_REDIRECTS: Final = 10
"""Chromium follows 20 redirects, and then reports a failed navigation."""

_TRANSPORT_HEADERS: Final = frozenset(
    (
        "connection",
        "content-disposition",
        "content-encoding",
        "content-length",
        "keep-alive",
        "set-cookie",
        "transfer-encoding",
    )
)
"""Headers that apply only to the connection with the server."""


class LiveResponder:
    """Server of responses from the network; its method `answer` is a `Responder`.

    It is an asynchronous context manager for one page.

    Cookies are valid for the page. Proxies of the environment are used (see `CheckedTransport`).

    Attributes:
        document: the document of the page, once it was answered.

    Args:
        settings: `max_bytes` limits every response; `allow_hosts` and `force_html` are used too.
    """

    def __init__(self, settings: RenderSettings) -> None:
        self._max_bytes = settings.max_bytes
        self._force_html = settings.force_html
        transport = AsyncCheckedTransport(frozenset(settings.allow_hosts))
        self._client = httpx.AsyncClient(transport=transport, timeout=_TIMEOUT)
        self._hops = 0
        self._has_document = False
        self.document = Document("")

    async def __aenter__(self) -> Self:
        """Return the responder, which has no connection yet."""
        return self

    async def __aexit__(self, *exception: object) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def answer(self, request: PageRequest) -> PageResponse | None:
        """Return the response of the server; the browser follows redirects with new requests.

        Raises:
            NetworkError: the host is unreachable or refused, or the page itself has an error status or too many
                redirects.
            NotHtmlError: the page itself is of another media type, empty or binary.
            LimitError: the response is larger than `max_bytes`.
        """
        if request.document and self._has_document:
            return None
        response = await self._fetch(request)
        if not request.document:
            return PageResponse(response.content, _headers(response), response.status_code)
        return self._page(request.url, response)

    async def _fetch(self, request: PageRequest) -> httpx.Response:
        """Return the response of the server, with the headers that are not about the connection only."""
        method, url, headers, content = request.method, request.url, request.headers, request.body
        body = bytearray()
        try:
            async with self._client.stream(method, url, headers=headers, content=content) as response:
                async for chunk in response.aiter_raw():
                    body += chunk
                    check_size(url, len(body), self._max_bytes)
                decoded = await asyncio.to_thread(decoded_body, url, response, body, self._max_bytes)
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise connection_error(url, error) from error
        kept = [(name, value) for name, value in response.headers.multi_items() if name not in _TRANSPORT_HEADERS]
        return httpx.Response(response.status_code, headers=kept, content=decoded)

    def _page(self, url: str, response: httpx.Response) -> PageResponse:
        if response.has_redirect_location:
            self._hops += 1
            if self._hops > _MAX_REDIRECTS:
                raise NetworkError(f"{url} redirects without end: open it in a browser to see why")
            return PageResponse(b"", _headers(response), response.status_code)
        self._has_document = True
        check_html(url, response, force_html=self._force_html)
        # In UTF-8: without a declared charset, the browser's detection would differ from `decode`.
        source = decode(response.content, response.charset_encoding or "")
        if not self._force_html:
            refuse_other_text(source)
        self.document = repaired(source)
        text = html_response(self.document.text)
        others = tuple(header for header in _headers(response) if header[0] != "content-type")
        return PageResponse(text.body, (*text.headers, *others))


def _headers(response: httpx.Response) -> tuple[tuple[str, str], ...]:
    return tuple(response.headers.multi_items())
