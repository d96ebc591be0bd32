"""Register the output formats: the function that writes each format, imported on its first use.

A new format needs a function from a `Result` to text, and an entry in `_WRITERS`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

from vclean.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vclean.result import Result

EXPLANATION: Final = "explanation"
"""Name of the output of `--explain`, which replaces the text."""

HIDDEN_LIST: Final = "hidden"
"""What `--show-hidden` writes in place of a text format."""

FRONT_MATTER: Final = "front-matter"
"""Name of the output of `--front-matter`: Markdown after the metadata of the page."""

_WRITERS: Final = {
    "markdown": "markdown.write_markdown",
    "text": "text.write_text",
    "cleaneval": "text.write_cleaneval",
    "html": "html.write_html",
    "json": "json.write_json",
    "chunks": "chunks.write_chunks",
    EXPLANATION: "reports.write_explanation",
    HIDDEN_LIST: "reports.write_hidden",
    FRONT_MATTER: "reports.write_front_matter",
}
"""Modules and functions of `vclean.output` that write a format, by its name."""

FORMATS: Final = tuple(name for name in _WRITERS if name not in (EXPLANATION, HIDDEN_LIST, FRONT_MATTER))
"""Names of the output formats; the first is the default."""


def writer(name: str) -> Callable[[Result], str]:
    """Return the function that writes a result in the format `name`.

    The format is one of `FORMATS`, `EXPLANATION`, `HIDDEN_LIST` or `FRONT_MATTER`.

    Raises:
        UsageError: the format does not exist.
    """
    if name not in _WRITERS:
        raise UsageError(f"no output format {name!r}: choose one of {', '.join(FORMATS)}")
    module, function = _WRITERS[name].split(".")
    write: Callable[[Result], str] = getattr(import_module(f"vclean.output.{module}"), function)
    return write
