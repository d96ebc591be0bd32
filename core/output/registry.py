"""The output formats of a result: the function that writes each, imported when it is first used.

A new format is one entry here, and a function from a `Result` to its text.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from vclean.output.page_image import PageImage
    from vclean.result import Result

EXPLANATION: Final = "explanation"
"""What `--explain` writes in place of a text format."""

_WRITERS: Final = {
    "cleaneval": "text.write_cleaneval",
    "text": "text.write_text",
    "markdown": "markdown.write_markdown",
    "html": "html.write_html",
    "json": "json.write_json",
    EXPLANATION: "explanation.write_explanation",
}
"""By format, the function in the modules of `vclean.output` that writes it."""

FORMATS: Final = tuple(name for name in _WRITERS if name != EXPLANATION)
"""The names of the output formats; the first is the default."""


def writer(name: str) -> Callable[[Result], str]:
    """Return the function that writes a result in the format `name`, one of `FORMATS` or `EXPLANATION`.

    Raises:
        UsageError: there is no such format.
    """
    if name not in _WRITERS:
        raise UsageError(f"no output format {name!r}: choose one of {', '.join(FORMATS)}")
    module, function = _WRITERS[name].split(".")
    write: Callable[[Result], str] = getattr(import_module(f"vclean.output.{module}"), function)
    return write


def to_dict(result: Result) -> dict[str, Any]:
    """Return what the format `json` writes, as dictionaries and lists."""
    from vclean.output.json import to_record

    return to_record(result)


def page_image(result: Result, screenshot: bytes) -> PageImage:
    """Return the screenshot of a page, to be drawn on; errors as for `vclean.output.page_image.PageImage`."""
    from vclean.output.page_image import PageImage

    return PageImage(result, screenshot)
