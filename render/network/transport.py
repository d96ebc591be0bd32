"""HTTP transports that connect to the checked address, so that no second look-up can lead elsewhere."""

from __future__ import annotations

import asyncio
import time
from typing import Final

import httpx

from vclean.render.network.addresses import check_public

_LIMITS: Final = httpx.Limits(max_connections=20, max_keepalive_connections=0)
"""No connection is kept alive: it would be reused for another host at the same address."""


class CheckedTransport(httpx.HTTPTransport):
    """Connects every hop to the address that `check_public` returned, within the remaining time.

    Args:
        allow_hosts: host names that are allowed whatever their address.
        end: the end of the time, by `time.monotonic`.
    """

    def __init__(self, allow_hosts: frozenset[str], end: float) -> None:
        super().__init__(limits=_LIMITS)
        self._allow_hosts = allow_hosts
        self._end = end

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to the checked address.

        Raises:
            NetworkError: the host is unknown, or at an address that is not public.
        """
        address = check_public(str(request.url), allow_hosts=self._allow_hosts)
        left = httpx.Timeout(max(self._end - time.monotonic(), 0.001))
        return super().handle_request(_to(address, request, {"timeout": left.as_dict()}))


class AsyncCheckedTransport(httpx.AsyncHTTPTransport):
    """Connects every hop to the checked address, without a time limit; see `CheckedTransport`."""

    def __init__(self, allow_hosts: frozenset[str]) -> None:
        super().__init__(limits=_LIMITS)
        self._allow_hosts = allow_hosts

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send the request to the checked address; see `CheckedTransport`."""
        address = await asyncio.to_thread(check_public, str(request.url), allow_hosts=self._allow_hosts)
        return await super().handle_async_request(_to(address, request, {}))


def _to(address: str, request: httpx.Request, extensions: dict[str, object]) -> httpx.Request:
    """Redirect a request to `address`; certificate and `Host` header stay those of the host name."""
    return httpx.Request(
        request.method,
        request.url.copy_with(host=address),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, **extensions, "sni_hostname": request.url.raw_host.decode("ascii")},
    )
