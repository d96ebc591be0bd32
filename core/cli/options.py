"""Define options that several commands share, as decorators, and convert their values to settings."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

import click
from click.core import ParameterSource

from vclean.cli.command import Argument, Option
from vclean.errors import UsageError
from vclean.logs import log_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from click.shell_completion import CompletionItem

    from vclean.settings import Policy, RenderSettings, Scripts

_Decorated = TypeVar("_Decorated", bound="Callable[..., Any]")

_PAGES: Final = (".html", ".htm", ".xhtml", ".mhtml", ".mht")

_PRECISION_WEIGHT: Final = 0.25
_RECALL_WEIGHT: Final = 4.0
"""Weights of recall relative to precision, with `--precision` and `--recall`."""
MIN_FOLDS: Final = 3
"""Fewest folds: training cross-validates again on the other folds, and needs two of them."""
_MAX_PORT: Final = 65_535
_IN_OUT: Final = {"in": True, "out": False, None: None}
_PURPOSES: Final = ("article", "corpus", "everything")
_KIND_OPTIONS: Final = {
    "--comments": "reader comments",
    "--captions": "captions of images and tables",
    "--byline": "names of authors and dates next to the title",
    "--lists": "lists of links, documents and products",
}
"""Options of kinds of text, with what they keep or drop; without them, the model decides."""
_PART_OPTIONS: Final = {
    "--title": "the headline of a page",
    "--images": "images of the content in Markdown, HTML and chunks",
}
"""Options of parts that are kept without them, with what they keep or drop."""
_PAGE_LIMITS: Final[tuple[tuple[str, type[int] | type[float], str | None, str, str], ...]] = (
    ("--timeout", float, "30", "S", "limit the time of each step of one page, in seconds (30)"),
    ("--max-bytes", int, str(32 * 2**20), "N", f"limit the size of a page, in bytes ({32 * 2**20})"),
    ("--max-nodes", int, "150000", "N", "limit the number of elements of a page (150000)"),
    ("--width", int, None, "PX", "set the width of the viewport (1366)"),
    ("--height", int, None, "PX", "set the height of the viewport (768)"),
)
"""Name, type, default (None: that of `RenderSettings`), unit and help of each option of `page_limits`."""


def option(*names: str, section: str = "Options", **attributes: Any) -> Callable[[_Decorated], _Decorated]:
    """Add an option to a command; see `click.option`.

    Args:
        names: the names, such as `-o` and `--out`; a name without hyphens is the name of the value.
        section: the heading in the help.
        attributes: other arguments of `click.option`.
    """
    if attributes.get("type") is path:
        attributes.setdefault("shell_complete", complete_files)
    return click.option(*names, cls=Option, section=section, **attributes)


def flag(*names: str, **attributes: Any) -> Callable[[_Decorated], _Decorated]:
    """Add an option without a value."""
    return option(*names, is_flag=True, **attributes)


def argument(
    name: str,
    metavar: str,
    description: str,
    **attributes: Any,
) -> Callable[[_Decorated], _Decorated]:
    """Add a positional argument to a command, completed with the names of files; see `click.argument`."""
    return click.argument(
        name, cls=Argument, metavar=metavar, description=description, shell_complete=complete_files, **attributes
    )


def combine(*decorators: Callable[[_Decorated], _Decorated]) -> Callable[[_Decorated], _Decorated]:
    """Return a decorator that adds several options, in this order."""
    return lambda decorated: reduce(lambda result, add: add(result), reversed(decorators), decorated)


def pages_argument(description: str) -> Callable[[_Decorated], _Decorated]:
    """Add the argument for one or more pages."""
    return argument("pages", "PAGE...", description, nargs=-1, required=True)


def page_limits(section: str = "Options") -> Callable[[_Decorated], _Decorated]:
    """Add the options for limits of a page and the size of the viewport; see `take_settings`."""
    return combine(
        *(
            option(name, type=positive(kind), default=default, metavar=unit, section=section, help=text)
            for name, kind, default, unit, text in _PAGE_LIMITS
        ),
        option(
            "--allow-host",
            "allow_hosts",
            multiple=True,
            metavar="HOST",
            section=section,
            help="also fetch from this host if it is not public, such as localhost; repeatable",
        ),
        flag("--force-html", section=section, help="clean JSON, feeds and plain text as if they were HTML"),
    )


def page_count_limit(section: str = "Options") -> Callable[[_Decorated], _Decorated]:
    """Add the option for the largest number of pages of a run."""
    return option("--limit", type=positive(int), metavar="N", section=section, help="read at most N pages (all)")


def hidden_policy(section: str = "Options") -> Callable[[_Decorated], _Decorated]:
    """Add the option for text that is not shown."""
    return option(
        "--hidden",
        type=click.Choice(("drop", "revealable", "keep")),
        default="revealable",
        section=section,
        help="text that is not shown: drop all of it, keep what a reader can open, or keep all (revealable)",
    )


def hide_overlays(section: str = "Options") -> Callable[[_Decorated], _Decorated]:
    """Add the option for screenshots without overlays; see `take_settings`."""
    return flag(
        "--hide-overlays",
        section=section,
        help="with --overlay: take the screenshot without consent bars and other pop-ups",
    )


def scripts_options(section: str = "Options") -> Callable[[_Decorated], _Decorated]:
    """Add the options for the scripts of pages; see `take_scripts`."""
    scripts = option(
        "--scripts",
        type=click.Choice(("auto", "on", "off")),
        default="auto",
        section=section,
        help="run the scripts of rendered pages: always (on), never, or where a page waits for them (auto)",
    )
    js = flag("--js", section=section, help="render pages and run their scripts: --scripts on")
    return lambda decorated: scripts(js(decorated))


def take_scripts(values: dict[str, Any]) -> Scripts:
    """Remove the values of `scripts_options` from `values` and return whether scripts run."""
    js, scripts = values.pop("js"), values.pop("scripts")
    return "on" if js else cast("Scripts", scripts)


def take_settings(values: dict[str, Any], *, scripts: Scripts, renders: bool = True) -> RenderSettings:
    """Remove the values of `page_limits` and `hide_overlays` from `values` and return them as settings.

    Args:
        values: the values of all options by name.
        scripts: whether the scripts of pages run.
        renders: whether pages are rendered; otherwise there is no viewport.

    Raises:
        UsageError: a value is out of range.
        click.UsageError: a size of the viewport has no effect.
    """
    from vclean.settings import RenderSettings

    if not renders:
        _remove_rendering(values)
    viewport = {name: size for name in ("width", "height") if (size := values.pop(name, None)) is not None}
    limits: dict[str, Any] = {name: values.pop(name) for name in ("max_bytes", "max_nodes")}
    limits["allow_hosts"] = tuple(values.pop("allow_hosts"))
    limits["hide_overlays"] = values.pop("hide_overlays", False)
    limits["force_html"] = values.pop("force_html")
    return RenderSettings(**viewport, **limits, deadline=values.pop("timeout"), scripts=scripts)


def _remove_rendering(values: dict[str, Any]) -> None:
    """Remove the values of options that have no effect on unrendered pages.

    Raises:
        click.UsageError: one of them is on the command line, and not a default from the configuration file.
    """
    for name in ("width", "height", "hide_overlays"):
        if values.get(name):
            if is_on_command_line(name):
                option = name.replace("_", "-")
                raise click.UsageError(f"argument --{option}: has no effect on pages that are not rendered")
            del values[name]


def policy(section: str = "Options") -> Callable[[_Decorated], _Decorated]:
    """Add the options for the definition of content; see `take_policy`."""
    return combine(
        flag("--precision", section=section, help="only keep blocks that are very probably content"),
        flag("--recall", section=section, help="also keep blocks that may be content"),
        option(
            "--for",
            "purpose",
            type=click.Choice(_PURPOSES),
            default=_PURPOSES[0],
            section=section,
            help="what the text is for: the article, a text corpus, or everything on the page but navigation (article)",
        ),
        *(
            option(name, type=click.Choice(("in", "out")), section=section, help=f"keep (in) or drop (out) {text}")
            for name, text in _KIND_OPTIONS.items()
        ),
        hidden_policy(section=section),
        *(
            option(
                name,
                type=click.Choice(("in", "out")),
                default="in",
                section=section,
                help=f"keep (in) or drop (out) {text} (in)",
            )
            for name, text in _PART_OPTIONS.items()
        ),
    )


def take_policy(values: dict[str, Any]) -> Policy:
    """Remove the values of `policy` from `values` and return them as a policy.

    Raises:
        click.UsageError: --precision and --recall are both given.
    """
    from vclean.settings import Policy

    check_exclusive(values, "--precision", "--recall")
    recall, precision = values.pop("recall"), values.pop("precision")
    recall_weight = _RECALL_WEIGHT if recall else _PRECISION_WEIGHT if precision else None
    choices: dict[str, Any] = {name[2:]: _IN_OUT[values.pop(name[2:])] for name in _KIND_OPTIONS}
    choices |= {"hidden": values.pop("hidden")} | {name[2:]: _IN_OUT[values.pop(name[2:])] for name in _PART_OPTIONS}
    return Policy.for_purpose(values.pop("purpose"), recall_weight=recall_weight, **choices)


def verbosity(section: str = "Options") -> Callable[[_Decorated], _Decorated]:
    """Add the options -v and -q, see `take_verbosity`, and --log-json."""
    return combine(
        flag("-v", "--verbose", section=section, help="print more on standard error"),
        flag("-q", "--quiet", section=section, help="only print errors"),
        flag(
            "--log-json",
            section=section,
            help="write messages as JSON lines",
            expose_value=False,
            callback=lambda _context, _option, value: log_json() if value else None,
        ),
    )


def take_verbosity(values: dict[str, Any]) -> int:
    """Remove the values of `verbosity` from `values`; return -1 for quiet, 0 for normal, 1 for verbose.

    Raises:
        click.UsageError: -v and -q are both given.
    """
    check_exclusive(values, "-v/--verbose", "-q/--quiet")
    return bool(values.pop("verbose")) - bool(values.pop("quiet"))


def snapshots_option() -> Callable[[_Decorated], _Decorated]:
    """Add the option for the folder of rendered pages."""
    text = "store rendered pages in this folder, and do not render them again"
    return option("--snapshots", type=path, metavar="FOLDER", help=text)


def corpora_argument(*, required: bool) -> Callable[[_Decorated], _Decorated]:
    """Add the argument for corpora."""
    text = "a Parquet file with gold text, or a web archive of pages marked by hand"
    return argument("corpora", "CORPUS..." if required else "[CORPUS]...", text, nargs=-1, required=required, type=path)


def predictions_option() -> Callable[[_Decorated], _Decorated]:
    """Add the option for the file of clean texts."""
    return option("--predictions", type=path, metavar="FILE", help="write the clean text of every page as JSON lines")


def compared_methods(repetition: str) -> Callable[[_Decorated], _Decorated]:
    """Add the option for the methods and models of a comparison; `repetition` completes its help."""
    return option(
        "--method",
        "--model",
        "methods",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_methods,
        help=f"use this method (NAME, or NAME=FILE with a file for it) or this model file; {repetition}",
    )


def check_exclusive(values: dict[str, Any], first: str, second: str) -> None:
    """Check that at most one of two options, such as `-q/--quiet`, has a value.

    An option on the command line replaces the other one by None if that is a default from the configuration file.

    Raises:
        click.UsageError: both have a value.
    """
    names = [option.rpartition("--")[2].replace("-", "_") for option in (first, second)]
    if not all(values[name] for name in names):
        return
    defaults = [name for name in names if not is_on_command_line(name)]
    if len(defaults) != 1:
        raise click.UsageError(f"argument {second}: not allowed with argument {first}")
    values[defaults[0]] = None


def is_on_command_line(name: str) -> bool:
    """Return whether the value of a parameter is on the command line, and not in the configuration file."""
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def check_pages(pages: Sequence[str], url: str) -> None:
    """Check the inputs, and the URL for pages without a URL.

    Raises:
        UsageError: an input is empty, standard input is named twice, or `url` is not an http(s) URL.
    """
    if "" in pages:
        raise UsageError("a PAGE is empty: name a file, a folder, a URL, or - for standard input")
    if pages.count("-") > 1:
        raise UsageError("- is standard input, which can only be read once: name it once")
    if url and not url.lower().startswith(("http://", "https://")):
        raise UsageError(f"--url has to start with http:// or https://, not {url!r}")


def check_overlay(overlay: Path | None) -> None:
    """Check that the file name of an overlay has a known suffix.

    Raises:
        UsageError: the suffix is unknown.
    """
    from vclean.settings import OVERLAY_FORMATS

    if overlay and overlay.suffix.lower() not in OVERLAY_FORMATS:
        raise UsageError(f"the overlay {overlay} has to end in .png, .svg or .html")


def check_outputs(pages: Sequence[str], outputs: Mapping[str, Path | None]) -> None:
    """Check that outputs do not overwrite each other or an input.

    Args:
        pages: the inputs from the command line.
        outputs: the output files by the name of their option; None for an option without a value.

    Raises:
        UsageError: two outputs are the same file, or an output is one of the pages.
    """
    from pathlib import Path

    paths = [path.resolve() for path in outputs.values() if path]
    if len(set(paths)) < len(paths):
        *most, last = outputs
        raise UsageError(f"{', '.join(most)} and {last} have to be different files")
    inputs = {Path(page).resolve() for page in pages}
    for output in paths:
        if output.is_file() and (
            output in inputs or (inputs & set(output.parents) and output.suffix.lower() in _PAGES)
        ):
            raise UsageError(f"{output} is one of the pages: write to another file")


def path(text: str) -> Path:
    """Convert a word to a path."""
    from pathlib import Path  # not needed by `vclean --help`

    return Path(text)


def positive(kind: Callable[[str], float]) -> Callable[[str], float]:
    """Return a function that converts a word to a positive number of type `kind`, which is `int` or `float`."""

    def convert(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            raise click.BadParameter(f"{text!r} is not a {'whole ' * (kind is int)}number") from None
        if not 0 < value < float("inf"):
            raise click.BadParameter(f"has to be positive, not {text}")
        return value

    return convert


def fraction(text: str) -> float:
    """Convert a word to a number above 0 and up to 1."""
    value = float(positive(float)(text))
    if value > 1:
        raise click.BadParameter(f"has to be 1 or less, not {text}")
    return value


def count(text: str) -> int:
    """Convert a word to a whole number of 0 or more."""
    if not text.isascii() or not text.isdecimal():
        raise click.BadParameter(f"has to be a whole number, not {text!r}")
    return int(text)


def folds(text: str) -> int:
    """Convert a word to a number of folds; 0 for no cross-validation."""
    value = 0 if text == "0" else int(positive(int)(text))
    if 0 < value < MIN_FOLDS:
        raise click.BadParameter(f"K has to be {MIN_FOLDS} or more")
    return value


def port(text: str) -> int:
    """Convert a word to a port number, 1 to 65535."""
    number = int(positive(int)(text))
    if number > _MAX_PORT:
        raise click.BadParameter(f"has to be 1 to {_MAX_PORT}, not {text}")
    return number


def complete_files(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Return a completion that lets the shell complete file names."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_methods(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the sorted names of methods that begin with `incomplete`."""
    from vclean.classify.methods import names

    return sorted(name for name in names() if name.startswith(incomplete))
