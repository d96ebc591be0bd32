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


def test_cpu_time_is_that_of_the_measurement() -> None:
    tables = rows(read(DOCS / "background" / "performance.md"))
    medians = {row[0].partition(":")[0]: f"{row[1]} ms" for row in tables if re.fullmatch(r"\d+", row[1])}
    vclean, *others = readme("CPU per parsed page")
    assert vclean == f"{medians['vclean, text']}, as Markdown {medians['vclean, Markdown']}"
    assert others[:3] == [medians[name] for name in ("trafilatura, text", "readability-lxml", "resiliparse")]
    rendered = readme("CPU per rendered page")
    assert (rendered[0], rendered[4].partition(",")[0]) == (medians["`vclean --render`"], medians["plain Playwright"])
