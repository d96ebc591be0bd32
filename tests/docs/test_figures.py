"""Figures of the README: they are those of the generated tables."""

from __future__ import annotations

import re

import pytest
from helpers.documents import DOCS, ROOT, read

TABLES = DOCS / "reference" / "tables"


def rows(text: str) -> list[list[str]]:
    """Return the cells of all table rows in a Markdown text."""
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if line.startswith("|")]


def readme(start: str) -> list[str]:
    """Return the cells of a row of the README's comparison, without its first one and bold type."""
    (row,) = [row for row in rows(read(ROOT / "README.md")) if start in row[0]]
    return [cell.replace("**", "") for cell in row[1:]]


@pytest.mark.parametrize("corpus", ["wcxb", "dragnet", "cleaneval-final"])
def test_word_f1_is_that_of_the_leaderboard(corpus: str) -> None:
    _, _, section = read(TABLES / "leaderboard.md").partition(f"### {corpus}, ")
    scores = {row[0]: row[1].removeprefix("0") for row in reversed(rows(section.partition("###")[0]))}
    name = "CleanEval" if corpus == "cleaneval-final" else corpus
    vclean, *others = readme(f"({name})" if name == corpus else name)[:4]
    assert vclean == f"{scores['vclean, unrendered']}, rendered {scores['vclean, rendered']}"
    assert others == [scores[name] for name in ("trafilatura", "readability-lxml", "resiliparse")]


def test_cpu_time_is_that_of_the_suite() -> None:
    medians: dict[str, str] = {}
    for row in rows(read(TABLES / "performance.md")):
        if re.fullmatch(r"[\d.]+", row[1]):
            medians.setdefault(row[0], f"{float(row[1]):.0f} ms")
    vclean, *others = readme("CPU")
    assert vclean == f"{medians['vclean, unrendered']}, rendered {medians['vclean']}"
    names = ("trafilatura", "readability-lxml", "resiliparse", "plain Playwright")
    assert [cell.partition(",")[0] for cell in others] == [medians[name] for name in names]
