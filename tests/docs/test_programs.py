"""Python programs in the documentation: they run, or at least compile and use names that exist."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from helpers.documents import DOCS, DOCUMENTS, code_blocks, name, read

import vclean
from vclean import errors

NEEDS = ('example.org/", "', "OUT/", "duckdb", "polars", "pandas", "crawl.warc.gz")
"""Marks of programs that need a network, the output of the farm, another library or an archive."""


LIBRARIES = {
    "datasets": "datasets",
    "datatrove": "datatrove",
    "langchain_core": "langchain",
    "llama_index": "llamaindex",
    "mcp": "mcp",
    "scrapy": "scrapy",
}
"""Libraries that the ordinary run does not install, with the modules of their adapters: programs that import either are
skipped without them."""


RENDERS = ("render=True", "egment", '"mcp"')
"""Marks of programs that need a browser."""


def programs(*, runnable: bool) -> list[object]:
    """Return the programs of all documents as parameters: those that can run, or the others."""
    found = [(f"{name(path)}-{at}", code) for path in DOCUMENTS for at, code in enumerate(code_blocks(path, "python"))]
    chosen = [(label, code) for label, code in found if any(mark in code for mark in NEEDS) is not runnable]
    return [pytest.param(code, id=label, marks=marks(code)) for label, code in chosen]


def marks(code: str) -> list[pytest.MarkDecorator]:
    """Return the marks of programs that need a browser or a library that may be missing."""
    missing = [
        library
        for library, adapter in LIBRARIES.items()
        if re.search(rf"(import|from) ({library}|vclean\.adapters\.{adapter})\b", code) and find_spec(library) is None
    ]
    skips = [pytest.mark.skip(reason=f"needs {name}") for name in missing]
    return [*skips, *([pytest.mark.browser] if any(mark in code for mark in RENDERS) else [])]


@pytest.mark.parametrize("code", programs(runnable=True))
def test_program_runs(code: str, folder: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """Run the program; it prints something exactly if it contains a call of `print`."""
    page = vclean.Page(content=(folder / "page.html").read_bytes())
    exec(compile(code, "documentation", "exec"), {"__name__": "__main__", "page": page})
    assert bool(capfd.readouterr().out) == ("print(" in code)


@pytest.mark.parametrize("code", [*programs(runnable=True), *programs(runnable=False)])
def test_program_uses_public_names(code: str) -> None:
    compile(code, "documentation", "exec")
    names = set(
        re.findall(
            r"\bvclean\.([A-Za-z]\w*)", re.sub(r"(?:from|import) vclean\.[\w.]+|vclean\.adapters\.[\w.]+", "", code)
        )
    )
    assert names <= set(vclean.__all__)


def test_both_kinds_of_programs_exist() -> None:
    assert len(programs(runnable=True)) > 10
    assert len(programs(runnable=False)) > 3


def test_names_of_errors_exist() -> None:
    names = set(re.findall(r"`(\w+Error)`", read(DOCS / "reference" / "python.md")))
    assert len(names) > 3
    assert all(issubclass(getattr(errors, name), vclean.VcleanError) for name in names)
