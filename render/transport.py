"""HTTP transports that connect to the address that was checked, so that no second look-up can lead elsewhere."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import httpx

from vclean.render.addresses import check_public

_LIMITS: Final = httpx.Limits(max_connections=20, max_keepalive_connections=0)
"""No connection is kept: it would be found again by its address, for another host that shares it."""


class CheckedTransport(httpx.HTTPTransport):
    """Connects every hop to the address that `check_public` gave, in the time that is left.

    Args:
        allow_hosts: host names let through whatever their address.
        end: when the time is up, by `time.monotonic`.
    """

    def __init__(self, allow_hosts: frozenset[str], end: float) -> None:
        super().__init__(limits=_LIMITS)
        self._allow_hosts = allow_hosts
        self._end = end

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The response from the checked address.

        Raises:
            NetworkError: the host is unknown, or at an address that is not public.
        """
        address = check_public(str(request.url), allow_hosts=self._allow_hosts)
        left = httpx.Timeout(max(self._end - time.monotonic(), 0.001))
        return super().handle_request(_to(address, request, {"timeout": left.as_dict()}))


class AsyncCheckedTransport(httpx.AsyncHTTPTransport):
    """The same for an event loop, which bounds the time itself; see `CheckedTransport`."""

    def __init__(self, allow_hosts: frozenset[str]) -> None:
        super().__init__(limits=_LIMITS)
        self._allow_hosts = allow_hosts

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """The response from the checked address; see `CheckedTransport`."""
        address = await asyncio.to_thread(check_public, str(request.url), allow_hosts=self._allow_hosts)
        return await super().handle_async_request(_to(address, request, {}))


def _to(address: str, request: httpx.Request, extensions: dict[str, object]) -> httpx.Request:
    """The same request to `address`; certificate and `Host` header stay those of the name."""
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, **extensions, "sni_hostname": request.url.raw_host.decode("ascii")},
    )
