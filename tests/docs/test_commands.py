"""Commands in the documentation: options and programs exist, and the real parsers accept them."""

from __future__ import annotations

import argparse
import re
import runpy
import shlex
import sys
from pathlib import Path

import click
import pytest
from helpers.documents import DOCS, DOCUMENTS, ROOT, code_blocks, code_spans, prose, read, shell_lines

from vclean import errors
from vclean.cli.main import COMMANDS, PROGRAM, main, parse_args

SCRIPTS = ROOT / "benchmarks"

FOREIGN = frozenset({
    "--privileged", "--cap-add", "--init", "--memory", "--pids-limit", "--read-only", "--tmpfs", "--network",
    "--rm", "--shm-size", "--security-opt",  # Docker
    "--prefix", "--only-shell", "--head", "--address", "--port", "--group",  # npm, Playwright, Ray, pip
})  # fmt: skip
"""Options of other programs."""


def commands(program: str) -> list[list[str]]:
    """Return the arguments of every command that starts with `program`; options in brackets are given."""
    lines = dict.fromkeys(line for path in DOCUMENTS for line in shell_lines(path))
    calls = [call for line in lines for call in re.findall(rf"(?:^|[|&(] *){program} ([^|>&)]*)", line)]
    return [shlex.split(re.sub(r"[\[\]]", "", call.replace("]...", "]"))) for call in calls]


@pytest.mark.parametrize("arguments", commands("vclean"), ids=" ".join)
def test_vclean_accepts_command(arguments: list[str]) -> None:
    assert parse_args(arguments) is not None


def local_commands() -> list[object]:
    """Return the commands on one page of the folder that end by themselves, as parameters."""
    inputs, others = {"page.html", "fixtures/news/page.html"}, {"label", "train", "--model", "my.vclean"}
    chosen = [call for call in commands("vclean") if inputs & set(call) and not others & set(call)]
    return [pytest.param(call, id=" ".join(call), marks=browser_marks(call)) for call in chosen]


def browser_marks(arguments: list[str]) -> list[pytest.MarkDecorator]:
    """Return the mark of commands that render."""
    return [pytest.mark.browser] if {"--render", "--js", "--overlay", "segment"} & set(arguments) else []


@pytest.mark.slow
@pytest.mark.parametrize("arguments", local_commands())
def test_command_runs(arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().out or list(folder.glob("*.*"))


class Parsed(BaseException):
    """Raised as soon as the options of a benchmark are parsed."""


@pytest.mark.slow
@pytest.mark.parametrize("arguments", commands(r"python(?= \w+/[\w/]+\.py)"), ids=" ".join)
def test_benchmark_accepts_command(arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    script, *options = arguments
    assert (ROOT / script).is_file()
    if "argparse" not in (ROOT / script).read_text(encoding="utf-8"):
        return
    parse = argparse.ArgumentParser.parse_args

    def parse_only(self: argparse.ArgumentParser, *given: object, **kwargs: object) -> None:
        parse(self, *given, **kwargs)
        raise Parsed

    monkeypatch.syspath_prepend(str((ROOT / script).parent))
    monkeypatch.setattr(sys, "argv", [script, *options])
    before = set(sys.modules)
    namespace = runpy.run_path(str(ROOT / script))
    monkeypatch.setattr(argparse.ArgumentParser, "parse_args", parse_only)
    with pytest.raises(Parsed):
        namespace["main"](options)
    for module in set(sys.modules) - before:
        if str(getattr(sys.modules[module], "__file__", "")).startswith(str((ROOT / script).parent)):
            del sys.modules[module]


def options() -> set[str]:
    """Return every option of every command and benchmark."""
    context = click.Context(PROGRAM)
    found = [PROGRAM.get_command(context, name) for name in ["", *COMMANDS]]
    names = {option for each in found if each for parameter in each.params for option in parameter.opts}
    scripts = "".join(path.read_text(encoding="utf-8") for path in SCRIPTS.glob("*.py"))
    return names | set(re.findall(r'"(--[a-z][\w-]*)"', scripts)) | {"--help", "--version"}


def test_every_option_exists() -> None:
    used = {
        option
        for path in DOCUMENTS
        for code in [*code_spans(path), *shell_lines(path)]
        for option in re.findall(r"(?<![\w-])--[a-z][\w-]*", code)
    }
    assert used - options() - FOREIGN == set()


def test_every_command_is_in_the_reference() -> None:
    text = read(DOCS / "reference" / "command-line.md")
    assert [name for name in COMMANDS if f"| `vclean {name}" not in text] == []


def test_every_nox_session_exists() -> None:
    sessions = set(
        re.findall(
            r"^@nox\.session.*\n(?:@.*\n)*def (\w+)\(session: nox\.Session",
            (ROOT / "noxfile.py").read_text("utf-8"),
            re.MULTILINE,
        )
    )
    table = set(re.findall(r"^\| `(\w+)` \|", read(ROOT / "CONTRIBUTING.md"), re.MULTILINE))
    used = {name for path in DOCUMENTS for name in re.findall(r"nox -s (\w+)", read(path))}
    assert table == sessions
    assert used <= sessions


def test_every_exit_code_is_in_the_table() -> None:
    rows = re.findall(r"^\| (\d+) \|", read(DOCS / "reference" / "command-line.md"), re.MULTILINE)
    codes = {kind.exit_code for kind in vars(errors).values() if isinstance(kind, type)}
    assert {int(row) for row in rows} == codes | {0, 13, 130}


@pytest.mark.browser
def test_readme_shows_the_real_output(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    install, run = code_blocks(ROOT / "README.md", "sh")[0].splitlines()
    assert install == "pip install . && vclean setup"
    (sample,) = code_blocks(ROOT / "README.md", "")
    assert main(shlex.split(run)[1:]) == 0
    assert [line[:80].rstrip() for line in capsys.readouterr().out.splitlines()[:10]] == sample.splitlines()
    assert (folder / "overlay.png").stat().st_size > 10_000


def test_guide_shows_the_real_differences(capsys: pytest.CaptureFixture[str]) -> None:
    sample = code_blocks(DOCS / "guides" / "compare.md", "")[0].splitlines()
    assert main(["diff", str(ROOT / "fixtures" / "news" / "page.html"), "--method", "bte"]) == 0
    assert set(sample) - {"..."} <= set(capsys.readouterr().out.splitlines())


@pytest.mark.browser
def test_guide_shows_the_real_explanation(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Compare the examples of the news page; those of other pages come after it."""
    monkeypatch.chdir(ROOT)
    examples, _, _ = prose(DOCS / "guides" / "explain.md").partition("    + p 0.45")
    lines = re.findall(r"^ {4}(\S.*|    [+-].*)$", examples, re.MULTILINE)
    assert main(["fixtures/news/page.html", "--render", "--explain"]) == 0
    assert len(lines) > 10
    assert set(lines) <= set(capsys.readouterr().out.splitlines())
