"""Load pages and subresources over the network: limited in bytes, time and redirects, from public addresses only.

The transport connects to the checked address, without a second DNS lookup, or to a proxy. `fetch` loads a page without
a browser. `LiveResponder` answers the requests of a browser: this process sends them, not the browser.
"""

from __future__ import annotations

import asyncio
import ipaddress
import re
from typing import TYPE_CHECKING, Final
from urllib.parse import urldefrag, urlsplit
from urllib.request import getproxies_environment, proxy_bypass

import httpx

from vclean.characters import format_count
from vclean.errors import DeadlineError, LimitError, NetworkError, NotHtmlError
from vclean.page import Page
from vclean.render.addresses import check_public, host_and_port, resolve
from vclean.render.archive.warc import decode_content
from vclean.render.browser.interception import PageRequest, PageResponse, html_response
from vclean.render.decode import Document, decode, refuse_other_text, repaired
from vclean.runtime import run_within

if TYPE_CHECKING:
    from vclean.settings import RenderSettings

_LIMITS: Final = httpx.Limits(max_connections=20, max_keepalive_connections=0)
"""Connections end with their response; if kept alive, they would be reused for another host at the same address."""


def connection_error(url: str, error: Exception) -> NetworkError:
    """Return the error for a page that could not be fetched."""
    reason = str(error).removesuffix(".") or type(error).__name__
    return NetworkError(f"{url} could not be fetched ({reason}): check the address and the connection")


def status_error(url: str, response: httpx.Response) -> NetworkError:
    """Return the error for a page that the server refused."""
    code = response.status_code
    refusal = f"{url}: the server answered {code} {response.reason_phrase}".rstrip()
    if code >= 500 or code in (408, 425, 429):
        return NetworkError(f"{refusal}: try again later")
    return NetworkError(f"{refusal}: " + ("save the page in a browser" if code in (401, 403) else "check the address"))


class CheckedTransport(httpx.AsyncHTTPTransport):
    """Transport that connects every request to the address from `check_public`.

    If the environment has a proxy for the request, the proxy connects; see `proxy_for`.

    Args:
        allow_hosts: host names that are allowed with any address.
    """

    def __init__(self, allow_hosts: frozenset[str]) -> None:
        super().__init__(limits=_LIMITS)
        self._allow_hosts = allow_hosts
        self._proxies: dict[str, httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to the checked address, or to the proxy.

        The check of the certificate and the `Host` header still use the host name.

        Raises:
            NetworkError: the host is unknown, or its address is not public; or the proxy cannot be reached.
        """
        url = str(request.url)
        if proxy := proxy_for(url):
            await asyncio.to_thread(check_behind_proxy, url, allow_hosts=self._allow_hosts)
            return await self._send_to_proxy(request, proxy)
        address = await asyncio.to_thread(check_public, url, allow_hosts=self._allow_hosts)
        checked = httpx.Request(
            request.method,
            request.url.copy_with(host=address),
            headers=request.headers,
            stream=request.stream,
            extensions={**request.extensions, "sni_hostname": request.url.raw_host.decode("ascii")},
        )
        return await super().handle_async_request(checked)

    async def _send_to_proxy(self, request: httpx.Request, proxy: str) -> httpx.Response:
        transport = self._proxies.setdefault(proxy, httpx.AsyncHTTPTransport(limits=_LIMITS, proxy=proxy))
        try:
            return await transport.handle_async_request(request)
        except (httpx.ConnectError, httpx.ProxyError) as error:
            reason = str(error) or type(error).__name__
            message = f"{request.url} could not be fetched through the proxy {proxy_name(proxy)} ({reason})"
            raise NetworkError(f"{message}: check HTTP_PROXY, HTTPS_PROXY and NO_PROXY") from error


_NUMERIC: Final = re.compile(r"(?:\d+|0x[\da-f]*)", re.IGNORECASE)
"""Last label of a host that is an IPv4 address in some spelling (URL Standard, 3.5)."""

_LOCAL: Final = (".internal", ".intranet", ".lan", ".local", ".localhost", ".home.arpa", ".corp", ".home", ".private")
"""Ends of names that networks use for their own hosts (RFC 6761, 6762, 8375, and names that ICANN does not assign)."""


def proxy_for(url: str) -> str:
    """Return the URL of the proxy for a request to `url`, or an empty string.

    The variables are HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and NO_PROXY, in capitals or not. Requests to this machine have
    no proxy.

    Raises:
        NetworkError: the URL is no web address, or the proxy is not an http or https address.
    """
    host, port = host_and_port(url)
    proxies = getproxies_environment()
    proxy = proxies.get(urlsplit(url).scheme) or proxies.get("all") or ""
    if not proxy or _is_loopback(host) or proxy_bypass(f"{host}:{port}"):
        return ""
    address = proxy if "://" in proxy else f"http://{proxy}"
    try:
        host_and_port(address)
    except NetworkError as error:
        message = f"the proxy {proxy_name(address)} of the environment is no http or https address: change HTTP_PROXY"
        raise NetworkError(f"{message}, HTTPS_PROXY or ALL_PROXY") from error
    return address


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def proxy_name(proxy: str) -> str:
    """Return a proxy as messages name it, without its password.

    >>> proxy_name("http://ann:secret@proxy.example:3128/")
    'http://proxy.example:3128'
    """
    scheme, _, rest = proxy.partition("://")
    return f"{scheme}://{rest.rpartition('@')[2].rstrip('/')}"


def check_behind_proxy(url: str, *, allow_hosts: frozenset[str] = frozenset()) -> None:
    """Reject a URL that must not be requested through a proxy.

    A host that this machine knows must have public addresses only. A host that it does not know must have a name as
    public hosts have: not an address in an unusual spelling, not a name of one label, and not one of a local network.

    Args:
        url: an absolute http or https URL.
        allow_hosts: host names that are always allowed.

    Raises:
        NetworkError: the URL is not a web address, or the host is not public.
    """
    host, port = host_and_port(url)
    if host in allow_hosts:
        return
    if resolve(host, port):
        check_public(url)
        return
    labels = host.rstrip(".").split(".")
    if len(labels) == 1 or _NUMERIC.fullmatch(labels[-1]) or f".{'.'.join(labels)}".endswith(_LOCAL):
        raise NetworkError(f"{host} is not the name of a public host: save the page, or allow {host} with --allow-host")


_MAX_REDIRECTS: Final = 10
"""Chromium follows 20 redirects, and then reports a failed navigation."""
_HEADERS: Final = {
    "User-Agent": "Mozilla/5.0 (compatible; vclean)",
    "Accept": "text/html,application/xhtml+xml,*/*;q=0.5",
    "Accept-Language": "en,*;q=0.5",
}


def fetch(url: str, settings: RenderSettings) -> Page:
    """Fetch the document at `url` without its style sheets and images.

    Every redirect connects to a checked address, or to the proxy of the environment (see `CheckedTransport`).

    Args:
        url: an http or https URL.
        settings: `deadline`, `max_bytes`, `force_html` and `allow_hosts` are used.

    Raises:
        NetworkError: the host is unreachable or refused, or there are too many redirects or an HTTP error status.
        NotHtmlError: the server sends another media type.
        LimitError: the document is larger than `max_bytes`.
        DeadlineError: the download took longer than `deadline`.
    """
    host_and_port(url)
    # In a thread of its own: the caller may be in an event loop.
    return run_within(settings.deadline, lambda: asyncio.run(_fetch(url, settings)))


async def _fetch(url: str, settings: RenderSettings) -> Page:
    client = httpx.AsyncClient(
        transport=CheckedTransport(frozenset(settings.allow_hosts)),
        follow_redirects=True,
        max_redirects=_MAX_REDIRECTS,
        timeout=None,
    )
    try:
        async with asyncio.timeout(settings.deadline), client:
            response = await _load(client, PageRequest(url, headers=_HEADERS, document=True), settings)
    except TimeoutError as error:
        raise DeadlineError(f"{url} did not answer in time: try again or raise --timeout") from error
    url = _url_of(response)
    return Page(content=response.content, url=url, charset=response.charset_encoding or "", id=url)


async def _load(client: httpx.AsyncClient, request: PageRequest, settings: RenderSettings) -> httpx.Response:
    """Return a response with a decoded body, and with the headers that are not about the connection only.

    Raises:
        NetworkError: the host is unreachable or refused, or the document has an error status.
        NotHtmlError: the document has another media type.
        LimitError: the body has more than `max_bytes` bytes, encoded or decoded.
    """
    url, limit, body = request.url, settings.max_bytes, bytearray()
    try:
        async with client.stream(request.method, url, headers=request.headers, content=request.body) as response:
            if request.document and not response.has_redirect_location:
                _check_html(response, force_html=settings.force_html)
            async for chunk in response.aiter_raw():
                body += chunk
                _check_size(response, len(body), limit)
        codings = response.headers.get("content-encoding", "")
        decoded = await asyncio.to_thread(decode_content, bytes(body), codings, limit + 1)
    except httpx.TooManyRedirects as error:
        message = f"{url} redirects more than {_MAX_REDIRECTS} times: open it in a browser to see why"
        raise NetworkError(message) from error
    except (httpx.HTTPError, httpx.InvalidURL, OSError) as error:
        raise connection_error(url, error) from error
    _check_size(response, len(decoded), limit)
    kept = [(name, value) for name, value in response.headers.multi_items() if name not in _TRANSPORT_HEADERS]
    return httpx.Response(response.status_code, headers=kept, content=decoded, request=response.request)


def _url_of(response: httpx.Response) -> str:
    return urldefrag(str(response.url)).url


def _check_html(response: httpx.Response, *, force_html: bool) -> None:
    """Check that a response is a page: its status, and its media type unless `force_html` is true."""
    if response.is_error:
        raise status_error(_url_of(response), response)
    kind = response.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind and not force_html and not kind.startswith(("text/", "application/xhtml", "application/xml")):
        raise NotHtmlError(f"{_url_of(response)} is {kind}, not HTML")


def _check_size(response: httpx.Response, size: int, limit: int) -> None:
    if size > limit:
        message = f"{_url_of(response)} is over the limit of {format_count(limit, 'byte')}: raise it with --max-bytes"
        raise LimitError(message)


_TRANSPORT_HEADERS: Final = frozenset(
    ("connection", "content-disposition", "content-encoding", "content-length", "keep-alive", "set-cookie",
     "transfer-encoding")
)  # fmt: skip
"""Headers that apply only to the connection with the server."""


class LiveResponder:
    """Server of responses from the network; its method `answer` is a `Responder`.

    It is for one page; `aclose` closes its connections.

    Cookies are valid for the page. Proxies of the environment are used (see `CheckedTransport`).

    Attributes:
        document: the document of the page, once it was answered.

    Args:
        settings: `max_bytes` limits every response; `allow_hosts` and `force_html` are used too.
    """

    def __init__(self, settings: RenderSettings) -> None:
        self._settings = settings
        transport = CheckedTransport(frozenset(settings.allow_hosts))
        self._client = httpx.AsyncClient(transport=transport, timeout=15.0)
        self.aclose = self._client.aclose
        self._hops = 0
        self._has_document = False
        self.document = Document("")

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
        response = await _load(self._client, request, self._settings)
        headers = tuple(response.headers.multi_items())
        if request.document and not response.has_redirect_location:
            return self._document_response(response, headers)
        self._hops += request.document
        if self._hops > _MAX_REDIRECTS:
            raise NetworkError(f"{request.url} redirects without end: open it in a browser to see why")
        return PageResponse(response.content, headers, response.status_code)

    def _document_response(self, response: httpx.Response, headers: tuple[tuple[str, str], ...]) -> PageResponse:
        self._has_document = True
        # In UTF-8: without a declared charset, the browser's detection would differ from `decode`.
        source = decode(response.content, response.charset_encoding or "")
        if not self._settings.force_html:
            refuse_other_text(source)
        self.document = repaired(source)
        text = html_response(self.document.text)
        others = tuple(header for header in headers if header[0] != "content-type")
        return PageResponse(text.body, (*text.headers, *others))
