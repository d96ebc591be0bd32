"""Commands about the installation, and completion of command lines in a shell."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vclean.classify.methods import names
from vclean.cli import installation
from vclean.cli.commands.installation import SHELLS
from vclean.cli.installation import Check
from vclean.cli.main import COMMANDS, COMPLETE, main
from vclean.errors import BrowserMissingError

PROGRAM = """#!/bin/sh
exec {python} -m vclean "$@"
"""
PROCESS = """
eval "$(vclean completion bash)"
compopt() {{ :; }}
COMP_WORDS=(vclean {words}); COMP_CWORD={count}; _vclean_completion vclean; echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def complete(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def completed(line: str) -> list[str]:
        """Return the completions of the last word, a file standing for all files."""
        words = line.split(" ")
        monkeypatch.setenv(COMPLETE, "bash_complete")
        monkeypatch.setenv("COMP_WORDS", " ".join(["vclean", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        assert main([]) == 0
        pairs = [item.split(",", 1) for item in capsys.readouterr().out.splitlines()]
        return [value if kind == "plain" else kind for kind, value in pairs if kind]

    return completed


class TestComplete:
    def test_the_first_word_is_a_command_or_a_file(self, complete) -> None:
        assert complete("") == ["file", *COMMANDS]
        assert complete("se") == ["file", "segment", "setup"]

    def test_options_of_the_main_command(self, complete) -> None:
        assert complete("--re") == ["--render", "--review", "--review-below", "--recall"]
        assert complete("page.html --for") == ["--format", "--for", "--force-html"]

    @pytest.mark.parametrize("line", ["--method ", "evaluate c.parquet --method ", "train --method "])
    def test_methods(self, complete, line: str) -> None:
        assert complete(line) == sorted(names())

    @pytest.mark.parametrize("line", ["page.html ", "segment ", "farm a.warc ", "page.html -o ", "--model m"])
    def test_files(self, complete, line: str) -> None:
        assert complete(line) == ["file"]


class TestScript:
    @pytest.mark.parametrize("shell", SHELLS)
    def test_every_shell(self, shell: str, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["completion", shell]) == 0
        assert f"{COMPLETE}={shell}_complete" in capsys.readouterr().out

    @pytest.mark.skipif(not shutil.which("bash"), reason="needs bash")
    @pytest.mark.parametrize(("words", "expected"), [("train", "train train-segments"), ("a.html -f te", "text")])
    def test_in_bash(self, words: str, expected: str, tmp_path: Path) -> None:
        program = tmp_path / "vclean"
        program.write_text(PROGRAM.format(python=sys.executable))
        program.chmod(0o755)
        script = PROCESS.format(words=words, count=len(words.split()))
        environment = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
        ended = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True, env=environment)
        assert ended.stdout.strip() == expected, ended.stderr


class TestSetUp:
    def test_steps_go_to_standard_output(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setattr(installation, "setup", lambda out: out.write("setup: ready\n"))
        assert main(["setup"]) == 0
        assert capsys.readouterr().out == "setup: ready\n"

    def test_failure(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        def fail(_: object) -> None:
            raise BrowserMissingError("no Chromium could be installed")

        monkeypatch.setattr(installation, "setup", fail)
        assert main(["setup"]) == 9
        assert capsys.readouterr().err == "vclean: no Chromium could be installed\n"


class TestCheckInstallation:
    @pytest.fixture(autouse=True)
    def checks(self, monkeypatch: pytest.MonkeyPatch) -> list[Check]:
        checks = [Check("python", "ok", "3.11")]
        monkeypatch.setattr(installation, "run_checks", lambda: iter(checks))
        return checks

    def test_all_checks_pass(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["doctor"]) == 0
        assert capsys.readouterr().out.startswith("ok")

    def test_one_check_fails(self, checks: list[Check], capsys: pytest.CaptureFixture[str]) -> None:
        checks.append(Check("fonts", "FAIL", "none", "vclean setup"))
        assert main(["doctor", "--json"]) == 1
        assert json.loads(capsys.readouterr().out)[1]["remedy"] == "vclean setup"


class TestListMethods:
    def test_every_method_has_a_line(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["methods"]) == 0
        lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
        assert list(lines) == names()
        assert lines["vclean"].startswith("a model (ships) ")
        assert lines["text"].startswith("- ")
        assert lines["vips"].startswith("rendering")

    def test_as_json(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["methods", "--json"]) == 0
        methods = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
        expected = {"rendered": False, "trained": False, "ships": None, "template": False, "extra": None}
        assert methods["text"] == {"name": "text", "description": methods["text"]["description"], **expected}
        assert (methods["vclean"]["trained"], methods["vclean"]["ships"]) == (True, True)
