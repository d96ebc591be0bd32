"""Commands `vclean segment`, `vclean evaluate-segments` and `vclean train-segments`."""

from __future__ import annotations

import json
import logging
import sys
import time
from typing import TYPE_CHECKING, Final

import click

from vclean.characters import format_count
from vclean.cli.batch import OutputRun
from vclean.cli.command import argument, flag, option
from vclean.cli.options import SNAPSHOTS, HiddenOption, MessageOptions, OverlayOptions, PageOptions
from vclean.files import check_writable, write_stream
from vclean.output.writers import write_and_log
from vclean.runtime import count_progress
from vclean.settings import DEFAULT_PDOC

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from vclean.classify.corpora.marked import RenderedMarkedPage
    from vclean.classify.evaluation.segment_scores import MethodSummary, PageTrials

FORMATS: Final = ("json", "webis")
"""Formats of `vclean.features.segments.formats`, copied because its import is slow; the first is the default."""

ATOMS: Final = ("chars", "nodes", "pixels", "edges-fine", "edges-coarse")
"""Values of `vclean.classify.evaluation.atoms.AtomKind`, copied because the import of that module is slow."""
LEVELS: Final = ("1", "2")
METHODS: Final = ("page", "dom", "vips")

_log = logging.getLogger("vclean")


class SegmentCommand(HiddenOption, OverlayOptions, PageOptions):
    """Render pages and split them into segments, nested in each other."""

    pages: list[str] = argument("PAGE...", "pages to segment, as for vclean itself: see vclean --help")
    pdoc: int = option(
        "--pdoc N",
        "set the permitted degree of coherence: 1 for one segment, to 11 for the smallest ({default})",
        type=click.IntRange(1, 11),
        default=DEFAULT_PDOC,
    )
    method: str = option(
        "--method NAME", "use this segmenter: vips, learned or FILE.vclean ({default})", default="vips"
    )
    format: str = option(
        f"-f, --format {'|'.join(FORMATS)}",
        "set the output format: the tree (json), or flat segments (webis) ({default})",
        default=FORMATS[0],
    )
    out: Path | None = option(
        "-o, --out OUT", "write to this file, with one line per page, or to this folder (standard output)"
    )
    overlay: Path | None = option(
        "--overlay FILE", "draw the segments on the screenshot: .png, .svg, or interactive .html"
    )

    def execute(self) -> int:
        """Split every page into segments, write them, and return the exit code.

        Failures are reported, and errors raised, as in `vclean.cli.clean.CleanCommand.execute`.
        """
        from vclean.api import Segmenter

        run = OutputRun(self, self.format)
        with run.writer, Segmenter(method=self.method, settings=self.settings, hidden=self.hidden) as segmenter:
            for source in run.sources():
                with run.report_errors(source.id):
                    start, page, draws = time.perf_counter(), run.read(source), run.overlays is not None
                    segments, screenshot = segmenter.run(page, pdoc=self.pdoc, screenshot=draws)
                    run.write(segments, screenshot)
                    count, seconds = format_count(len(segments.leaves), "segment"), time.perf_counter() - start
                    _log.info("%s: %s, %.2f s", source.id, count, seconds)
        return run.exit_code


def _list_of(known: Sequence[str]) -> Callable[[str], tuple[str, ...]]:
    """Return a function that splits a comma-separated list and checks that `known` contains each value."""

    def convert(text: str) -> tuple[str, ...]:
        values = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
        if unknown := [value for value in values if value not in known]:
            raise click.BadParameter(f"{unknown[0]!r} is none of {', '.join(known)}")
        return values

    return convert


class EvaluateSegmentsCommand(MessageOptions):
    """Score segmenters by extended BCubed, on pages marked by hand."""

    archive: Path = argument("ARCHIVE", "a web archive of pages marked by hand")
    pages: Path | None = option(
        "--pages FILE", "score these pages: a file with one URL per line (the list beside ARCHIVE, or all)"
    )
    levels: list[str] = option(
        "--level 1,2", "use these levels of the marks (both)", type=_list_of(LEVELS), default=",".join(LEVELS)
    )
    atoms: list[str] = option(
        "--atoms KIND,...",
        f"count these atoms: {', '.join(ATOMS)} (all)",
        type=_list_of(ATOMS),
        default=",".join(ATOMS),
    )
    methods: list[str] = option(
        "--method NAME",
        "score page, dom, vips, learned, dom@DEPTH, vips@PDOC, dom-oracle, vips-oracle, shipped, a model file, or "
        f"a file of segments; repeatable ({', '.join(METHODS)})",
        multiple=True,
        default=METHODS,
    )
    marked_only: bool = flag("--marked-only", "ignore atoms outside all marks; otherwise they reduce precision")
    json: Path | None = option("--json FILE", "write the scores of every page as JSON")
    truth: Path | None = option("--truth FILE", "write the true segments in the Webis format, as JSON lines")
    snapshots: Path | None = option(*SNAPSHOTS)

    def execute(self) -> int:
        """Score every method on the marked pages, print one line for each, write the files, and return the exit code.

        A page that cannot be rendered is logged and left out; the exit code is then 1.

        Raises:
            UsageError: the method does not exist, or a model was trained on one of the pages.
            InputError: the archive, the list of pages or a file of segmentations cannot be read, or there are too few
                examples for training.
            ModelError: a model cannot be read.
            BrowserMissingError: no usable Chromium is installed.
            OutputError: a file cannot be written; checked before the work if possible.
        """
        from vclean.classify.corpora.marked import rendered_marked_pages
        from vclean.classify.evaluation.atoms import AtomKind
        from vclean.classify.evaluation.segment_scores import compare_segmenters, summarize, table
        from vclean.classify.evaluation.segmentation import find_segmenter

        for file in filter(None, (self.json, self.truth)):
            check_writable(file)
        methods = [find_segmenter(name) for name in dict.fromkeys(self.methods)]
        levels, kinds = [int(level) for level in self.levels], [AtomKind(name) for name in self.atoms]
        segmenters = list({method.family: method for method in methods}.values())
        trials: list[PageTrials] = []
        truth: list[str] = []
        screenshots = any(kind.needs_screenshot for kind in kinds)
        failures: list[str] = []
        pages: Iterable[RenderedMarkedPage] = rendered_marked_pages(
            self.archive, self.pages, self.snapshots, failures, screenshots=screenshots
        )
        if any(segmenter.trainer for segmenter in segmenters):
            pages = list(pages)
            with count_progress("training", "folds") as advance:
                segmenters = [segmenter.trained(pages, advance) for segmenter in segmenters]
        for page in pages:
            trials += compare_segmenters(page, segmenters, levels, kinds, marked_only=self.marked_only)
            truth += [_true_segments(page)] if self.truth else []
        summaries = summarize(trials, methods, levels, kinds)
        write_stream(sys.stdout, table(summaries) + "\n")
        for level, kind in dict.fromkeys((line.level, line.atoms) for line in summaries if not line.pages):
            _log.warning("level %d, %s: no score, because no page has any of them in a marked segment", level, kind)
        _write_files(self, summaries, truth)
        return int(bool(failures))


def _write_files(options: EvaluateSegmentsCommand, summaries: Sequence[MethodSummary], truth: Sequence[str]) -> None:
    """Write the scores and the true segments, a line for each page, if requested."""
    if options.json:
        scores = {
            "archive": options.archive.name,
            "marked_only": options.marked_only,
            "lines": [line.to_dict() for line in summaries],
        }
        write_and_log(options.json, "scores", json.dumps(scores, indent=1, ensure_ascii=False) + "\n")
    if options.truth:
        write_and_log(options.truth, "true segments", "".join(truth))


def _true_segments(page: RenderedMarkedPage) -> str:
    """Return the true segments of both levels in the Webis format, with the names `level-1` and `level-2`."""
    from vclean.classify.evaluation.segmentation import gold_segments
    from vclean.features.segments.formats import webis_line

    shapes = {f"level-{level}": gold_segments(page.snapshot, page.marks, level).shapes for level in (1, 2)}
    return webis_line(page.id, page.snapshot, shapes)


class TrainSegmentsCommand(MessageOptions):
    """Train the learned segmenter on pages marked by hand."""

    archive: Path = argument("ARCHIVE", "web archive of pages marked by hand")
    out: Path = option("-o, --out MODEL", "write the model to this file, such as my.vclean", required=True)
    pages: Path | None = option(
        "--pages FILE", "train on these pages: a file with one URL per line (the list beside ARCHIVE, or all)"
    )
    snapshots: Path | None = option(*SNAPSHOTS)

    def execute(self) -> int:
        """Train on the marked pages, write the model, and return the exit code. The same pages give the same file.

        A page that cannot be rendered is logged and left out; the exit code is then 1.

        Raises:
            InputError: the archive or the list of pages cannot be read, or there are too few examples.
            BrowserMissingError: no usable Chromium is installed.
            OutputError: the model cannot be written; checked before the work if possible.
        """
        from vclean.classify.corpora.marked import rendered_marked_pages
        from vclean.classify.training.regions import fit_segmenter, training_rows

        check_writable(self.out)
        failures: list[str] = []
        pages = rendered_marked_pages(self.archive, self.pages, self.snapshots, failures)
        model = fit_segmenter(training_rows(pages), {"archive": self.archive.name})
        write_and_log(self.out, "model", model.to_bytes())
        return int(bool(failures))
