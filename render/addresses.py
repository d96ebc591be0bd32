"""Check that an address is public; pages must not reach this machine or its network."""

from __future__ import annotations

import ipaddress
import socket
from typing import Final
from urllib.parse import urlsplit

from vclean.errors import NetworkError

BASE_URL: Final = "http://page.invalid/"
"""Address of a page whose URL is unknown; `.invalid` never resolves (RFC 6761)."""

_EMBEDDED_IPV4: Final = ipaddress.ip_network("64:ff9b::/96")
"""NAT64 (RFC 6052): the last 32 bits are an IPv4 address."""


def is_public(address: str) -> bool:
    """Return whether an IP address is public: not loopback, private, link-local or multicast.

    For an IPv6 address that contains an IPv4 address (mapped, 6to4, Teredo, NAT64), the IPv4 address is checked.

    >>> is_public("93.184.216.34"), is_public("127.0.0.1"), is_public("::ffff:10.0.0.1")
    (True, False, False)
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        nat64 = ipaddress.IPv4Address(int(ip) & 0xFFFF_FFFF) if ip in _EMBEDDED_IPV4 else None
        inner = nat64 or ip.ipv4_mapped or ip.sixtofour or (ip.teredo and ip.teredo[1])
        if inner:
            return is_public(str(inner))
    return ip.is_global and not ip.is_multicast


def check_public(url: str, *, allow_hosts: frozenset[str] = frozenset()) -> str:
    """Return the address to connect to for `url`, after checking that all addresses of its host are public.

    Connect to the returned address, not to the name: a second lookup may return another one (DNS rebinding).

    Args:
        url: an absolute http or https URL.
        allow_hosts: host names that are allowed with any address.

    Raises:
        NetworkError: the URL is not a web address, or the host is unknown or has an address that is not public.
    """
    host, port = host_and_port(url)
    addresses = resolve(host, port)
    if not addresses:
        raise NetworkError(f"the host {host} is not known: check the address and the connection")
    refused = [] if host in allow_hosts else [address for address in addresses if not is_public(address)]
    if refused:
        at = "" if host == refused[0] else f"at {refused[0]}, which is "
        raise NetworkError(f"{host} is {at}not a public address: save the page, or allow {host} with --allow-host")
    return addresses[0]


def host_and_port(url: str) -> tuple[str, int]:
    """Return the host of a web address in lower case, and the port.

    >>> host_and_port("https://Example.org/a"), host_and_port("http://[::1]:8080/")
    (('example.org', 443), ('::1', 8080))

    Raises:
        NetworkError: the URL is malformed, or has no host or another scheme.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise NetworkError(f"{url} is no valid URL ({error}): check the address") from error
    if parts.scheme not in ("http", "https"):
        raise NetworkError(f"{url} is refused: only http and https addresses are fetched")
    if not host or port == 0:
        raise NetworkError(f"{url} is no web address: give one such as https://example.org/")
    return host, port or (443 if parts.scheme == "https" else 80)


def resolve(host: str, port: int) -> list[str]:
    """Return the IP addresses of a host; none if this machine does not know it."""
    try:
        entries = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [str(entry[4][0]) for entry in entries]
