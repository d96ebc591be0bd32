"""Command `vclean segment`: split pages into segments."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from vclean.characters import format_count
from vclean.cli.batch import OutputRun, report_bugs
from vclean.cli.command import argument, command, option
from vclean.cli.options import HiddenOption, OverlayOptions, PageOptions
from vclean.settings import DEFAULT_PDOC

if TYPE_CHECKING:
    from vclean.api import Segmenter
    from vclean.page import Source

FORMATS: Final = ("json", "webis")
"""Formats of `vclean.features.segments.formats`, copied because its import is slow; the first is the default."""

_DEGREES: Final = range(1, 12)

_log = logging.getLogger("vclean")


def _degree(text: str | int) -> int:
    """Convert a word to a permitted degree of coherence, 1 to 11."""
    if str(text) not in map(str, _DEGREES):
        raise click.BadParameter(f"has to be 1 to {_DEGREES[-1]}, not {text}")
    return int(text)


@dataclass(frozen=True, kw_only=True)
class SegmentOptions(HiddenOption, OverlayOptions, PageOptions):
    """Options of `vclean segment`."""

    pages: list[str] = argument(
        "PAGE...", "pages to segment, as for vclean itself: see vclean --help", nargs=-1, required=True
    )
    pdoc: int = option(
        "--pdoc",
        type=_degree,
        default=DEFAULT_PDOC,
        metavar="N",
        help="set the permitted degree of coherence: 1 for one segment, to 11 for the smallest ({default})",
    )
    method: str = option(
        "--method", default="vips", metavar="NAME", help="use this segmenter: vips, learned or FILE.vclean ({default})"
    )
    format: str = option(
        "-f",
        "--format",
        type=click.Choice(FORMATS),
        default=FORMATS[0],
        help="set the output format: the tree (json), or flat segments (webis) ({default})",
    )
    out: Path | None = option(
        "-o",
        "--out",
        type=Path,
        metavar="OUT",
        help="write to this file, with one line per page, or to this folder (standard output)",
    )
    overlay: Path | None = option(
        "--overlay",
        type=Path,
        metavar="FILE",
        help="draw the segments on the screenshot: .png, .svg, or interactive .html",
    )


@command("segment", SegmentOptions, help="Render pages and split them into segments, nested in each other.")
def segment_pages(options: SegmentOptions) -> int:
    """Split every page into segments, write them, and return the exit code; failures are reported as in `clean_pages`.

    Raises:
        VcleanError: as for `vclean.cli.commands.clean.clean_pages`.
    """
    from vclean.api import Segmenter

    run = _Run(options)
    with run.writer, Segmenter(method=options.method, settings=options.settings, hidden=options.hidden) as segmenter:
        for source in run.sources():
            run.segment(segmenter, source)
    return run.exit_code


class _Run(OutputRun):
    """Run of the command: its options, its outputs, and its failures."""

    def __init__(self, options: SegmentOptions) -> None:
        super().__init__(options, options.format)
        self._pdoc = options.pdoc

    def segment(self, segmenter: Segmenter, source: Source) -> None:
        """Split one page into segments and write them; report a failure."""
        with self.report_errors(source.id):
            start = time.perf_counter()
            with report_bugs():
                draws = self.overlays is not None
                segments, screenshot = segmenter.run(self.read(source), pdoc=self._pdoc, screenshot=draws)
            if self.overlays:
                self.overlays.write(segments, screenshot)
            self.writer.write(segments)
            self.done += 1
            _log.info(
                "%s: %s, %.2f s", source.id, format_count(len(segments.leaves), "segment"), time.perf_counter() - start
            )
