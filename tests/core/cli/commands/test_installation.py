from __future__ import annotations

import json

import pytest

from vclean.cli.main import main
from vclean.errors import BrowserMissingError
from vclean.installation import doctor, setup
from vclean.installation.doctor import Check


class TestSetUp:
    def test_steps_go_to_standard_output(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(setup, "setup", lambda out: out.write("setup: ready\n"))
        assert main(["setup"]) == 0
        assert capsys.readouterr().out == "setup: ready\n"

    def test_failure(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        def fail(_: object) -> None:
            raise BrowserMissingError("no Chromium could be installed")

        monkeypatch.setattr(setup, "setup", fail)
        assert main(["setup"]) == 9
        assert capsys.readouterr().err == "vclean: no Chromium could be installed\n"


class TestExamine:
    @pytest.fixture(autouse=True)
    def checks(self, monkeypatch: pytest.MonkeyPatch) -> list[Check]:
        checks = [Check("python", "ok", "3.11")]
        monkeypatch.setattr(doctor, "run_checks", lambda: iter(checks))
        return checks

    def test_all_checks_pass(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["doctor"]) == 0
        assert capsys.readouterr().out.startswith("ok")

    def test_one_check_fails(self, checks: list[Check], capsys: pytest.CaptureFixture[str]) -> None:
        checks.append(Check("fonts", "FAIL", "none", "vclean setup"))
        assert main(["doctor", "--json"]) == 1
        assert json.loads(capsys.readouterr().out)[1]["remedy"] == "vclean setup"
