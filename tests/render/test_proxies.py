from __future__ import annotations

import pytest
from helpers.http_site import get, site  # noqa: F401 - a fixture
from helpers.proxy import Proxy, proxy  # noqa: F401 - a fixture

from vclean.cli.main import main
from vclean.errors import NetworkError
from vclean.render import addresses, fetch
from vclean.render.fetch import check_behind_proxy, proxy_for

NAMES = {"public.example": ["93.184.216.34"], "private.example": ["93.184.216.34", "10.0.0.1"]}
"""Hosts that this machine knows."""


@pytest.fixture(autouse=True)
def names(monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(host: str, port: int) -> list[str]:
        if host in NAMES:
            return NAMES[host]
        if host[0].isdigit() and host.count(".") == 3 and "x" not in host:
            return [host]
        return []

    for module in (addresses, fetch):
        monkeypatch.setattr(module, "resolve", resolve)


class TestProxyFor:
    @pytest.mark.parametrize(
        ("variables", "url", "expected"),
        [
            ({"HTTPS_PROXY": "secure.example:1"}, "https://a.example/", "http://secure.example:1"),
            ({"HTTP_PROXY": "", "all_proxy": "http://all.example:1"}, "http://a.example/", "http://all.example:1"),
            ({"HTTP_PROXY": ""}, "http://a.example/", ""),
            *(
                ({"NO_PROXY": excluded}, "http://a.example/", "")
                for excluded in ("a.example", ".example", "b.example, a.example", "*", "a.example:80")
            ),
            *(({}, f"http://{host}:8000/", "") for host in ("localhost", "127.0.0.1", "[::1]", "127.8.8.8")),
        ],
    )
    def test_is_the_one_of_the_environment(
        self, variables: dict[str, str], url: str, expected: str, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert proxy_for("http://a.example/") == proxy.url
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        assert proxy_for(url) == expected

    def test_other_kinds_are_refused_without_their_password(
        self, proxy: Proxy, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("HTTP_PROXY", "socks5://ann:secret@a.example:1080")
        with pytest.raises(NetworkError, match=r"the proxy socks5://a\.example:1080 .* no http or https") as error:
            proxy_for("http://a.example/")
        assert "secret" not in str(error.value)


class TestCheckBehindProxy:
    @pytest.mark.parametrize("host", ["public.example", "93.184.216.34", "unknown.example", "unknown.example."])
    def test_public_and_unknown_hosts_pass(self, host: str) -> None:
        check_behind_proxy(f"https://{host}/")

    @pytest.mark.parametrize("host", ["private.example", "10.0.0.1", "169.254.169.254", "127.0.0.1"])
    def test_private_addresses_are_refused(self, host: str) -> None:
        with pytest.raises(NetworkError, match="not a public address"):
            check_behind_proxy(f"http://{host}/")

    @pytest.mark.parametrize(
        "host", ["intranet", "printer.local", "db.internal", "a.localhost", "local", "10.0.0.0x1", "2130706433", "10.1"]
    )
    def test_names_that_are_not_public_are_refused(self, host: str) -> None:
        with pytest.raises(NetworkError, match=r"is not the name of a public host.*--allow-host"):
            check_behind_proxy(f"http://{host}/")

    @pytest.mark.parametrize("host", ["intranet", "10.0.0.1"])
    def test_allowed_hosts_pass(self, host: str) -> None:
        with pytest.raises(NetworkError, match="--allow-host"):
            check_behind_proxy(f"http://{host}/")
        check_behind_proxy(f"http://{host}/", allow_hosts=frozenset({host}))


class TestCheckedTransport:
    def test_ask_the_proxy_by_name(self, proxy: Proxy) -> None:
        assert "answers for http://unknown.example/page" in get("http://unknown.example/page")
        assert proxy.requests == ["GET http://unknown.example/page"]

    def test_tunnels_are_for_names(self, proxy: Proxy) -> None:
        with pytest.raises(NetworkError, match=f"through the proxy {proxy.url} .*403.*: check HTTP_PROXY"):
            get("https://unknown.example/page")
        assert proxy.requests == ["CONNECT unknown.example:443"]

    @pytest.mark.parametrize("host", ["10.0.0.1", "private.example", "intranet"])
    def test_private_hosts_are_not_asked_for(self, proxy: Proxy, host: str) -> None:
        with pytest.raises(NetworkError, match=r"not (a|the name of a) public"):
            get(f"http://{host}/")
        assert proxy.requests == []

    def test_redirects_to_private_hosts_are_refused(self, proxy: Proxy) -> None:
        with pytest.raises(NetworkError, match=r"169\.254\.169\.254 is not a public address"):
            get("http://unknown.example/away")
        assert proxy.requests == ["GET http://unknown.example/away"]

    def test_this_machine_is_reached_directly(self, proxy: Proxy, site) -> None:
        assert get(f"{site}/untyped", frozenset({"127.0.0.1"})) == "<p>untyped"
        assert proxy.requests == []

    def test_proxy_that_does_not_answer(self, proxy: Proxy, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("HTTP_PROXY", "http://ann:secret@127.0.0.1:9")
        with pytest.raises(NetworkError, match=r"through the proxy http://127\.0\.0\.1:9 ") as error:
            get("http://unknown.example/")
        assert "secret" not in str(error.value)


@pytest.mark.parametrize("render", [[], pytest.param(["--render"], marks=pytest.mark.browser)])
class TestCommand:
    def test_page_comes_from_the_proxy(
        self, proxy: Proxy, capsys: pytest.CaptureFixture[str], render: list[str]
    ) -> None:
        assert main(["http://unknown.example/page", *render, "--method", "text"]) == 0
        assert "The proxy answers for http://unknown.example/page" in capsys.readouterr().out

    def test_private_hosts_are_refused(
        self, proxy: Proxy, capsys: pytest.CaptureFixture[str], render: list[str]
    ) -> None:
        assert main(["http://10.0.0.1/page", *render]) == NetworkError.exit_code
        assert "10.0.0.1 is not a public address" in capsys.readouterr().err
        assert proxy.requests == []
