"""Define HTTP transports that connect to the checked address, without a second DNS lookup."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import httpx

from vclean.render.network.addresses import check_public

_LIMITS: Final = httpx.Limits(max_connections=20, max_keepalive_connections=0)
"""Connections are not kept alive, because they would be reused for another host at the same address."""


class CheckedTransport(httpx.HTTPTransport):
    """Transport that connects every request to the address from `check_public`, within the remaining time.

    Args:
        allow_hosts: host names that are allowed with any address.
        end: the deadline as a value of `time.monotonic`.
    """

    def __init__(self, allow_hosts: frozenset[str], end: float) -> None:
        super().__init__(limits=_LIMITS)
        self._allow_hosts = allow_hosts
        self._end = end

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to the checked address.

        Raises:
            NetworkError: the host is unknown, or its address is not public.
        """
        address = check_public(str(request.url), allow_hosts=self._allow_hosts)
        remaining = httpx.Timeout(max(self._end - time.monotonic(), 0.001))
        return super().handle_request(_redirect_to(address, request, {"timeout": remaining.as_dict()}))


class AsyncCheckedTransport(httpx.AsyncHTTPTransport):
    """Transport that connects every request to the checked address, without a time limit; see `CheckedTransport`."""

    def __init__(self, allow_hosts: frozenset[str]) -> None:
        super().__init__(limits=_LIMITS)
        self._allow_hosts = allow_hosts

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to the checked address; see `CheckedTransport`."""
        address = await asyncio.to_thread(check_public, str(request.url), allow_hosts=self._allow_hosts)
        return await super().handle_async_request(_redirect_to(address, request, {}))


def _redirect_to(address: str, request: httpx.Request, extensions: dict[str, object]) -> httpx.Request:
    """Redirect a request to `address`; the certificate check and the `Host` header still use the host name."""
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, **extensions, "sni_hostname": request.url.raw_host.decode("ascii")},
    )
