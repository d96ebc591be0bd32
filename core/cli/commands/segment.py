"""`vclean segment`: pages split into segments."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.cli.batch import PageRun, bugs_reported
from vclean.cli.command import command
from vclean.cli.options import (
    check_outputs,
    check_overlay,
    check_pages,
    flag,
    option,
    page_limits,
    pages_argument,
    path,
    take_settings,
    take_verbosity,
    verbosity,
)
from vclean.settings import PDOC

if TYPE_CHECKING:
    from pathlib import Path

    from vclean.input.sources import Source
    from vclean.pipeline import SegmentPipeline
    from vclean.settings import RenderSettings

FORMATS: Final = ("json", "webis")
"""Those of `vclean.features.segments.formats`, which loads what `--help` must not wait for; the first is the
default."""

_DEGREES: Final = range(1, 12)

_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentOptions:
    """Options of `vclean segment`.

    Attributes:
        pages: the inputs, as given.
        pdoc: the permitted degree of coherence, 1 to 11.
        method: the name of the segmenter.
        format: one of `FORMATS`.
        out: file or folder; None for standard output.
        overlay: file, `.png`, `.svg` or `.html`.
        url: the address of pages that come without one.
        settings: how to render, and what bounds a page.
        verbosity: -1 quiet, 0 normal, 1 verbose.
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


def _options(*, js: bool, **values: Any) -> SegmentOptions:  # noqa: ANN401
    settings = take_settings(values, scripts=js)
    options = SegmentOptions(settings=settings, verbosity=take_verbosity(values), **values)
    check_overlay(options.overlay)
    check_pages(options.pages, options.url)
    check_outputs(options.pages, {"--out": options.out, "--overlay": options.overlay})
    return options


def _degree(text: str) -> int:
    """Convert a word to a degree of coherence."""
    if not text.isascii() or not text.isdecimal() or int(text) not in _DEGREES:
        raise click.BadParameter(f"has to be 1 to {_DEGREES[-1]}, not {text}")
    return int(text)


@command("segment", _options, help="Render pages and split them into segments, nested in each other.")
@pages_argument("what to segment: as for vclean itself, see vclean --help")
@option(
    "--pdoc",
    type=_degree,
    default=str(PDOC),
    metavar="N",
    help=f"permitted degree of coherence: 1 gives one segment, 11 the smallest ({PDOC})",
)
@option("--method", default="vips", metavar="NAME", help="the segmenter: vips, learned or FILE.vclean (vips)")
@option(
    "-f",
    "--format",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    help=f"a tree (json), or the flat segments (webis) ({FORMATS[0]})",
)
@option("-o", "--out", type=path, metavar="OUT", help="file, of JSON lines for several pages; or a folder")
@option(
    "--overlay",
    type=path,
    metavar="FILE",
    help="draw segments over the screenshot: .png, .svg, or .html to explore",
)
@flag("--js", help="run the page's scripts")
@option("--url", default="", metavar="BASE", help="the address of a page that comes without one")
@page_limits()
@verbosity()
def segment_pages(options: SegmentOptions) -> int:
    """Segment every page, write the segments, and give the exit code; failures are told as `clean_pages` tells them.

    Raises:
        VcleanError: by what went wrong.
    """
    from vclean.pipeline import SegmentPipeline

    run = _Run(options)
    with run.sink, SegmentPipeline(options.method, options.settings) as pipeline:
        for source in run.sources():
            run.segment(pipeline, source)
    return run.exit_code


class _Run(PageRun):
    """One run of the command: what was asked for, where segments go, and what failed."""

    def __init__(self, options: SegmentOptions) -> None:
        from vclean.output.writers import OverlayWriter, sink_for

        super().__init__(options, renders=True)
        self.sink = sink_for(options.out, options.format, many=self.many)
        self._pdoc = options.pdoc
        self._overlays = OverlayWriter(options.overlay, many=self.many) if options.overlay else None

    def segment(self, pipeline: SegmentPipeline, source: Source) -> None:
        """Segment one page and write what comes out; a failure is reported."""
        with self.reported(source.id):
            start = time.perf_counter()
            with bugs_reported():
                wanted = self._overlays is not None
                segments, screenshot = pipeline.run(self.read(source), pdoc=self._pdoc, screenshot=wanted)
            if self._overlays:
                self._overlays.put(segments, screenshot)
            self.sink.put(segments)
            self.done += 1
            _log.info("%s: %d segments, %.2f s", source.id, len(segments.leaves), time.perf_counter() - start)
