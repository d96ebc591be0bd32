"""The main command: `vclean PAGE...`."""

from __future__ import annotations

import logging
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.cli.batch import PageRun, bugs_reported, has_scripts, why_empty
from vclean.cli.command import command
from vclean.cli.options import (
    check_outputs,
    check_overlay,
    check_pages,
    complete_methods,
    flag,
    option,
    page_limits,
    pages_argument,
    path,
    policy,
    share,
    take_policy,
    take_settings,
    take_verbosity,
    verbosity,
)
from vclean.errors import DeadlineError, UsageError
from vclean.output.registry import EXPLANATION, FORMATS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from vclean.input.sources import Source
    from vclean.output.review import Review
    from vclean.pipeline import PageReader, Pipeline, UnlabelledPage
    from vclean.result import Result
    from vclean.settings import CleanerSettings, RenderSettings

_REVIEW_BELOW: Final = 0.8
"""A page of this confidence has a word F1 of about as much."""

_EPILOG: Final = """\
PAGE is an HTML file, - for standard input, an http(s) URL, a folder of HTML files, or an MHTML, WARC, WACZ, Parquet
or JSON lines file (with a column or field html). A page called like a command is written ./setup.

Exit codes: 0 success, 1 some of several pages failed, 2 usage, 3 unreadable input, 4 no HTML, 5 over a cap,
6 deadline, 7 network, 8 browser, 9 no browser, 10 model, 11 extra, 12 output, 13 a difference (`vclean diff`
with --exit-code), 130 interrupted."""

_EXPLAINED_UNASKED: Final = 5_000
"""Blocks; about fifteen seconds of one core."""

_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanOptions:
    """Options of the main command.

    Attributes:
        pages: the inputs, as given.
        cleaning: what decides the result of a page.
        format: one of `FORMATS`.
        out: file or folder; None for standard output.
        overlay: file, `.png`, `.svg` or `.html`.
        explain: write why every block was kept or left out.
        review: file for the list of pages whose confidence is under `review_below`; None for no list.
        same_site: compare the pages of each site before labelling them.
        url: the address of pages that come without one.
        verbosity: -1 quiet, 0 normal, 1 verbose.
    """

    pages: list[str]
    cleaning: CleanerSettings
    format: str
    out: Path | None
    overlay: Path | None
    explain: bool
    review: Path | None
    review_below: float
    same_site: bool
    url: str
    verbosity: int

    @property
    def settings(self) -> RenderSettings:
        """How to render, and the limits of a page."""
        return self.cleaning.rendering

    @property
    def explains(self) -> bool:
        """Whether reasons are wanted: in the output, or in a page to explore."""
        return self.cleaning.explain

    @property
    def output(self) -> str:
        """The name of what is written: the format, or the explanation in place of text."""
        return EXPLANATION if self.explain and self.format == FORMATS[0] else self.format


def _options(**values: Any) -> CleanOptions:  # noqa: ANN401
    from vclean.settings import CleanerSettings

    method, model = _take_method(values)
    if values["review_below"] is not None and values["review"] is None:
        raise click.UsageError("argument --review-below: needs --review FILE")
    values["review_below"] = values["review_below"] or _REVIEW_BELOW
    js, overlay = values.pop("js"), values["overlay"]
    cleaning = CleanerSettings(
        render=values.pop("render") or js or overlay is not None,
        method=method,
        model=model,
        templates=values.pop("templates"),
        policy=take_policy(values),
        rendering=take_settings(values, scripts=js),
        explain=values["explain"] or (overlay is not None and overlay.suffix.lower() == ".html"),
    )
    return _checked(CleanOptions(cleaning=cleaning, verbosity=take_verbosity(values), **values))


def _take_method(values: dict[str, Any]) -> tuple[str, Path | None]:
    """Return the method and its file; `--template` is short for the method of that name with its file."""
    template, method, model = (values.pop(name) for name in ("template", "method", "model"))
    if template and (model or method not in (None, "template")):
        raise click.UsageError("argument --template: it is a method of its own, without --method and --model")
    return method or ("template" if template else "vclean"), template or model


def _checked(options: CleanOptions) -> CleanOptions:
    if options.explain and options.format not in (FORMATS[0], "json"):
        raise UsageError(f"--explain takes the place of the text: leave out -f {options.format}, or write -f json")
    check_overlay(options.overlay)
    check_pages(options.pages, options.url)
    outputs = {"--out": options.out, "--overlay": options.overlay, "--review": options.review}
    check_outputs(options.pages, outputs)
    return options


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from importlib.metadata import version  # takes as long as the rest of the start

    from vclean.files import write_stream

    write_stream(sys.stdout, f"vclean {version('vclean')}\n")
    ctx.exit()


@command(
    "clean",
    _options,
    help="Clean web pages: split them into blocks, label every block, print the content.",
    epilog=_EPILOG,
)
@pages_argument("what to clean (see below)")
@flag("--render", help="render in headless Chromium, for boxes, styles and visibility")
@flag("--js", help="run the page's scripts (implies --render)")
@option("--url", default="", metavar="BASE", help="the address of a page that comes without one, for its links")
@option(
    "--method",
    metavar="NAME",
    shell_complete=complete_methods,
    help="the method that labels the blocks: see `vclean methods` (vclean)",
)
@option("--model", type=path, metavar="FILE", help="a model in place of the shipped one")
@option("--template", type=path, metavar="FILE", help="keep what the selectors in this file match, one a line")
@option("--templates", type=path, metavar="FOLDER", help="such files, HOST.txt, each for its site alone")
@flag("--same-site", help="compare the pages of each site: what they repeat is no content")
@page_limits()
@policy()
@option("-f", "--format", type=click.Choice(FORMATS), default=FORMATS[0], help=f"output format ({FORMATS[0]})")
@option("-o", "--out", type=path, metavar="OUT", help="file; for several pages a folder, or a file of JSON lines")
@option(
    "--overlay",
    type=path,
    metavar="FILE",
    help="draw the blocks over the screenshot: .png, .svg, or .html to explore (implies --render)",
)
@flag(
    "--explain", help="print why every block was kept or left out, in place of the text; with -f json, the figures too"
)
@option("--review", type=path, metavar="FILE", help="list the pages of low confidence, lowest first, as JSON lines")
@option(
    "--review-below",
    type=share,
    metavar="P",
    help=f"with --review: list pages whose confidence is under P, up to 1 ({_REVIEW_BELOW:g})",
)
@verbosity()
@flag(
    "--version",
    expose_value=False,
    is_eager=True,
    callback=_print_version,
    help="print the version",
)
def clean_pages(options: CleanOptions) -> int:
    """Clean every page, write the results, and give the exit code.

    A page that fails among several is named on standard error, the rest goes on, and the code is 1. Where there is
    one page only, its error is raised; where there is one argument that gave no result, the code is its error's.

    Raises:
        VcleanError: by what went wrong.
    """
    from vclean.input.sources import is_url
    from vclean.pipeline import PageReader

    run = _Run(options)
    with PageReader(run.settings, render=run.renders) as reader:
        reader.prepare(live=is_url(options.pages[0]), screenshot=options.overlay is not None)
        pipeline = _pipeline(options, reader)
        with run.sink:
            if options.same_site:
                run.clean_sites(pipeline, run.sources())
            else:
                for source in run.sources():
                    run.clean(pipeline, source)
    if run.review:
        run.review.write()
    return run.exit_code


def _pipeline(options: CleanOptions, reader: PageReader) -> Pipeline:
    """Return what cleans the pages; libraries and the model are loaded while a browser starts."""
    from vclean.imports import import_lightgbm, uncollected
    from vclean.pipeline import MODEL_METHOD, Pipeline

    with uncollected():
        from vclean.classify.trees.forest import COMPILED

        if options.cleaning.method == MODEL_METHOD and not COMPILED:
            import_lightgbm()
        return Pipeline(options.cleaning, reader=reader)


def _review(options: CleanOptions) -> Review | None:
    if not options.review:
        return None
    from vclean.output.review import Review

    return Review(options.review, options.review_below)


class _Run(PageRun):
    """One run of the command: what was asked for, where results go, and what failed."""

    def __init__(self, options: CleanOptions) -> None:
        from vclean.output.writers import OverlayWriter, sink_for

        super().__init__(options, renders=options.cleaning.render)
        self.options = options
        self.sink = sink_for(options.out, options.output, many=self.many)
        self.review = _review(options)
        self._overlays = OverlayWriter(options.overlay, many=self.many) if options.overlay else None

    def clean(self, pipeline: Pipeline, source: Source) -> None:
        """Clean one page and write its result; a failure is reported."""
        with self.reported(source.id):
            start = time.perf_counter()
            with bugs_reported():
                page = self.read(source)
                blocks = pipeline.read_blocks(page, screenshot=self.options.overlay is not None)
                result = self._labelled(pipeline, blocks)
            self._put(result, scripted=has_scripts(page))
            self._log(result, time.perf_counter() - start)

    def clean_sites(self, pipeline: Pipeline, sources: Iterator[Source]) -> None:
        """Read all pages, then label and write them; failures are reported."""
        with pipeline.sites() as sites:
            for source in sources:
                with self.reported(source.id), bugs_reported():
                    page = self.read(source)
                    blocks = pipeline.read_blocks(page, screenshot=self.options.overlay is not None)
                    sites.add(blocks.columns, (blocks, has_scripts(page)))
            for _, (blocks, scripted), evidence in sites:
                with self.reported(blocks.id):
                    start = time.perf_counter()
                    with bugs_reported():
                        result = self._labelled(pipeline, blocks, evidence)
                    self._put(result, scripted=scripted)
                    self._log(result, time.perf_counter() - start)

    def _labelled(
        self, pipeline: Pipeline, blocks: UnlabelledPage, evidence: NDArray[np.float32] | None = None
    ) -> Result:
        """Return the result of a page; reasons that only the page to explore shows are left out if they take long."""
        if self.options.explain or not self.options.explains:
            return pipeline.label(blocks, evidence=evidence)
        count = len(blocks.columns)
        if count <= _EXPLAINED_UNASKED:
            with suppress(DeadlineError):
                return pipeline.label(blocks, evidence=evidence)
        _log.warning("%s: %d blocks take long to explain: --explain gives their reasons", blocks.id, count)
        return pipeline.label(blocks, evidence=evidence, explain=False)

    def _put(self, result: Result, *, scripted: bool) -> None:
        """Write a result to all outputs."""
        if self._overlays:
            self._overlays.put(result, result.screenshot)
        if self.review:
            self.review.look(result)
        self.sink.put(result if self.options.explain else replace(result, explanation=None))
        self.done += 1
        if not result.to_text().strip():
            _log.warning("%s: %s", result.id, why_empty(result, scripted=scripted))

    def _log(self, result: Result, seconds: float) -> None:
        kept, count = result.content_count, len(result.columns)
        _log.info("%s: %d of %d blocks kept, %.2f s", result.id, kept, count, seconds)
