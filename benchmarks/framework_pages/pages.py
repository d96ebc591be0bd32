"""Load the pages of the set: HTML as people write it with a framework, with style sheets and scripts inlined.

Each file in `pages/` is one page. A marked sentence is written ⟦class|sentence⟧; the marks are removed on loading.
"""

from __future__ import annotations

import re
import tarfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

FOLDER = Path(__file__).parent
CLASSES = ("shown", "revealable", "hidden", "injected")
"""Seen without acting; seen after a click or hover; never seen; never seen, and an instruction to a machine."""

_MARK = re.compile(r"⟦(\w+)\|(.*?)⟧", re.DOTALL)
_STYLE = re.compile(r'<link rel="stylesheet" href="([\w.-]+)">')
_SCRIPT = re.compile(r'<script src="([\w.-]+)"></script>')


@dataclass(frozen=True)
class FrameworkPage:
    """A page and the class of each marked sentence."""

    name: str
    html: str
    sentences: dict[str, str]
    """Class by sentence. A sentence occurs once in `html`."""


@cache
def libraries() -> dict[str, str]:
    """Return the text of each library file by its name."""
    with tarfile.open(FOLDER / "libraries.tar.xz") as archive:
        members = [member for member in archive.getmembers() if member.isfile()]
        return {Path(member.name).name: archive.extractfile(member).read().decode() for member in members}  # type: ignore[union-attr]


def pages() -> Iterator[FrameworkPage]:
    """Yield the pages by name.

    Raises:
        KeyError: a page names a library file that the archive lacks.
        ValueError: a page marks a sentence with an unknown class.
    """
    for path in sorted((FOLDER / "pages").glob("*.html")):
        source = path.read_text("utf-8")
        sentences = {sentence: label for label, sentence in _MARK.findall(source)}
        if unknown := set(sentences.values()) - set(CLASSES):
            raise ValueError(f"{path}: unknown class {', '.join(sorted(unknown))}")
        html = _MARK.sub(r"\2", source)
        html = _STYLE.sub(lambda match: f"<style>{libraries()[match[1]]}</style>", html)
        html = _SCRIPT.sub(lambda match: f"<script>{libraries()[match[1]]}</script>", html)
        yield FrameworkPage(path.stem, html, sentences)
