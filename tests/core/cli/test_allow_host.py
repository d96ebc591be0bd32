"""Test `--allow-host`: pages of hosts that are not public are fetched only if the host is named."""

from __future__ import annotations

import pytest
from helpers.http_site import site  # noqa: F401 - a fixture

from vclean import clean_url
from vclean.cli.main import main
from vclean.errors import NetworkError, UsageError
from vclean.settings import RenderSettings


class TestRenderSettings:
    def test_hosts_are_as_in_urls(self) -> None:
        settings = RenderSettings(allow_hosts=("LocalHost", "[::1]", "10.0.0.7", "wiki.intern"))
        assert settings.allow_hosts == ("localhost", "::1", "10.0.0.7", "wiki.intern")
        assert "allow_hosts" not in settings.to_dict()

    @pytest.mark.parametrize("host", ["", "http://localhost", "localhost/a", "localhost:80", "10.0.0.7:80", "a b", "*"])
    def test_others_are_refused(self, host: str) -> None:
        with pytest.raises(UsageError, match="is not a host"):
            RenderSettings(allow_hosts=(host,))


class TestCommand:
    @pytest.mark.parametrize("render", [[], pytest.param(["--render"], marks=pytest.mark.browser)])
    def test_named_host_is_fetched(self, site, capsys: pytest.CaptureFixture[str], render: list[str]) -> None:
        assert main([f"{site}/page", *render]) == NetworkError.exit_code
        assert "or allow 127.0.0.1 with --allow-host" in capsys.readouterr().err
        assert main([f"{site}/page", *render, "--allow-host", "127.0.0.1", "--method", "text"]) == 0
        assert capsys.readouterr().out

    def test_other_hosts_are_refused(self, site) -> None:
        with pytest.raises(NetworkError, match="not a public address"):
            clean_url(f"{site}/page", rendering=RenderSettings(allow_hosts=("localhost",)))
