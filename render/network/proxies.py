"""Find the proxy of the environment for a request, and check which hosts pages may name to it.

A proxy resolves names itself, so vclean cannot know to which address it connects. What can be checked is checked: see
`check_behind_proxy`.
"""

from __future__ import annotations

import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit
from urllib.request import getproxies_environment, proxy_bypass

from vclean.errors import NetworkError
from vclean.render.network.addresses import check_public, host_and_port, is_known

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
    """Reject a URL that no proxy may be asked for.

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
