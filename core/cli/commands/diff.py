"""`vclean diff`: two methods or models on pages."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.cli.batch import PageRun, bugs_reported
from vclean.cli.command import command
from vclean.cli.options import (
    check_outputs,
    check_pages,
    compared_methods,
    flag,
    option,
    page_limits,
    pages_argument,
    path,
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
"""The exit code if the two differ, with --exit-code."""
FORMATS: Final = ("text", "json", "html")
"""Those of a comparison; the first is the default."""

_BY_SUFFIX: Final = {".html": "html", ".htm": "html", ".json": "json", ".jsonl": "json"}
_SIDES: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffOptions:
    """Options of `vclean diff`.

    Attributes:
        pages: the inputs, as given.
        sides: two names of methods or paths of model files, as given.
        render: use the browser; implied by `js`.
        js: run the pages' scripts.
        format: one of `FORMATS`.
        out: file or folder; None for standard output.
        exit_code: whether the exit code says that the two differ.
        url: the address of pages that come without one.
        settings: how to render, and what bounds a page.
        verbosity: -1 quiet, 0 normal, 1 verbose.
    """

    pages: list[str]
    sides: tuple[str, str]
    render: bool
    js: bool
    format: str
    out: Path | None
    exit_code: bool
    url: str
    settings: RenderSettings
    verbosity: int


def _options(*, methods: Sequence[str], **values: Any) -> DiffOptions:  # noqa: ANN401
    values["sides"] = _sides(methods)
    values["format"] = values["format"] or _format(values["out"])
    settings = take_settings(values, scripts=values["js"])
    options = DiffOptions(settings=settings, verbosity=take_verbosity(values), **values)
    check_pages(options.pages, options.url)
    check_outputs(options.pages, {"--out": options.out})
    return options


def _sides(given: Sequence[str]) -> tuple[str, str]:
    sides = given if len(given) == _SIDES else ("vclean", *given)
    if len(sides) != _SIDES or sides[0] == sides[1]:
        raise click.UsageError("give two different methods or models to compare: --method A --method B")
    return sides[0], sides[1]


def _format(out: Path | None) -> str:
    return _BY_SUFFIX.get(out.suffix.lower(), FORMATS[0]) if out else FORMATS[0]


@command("diff", _options, help="Compare two methods or two models on pages: where do they disagree?")
@pages_argument("what to compare them on: as for vclean itself, see vclean --help")
@compared_methods("twice, for the two to compare; once, to compare with vclean")
@flag("--render", help="render in headless Chromium; the HTML then shows the screenshot")
@flag("--js", help="run the page's scripts (implies --render)")
@option(
    "-f",
    "--format",
    type=click.Choice(FORMATS),
    help=f"format of the comparison ({FORMATS[0]}, or by the suffix of OUT)",
)
@option("-o", "--out", type=path, metavar="OUT", help="file; for several pages a folder, or a file of JSON lines")
@flag("--exit-code", help="exit with 13 if they differ")
@option("--url", default="", metavar="BASE", help="the address of a page that comes without one")
@page_limits()
@verbosity()
def compare_pages(options: DiffOptions) -> int:
    """Compare two methods on every page, write what differs, and give the exit code.

    Failures are told as `vclean.cli.commands.clean.clean_pages` tells them. Where the comparisons go to files, standard
    output has a line on each.

    Raises:
        VcleanError: by what went wrong.
    """
    from vclean.compare.diff import summarize_pages

    run = _Run(options)
    first, second = (_pipeline(options, name) for name in options.sides)
    with run.sink, first:
        for source in run.sources():
            run.compare(source, first, second)
    if len(run.figures) > 1 and (options.out or options.format == "text"):
        write_stream(sys.stdout, summarize_pages(run.figures) + "\n")
    differs = any(differing for differing, _, _ in run.figures)
    return run.exit_code or (DIFFERENT if differs and options.exit_code else 0)


def _pipeline(options: DiffOptions, name: str) -> Pipeline:
    from vclean.compare.methods import ComparedMethod
    from vclean.pipeline import Pipeline
    from vclean.settings import CleanerSettings

    side, render = ComparedMethod.of(name), options.render or options.js
    return Pipeline(CleanerSettings(render=render, rendering=options.settings, method=side.method, model=side.model))


class _Run(PageRun):
    """One run of the command: what was asked for, where comparisons go, and what came of each.

    Attributes:
        sink: where comparisons go.
        figures: of every page done: how many blocks differ, the agreement, the word F1.
    """

    def __init__(self, options: DiffOptions) -> None:
        from vclean.output.writers import sink_for

        super().__init__(options, renders=options.render or options.js)
        self.sink = sink_for(options.out, options.format, many=self.many)
        self.figures: list[tuple[int, float, float]] = []
        self.options = options

    def compare(self, source: Source, first: Pipeline, second: Pipeline) -> None:
        """Compare them on one page and write what comes out; a failure is reported."""
        from vclean.compare.diff import Comparison

        with self.reported(source.id):
            with bugs_reported():
                html = self.options.format == "html"
                blocks = first.read_blocks(self.read(source), screenshot=self.renders and html)
                results = first.label(blocks, explain=html), second.label(blocks, explain=html)
                comparison = Comparison(self.options.sides, *results, blocks.screenshot)
            self.sink.put(comparison)
            self.done += 1
            self.figures.append((len(comparison.differing), comparison.agreement, comparison.word_f1))
            if self.options.out:
                write_stream(sys.stdout, f"{comparison.id}: {comparison.summary()}\n")
