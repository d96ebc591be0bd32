"""The arguments of `vclean diff` and `vclean report`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.arguments import (
    Parser,
    add_caps,
    add_loudness,
    check_outputs,
    check_pages,
    positive,
    take_settings,
    take_verbosity,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.settings import RenderSettings

FORMATS: Final = ("text", "json", "html")
"""Those of a comparison; the first is the default."""
WORST: Final = 12
"""How many of the worst pages a report shows where no number is given."""
FEWEST_FOLDS: Final = 3
"""As for `vclean evaluate`."""

_BY_SUFFIX: Final = {".html": "html", ".htm": "html", ".json": "json", ".jsonl": "json"}
_SIDES: Final = 2
_METHOD: Final = "a method's name, with =FILE for a file of its own, or a model file"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """`vclean diff`: pages, the two that are compared on them, and where the comparisons go.

    Attributes:
        pages: the inputs, as given.
        sides: two names of methods or paths of model files, as given.
        render: use the browser; implied by `js`.
        js: run the pages' scripts.
        format: one of `FORMATS`.
        out: file or folder; None for standard output.
        exit_code: whether the exit code says that the two differ.
        url: the address of pages that come without one.
        settings: how to render, and what bounds a page.
        verbosity: -1 quiet, 0 normal, 1 talkative.
    """

    pages: list[str]
    sides: tuple[str, str]
    render: bool
    js: bool
    format: str
    out: Path | None
    exit_code: bool
    url: str
    settings: RenderSettings
    verbosity: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportOptions:
    """`vclean report`: corpora and methods, how to score, and the file to write.

    Attributes:
        corpora: the paths, as given.
        methods: names of methods or paths of model files, each once; the pages that are worst by the first are shown.
        out: the HTML file.
        render: render the pages.
        folds: to cross-validate the model in; 0 for not.
        regions: archives that teach the region model alone, where the model is cross-validated.
        snapshots: folder of rendered pages; None for none.
        worst: how many pages to show.
        verbosity: -1 quiet, 0 normal, 1 talkative.
    """

    corpora: list[Path]
    methods: tuple[str, ...]
    out: Path
    render: bool
    folds: int
    regions: list[Path]
    snapshots: Path | None
    worst: int
    verbosity: int


def parse_diff(arguments: list[str]) -> DiffOptions:
    """The options of `vclean diff`.

    Raises:
        UsageError: unknown options, missing or impossible values.
        SystemExit: after printing, for `--help`.
    """
    parser = Parser(prog="vclean diff", description="Two methods or two models on a page: where they disagree.")
    add = parser.add_argument
    add("pages", nargs="+", metavar="PAGE", help="what to compare them on: as for vclean itself, see vclean --help")
    _add_methods(parser, "twice, for the two to compare; once: against vclean")
    add("--render", action="store_true", help="render in headless Chromium; the HTML then shows the page's picture")
    add("--js", action="store_true", help="run the page's scripts (implies --render)")
    add("-f", "--format", choices=FORMATS, help=f"of the comparison ({FORMATS[0]}, or as the name of OUT ends)")
    add("-o", "--out", type=Path, metavar="OUT", help="file; for several pages a folder, or a file of JSON lines")
    add("--exit-code", action="store_true", help="exit with 13 where they differ")
    add("--url", default="", metavar="BASE", help="the address of a page that comes without one")
    add_caps(parser)
    add_loudness(parser)
    values = vars(parser.parse_args(arguments))
    values["sides"] = _sides(parser, values.pop("methods"))
    values["format"] = values["format"] or _format(values["out"])
    settings = take_settings(values, scripts=values["js"])
    options = DiffOptions(settings=settings, verbosity=take_verbosity(values), **values)
    check_pages(options.pages, options.url)
    check_outputs(options.pages, {"--out": options.out})
    return options


def parse_report(arguments: list[str]) -> ReportOptions:
    """The options of `vclean report`.

    Raises:
        UsageError: unknown options, missing or impossible values.
        SystemExit: after printing, for `--help`.
    """
    parser = Parser(prog="vclean report", description="Score methods on corpora, and show it all on one HTML page.")
    add = parser.add_argument
    add("corpora", nargs="+", type=Path, metavar="CORPUS", help="as for vclean evaluate")
    _add_methods(parser, "may be repeated (vclean); the worst pages are those of the first")
    add("-o", "--out", type=Path, default=Path("report.html"), metavar="FILE", help="the page (%(default)s)")
    add("--render", action="store_true", help="render the pages; the worst are then shown as pictures")
    add("--folds", type=_folds, default=0, metavar="K", help="cross-validate vclean by domain in K folds, 3 or more")
    text = "web archive of pages that teach the region model alone, with --folds; may be repeated"
    add("--regions", action="append", default=[], type=Path, metavar="ARCHIVE", help=text)
    add("--worst", type=_count, default=WORST, metavar="N", help="how many of the worst pages to show (%(default)d)")
    add("--snapshots", type=Path, metavar="FOLDER", help="keep rendered pages here; none of them is rendered again")
    add_loudness(parser)
    values = vars(parser.parse_args(arguments))
    methods = tuple(dict.fromkeys(values.pop("methods") or ["vclean"]))
    return ReportOptions(methods=methods, verbosity=take_verbosity(values), **values)


def _add_methods(parser: Parser, times: str) -> None:
    """Both options fill one list, in their order."""
    add = parser.add_argument
    add("--method", dest="methods", action="append", default=[], metavar="NAME", help=f"{_METHOD}; {times}")
    add("--model", dest="methods", action="append", metavar="FILE", help="the same, for a model file")


def _sides(parser: Parser, given: Sequence[str]) -> tuple[str, str]:
    sides = given if len(given) == _SIDES else ("vclean", *given)
    if len(sides) != _SIDES or sides[0] == sides[1]:
        parser.error("give two different methods or models to compare: --method A --method B")
    return sides[0], sides[1]


def _format(out: Path | None) -> str:
    return _BY_SUFFIX.get(out.suffix.lower(), FORMATS[0]) if out else FORMATS[0]


def _folds(text: str) -> int:
    """An argument type: how many folds."""
    value = int(positive(int)(text))
    if value < FEWEST_FOLDS:
        raise argparse.ArgumentTypeError(f"has to be {FEWEST_FOLDS} or more")
    return value


def _count(text: str) -> int:
    """An argument type: a whole number, zero included."""
    if not text.isascii() or not text.isdecimal():
        raise argparse.ArgumentTypeError(f"has to be a whole number, not {text!r}")
    return int(text)
