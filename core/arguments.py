"""What several commands take on the command line."""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NoReturn

from vclean.errors import UsageError
from vclean.render.overlay_kinds import KINDS
from vclean.settings import Policy, RenderSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

_PAGES: Final = (".html", ".htm", ".xhtml", ".mhtml", ".mht")

_PRECISE: Final = 0.25
_COMPLETE: Final = 4.0
"""How many times recall counts as precision with `--precision` and `--recall`."""
_MAX_PORT: Final = 65_535
_COMMENTS: Final = {"in": True, "out": False, None: None}


class Parser(argparse.ArgumentParser):
    """Raises its errors, so that all errors leave the program by one way."""

    def error(self, message: str) -> NoReturn:
        """Raise a usage error that says where the help is."""
        raise UsageError(f"{message} (see {self.prog} --help)")


def add_caps(parser: argparse.ArgumentParser) -> None:
    """What bounds a page, and the size of its window: see `take_settings`."""
    add = parser.add_argument
    add(
        "--timeout",
        type=positive(float),
        default=30.0,
        metavar="S",
        help="seconds for each step of one page (%(default)g)",
    )
    add("--max-bytes", type=positive(int), default=32 * 2**20, metavar="N", help="cap on a page (%(default)d)")
    add("--max-nodes", type=positive(int), default=150_000, metavar="N", help="cap on its elements (%(default)d)")
    add("--width", type=positive(int), default=1366, metavar="PX", help="width of the window (%(default)d)")
    add("--height", type=positive(int), default=768, metavar="PX", help="height of the window (%(default)d)")


def take_settings(values: dict[str, Any], *, scripts: bool) -> RenderSettings:
    """The settings that the arguments of `add_caps` name, taken out of `values`.

    Raises:
        UsageError: a value is out of range.
    """
    names = ("width", "height", "max_bytes", "max_nodes")
    caps = {name: values.pop(name) for name in names}
    return RenderSettings(**caps, deadline=values.pop("timeout"), scripts=scripts)


def add_policy(parser: argparse.ArgumentParser) -> None:
    """What counts as content: see `take_policy`."""
    balance = parser.add_mutually_exclusive_group()
    add = partial(balance.add_argument, dest="beta", action="store_const")
    add("--precision", const=_PRECISE, default=1.0, help="keep only what is surely content")
    add("--recall", const=_COMPLETE, help="keep what may be content, too")
    text = "whether readers' comments are content (as the model has learnt it)"
    parser.add_argument("--comments", choices=("in", "out"), help=text)


def take_policy(values: dict[str, Any]) -> Policy:
    """The policy that the arguments name, taken out of `values`."""
    return Policy(beta=values.pop("beta"), comments=_COMMENTS[values.pop("comments")])


def add_loudness(parser: argparse.ArgumentParser) -> None:
    """How much is said on standard error: see `take_verbosity`."""
    loudness = parser.add_mutually_exclusive_group()
    loudness.add_argument("-v", "--verbose", action="store_true", help="say more on standard error")
    loudness.add_argument("-q", "--quiet", action="store_true", help="say errors only")


def take_verbosity(values: dict[str, Any]) -> int:
    """-1 quiet, 0 normal, 1 talkative, taken out of `values`."""
    return int(values.pop("verbose")) - int(values.pop("quiet"))


def check_pages(pages: Sequence[str], url: str) -> None:
    """Raise a usage error where a page, or the address of pages without one, cannot be any."""
    if "" in pages:
        raise UsageError("a PAGE is empty: name a file, a folder, a URL, or - for standard input")
    if pages.count("-") > 1:
        raise UsageError("- is standard input, which can be read once: name it once")
    if url and not url.lower().startswith(("http://", "https://")):
        raise UsageError(f"--url has to start with http:// or https://, not {url!r}")


def check_overlay(overlay: Path | None) -> None:
    """Raise a usage error where the name of an overlay is of no kind that is drawn."""
    if overlay and overlay.suffix.lower() not in KINDS:
        raise UsageError(f"the overlay {overlay} has to end in .png, .svg or .html")


def check_outputs(pages: Sequence[str], outputs: Mapping[str, Path | None]) -> None:
    """Raise a usage error where one of the files, by their options, would be written twice, or in place of a page."""
    paths = [path.resolve() for path in outputs.values() if path]
    if len(set(paths)) < len(paths):
        *most, last = outputs
        raise UsageError(f"{', '.join(most)} and {last} have to be different files")
    inputs = {Path(page).resolve() for page in pages}
    for path in paths:
        if path.is_file() and (path in inputs or (inputs & set(path.parents) and path.suffix.lower() in _PAGES)):
            raise UsageError(f"{path} is one of the pages: write to another file")


def positive(kind: Callable[[str], float]) -> Callable[[str], float]:
    """An argument type: `kind`, `int` or `float`, of more than zero."""

    def convert(text: str) -> float:
        try:
            value = kind(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is no {'whole ' * (kind is int)}number") from None
        if not 0 < value < float("inf"):
            raise argparse.ArgumentTypeError(f"has to be positive, not {text}")
        return value

    return convert


def share(text: str) -> float:
    """An argument type: a number of more than zero and at most one."""
    value = float(positive(float)(text))
    if value > 1:
        raise argparse.ArgumentTypeError(f"has to be 1 or less, not {text}")
    return value


def port(text: str) -> int:
    """An argument type: the number of a port."""
    number = int(positive(int)(text))
    if number > _MAX_PORT:
        raise argparse.ArgumentTypeError(f"has to be 1 to {_MAX_PORT}, not {text}")
    return number
