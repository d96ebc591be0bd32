"""Command `vclean diff`: compare two methods or models on pages."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.cli.batch import PageRun, report_bugs
from vclean.cli.command import command
from vclean.cli.options import (
    check_outputs,
    check_pages,
    compared_methods,
    flag,
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
from vclean.files import write_stream

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from vclean.input.sources import Source
    from vclean.pipeline import Pipeline
    from vclean.settings import RenderSettings

DIFFERENT: Final = 13
"""Exit code for different results, with --exit-code."""
FORMATS: Final = ("text", "json", "html")
"""Formats of a comparison; the first is the default."""

_BY_SUFFIX: Final = {".html": "html", ".htm": "html", ".json": "json", ".jsonl": "json"}
_SIDES: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """Options of `vclean diff`.

    Attributes:
        pages: the inputs from the command line.
        sides: two names of methods or paths of model files, from the command line.
        render: whether to render pages.
        format: one of `FORMATS`.
        out: the output file or folder; None for standard output.
        exit_code: whether the exit code is 13 if the two differ.
        url: the URL for pages without a URL.
        settings: options of rendering, and limits of a page.
        verbosity: -1 quiet, 0 normal, 1 verbose.
        limit: the largest number of pages to read; None for all.
    """

    pages: list[str]
    sides: tuple[str, str]
    render: bool
    format: str
    out: Path | None
    exit_code: bool
    url: str
    settings: RenderSettings
    verbosity: int
    limit: int | None = None


def _options(*, methods: Sequence[str], **values: Any) -> DiffOptions:
    values["sides"] = _sides(methods)
    values["format"] = values["format"] or _format(values["out"])
    scripts = take_scripts(values)
    values["render"] = values["render"] or scripts == "on"
    settings = take_settings(values, scripts=scripts, renders=values["render"])
    options = DiffOptions(settings=settings, verbosity=take_verbosity(values), **values)
    check_pages(options.pages, options.url)
    check_outputs(options.pages, {"--out": options.out})
    return options


def _sides(methods: Sequence[str]) -> tuple[str, str]:
    sides = methods if len(methods) == _SIDES else ("vclean", *methods)
    if len(sides) != _SIDES or sides[0] == sides[1]:
        raise click.UsageError("give two different methods or models to compare: --method A --method B")
    return sides[0], sides[1]


def _format(out: Path | None) -> str:
    return _BY_SUFFIX.get(out.suffix.lower(), FORMATS[0]) if out else FORMATS[0]


@command("diff", _options, help="Compare two methods or models on pages, and show where they disagree.")
@pages_argument("pages to compare them on, as for vclean itself: see vclean --help")
@compared_methods("give two to compare them, or one to compare it with vclean")
@flag("--render", help="render pages in headless Chromium; the HTML output then shows the screenshot")
@scripts_options()
@option(
    "-f",
    "--format",
    type=click.Choice(FORMATS),
    help=f"set the output format ({FORMATS[0]}, or by the suffix of OUT)",
)
@option(
    "-o",
    "--out",
    type=path,
    metavar="OUT",
    help="write to this file; several pages: to this folder, or with -f json to one file (standard output)",
)
@flag("--exit-code", help="exit with 13 if they differ")
@option("--url", default="", metavar="BASE", help="set the URL of pages without one")
@page_count_limit()
@page_limits()
@verbosity()
def compare_pages(options: DiffOptions) -> int:
    """Compare two methods on every page, write the differences, and return the exit code.

    Failures are reported as in `vclean.cli.commands.clean.clean_pages`. If the comparisons are written to files, a
    summary line for each page is printed.

    Raises:
        VcleanError: as for `vclean.cli.commands.clean.clean_pages`.
    """
    from vclean.compare.diff import summarize_pages

    run = _Run(options)
    first, second = (_pipeline(options, name) for name in options.sides)
    with run.writer, first:
        for source in run.sources():
            run.compare(source, first, second)
    if len(run.scores) > 1 and (options.out or options.format == "text"):
        write_stream(sys.stdout, summarize_pages(run.scores) + "\n")
    differs = any(differing for differing, _, _ in run.scores)
    return run.exit_code or (DIFFERENT if differs and options.exit_code else 0)


def _pipeline(options: DiffOptions, name: str) -> Pipeline:
    from vclean.compare.methods import ComparedMethod
    from vclean.pipeline import Pipeline
    from vclean.settings import CleanerSettings

    side, render = ComparedMethod.of(name), options.render
    return Pipeline(CleanerSettings(render=render, rendering=options.settings, method=side.method, model=side.model))


class _Run(PageRun):
    """Run of the command: its options, its output, and the results of each page.

    Attributes:
        writer: the output of comparisons.
        scores: for each page, the number of blocks that differ, the agreement, and the word F1.
    """

    def __init__(self, options: DiffOptions) -> None:
        from vclean.output.writers import make_writer

        super().__init__(options, renders=options.render)
        self.writer = make_writer(options.out, options.format, many=self.many, inputs=options.pages)
        self.scores: list[tuple[int, float, float]] = []
        self.options = options

    def compare(self, source: Source, first: Pipeline, second: Pipeline) -> None:
        """Compare the methods on one page and write the comparison; report a failure."""
        from vclean.compare.diff import Comparison

        with self.report_errors(source.id):
            with report_bugs():
                html = self.options.format == "html"
                blocks = first.read_blocks(self.read(source), screenshot=self.renders and html)
                results = first.label(blocks, explain=html), second.label(blocks, explain=html)
                comparison = Comparison(self.options.sides, *results, blocks.screenshot)
            self.writer.write(comparison)
            self.done += 1
            self.scores.append((len(comparison.differing), comparison.agreement, comparison.word_f1))
            if self.options.out:
                write_stream(sys.stdout, f"{comparison.id}: {comparison.summary()}\n")
