"""Command `vclean diff`: compare two methods or models on pages."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

import click

from vclean.cli.batch import OutputRun
from vclean.cli.command import argument, flag, option
from vclean.cli.options import PageOptions, compared_methods, method_and_model
from vclean.files import write_stream

if TYPE_CHECKING:
    from vclean.compare.diff import Comparison
    from vclean.page import Page
    from vclean.pipeline import Pipeline
    from vclean.settings import RenderMode

DIFFERENT: Final = 13
"""Exit code for different results, with --exit-code."""
FORMATS: Final = ("text", "json", "html")
"""Formats of a comparison; the first is the default."""

_BY_SUFFIX: Final = {".html": "html", ".htm": "html", ".json": "json", ".jsonl": "json"}
_SIDES: Final = 2


class DiffCommand(PageOptions):
    """Compare two methods or models on pages, and show where they disagree."""

    pages: list[str] = argument("PAGE...", "pages to compare them on, as for vclean itself: see vclean --help")
    methods: list[str] = compared_methods("give two to compare them, or one to compare it with vclean")
    render: bool = flag("--render", "render pages in headless Chromium; the HTML output then shows the screenshot")
    format_name: str | None = option(
        f"-f, --format {'|'.join(FORMATS)}", f"set the output format ({FORMATS[0]}, or by the suffix of OUT)"
    )
    exit_code: bool = flag("--exit-code", "exit with 13 if they differ")

    @property
    def render_mode(self) -> RenderMode:
        """Return whether pages are rendered."""
        return self.render or self.runs_scripts

    @property
    def format(self) -> str:
        """Return one of `FORMATS`: the chosen one, or by the suffix of the output file."""
        by_suffix = _BY_SUFFIX.get(self.out.suffix.lower(), FORMATS[0]) if self.out else FORMATS[0]
        return self.format_name or by_suffix

    @property
    def sides(self) -> tuple[str, str]:
        """Return the names of two different methods, or paths of model files.

        Raises:
            click.UsageError: there are not two.
        """
        sides = self.methods if len(self.methods) == _SIDES else ["vclean", *self.methods]
        if len(sides) != _SIDES or sides[0] == sides[1]:
            raise click.UsageError("give two different methods or models to compare: --method A --method B")
        return sides[0], sides[1]

    def check(self) -> None:
        """Check that there are two sides."""
        _ = self.sides
        super().check()

    def execute(self) -> int:
        """Compare two methods on every page, write the differences, and return the exit code.

        Failures are reported, and errors raised, as in `vclean.cli.clean.CleanCommand.execute`. If the comparisons are
        written to files, a summary line for each page is printed.
        """
        from vclean.compare.diff import summarize_pages

        run = OutputRun(self, self.format)
        scores: list[tuple[int, float, float]] = []
        first, second = (_pipeline(self, name) for name in self.sides)
        with run.writer, first:
            for source in run.sources():
                with run.report_errors(source.id):
                    comparison = _compare(run.read(source), first, second, self)
                    run.writer.write(comparison)
                    run.done += 1
                    scores.append((len(comparison.differences), comparison.agreement, comparison.word_f1))
                    if self.out:
                        write_stream(sys.stdout, f"{comparison.id}: {comparison.summary()}\n")
        if len(scores) > 1 and (self.out or self.format == "text"):
            write_stream(sys.stdout, summarize_pages(scores) + "\n")
        differs = any(differing for differing, _, _ in scores)
        return run.exit_code or (DIFFERENT if differs and self.exit_code else 0)


def _pipeline(options: DiffCommand, name: str) -> Pipeline:
    from vclean.pipeline import Pipeline
    from vclean.settings import CleanerSettings

    method, model = method_and_model(name)
    settings = CleanerSettings(render=options.render_mode, rendering=options.settings, method=method, model=model)
    return Pipeline(settings)


def _compare(page: Page, first: Pipeline, second: Pipeline, options: DiffCommand) -> Comparison:
    from vclean.compare.diff import Comparison

    html = options.format == "html"
    blocks = first.read_blocks(page, screenshot=html and bool(options.render_mode))
    results = first.label(blocks, explain=html), second.label(blocks, explain=html)
    return Comparison(options.sides, *results, blocks.screenshot)
