"""Names in the documentation: files, identifiers, fields, labels and roles exist."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest
from helpers.documents import DOCS, PAGES, ROOT, WRITTEN, code_spans, name, read

import vclean
from vclean.classify.explain.reasons import GROUPS
from vclean.labels import Label, Role, Visibility

SOURCES = ("core", "render", "features", "classify", "benchmarks", "tools", "tests", "fixtures", "docs")
_PATH = re.compile(rf"(?<![\w/.])(?:{'|'.join(SOURCES)})/[\w./*-]*[\w*/]")
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\(.*\))?")

FOREIGN = frozenset({
    "HTTPS_PROXY", "PLAYWRIGHT_DOWNLOAD_HOST",  # Playwright
    "DOMSnapshot", "captureSnapshot", "enableBeginFrameControl",  # Chromium
    "clone", "clone3", "noexec", "setns", "unshare",  # Linux
})  # fmt: skip
"""Names of other programs and libraries."""


@cache
def words() -> set[str]:
    """Return every word of the source code and its data."""
    suffixes = {".py", ".js", ".c", ".toml", ".html", ".css", ".j2", ".tsv"}
    files = [path for folder in SOURCES[:7] for path in (ROOT / folder).rglob("*") if path.suffix in suffixes]
    files += [ROOT / "pyproject.toml", ROOT / "noxfile.py"]
    return {word for path in files for word in re.findall(r"\w+", path.read_text(encoding="utf-8", errors="replace"))}


@pytest.mark.parametrize("path", WRITTEN, ids=name)
class TestNames:
    def test_files_exist(self, path: Path) -> None:
        used = set(_PATH.findall(re.sub(r"https?://\S+|\]\([^)]*\)", "", read(path))))
        missing = [file for file in sorted(used) if not list(ROOT.glob(file.rstrip("/")))]
        assert missing == []

    def test_identifiers_exist(self, path: Path) -> None:
        spans = {span for span in code_spans(path) if _IDENTIFIER.fullmatch(span)}
        parts = {part for span in spans for part in re.split(r"\W+", span.partition("(")[0]) if part}
        parts = {part.removesuffix("_total") for part in parts}  # of counters, by the Prometheus client
        assert sorted(parts - words() - FOREIGN) == []


def test_pages_that_the_code_names_exist() -> None:
    sources = [path for folder in SOURCES[:7] for path in (ROOT / folder).rglob("*.py")]
    named = {(path, page) for path in sources for page in re.findall(r"docs/[\w/-]+\.md", path.read_text("utf-8"))}
    assert sorted((str(path), page) for path, page in named if not (ROOT / page).is_file()) == []


def test_glossary_has_every_label_role_and_visibility() -> None:
    text = read(DOCS / "glossary.md")
    named = [*Label, *Role, *(each.name.lower() for each in Visibility)]
    assert [each for each in named if f"`{each}`" not in text] == []


def test_guide_has_every_group_of_reasons() -> None:
    text = re.sub(r"^\| (.*?) \|.*$", r"\1,", read(DOCS / "guides" / "explain.md"), flags=re.MULTILINE)
    assert [group for group in GROUPS if f"{group}," not in text] == []


def test_every_field_of_json_is_documented() -> None:
    text = read(DOCS / "reference" / "output.md")
    record = vclean.clean("<h1>Weather</h1><p>It rained all day, and nobody was surprised.").to_dict()
    fields = [*record, *record["blocks"][0]]
    assert [field for field in fields if f"`{field}`" not in text] == []


def test_generated_tables_are_linked_from_prose() -> None:
    prose = "".join(read(path) for path in PAGES if "tables" not in path.parts and path.name != "index.md")
    assert [
        path.name for path in (DOCS / "reference" / "tables").glob("*.md") if f"tables/{path.name}" not in prose
    ] == []
