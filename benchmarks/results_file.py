"""Read results of earlier runs of a benchmark, and update the documents that show them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from vclean.errors import InputError
from vclean.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def read_results(path: Path | None, document: Callable[[dict[str, Any]], str]) -> dict[str, Any]:
    """Return the results of earlier runs from a JSON file; empty if the file does not exist.

    Args:
        path: the file.
        document: formats results. If it fails, another program wrote the file.

    Raises:
        InputError: the file contains no results of this program.
    """
    if path is None or not path.exists():
        return {}
    try:
        results = dict(json.loads(path.read_text(encoding="utf-8")))
        document(results)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(f"{path} contains no results of this program: give another file") from error
    return results


def replace_last_section(path: Path, heading: str, text: str) -> None:
    """Replace the text below a heading, which must be the last heading of the document.

    Raises:
        OutputError: the document cannot be written.
    """
    above = path.read_text(encoding="utf-8").partition(heading)[0]
    write_atomic(path, above + heading + text)
