"""Command `vclean segment`: split pages into segments."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.characters import format_count
from vclean.cli.batch import PageRun, report_bugs
from vclean.cli.command import command
from vclean.cli.options import (
    check_outputs,
    check_overlay,
    check_pages,
    hidden_policy,
    hide_overlays,
    option,
    page_count_limit,
    page_limits,
    pages_argument,
    path,
    scripts_options,
    take_scripts,
    take_settings,
    take_verbosity,
    verbosity,
)
from vclean.settings import DEFAULT_PDOC

if TYPE_CHECKING:
    from pathlib import Path

    from vclean.input.sources import Source
    from vclean.pipeline import SegmentPipeline
    from vclean.settings import HiddenPolicy, RenderSettings

FORMATS: Final = ("json", "webis")
"""Formats of `vclean.features.segments.formats`, copied because its import is slow; the first is the default."""

_DEGREES: Final = range(1, 12)

_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentOptions:
    """Options of `vclean segment`.

    Attributes:
        pages: the inputs from the command line.
        pdoc: the permitted degree of coherence, 1 to 11.
        method: the name of the segmenter, or the path of a trained model.
        format: one of `FORMATS`.
        out: the output file or folder; None for standard output.
        overlay: the overlay file, `.png`, `.svg` or `.html`; None for no overlay.
        url: the URL for pages without a URL.
        settings: options of rendering, and limits of a page.
        verbosity: -1 quiet, 0 normal, 1 verbose.
        hidden: which hidden texts are in segments, as in `Policy`.
        limit: the largest number of pages to read; None for all.
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
    hidden: HiddenPolicy = "revealable"
    limit: int | None = None


def _options(**values: Any) -> SegmentOptions:
    settings = take_settings(values, scripts=take_scripts(values))
    options = SegmentOptions(settings=settings, verbosity=take_verbosity(values), **values)
    check_overlay(options.overlay)
    check_pages(options.pages, options.url)
    check_outputs(options.pages, {"--out": options.out, "--overlay": options.overlay})
    return options


def _degree(text: str) -> int:
    """Convert a word to a permitted degree of coherence, 1 to 11."""
    if not text.isascii() or not text.isdecimal() or int(text) not in _DEGREES:
        raise click.BadParameter(f"has to be 1 to {_DEGREES[-1]}, not {text}")
    return int(text)


@command("segment", _options, help="Render pages and split them into segments, nested in each other.")
@pages_argument("pages to segment, as for vclean itself: see vclean --help")
@option(
    "--pdoc",
    type=_degree,
    default=str(DEFAULT_PDOC),
    metavar="N",
    help=f"set the permitted degree of coherence: 1 for one segment, to 11 for the smallest ({DEFAULT_PDOC})",
)
@option("--method", default="vips", metavar="NAME", help="use this segmenter: vips, learned or FILE.vclean (vips)")
@option(
    "-f",
    "--format",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    help=f"set the output format: the tree (json), or flat segments (webis) ({FORMATS[0]})",
)
@option(
    "-o",
    "--out",
    type=path,
    metavar="OUT",
    help="write to this file, with one line per page, or to this folder (standard output)",
)
@option(
    "--overlay",
    type=path,
    metavar="FILE",
    help="draw the segments on the screenshot: .png, .svg, or interactive .html",
)
@hidden_policy()
@hide_overlays()
@scripts_options()
@option("--url", default="", metavar="BASE", help="set the URL of pages without one")
@page_count_limit()
@page_limits()
@verbosity()
def segment_pages(options: SegmentOptions) -> int:
    """Split every page into segments, write them, and return the exit code; failures are reported as in `clean_pages`.

    Raises:
        VcleanError: as for `vclean.cli.commands.clean.clean_pages`.
    """
    from vclean.pipeline import SegmentPipeline

    run = _Run(options)
    with run.writer, SegmentPipeline(options.method, options.settings, hidden=options.hidden) as pipeline:
        for source in run.sources():
            run.segment(pipeline, source)
    return run.exit_code


class _Run(PageRun):
    """Run of the command: its options, its outputs, and its failures."""

    def __init__(self, options: SegmentOptions) -> None:
        from vclean.output.writers import OverlayWriter, make_writer

        super().__init__(options, renders=True)
        self.writer = make_writer(options.out, options.format, many=self.many, inputs=options.pages)
        self._pdoc = options.pdoc
        self._overlays = (
            OverlayWriter(options.overlay, many=self.many, inputs=options.pages) if options.overlay else None
        )

    def segment(self, pipeline: SegmentPipeline, source: Source) -> None:
        """Split one page into segments and write them; report a failure."""
        with self.report_errors(source.id):
            start = time.perf_counter()
            with report_bugs():
                draws = self._overlays is not None
                segments, screenshot = pipeline.run(self.read(source), pdoc=self._pdoc, screenshot=draws)
            if self._overlays:
                self._overlays.write(segments, screenshot)
            self.writer.write(segments)
            self.done += 1
            _log.info(
                "%s: %s, %.2f s", source.id, format_count(len(segments.leaves), "segment"), time.perf_counter() - start
            )
