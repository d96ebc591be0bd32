"""Check commands, exit codes, names and links in the documentation."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import vclean
from vclean import errors
from vclean.cli.main import parse_args

DOCS = Path(__file__).parents[1] / "docs"
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def blocks(name: str, language: str) -> list[str]:
    """Return the code blocks of a document in a language."""
    return [code for kind, code in BLOCK.findall((DOCS / name).read_text(encoding="utf-8")) if kind == language]


def commands() -> list[list[str]]:
    """Return the arguments of all vclean commands in the documents; commands with optional arguments are left out."""
    pages = sorted(str(path.relative_to(DOCS)) for path in DOCS.rglob("*.md"))
    lines = [line for page in pages for code in blocks(page, "sh") for line in join_lines(code).splitlines()]
    calls = [re.search(r"(?:^|[|&] *)vclean ([^|>&]*)", line) for line in lines]
    return [shlex.split(call[1], comments=True) for call in calls if call and "[" not in call[1]]


def join_lines(code: str) -> str:
    """Return shell code with continued and indented lines joined, so each command is on one line."""
    return re.sub(r"\n {2,}", " ", code.replace("\\\n", " "))


@pytest.mark.parametrize("arguments", commands(), ids=" ".join)
def test_commands_are_valid(arguments: list[str]) -> None:
    assert parse_args(arguments) is not None


def test_every_exit_code_is_in_the_table() -> None:
    rows = re.findall(r"^\| (\d+) \|", (DOCS / "tutorials/first-page.md").read_text(encoding="utf-8"), re.MULTILINE)
    codes = {kind.exit_code for kind in vars(errors).values() if isinstance(kind, type)}
    assert {int(row) for row in rows} == codes | {0, 13, 130}


class TestPython:
    @pytest.mark.parametrize(
        "code", [*blocks("reference/python.md", "python"), *blocks("guides/segments.md", "python")]
    )
    def test_names_exist(self, code: str) -> None:
        compile(code, "documents", "exec")
        names = set(re.findall(r"vclean\.(\w+)", code))
        assert names
        assert names <= set(vclean.__all__)

    def test_names_of_errors_exist(self) -> None:
        names = set(re.findall(r"`(\w+Error)`", (DOCS / "reference/python.md").read_text(encoding="utf-8")))
        assert len(names) > 3
        assert all(issubclass(getattr(errors, name), vclean.VcleanError) for name in names)


def test_links_between_documents_exist() -> None:
    for path in DOCS.rglob("*.md"):
        for target in re.findall(r"\]\(([\w./-]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name}: {target}"
