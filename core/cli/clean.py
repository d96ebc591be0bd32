"""Main command: `vclean PAGE...`."""

from __future__ import annotations

import json
import logging
import sys
import time
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from vclean import __version__
from vclean.characters import format_count
from vclean.cli.batch import OutputRun, suggest_option
from vclean.cli.command import argument, flag, is_on_command_line, option
from vclean.cli.options import CONTENT, INPUT, OUTPUT, RENDERING, CleaningOptions, OverlayOptions, PageOptions
from vclean.errors import DeadlineError, UsageError
from vclean.files import check_writable, write_atomic, write_stream
from vclean.output import EXPLANATION, FORMATS, FRONT_MATTER, HIDDEN_LIST
from vclean.render.repair import REPAIRED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from vclean.classify.content.site_evidence import SiteEvidence
    from vclean.page import Source
    from vclean.pipeline import Pipeline, UnlabelledPage
    from vclean.result import Result
    from vclean.settings import CleanerSettings, RenderMode

_COMMON: Final = (
    "--render", "--format", "--out", "--for", "--comments", "--hidden", "--overlay", "--explain", "--limit", "--timeout"
)  # fmt: skip
"""Options that the help lists first."""
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


def _print_version(ctx: click.Context, _: click.Parameter, value: bool) -> None:
    if not value or ctx.resilient_parsing:
        return
    write_stream(sys.stdout, f"vclean {__version__}\n")
    ctx.exit()


class CleanCommand(CleaningOptions, OverlayOptions, PageOptions):
    """Clean web pages: label every block of text, print the content."""

    common = _COMMON
    epilog = _EPILOG

    pages: list[str] = argument("PAGE...", "pages to clean (see below)")
    render: bool = flag(
        "--render",
        "render pages in headless Chromium; --render auto: only those that need it",
        section=RENDERING,
    )
    render_auto: bool = flag("--render-auto", hidden=True)  # written as two words: --render auto
    url: str = option(
        "--url BASE", "set the URL of pages without one, to resolve their links", default="", section=INPUT
    )
    page: str = option("--page URL", "clean only the page at this URL of one web archive", default="", section=INPUT)
    template: Path | None = option(
        "--template FILE", "keep the elements that match the selectors in this file, one per line", section=CONTENT
    )
    same_site: bool = flag(
        "--same-site", "compare the pages of each site, and leave out what repeats on many of them", section=CONTENT
    )
    format: str = option(
        f"-f, --format {'|'.join(FORMATS)}", "set the output format ({default})", default=FORMATS[0], section=OUTPUT
    )
    front_matter: bool = flag(
        "--front-matter",
        "with -f markdown: begin with title, authors, dates and other metadata, as YAML",
        section=OUTPUT,
    )
    review: Path | None = option(
        "--review FILE", "list pages of low confidence, lowest first, as JSON lines", section=OUTPUT
    )
    review_below: float = option(
        "--review-below P",
        "with --review: list pages with a confidence below P ({default:g})",
        type=click.FloatRange(0, 1, min_open=True),
        default=0.8,  # a page with this confidence has a word F1 of about the same value
        needs="review",
        section=OUTPUT,
    )
    overlay: Path | None = option(
        "--overlay FILE",
        "draw the blocks on the screenshot: .png, .svg, or interactive .html (implies --render)",
        section=_EXPLANATION,
    )
    explain: bool = flag(
        "--explain",
        "print the reasons for the label of every block in place of the text; with -f json, add them",
        section=_EXPLANATION,
    )
    show_hidden: bool = flag(
        "--show-hidden", "list the texts that readers do not see, in place of the text", section=_EXPLANATION
    )
    version: bool = flag("--version", "print the version", expose_value=False, is_eager=True, callback=_print_version)

    @property
    def render_mode(self) -> RenderMode:
        """Return whether pages are rendered."""
        return "auto" if self.render_auto else self.render or self.runs_scripts or self.overlay is not None

    @cached_property
    def cleaning(self) -> CleanerSettings:
        """Return the settings that determine the result of a page; `--template FILE` sets method and model."""
        explain = self.explain or (self.overlay is not None and self.overlay.suffix.lower() == ".html")
        cleaning = replace(super().cleaning, explain=explain)
        return replace(cleaning, method="template", model=self.template) if self.template else cleaning

    @property
    def output(self) -> str:
        """Return the name of the output: the format, or the explanation in place of the default format."""
        if self.show_hidden:
            return HIDDEN_LIST
        if self.front_matter:
            return FRONT_MATTER
        return EXPLANATION if self.explain and self.format == FORMATS[0] else self.format

    def check(self) -> None:
        """Check combinations of values.

        Raises:
            UsageError, click.UsageError: a combination is not allowed.
        """
        if self.template and (self.model or (is_on_command_line("method") and self.method != "template")):
            raise click.UsageError("argument --template: not allowed with --method or --model")
        super().check()
        if self.explain and self.format not in (FORMATS[0], "json"):
            raise UsageError(f"--explain replaces the text: leave out -f {self.format}, or write -f json")
        if self.show_hidden and (self.explain or self.format != FORMATS[0]):
            raise UsageError("--show-hidden replaces the text: leave out -f and --explain")
        if self.front_matter and self.format != "markdown":
            raise UsageError("--front-matter is for Markdown: write -f markdown, too")
        from vclean.input.sources import is_archive

        if self.page and not (len(self.pages) == 1 and is_archive(Path(self.pages[0]))):
            raise UsageError("--page names a page of one web archive: give one WARC or WACZ file")

    def execute(self) -> int:
        """Clean every page, write the results, and return the exit code.

        With several pages, the failure of a page is logged, the run continues, and the exit code is 1. With a single
        page, its error is raised. With a single input of several pages and no result, the exit code is that of their
        error.

        Raises:
            VcleanError: the only page failed, or an error would recur with every page; one of the subclasses in
                `vclean.errors`.
        """
        from vclean.input.sources import is_url
        from vclean.pipeline import Pipeline
        from vclean.runtime import exempt_from_gc

        run = _Run(self)
        with Pipeline(self.cleaning, loads=False) as pipeline:
            pipeline.prepare(live=is_url(self.pages[0]), screenshot=self.overlay is not None)
            with exempt_from_gc():  # libraries and the model are loaded while the browser starts
                pipeline.load()
            with run.writer:
                if self.same_site:
                    run.clean_sites(pipeline, run.sources())
                else:
                    for source in run.sources():
                        run.clean(pipeline, source)
        if self.review:
            ranked = sorted(run.reviewed, key=itemgetter("confidence"))
            write_atomic(self.review, "".join(json.dumps(page, ensure_ascii=False) + "\n" for page in ranked))
        return run.exit_code


class _Run(OutputRun):
    """Run of the command: its options, its outputs, and its failures."""

    options: CleanCommand

    def __init__(self, options: CleanCommand) -> None:
        super().__init__(options, options.output)
        self.reviewed: list[dict[str, Any]] = []
        if options.review:
            check_writable(options.review)

    def clean(self, pipeline: Pipeline, source: Source) -> None:
        """Clean one page and write its result; report a failure."""
        with self.report_errors(source.id):
            start = time.perf_counter()
            page = self.read(source)
            if self.overlays is None:
                self._write(pipeline.run(page), start)
            else:
                self._write(self._label(pipeline, pipeline.read_blocks(page, screenshot=True)), start)

    def clean_sites(self, pipeline: Pipeline, sources: Iterator[Source]) -> None:
        """Read all pages, then label and write them; report failures."""
        with pipeline.sites() as sites:
            for source in sources:
                with self.report_errors(source.id):
                    blocks = pipeline.read_blocks(self.read(source), screenshot=self.overlays is not None)
                    sites.add(blocks.columns, blocks)
            for _, blocks, evidence in sites:
                with self.report_errors(blocks.id):
                    start = time.perf_counter()
                    self._write(self._label(pipeline, blocks, evidence), start)

    def _label(self, pipeline: Pipeline, blocks: UnlabelledPage, evidence: SiteEvidence | None = None) -> Result:
        """Label a page; without --explain, reasons for an HTML overlay are left out if they take too long."""
        if self.options.explain or not self.options.cleaning.explain:
            return pipeline.label(blocks, evidence=evidence)
        count = len(blocks.columns)
        if count <= _MAX_EXPLAINED_BLOCKS:
            with suppress(DeadlineError):
                return pipeline.label(blocks, evidence=evidence)
        _log.warning("%s: no reasons, %d blocks take too long to explain: add --explain to get them", blocks.id, count)
        return pipeline.label(blocks, evidence=evidence, explain=False)

    def _write(self, result: Result, start: float) -> None:
        """Write a result to all outputs, and log its notes, and the time since `start`."""
        if self.overlays:
            self.overlays.write(result, result.screenshot)
        if self.options.review:
            from vclean.output.reports import review_entry

            entry = review_entry(result)
            if result.confidence < self.options.review_below:
                self.reviewed.append(entry)
        self.writer.write(result if self.options.explain else replace(result, explanation=None))
        self.done += 1
        for note in result.notes:
            level = logging.INFO if note.startswith(REPAIRED) else logging.WARNING
            _log.log(level, "%s: %s%s", result.id, note, suggest_option(result, note))
        blocks, seconds = format_count(len(result.columns), "block"), time.perf_counter() - start
        _log.info("%s: %d of %s kept, %.2f s", result.id, result.content_count, blocks, seconds)
