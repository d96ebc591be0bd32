"""Define HTTP transports that connect to the checked address, without a second DNS lookup, or to a proxy."""

from __future__ import annotations

import asyncio
import ipaddress
import re
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

import httpx

from vclean.errors import NetworkError
from vclean.render.network.addresses import check_public, host_and_port, is_known

if TYPE_CHECKING:
    from collections.abc import Iterator


_LIMITS: Final = httpx.Limits(max_connections=20, max_keepalive_connections=0)
"""Connections are not kept alive, because they would be reused for another host at the same address."""

_LOGIN: Final = frozenset({401, 403})
_LATER: Final = frozenset({408, 425, 429})


def connection_error(url: str, error: Exception) -> NetworkError:
    """Return the error for a page that could not be fetched."""
    reason = str(error).removesuffix(".") or type(error).__name__
    return NetworkError(f"{url} could not be fetched ({reason}): check the address and the connection")


def status_error(url: str, response: httpx.Response) -> NetworkError:
    """Return the error for a page that the server refused."""
    code = response.status_code
    refusal = f"{url}: the server answered {code} {response.reason_phrase}".rstrip()
    if code >= 500 or code in _LATER:
        return NetworkError(f"{refusal}: try again later")
    return NetworkError(f"{refusal}: " + ("save the page in a browser" if code in _LOGIN else "check the address"))


class CheckedTransport(httpx.HTTPTransport):
    """Transport that connects every request to the address from `check_public`, within the remaining time.

    If the environment has a proxy for the request, the proxy connects; see `vclean.render.network.transport`.

    Args:
        allow_hosts: host names that are allowed with any address.
        end: the deadline as a value of `time.monotonic`.
    """

    def __init__(self, allow_hosts: frozenset[str], end: float) -> None:
        super().__init__(limits=_LIMITS)
        self._allow_hosts = allow_hosts
        self._end = end
        self._proxies: dict[str, httpx.HTTPTransport] = {}

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to the checked address, or to the proxy.

        Raises:
            NetworkError: the host is unknown, or its address is not public; or the proxy cannot be reached.
        """
        url = str(request.url)
        extensions: dict[str, object] = {"timeout": httpx.Timeout(max(self._end - time.monotonic(), 0.001)).as_dict()}
        if proxy := proxy_for(url):
            check_behind_proxy(url, allow_hosts=self._allow_hosts)
            request.extensions = {**request.extensions, **extensions}
            transport = self._proxies.setdefault(proxy, httpx.HTTPTransport(limits=_LIMITS, proxy=proxy))
            with _as_proxy_errors(request, proxy):
                return transport.handle_request(request)
        address = check_public(url, allow_hosts=self._allow_hosts)
        return super().handle_request(_redirect_to(address, request, extensions))

    def close(self) -> None:
        """Close the connections."""
        for transport in self._proxies.values():
            transport.close()
        super().close()


class AsyncCheckedTransport(httpx.AsyncHTTPTransport):
    """Transport that connects every request to the checked address, without a time limit; see `CheckedTransport`."""

    def __init__(self, allow_hosts: frozenset[str]) -> None:
        super().__init__(limits=_LIMITS)
        self._allow_hosts = allow_hosts
        self._proxies: dict[str, httpx.AsyncHTTPTransport] = {}

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to the checked address, or to the proxy; see `CheckedTransport`."""
        url = str(request.url)
        if proxy := proxy_for(url):
            await asyncio.to_thread(check_behind_proxy, url, allow_hosts=self._allow_hosts)
            transport = self._proxies.setdefault(proxy, httpx.AsyncHTTPTransport(limits=_LIMITS, proxy=proxy))
            with _as_proxy_errors(request, proxy):
                return await transport.handle_async_request(request)
        address = await asyncio.to_thread(check_public, url, allow_hosts=self._allow_hosts)
        return await super().handle_async_request(_redirect_to(address, request, {}))

    async def aclose(self) -> None:
        """Close the connections."""
        for transport in self._proxies.values():
            await transport.aclose()
        await super().aclose()


@contextmanager
def _as_proxy_errors(request: httpx.Request, proxy: str) -> Iterator[None]:
    try:
        yield
    except (httpx.ConnectError, httpx.ProxyError) as error:
        reason = str(error) or type(error).__name__
        message = (
            f"{request.url} could not be fetched through the proxy {proxy_name(proxy)} ({reason}): check HTTP_PROXY"
        )
        raise NetworkError(f"{message}, HTTPS_PROXY and NO_PROXY") from error


def _redirect_to(address: str, request: httpx.Request, extensions: dict[str, object]) -> httpx.Request:
    """Redirect a request to `address`; the certificate check and the `Host` header still use the host name."""
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, **extensions, "sni_hostname": request.url.raw_host.decode("ascii")},
    )


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
    if is_known(host, port):
        check_public(url)
    elif not _may_be_public(host):
        raise NetworkError(f"{host} is not the name of a public host: save the page, or allow {host} with --allow-host")


def _may_be_public(host: str) -> bool:
    labels = host.rstrip(".").split(".")
    return len(labels) > 1 and not _NUMERIC.fullmatch(labels[-1]) and not f".{'.'.join(labels)}".endswith(_LOCAL)
