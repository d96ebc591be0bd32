"""Options that several commands take, as decorators, and the settings that their values make."""

from __future__ import annotations

from functools import reduce
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from vclean.cli.command import Argument, Option
from vclean.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from click.shell_completion import CompletionItem

    from vclean.settings import Policy, RenderSettings

_Decorated = TypeVar("_Decorated", bound="Callable[..., Any]")

_PAGES: Final = (".html", ".htm", ".xhtml", ".mhtml", ".mht")

_PRECISE: Final = 0.25
_COMPLETE: Final = 4.0
"""How many times recall counts as precision with `--precision` and `--recall`."""
FEWEST_FOLDS: Final = 3
"""Training itself cross-validates on what a fold leaves, and needs two folds there."""
_MAX_PORT: Final = 65_535
_COMMENTS: Final = {"in": True, "out": False, None: None}


def option(*names: str, section: str = "Options", **attributes: Any) -> Callable[[_Decorated], _Decorated]:  # noqa: ANN401
    """Add an option to a command; see `click.option`.

    Args:
        names: such as `-o` and `--out`; one without hyphens names the value.
        section: the heading in the help.
        attributes: of the option.
    """
    if attributes.get("type") is path:
        attributes.setdefault("shell_complete", complete_files)
    return click.option(*names, cls=Option, section=section, **attributes)


def flag(*names: str, **attributes: Any) -> Callable[[_Decorated], _Decorated]:  # noqa: ANN401
    """Add an option without a value."""
    return option(*names, is_flag=True, **attributes)


def argument(
    name: str,
    metavar: str,
    description: str,
    **attributes: Any,  # noqa: ANN401
) -> Callable[[_Decorated], _Decorated]:
    """Add a positional argument to a command, completed with the names of files; see `click.argument`."""
    return click.argument(
        name, cls=Argument, metavar=metavar, description=description, shell_complete=complete_files, **attributes
    )


def joined(*decorators: Callable[[_Decorated], _Decorated]) -> Callable[[_Decorated], _Decorated]:
    """Return a decorator that adds several options, in this order."""
    return lambda decorated: reduce(lambda result, add: add(result), reversed(decorators), decorated)


def pages_argument(description: str) -> Callable[[_Decorated], _Decorated]:
    """Add the pages, one or more."""
    return argument("pages", "PAGE...", description, nargs=-1, required=True)


def page_limits(section: str = "Options") -> Callable[[_Decorated], _Decorated]:
    """Add the limits of a page and the size of its window; see `take_settings`."""
    return joined(
        option(
            "--timeout",
            type=positive(float),
            default="30",
            metavar="S",
            section=section,
            help="seconds for each step of one page (30)",
        ),
        option(
            "--max-bytes",
            type=positive(int),
            default=str(32 * 2**20),
            metavar="N",
            section=section,
            help=f"cap on the size of a page ({32 * 2**20})",
        ),
        option(
            "--max-nodes",
            type=positive(int),
            default="150000",
            metavar="N",
            section=section,
            help="cap on the elements of a page (150000)",
        ),
        option(
            "--width",
            type=positive(int),
            default="1366",
            metavar="PX",
            section=section,
            help="width of the window (1366)",
        ),
        option(
            "--height",
            type=positive(int),
            default="768",
            metavar="PX",
            section=section,
            help="height of the window (768)",
        ),
    )


def take_settings(values: dict[str, Any], *, scripts: bool) -> RenderSettings:
    """Remove the values of `page_limits` from `values` and return the settings that they make.

    Raises:
        UsageError: a value is out of range.
    """
    from vclean.settings import RenderSettings

    limits = {name: values.pop(name) for name in ("width", "height", "max_bytes", "max_nodes")}
    return RenderSettings(**limits, deadline=values.pop("timeout"), scripts=scripts)


def policy(section: str = "Options") -> Callable[[_Decorated], _Decorated]:
    """Add the options for what counts as content; see `take_policy`."""
    return joined(
        flag("--precision", section=section, help="keep only what is surely content"),
        flag("--recall", section=section, help="also keep what may be content"),
        option(
            "--comments",
            type=click.Choice(("in", "out")),
            section=section,
            help="whether readers' comments are content (as the model learned it)",
        ),
    )


def take_policy(values: dict[str, Any]) -> Policy:
    """Remove the values of `policy` from `values` and return the policy.

    Raises:
        click.UsageError: --precision and --recall are both given.
    """
    from vclean.settings import Policy

    check_exclusive(values, "--precision", "--recall")
    recall, precision = values.pop("recall"), values.pop("precision")
    recall_weight = _COMPLETE if recall else _PRECISE if precision else 1.0
    return Policy(recall_weight=recall_weight, comments=_COMMENTS[values.pop("comments")])


def verbosity(section: str = "Options") -> Callable[[_Decorated], _Decorated]:
    """Add -v and -q; see `take_verbosity`."""
    return joined(
        flag("-v", "--verbose", section=section, help="print more on standard error"),
        flag("-q", "--quiet", section=section, help="only print errors"),
    )


def take_verbosity(values: dict[str, Any]) -> int:
    """Remove the values of `verbosity` from `values`; return -1 for quiet, 0 for normal, 1 for verbose.

    Raises:
        click.UsageError: -v and -q are both given.
    """
    check_exclusive(values, "-v/--verbose", "-q/--quiet")
    return int(values.pop("verbose")) - int(values.pop("quiet"))


def snapshots_option() -> Callable[[_Decorated], _Decorated]:
    """Add the folder of rendered pages."""
    text = "keep rendered pages in this folder; a page that is already in it is not rendered again"
    return option("--snapshots", type=path, metavar="FOLDER", help=text)


def corpora_argument(*, required: bool) -> Callable[[_Decorated], _Decorated]:
    """Add the corpora."""
    text = "corpus as Parquet, or a web archive of pages marked by hand"
    return argument("corpora", "CORPUS..." if required else "[CORPUS]...", text, nargs=-1, required=required, type=path)


def regions_option() -> Callable[[_Decorated], _Decorated]:
    """Add the archives that train the region model only."""
    text = "web archive of pages with regions marked by their structure; trains the region model only; may be repeated"
    return option("--regions", multiple=True, type=path, metavar="ARCHIVE", help=text)


def predictions_option() -> Callable[[_Decorated], _Decorated]:
    """Add the file for the clean texts."""
    return option("--predictions", type=path, metavar="FILE", help="write the clean text of every page as JSON lines")


def compared_methods(repetition: str) -> Callable[[_Decorated], _Decorated]:
    """Add the methods and models of a comparison, in their order; `repetition` describes how often."""
    return option(
        "--method",
        "--model",
        "methods",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_methods,
        help=f"a method's name, with =FILE for a file of its own, or a model file; {repetition}",
    )


def check_exclusive(values: Mapping[str, Any], first: str, second: str) -> None:
    """Raise `click.UsageError` if both options, such as `-q/--quiet`, have a value."""
    if all(values[names.rpartition("--")[2].replace("-", "_")] for names in (first, second)):
        raise click.UsageError(f"argument {second}: not allowed with argument {first}")


def check_pages(pages: Sequence[str], url: str) -> None:
    """Check the inputs, and the address of pages without one.

    Raises:
        UsageError: a page is empty, standard input is named twice, or the address is no http(s) URL.
    """
    if "" in pages:
        raise UsageError("a PAGE is empty: name a file, a folder, a URL, or - for standard input")
    if pages.count("-") > 1:
        raise UsageError("- is standard input, which can be read once: name it once")
    if url and not url.lower().startswith(("http://", "https://")):
        raise UsageError(f"--url has to start with http:// or https://, not {url!r}")


def check_overlay(overlay: Path | None) -> None:
    """Raise `UsageError` if the name of an overlay has no known suffix."""
    from vclean.settings import KINDS

    if overlay and overlay.suffix.lower() not in KINDS:
        raise UsageError(f"the overlay {overlay} has to end in .png, .svg or .html")


def check_outputs(pages: Sequence[str], outputs: Mapping[str, Path | None]) -> None:
    """Raise `UsageError` if one of the files, by their options, would be written twice, or in place of a page."""
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
    from pathlib import Path  # `vclean --help` needs none

    return Path(text)


def positive(kind: Callable[[str], float]) -> Callable[[str], float]:
    """Return a function that converts a word to a number more than zero, `kind` being `int` or `float`."""

    def convert(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            raise click.BadParameter(f"{text!r} is no {'whole ' * (kind is int)}number") from None
        if not 0 < value < float("inf"):
            raise click.BadParameter(f"has to be positive, not {text}")
        return value

    return convert


def share(text: str) -> float:
    """Convert a word to a number of more than zero and at most one."""
    value = float(positive(float)(text))
    if value > 1:
        raise click.BadParameter(f"has to be 1 or less, not {text}")
    return value


def count(text: str) -> int:
    """Convert a word to a whole number, zero included."""
    if not text.isascii() or not text.isdecimal():
        raise click.BadParameter(f"has to be a whole number, not {text!r}")
    return int(text)


def folds(text: str) -> int:
    """Convert a word to a number of folds; 0 for none."""
    value = 0 if text == "0" else int(positive(int)(text))
    if 0 < value < FEWEST_FOLDS:
        raise click.BadParameter(f"K has to be {FEWEST_FOLDS} or more")
    return value


def port(text: str) -> int:
    """Convert a word to the number of a port."""
    number = int(positive(int)(text))
    if number > _MAX_PORT:
        raise click.BadParameter(f"has to be 1 to {_MAX_PORT}, not {text}")
    return number


def complete_files(_: click.Context, __: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Let the shell complete names of files."""
    from click.shell_completion import CompletionItem

    return [CompletionItem(incomplete, type="file")]


def complete_methods(_: click.Context, __: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of methods that begin with `incomplete`."""
    from vclean.classify.methods import names

    return sorted(name for name in names() if name.startswith(incomplete))
