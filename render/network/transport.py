"""Define HTTP transports that connect to the checked address, without a second DNS lookup, or to a proxy."""

from __future__ import annotations

import asyncio
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

import httpx

from vclean.errors import NetworkError
from vclean.render.network.addresses import check_public
from vclean.render.network.proxies import check_behind_proxy, proxy_for, proxy_name

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

    If the environment has a proxy for the request, the proxy connects; see `vclean.render.network.proxies`.

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
