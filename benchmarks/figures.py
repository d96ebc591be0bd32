"""Figures that are kept from one run of a benchmark to the next, and the documents that show them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from vclean.errors import InputError
from vclean.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def read_figures(path: Path | None, document: Callable[[dict[str, Any]], str]) -> dict[str, Any]:
    """What was measured before, from the JSON file if it is there.

    Args:
        path: the file.
        document: writes figures down; what it cannot are another program's.

    Raises:
        InputError: they are.
    """
    if path is None or not path.exists():
        return {}
    try:
        found = dict(json.loads(path.read_text(encoding="utf-8")))
        document(found)
    except (ValueError, LookupError, TypeError, AttributeError) as error:
        raise InputError(f"{path} holds no figures of this program: give another file") from error
    return found


def renew(path: Path, heading: str, text: str) -> None:
    """Put `text` in place of what stands below a heading, the last one of a document.

    Raises:
        OutputError: the document cannot be written.
    """
    above = path.read_text(encoding="utf-8").partition(heading)[0]
    write_atomic(path, above + heading + text)
