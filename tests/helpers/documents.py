"""Documentation as files, text and code blocks."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
INDEX = DOCS / "index.md"
PAGES = tuple(sorted(DOCS.rglob("*.md")))
"""All pages of docs/."""
DOCUMENTS = (*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md")
WRITTEN = tuple(path for path in DOCUMENTS if path.parent.name != "tables")
"""Documents that people write; scripts in benchmarks/ write the others."""

_BLOCK = re.compile(r"^( *)```(\w*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`([^`\n]+)`")


def name(path: Path) -> str:
    """Return the path of a document relative to the repository."""
    return path.relative_to(ROOT).as_posix()


@cache
def read(path: Path) -> str:
    """Return the text of a document."""
    return path.read_text(encoding="utf-8")


def code_blocks(path: Path, language: str) -> list[str]:
    """Return the fenced code blocks of a document in one language."""
    return [code for _, kind, code in _BLOCK.findall(read(path)) if kind == language]


def prose(path: Path) -> str:
    """Return a document without its fenced code blocks."""
    return _BLOCK.sub("", read(path))


def code_spans(path: Path) -> list[str]:
    """Return the inline code of a document."""
    return _CODE.findall(prose(path))


def shell_lines(path: Path) -> list[str]:
    """Return the shell commands of a document, one per line, without comments and continuation lines."""
    joined = (re.sub(r"\n {2,}", " ", code.replace("\\\n", " ")) for code in code_blocks(path, "sh"))
    return [re.sub(r"(^| )#.*", "", line).strip() for code in joined for line in code.splitlines()]
