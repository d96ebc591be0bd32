"""Register the output formats: the function that writes each format, imported on its first use.

A new format needs a function from a `Result` to text, and an entry in `_WRITERS`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vclean.labels import EmptyReason
    from vclean.output.chunks import Chunk
    from vclean.output.overlay import PageImage
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


def to_dict(result: Result) -> dict[str, Any]:
    """Return the content of the format `json` as dictionaries and lists."""
    from vclean.output.json import to_record

    return to_record(result)


def empty_reason(result: Result) -> EmptyReason | None:
    """Return why the clean text of a page is empty; None if it is not."""
    from vclean.output import reports

    return reports.empty_reason(result)


def notes(result: Result) -> tuple[str, ...]:
    """Return what was unusual about a page: notes of its reader, and why its clean text is empty."""
    from vclean.output.reports import describe_empty

    reason = empty_reason(result)
    return (*result.columns.snapshot.notes, *((describe_empty(result, reason),) if reason else ()))


def to_chunks(result: Result, max_words: int | None) -> list[Chunk]:
    """Return the chunks of a page; errors as for `vclean.output.chunks.make_chunks`."""
    from vclean.output.chunks import DEFAULT_MAX_WORDS, make_chunks

    return make_chunks(result, DEFAULT_MAX_WORDS if max_words is None else max_words)


def page_image(result: Result, screenshot: bytes) -> PageImage:
    """Return a drawing on the screenshot of a page; errors as for `vclean.output.overlay.PageImage`."""
    from vclean.output.overlay import PageImage

    return PageImage(result, screenshot)
