"""The arguments of `vclean evaluate-segments`."""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vclean.arguments import Parser, add_loudness, take_verbosity

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ATOMS: Final = ("chars", "nodes", "pixels", "edges-fine", "edges-coarse")
"""The values of `vclean.classify.atoms.Kind`; that module loads what `--help` must not wait for."""
LEVELS: Final = ("1", "2")
METHODS: Final = ("page", "dom", "vips")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateSegmentsOptions:
    """`vclean evaluate-segments`: what is scored on which pages, by what, and where the figures go.

    Attributes:
        archive: web archive of hand-marked pages.
        pages: file of the addresses of those that count; None for the list beside the archive, or else all.
        levels: of the marks, 1 or 2.
        atoms: of `ATOMS`.
        methods: see `vclean.classify.segmenters.find_method`.
        marked_only: whether what no mark holds is left out.
        json: file for the figures; None for none.
        truth: file for the true segments in the Webis format; None for none.
        snapshots: folder of rendered pages; None for none.
        verbosity: -1 quiet, 0 normal, 1 talkative.
    """

    archive: Path
    pages: Path | None
    levels: tuple[int, ...]
    atoms: tuple[str, ...]
    methods: tuple[str, ...]
    marked_only: bool
    json: Path | None
    truth: Path | None
    snapshots: Path | None
    verbosity: int


def parse_evaluate_segments(arguments: list[str]) -> EvaluateSegmentsOptions:
    """The options of the command.

    Raises:
        UsageError: unknown options, missing or impossible values.
        SystemExit: after printing, for `--help`.
    """
    parser = Parser(
        prog="vclean evaluate-segments",
        description="Score ways to cut a page into segments, by extended BCubed on pages marked by hand.",
    )
    add = parser.add_argument
    add("archive", type=Path, metavar="ARCHIVE", help="web archive of pages marked by hand")
    add("--pages", type=Path, metavar="FILE", help="score these: a file with one address a line")
    add(
        "--level", dest="levels", type=_list_of(LEVELS), default=LEVELS, metavar="1,2", help="level of the marks (both)"
    )
    add("--atoms", type=_list_of(ATOMS), default=ATOMS, metavar="KIND,...", help=f"of {','.join(ATOMS)} (all)")
    text = "page, dom, vips, learned, dom@DEPTH, vips@PDOC, dom-oracle, vips-oracle, shipped, a model, segments; may be"
    add("--method", dest="methods", action="append", metavar="NAME", help=f"{text} repeated ({', '.join(METHODS)})")
    add("--marked-only", action="store_true", help="leave out what no mark holds; else it counts against precision")
    add("--json", type=Path, metavar="FILE", help="write the figures as JSON, page by page")
    add("--truth", type=Path, metavar="FILE", help="write the true segments in the Webis format, as JSON lines")
    add("--snapshots", type=Path, metavar="FOLDER", help="keep rendered pages here; none of them is rendered again")
    add_loudness(parser)
    values = vars(parser.parse_args(arguments))
    return EvaluateSegmentsOptions(verbosity=take_verbosity(values), **_typed(values))


def _typed(values: dict[str, Any]) -> dict[str, Any]:
    methods = tuple(dict.fromkeys(values["methods"] or METHODS))
    return {**values, "levels": tuple(map(int, values["levels"])), "methods": methods}


def _list_of(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """An argument type: some of `known`, with commas between them."""

    def convert(text: str) -> tuple[str, ...]:
        given = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
        if unknown := [part for part in given if part not in known]:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(known)}")
        return given

    return convert
