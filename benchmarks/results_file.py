"""Update the documents that show the results of benchmarks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.files import write_atomic

if TYPE_CHECKING:
    from pathlib import Path


def replace_last_section(path: Path, heading: str, text: str) -> None:
    """Replace the text below a heading, which must be the last heading of the document.

    Raises:
        OutputError: the document cannot be written.
    """
    above = path.read_text(encoding="utf-8").partition(heading)[0]
    write_atomic(path, above + heading + text)
