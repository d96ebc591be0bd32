"""The arguments of `vclean segment`."""

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
    check_overlay,
    check_pages,
    take_settings,
    take_verbosity,
)

if TYPE_CHECKING:
    from vclean.settings import RenderSettings

FORMATS: Final = ("json", "webis")
"""Those of `vclean.features.segment_formats`, which loads what `--help` must not wait for; the first is the default."""
PDOC: Final = 5
"""The permitted degree of coherence where none is given."""

_DEGREES: Final = range(1, 12)


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentOptions:
    """`vclean segment`: pages, how to cut them, and where the segments go.

    Attributes:
        pages: the inputs, as given.
        pdoc: the permitted degree of coherence, 1 to 11.
        method: the name of what cuts.
        format: one of `FORMATS`.
        out: file or folder; None for standard output.
        overlay: file, `.png`, `.svg` or `.html`.
        url: the address of pages that come without one.
        settings: how to render, and what bounds a page.
        verbosity: -1 quiet, 0 normal, 1 talkative.
    """

    pages: list[str]
    pdoc: int
    method: str
    format: str
    out: Path | None
    overlay: Path | None
    url: str
    settings: RenderSettings
    verbosity: int


def parse_segment(arguments: list[str]) -> SegmentOptions:
    """The options of the command.

    Raises:
        UsageError: unknown options, missing or impossible values.
        SystemExit: after printing, for `--help`.
    """
    parser = Parser(prog="vclean segment", description="Render pages and cut them into segments, nested in each other.")
    add = parser.add_argument
    add("pages", nargs="+", metavar="PAGE", help="what to cut: as for vclean itself, see vclean --help")
    add("--pdoc", type=_degree, default=PDOC, metavar="N", help="how far to cut: 1 not at all, 11 all (%(default)d)")
    add("--method", default="vips", metavar="NAME", help="what cuts: vips, learned or FILE.vclean (%(default)s)")
    add("-f", "--format", choices=FORMATS, default=FORMATS[0], help="a tree, or the flat cut (%(default)s)")
    add("-o", "--out", type=Path, metavar="OUT", help="file, of JSON lines for several pages; or a folder")
    add(
        "--overlay",
        type=Path,
        metavar="FILE",
        help="draw segments over the page's picture: .png, .svg, or .html to explore",
    )
    add("--js", action="store_true", help="run the page's scripts")
    add("--url", default="", metavar="BASE", help="the address of a page that comes without one")
    add_caps(parser)
    add_loudness(parser)
    values = vars(parser.parse_args(arguments))
    settings = take_settings(values, scripts=values.pop("js"))
    return _checked(SegmentOptions(settings=settings, verbosity=take_verbosity(values), **values))


def _checked(options: SegmentOptions) -> SegmentOptions:
    check_overlay(options.overlay)
    check_pages(options.pages, options.url)
    check_outputs(options.pages, {"--out": options.out, "--overlay": options.overlay})
    return options


def _degree(text: str) -> int:
    """An argument type: a degree of coherence."""
    if not text.isascii() or not text.isdecimal() or int(text) not in _DEGREES:
        raise argparse.ArgumentTypeError(f"has to be 1 to {_DEGREES[-1]}, not {text}")
    return int(text)
