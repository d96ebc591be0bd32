"""Main command: `vclean PAGE...`."""

from __future__ import annotations

import logging
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.characters import format_count
from vclean.cli.batch import PageRun, report_bugs, suggest_option
from vclean.cli.command import command
from vclean.cli.options import (
    check_outputs,
    check_overlay,
    check_pages,
    complete_methods,
    flag,
    fraction,
    hide_overlays,
    option,
    page_count_limit,
    page_limits,
    pages_argument,
    path,
    policy,
    take_policy,
    take_settings,
    take_verbosity,
    verbosity,
)
from vclean.errors import DeadlineError, UsageError
from vclean.output.registry import EXPLANATION, FORMATS, FRONT_MATTER, HIDDEN_LIST
from vclean.render.repair import REPAIRED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.classify.content.site_evidence import SiteEvidence
    from vclean.input.sources import Source
    from vclean.output.reports import Review
    from vclean.page_reader import PageReader
    from vclean.pipeline import Pipeline, UnlabelledPage
    from vclean.result import Result
    from vclean.settings import CleanerSettings, RenderMode, RenderSettings

_REVIEW_BELOW: Final = 0.8
"""Default of --review-below; a page with this confidence has a word F1 of about the same value."""

_COMMON: Final = (
    "--render", "--format", "--out", "--for", "--comments", "--hidden", "--overlay", "--explain", "--limit", "--timeout"
)  # fmt: skip
"""Options that the help lists first."""
_INPUT: Final = "Input"
_RENDERING: Final = "Rendering and limits of a page"
_LABELS: Final = "What counts as content"
_OUTPUT: Final = "Output"
_EXPLANATION: Final = "Explanation"

_EPILOG: Final = """\
PAGE is an HTML file, - for standard input, an http(s) URL, a folder of HTML files, or an MHTML, WARC, WACZ, Parquet
or JSON lines file (with a column or field html). For a file with the name of a command, write its path: ./setup.

Exit codes: 0 success, 1 some of several pages failed, 2 wrong usage, 3 unreadable input, 4 no HTML, 5 page over a
limit, 6 deadline, 7 network, 8 browser, 9 no browser, 10 model, 11 missing extra, 12 output, 13 difference found
(`vclean diff --exit-code`), 130 interrupted."""

_MAX_EXPLAINED_BLOCKS: Final = 5_000
"""Most blocks of a page that are explained for an HTML overlay without --explain; about fifteen seconds of one core."""

_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True, kw_only=True)
class CleanOptions:
    """Options of the main command.

    Attributes:
        pages: the inputs from the command line.
        cleaning: the settings that determine the result of a page.
        format: one of `FORMATS`.
        out: the output file or folder; None for standard output.
        overlay: the overlay file, `.png`, `.svg` or `.html`; None for no overlay.
        explain: whether to write the reasons for the label of every block.
        show_hidden: whether to list hidden texts in place of the text.
        front_matter: whether Markdown begins with the metadata of the page.
        review: the file for the list of pages with a confidence below `review_below`; None for no list.
        review_below: the upper limit of the confidence of listed pages, 0 to 1.
        same_site: whether to compare the pages of each site before labelling them.
        url: the URL for pages without a URL.
        page: the URL of the only page to clean, of one archive; empty for all pages.
        verbosity: -1 quiet, 0 normal, 1 verbose.
        limit: the largest number of pages to read; None for all.
    """

    pages: list[str]
    cleaning: CleanerSettings
    format: str
    out: Path | None
    overlay: Path | None
    explain: bool
    show_hidden: bool
    front_matter: bool
    review: Path | None
    review_below: float
    same_site: bool
    url: str
    page: str
    verbosity: int
    limit: int | None = None

    @property
    def settings(self) -> RenderSettings:
        """Return the options of rendering, and limits of a page."""
        return self.cleaning.rendering

    @property
    def explains(self) -> bool:
        """Return whether reasons are computed, for the output or for an HTML overlay."""
        return self.cleaning.explain

    @property
    def output(self) -> str:
        """Return the name of the output: the format, or the explanation in place of the default format."""
        if self.show_hidden:
            return HIDDEN_LIST
        if self.front_matter:
            return FRONT_MATTER
        return EXPLANATION if self.explain and self.format == FORMATS[0] else self.format


def _options(**values: Any) -> CleanOptions:
    from vclean.settings import CleanerSettings

    method, model = _take_method(values)
    if values["review_below"] is not None and values["review"] is None:
        raise click.UsageError("argument --review-below: needs --review FILE")
    values["review_below"] = values["review_below"] or _REVIEW_BELOW
    js, overlay = values.pop("js"), values["overlay"]
    always, auto = values.pop("render"), values.pop("render_auto")
    render: RenderMode = "auto" if auto else always or js or overlay is not None
    cleaning = CleanerSettings(
        render=render,
        method=method,
        model=model,
        templates=values.pop("templates"),
        policy=take_policy(values),
        rendering=take_settings(values, scripts=js, renders=bool(render)),
        explain=values["explain"] or (overlay is not None and overlay.suffix.lower() == ".html"),
    )
    options = CleanOptions(cleaning=cleaning, verbosity=take_verbosity(values), **values)
    _check(options)
    return options


def _take_method(values: dict[str, Any]) -> tuple[str, Path | None]:
    """Return the method and its file; `--template FILE` means `--method template --model FILE`."""
    template, method, model = (values.pop(name) for name in ("template", "method", "model"))
    if template and (model or method not in (None, "template")):
        raise click.UsageError("argument --template: not allowed with --method or --model")
    return method or ("template" if template else "vclean"), template or model


def _check(options: CleanOptions) -> None:
    if options.explain and options.format not in (FORMATS[0], "json"):
        raise UsageError(f"--explain replaces the text: leave out -f {options.format}, or write -f json")
    if options.show_hidden and (options.explain or options.format != FORMATS[0]):
        raise UsageError("--show-hidden replaces the text: leave out -f and --explain")
    if options.front_matter and options.format != "markdown":
        raise UsageError("--front-matter is for Markdown: write -f markdown, too")
    check_overlay(options.overlay)
    check_pages(options.pages, options.url)
    from vclean.input.sources import is_archive

    if options.page and not (len(options.pages) == 1 and is_archive(Path(options.pages[0]))):
        raise UsageError("--page names a page of one web archive: give one WARC or WACZ file")
    outputs = {"--out": options.out, "--overlay": options.overlay, "--review": options.review}
    check_outputs(options.pages, outputs)


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    from vclean.files import write_stream
    from vclean.imports import version  # imported only here: it doubles the start time

    write_stream(sys.stdout, f"vclean {version()}\n")
    ctx.exit()


@command(
    "clean",
    _options,
    help="Clean web pages: label every block of text, print the content.",
    epilog=_EPILOG,
    common=_COMMON,
)
@pages_argument("pages to clean (see below)")
@flag("--render", section=_RENDERING, help="render pages in headless Chromium; --render auto: only those that need it")
@flag("--render-auto", hidden=True)  # written as two words: --render auto
@flag("--js", section=_RENDERING, help="run the scripts of pages (implies --render)")
@option(
    "--url", default="", metavar="BASE", section=_INPUT, help="set the URL of pages without one, to resolve their links"
)
@option(
    "--page",
    default="",
    metavar="URL",
    section=_INPUT,
    help="clean only the page at this URL of one web archive",
)
@option(
    "--method",
    metavar="NAME",
    shell_complete=complete_methods,
    section=_LABELS,
    help="label blocks with this method, see `vclean methods` (vclean)",
)
@option("--model", type=path, metavar="FILE", section=_LABELS, help="use this model in place of the shipped model")
@option(
    "--template",
    type=path,
    metavar="FILE",
    section=_LABELS,
    help="keep the elements that match the selectors in this file, one per line",
)
@option(
    "--templates",
    type=path,
    metavar="FOLDER",
    section=_LABELS,
    help="use the selector file HOST.txt in this folder for pages of HOST",
)
@flag("--same-site", section=_LABELS, help="compare the pages of each site, and leave out what repeats on many of them")
@page_count_limit(section=_INPUT)
@page_limits(section=_RENDERING)
@policy(section=_LABELS)
@option(
    "-f",
    "--format",
    type=click.Choice(FORMATS),
    default=FORMATS[0],
    section=_OUTPUT,
    help=f"set the output format ({FORMATS[0]})",
)
@option(
    "-o",
    "--out",
    type=path,
    metavar="OUT",
    section=_OUTPUT,
    help="write to this file; several pages: to this folder, or with -f json to one file (standard output)",
)
@option(
    "--overlay",
    type=path,
    metavar="FILE",
    section=_EXPLANATION,
    help="draw the blocks on the screenshot: .png, .svg, or interactive .html (implies --render)",
)
@hide_overlays(section=_RENDERING)
@flag(
    "--explain",
    section=_EXPLANATION,
    help="print the reasons for the label of every block in place of the text; with -f json, add them",
)
@flag("--show-hidden", section=_EXPLANATION, help="list the texts that readers do not see, in place of the text")
@flag(
    "--front-matter",
    section=_OUTPUT,
    help="with -f markdown: begin with title, authors, dates and other metadata, as YAML",
)
@option(
    "--review",
    type=path,
    metavar="FILE",
    section=_OUTPUT,
    help="list pages of low confidence, lowest first, as JSON lines",
)
@option(
    "--review-below",
    type=fraction,
    metavar="P",
    section=_OUTPUT,
    help=f"with --review: list pages with a confidence below P, 0 to 1 ({_REVIEW_BELOW:g})",
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
    """Clean every page, write the results, and return the exit code.

    With several pages, the failure of a page is logged, the run continues, and the exit code is 1. With a single page,
    its error is raised. With a single input of several pages and no result, the exit code is that of their error.

    Raises:
        VcleanError: the only page failed, or an error would recur with every page; one of the subclasses in
            `vclean.errors`.
    """
    from vclean.input.sources import is_url
    from vclean.page_reader import PageReader

    run = _Run(options)
    with PageReader(run.settings, render=run.renders) as reader:
        reader.prepare(live=is_url(options.pages[0]), screenshot=options.overlay is not None)
        pipeline = _pipeline(options, reader)
        with run.writer:
            if options.same_site:
                run.clean_sites(pipeline, run.sources())
            else:
                for source in run.sources():
                    run.clean(pipeline, source)
    if run.review:
        run.review.write()
    return run.exit_code


def _pipeline(options: CleanOptions, reader: PageReader) -> Pipeline:
    """Load libraries and the model, while the browser starts, and return the pipeline."""
    from vclean.imports import exempt_from_gc, import_lightgbm
    from vclean.pipeline import MODEL_METHOD, Pipeline

    with exempt_from_gc():
        from vclean.classify.trees.forest import COMPILED

        if options.cleaning.method == MODEL_METHOD and not COMPILED:
            import_lightgbm()
        return Pipeline(options.cleaning, reader=reader)


def _review(options: CleanOptions) -> Review | None:
    if not options.review:
        return None
    from vclean.output.reports import Review

    return Review(options.review, options.review_below)


class _Run(PageRun):
    """Run of the command: its options, its outputs, and its failures."""

    def __init__(self, options: CleanOptions) -> None:
        from vclean.output.writers import OverlayWriter, make_writer

        super().__init__(options, renders=bool(options.cleaning.render), page=options.page)
        self.options = options
        self.writer = make_writer(options.out, options.output, many=self.many, inputs=options.pages)
        self.review = _review(options)
        self._overlays = (
            OverlayWriter(options.overlay, many=self.many, inputs=options.pages) if options.overlay else None
        )

    def clean(self, pipeline: Pipeline, source: Source) -> None:
        """Clean one page and write its result; report a failure."""
        with self.report_errors(source.id):
            start = time.perf_counter()
            with report_bugs():
                page = self.read(source)
                if pipeline.parses_first(page, screenshot=self.options.overlay is not None):
                    result = pipeline.run(page)
                else:
                    blocks = pipeline.read_blocks(page, screenshot=self.options.overlay is not None)
                    result = self._label(pipeline, blocks)
            self._write(result)
            self._log(result, time.perf_counter() - start)

    def clean_sites(self, pipeline: Pipeline, sources: Iterator[Source]) -> None:
        """Read all pages, then label and write them; report failures."""
        with pipeline.sites() as sites:
            for source in sources:
                with self.report_errors(source.id), report_bugs():
                    page = self.read(source)
                    blocks = pipeline.read_blocks(page, screenshot=self.options.overlay is not None)
                    sites.add(blocks.columns, blocks)
            for _, blocks, evidence in sites:
                with self.report_errors(blocks.id):
                    start = time.perf_counter()
                    with report_bugs():
                        result = self._label(pipeline, blocks, evidence)
                    self._write(result)
                    self._log(result, time.perf_counter() - start)

    def _label(self, pipeline: Pipeline, blocks: UnlabelledPage, evidence: SiteEvidence | None = None) -> Result:
        """Label a page; without --explain, reasons for an HTML overlay are left out if they take too long."""
        if self.options.explain or not self.options.explains:
            return pipeline.label(blocks, evidence=evidence)
        count = len(blocks.columns)
        if count <= _MAX_EXPLAINED_BLOCKS:
            with suppress(DeadlineError):
                return pipeline.label(blocks, evidence=evidence)
        _log.warning("%s: no reasons, %d blocks take too long to explain: add --explain to get them", blocks.id, count)
        return pipeline.label(blocks, evidence=evidence, explain=False)

    def _write(self, result: Result) -> None:
        """Write a result to all outputs, and log its notes."""
        if self._overlays:
            self._overlays.write(result, result.screenshot)
        if self.review:
            self.review.add(result)
        self.writer.write(result if self.options.explain else replace(result, explanation=None))
        self.done += 1
        for note in result.notes:
            level = logging.INFO if note.startswith(REPAIRED) else logging.WARNING
            _log.log(level, "%s: %s%s", result.id, note, suggest_option(result, note))

    def _log(self, result: Result, seconds: float) -> None:
        blocks = format_count(len(result.columns), "block")
        _log.info("%s: %d of %s kept, %.2f s", result.id, result.content_count, blocks, seconds)
