"""Commands about the installation, and completion of command lines in a shell."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from vclean.classify.methods import names
from vclean.cli import installation
from vclean.cli.environment import SHELLS
from vclean.cli.installation import Check
from vclean.cli.main import COMMANDS, COMPLETE, main
from vclean.errors import BrowserMissingError


@pytest.fixture
def complete(monkeypatch, capsys):
    def completed(line):
        """Return the completions of the last word, a file standing for all files."""
        words = line.split(" ")
        monkeypatch.setenv(COMPLETE, "bash_complete")
        monkeypatch.setenv("COMP_WORDS", " ".join(["vclean", *words]))
        monkeypatch.setenv("COMP_CWORD", str(len(words)))
        assert main([]) == 0
        pairs = [item.split(",", 1) for item in capsys.readouterr().out.splitlines()]
        return [value if kind == "plain" else kind for kind, value in pairs if kind]

    return completed


@pytest.mark.parametrize(
    ("line", "completions"),
    [
        ("", ["file", *COMMANDS]),
        ("se", ["file", "segment", "setup"]),
        ("--re", ["--render", "--review", "--review-below", "--recall"]),
        ("page.html --for", ["--format", "--for", "--force-html"]),
        *((f"{command}--method ", sorted(names())) for command in ("", "evaluate c.parquet ", "train ")),
        *((line, ["file"]) for line in ("page.html ", "segment ", "farm a.warc ", "page.html -o ", "--model m")),
    ],
)
def test_completions(complete, line, completions):
    assert complete(line) == completions


@pytest.mark.parametrize("shell", SHELLS)
def test_script_of_every_shell(shell, capsys):
    assert main(["completion", shell]) == 0
    assert f"{COMPLETE}={shell}_complete" in capsys.readouterr().out


class TestSetUp:
    def test_failure(self, monkeypatch, capsys):
        def fail():
            installation.print_step("downloading")
            raise BrowserMissingError("no Chromium could be installed")

        monkeypatch.setattr(installation, "setup", fail)
        assert main(["setup"]) == 9
        assert capsys.readouterr() == ("setup: downloading\n", "vclean: no Chromium could be installed\n")


GOOD = Check("fonts", "ok", "there are fonts")
BAD = Check("browser", "FAIL", "none", "vclean setup")
WARN = Check("sandbox", "warn", "off", "be no root")


class TestCheckInstallation:
    @pytest.mark.parametrize(
        ("checks", "code"), [([GOOD], 0), ([GOOD, WARN], 0), ([GOOD, BAD], 1), ([BAD, WARN, BAD], 1)]
    )
    def test_exit_code_and_json(self, checks, code, monkeypatch, capsys):
        # A warning does not change the exit code.
        monkeypatch.setattr(installation, "run_checks", lambda: iter(checks))
        assert main(["doctor", "--json"]) == code
        assert json.loads(capsys.readouterr().out) == [asdict(check) for check in checks]

    def test_lines(self, monkeypatch, capsys):
        monkeypatch.setattr(installation, "run_checks", lambda: iter([GOOD, BAD]))
        assert main(["doctor"]) == 1
        assert capsys.readouterr().out == (
            "ok    fonts    there are fonts\nFAIL  browser  none\n               -> vclean setup\n"
        )


class TestListMethods:
    def test_every_method_has_a_line(self, capsys):
        assert main(["methods"]) == 0
        lines = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
        assert list(lines) == names()
        assert lines["vclean"].startswith("a model (ships) ")
        assert lines["text"].startswith("- ")
        assert lines["vips"].startswith("rendering")

    def test_as_json(self, capsys):
        assert main(["methods", "--json"]) == 0
        methods = {each["name"]: each for each in json.loads(capsys.readouterr().out)}
        expected = {"rendered": False, "trained": False, "ships": None, "template": False, "extra": None}
        assert methods["text"] == {"name": "text", "description": methods["text"]["description"], **expected}
        assert (methods["vclean"]["trained"], methods["vclean"]["ships"]) == (True, True)
