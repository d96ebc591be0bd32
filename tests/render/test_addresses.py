from __future__ import annotations

import doctest
import socket

import pytest

from vclean.errors import NetworkError
from vclean.render import addresses
from vclean.render.addresses import check_public, host_and_port, is_public


def test_docstrings() -> None:
    assert doctest.testmod(addresses).failed == 0


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> dict[str, list[str]]:
    """Simulate DNS; return the addresses by name."""
    known_names: dict[str, list[str]] = {}

    def resolve(host: str, port: int, **_: object) -> list[tuple[object, ...]]:
        if host not in known_names:
            raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in known_names[host]]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return known_names


class TestIsPublic:
    @pytest.mark.parametrize("address", ["93.184.216.34", "8.8.8.8", "2606:2800:220:1::1", "::ffff:8.8.8.8"])
    def test_accepts_public_addresses(self, address: str) -> None:
        assert is_public(address)

    @pytest.mark.parametrize(
        "address",
        [
            "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "0.0.0.0", "100.64.0.1",
            "224.0.0.1", "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1",
            "2002:7f00:1::", "64:ff9b::a00:1", "2001:0:5ef5:79fd::f5ff:fffe",
        ],
    )  # fmt: skip
    def test_rejects_other_addresses(self, address: str) -> None:
        # IPv4 addresses inside IPv6 addresses are rejected too.
        assert not is_public(address)


class TestCheckPublic:
    def test_returns_address_to_connect_to(self, names: dict[str, list[str]]) -> None:
        names |= {"example.org": ["93.184.216.34"], "intranet": ["10.0.0.1"]}
        assert check_public("https://example.org/page") == "93.184.216.34"
        assert check_public("http://intranet/", allow_hosts=frozenset({"intranet"})) == "10.0.0.1"

    @pytest.mark.parametrize(
        ("host", "message"),
        [
            ("mixed.example", r"at 10\.0\.0\.1"),
            ("intranet", r"^intranet is at 10\.0\.0\.1, which is not a public address: save the page, or allow"),
            ("10.0.0.1", r"^10\.0\.0\.1 is not a public address: save the page, or allow"),
            ("nowhere.invalid", "not known"),
        ],
    )
    def test_rejects_other_hosts(self, host: str, message: str, names: dict[str, list[str]]) -> None:
        names |= {"mixed.example": ["93.184.216.34", "10.0.0.1"], "intranet": ["10.0.0.1"], "10.0.0.1": ["10.0.0.1"]}
        with pytest.raises(NetworkError, match=message):
            check_public(f"http://{host}/")

    @pytest.mark.parametrize("host", ["127.0.0.1", "[::1]", "0x7f000001", "2130706433", "0177.0.0.1", "127.1"])
    def test_rejects_all_forms_of_loopback(self, host: str) -> None:
        with pytest.raises(NetworkError):
            check_public(f"http://{host}/")


class TestHostAndPort:
    def test_knows_default_ports_and_leaves_out_users(self) -> None:
        assert host_and_port("http://user:word@example.org?b#c") == ("example.org", 80)

    @pytest.mark.parametrize(
        ("urls", "message"),
        [
            ("http:// https:///page http://example.org:0/ http:example.org", "no web address: give one such as"),
            ("file:///etc/passwd ftp://example.org/ example.org", "only http and https"),
            ("http://[::1 http://example.org:99999/", "no valid URL"),
        ],
    )
    def test_rejects_other_urls(self, urls: str, message: str) -> None:
        for url in urls.split():
            with pytest.raises(NetworkError, match=message):
                host_and_port(url)
