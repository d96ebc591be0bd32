"""`vclean evaluate-segments`: segmenters scored on hand-marked pages."""

from __future__ import annotations

import json
import logging
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.cli.command import command
from vclean.cli.options import argument, flag, option, path, snapshots_option, take_verbosity, verbosity

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from vclean.classify.corpora.rendering import RenderedMarkedPage
    from vclean.classify.evaluation.segment_scores import MethodSummary, PageTrials
    from vclean.classify.evaluation.segmenters import TunableSegmenter
    from vclean.features.segments.webis import WebisPage

ATOMS: Final = ("chars", "nodes", "pixels", "edges-fine", "edges-coarse")
"""The values of `vclean.classify.evaluation.atoms.Kind`; that module loads what `--help` must not wait for."""
LEVELS: Final = ("1", "2")
METHODS: Final = ("page", "dom", "vips")

_BOTH: Final = (1, 2)

_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluateSegmentsOptions:
    """Options of `vclean evaluate-segments`.

    Attributes:
        archive: web archive of hand-marked pages.
        pages: file of the addresses of those that count; None for the list beside the archive, or else all.
        levels: of the marks, 1 or 2.
        atoms: of `ATOMS`.
        methods: see `vclean.classify.evaluation.segmenters.find_segmenter`.
        marked_only: whether what no mark holds is left out.
        json: file for the figures; None for none.
        truth: file for the true segments in the Webis format; None for none.
        snapshots: folder of rendered pages; None for none.
        verbosity: -1 quiet, 0 normal, 1 verbose.
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


def _options(
    *,
    levels: Sequence[str],
    atoms: Sequence[str],
    methods: Sequence[str],
    **values: Any,  # noqa: ANN401
) -> EvaluateSegmentsOptions:
    return EvaluateSegmentsOptions(
        levels=tuple(map(int, levels)),
        atoms=tuple(atoms),
        methods=tuple(dict.fromkeys(methods or METHODS)),
        verbosity=take_verbosity(values),
        **values,
    )


def _list_of(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Return a function that converts a word to some of `known`, with commas between them."""

    def convert(text: str) -> tuple[str, ...]:
        given = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
        if unknown := [part for part in given if part not in known]:
            raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(known)}")
        return given

    return convert


@command(
    "evaluate-segments",
    _options,
    help="Score ways to split a page into segments, by extended BCubed on pages marked by hand.",
)
@argument("archive", "ARCHIVE", "web archive of pages marked by hand", type=path)
@option("--pages", type=path, metavar="FILE", help="score these: a file with one address a line")
@option(
    "--level",
    "levels",
    type=_list_of(LEVELS),
    default=",".join(LEVELS),
    metavar="1,2",
    help="level of the marks (both)",
)
@option(
    "--atoms", type=_list_of(ATOMS), default=",".join(ATOMS), metavar="KIND,...", help=f"of {', '.join(ATOMS)} (all)"
)
@option(
    "--method",
    "methods",
    multiple=True,
    metavar="NAME",
    help="page, dom, vips, learned, dom@DEPTH, vips@PDOC, dom-oracle, vips-oracle, shipped, a model, segments; "
    f"may be repeated ({', '.join(METHODS)})",
)
@flag("--marked-only", help="leave out what is in no mark; otherwise it counts against precision")
@option("--json", type=path, metavar="FILE", help="write the figures as JSON, page by page")
@option("--truth", type=path, metavar="FILE", help="write the true segments in the Webis format, as JSON lines")
@snapshots_option()
@verbosity()
def score_segmenters(options: EvaluateSegmentsOptions) -> int:
    """Score every method on the marked pages, print one line for each, write the files; the exit code.

    A page that cannot be rendered is named on standard error and left out; the code is then 1.

    Raises:
        UsageError: there is no such method, or a model learned from one of the pages.
        InputError: the archive, the list of pages or a file of segmentations cannot be read, or there is too little to
            learn from.
        ModelError: a model cannot be read.
        BrowserMissingError: there is no usable Chromium.
        OutputError: a file cannot be written, which is found before the work where it can be.
    """
    from vclean.classify.corpora.rendering import RenderedMarkedPages
    from vclean.classify.evaluation.atoms import AtomKind
    from vclean.classify.evaluation.segment_scores import ScoringCriteria, compare_segmenters, summarize, table
    from vclean.classify.evaluation.segmenters import find_segmenter
    from vclean.files import check_writable, write_stream
    from vclean.output.writers import write_told

    for file in filter(None, (options.json, options.truth)):
        check_writable(file)
    methods = [find_segmenter(name) for name in options.methods]
    question = ScoringCriteria(options.levels, [AtomKind(name) for name in options.atoms], options.marked_only)
    segmenters = list({method.segmenter.name: method.segmenter for method in methods}.values())
    trials: list[PageTrials] = []
    truth: list[str] = []
    pictures = any(kind.needs_screenshot for kind in question.kinds)
    seen = RenderedMarkedPages(options.archive, options.pages, options.snapshots, screenshots=pictures)
    pages: Iterable[RenderedMarkedPage] = seen
    if any(segmenter.trainer for segmenter in segmenters):
        pages = list(seen)
        segmenters = _taught(segmenters, pages)
    for page in pages:
        trials += compare_segmenters(page, segmenters, question)
        truth += [_webis(page).to_json() + "\n"] if options.truth else []
    found = summarize(trials, methods, question)
    write_stream(sys.stdout, table(found) + "\n")
    _tell_empty(found)
    if options.json:
        write_told(options.json, "figures", json.dumps(_figures(options, found), indent=1, ensure_ascii=False) + "\n")
    if options.truth:
        write_told(options.truth, "true segments", "".join(truth))
    return seen.exit_code


def _taught(segmenters: Sequence[TunableSegmenter], pages: Sequence[RenderedMarkedPage]) -> list[TunableSegmenter]:
    """All of them able to cut, with progress on standard error."""
    from vclean.progress import counted

    with counted("training", "folds") as advance:
        return [segmenter.trained(pages, advance) for segmenter in segmenters]


def _tell_empty(found: Sequence[MethodSummary]) -> None:
    """Say which lines of the table are of no page."""
    for level, kind in dict.fromkeys((line.level, line.kind) for line in found if not line.pages):
        _log.warning("level %d, %s: no page has any of them in a marked segment, so there is no score", level, kind)


def _figures(options: EvaluateSegmentsOptions, found: Sequence[MethodSummary]) -> dict[str, Any]:
    return {
        "archive": options.archive.name,
        "marked_only": options.marked_only,
        "lines": [line.to_dict() for line in found],
    }


def _webis(page: RenderedMarkedPage) -> WebisPage:
    """The true segments of both levels, by the names `level-1` and `level-2`."""
    from vclean.classify.evaluation.segmentation import gold_segments
    from vclean.features.segments.webis import WebisPage

    return WebisPage.of_shapes(
        page.id,
        page.snapshot,
        {f"level-{level}": gold_segments(page.snapshot, page.marks, level).shapes for level in _BOTH},
    )
