"""`vclean diff`: two methods or models on pages."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from vclean.api import Cleaner
from vclean.compare.contenders import Contender
from vclean.compare.diff import Comparison, total
from vclean.files import write_stream
from vclean.outputs import sink_for
from vclean.page_run import PageRun, bugs_reported

if TYPE_CHECKING:
    from vclean.compare.options import DiffOptions
    from vclean.sources import Source

DIFFERENT: Final = 13
"""The exit code that says that the two differ, where it is asked for."""


def compare_pages(options: DiffOptions) -> int:
    """Compare two methods on every page, write what differs, and give the exit code.

    Failures are told as `vclean.clean_command.clean_pages` tells them. Where the comparisons go to files, standard
    output has a line on each.

    Raises:
        VcleanError: by what went wrong.
    """
    run = _Run(options)
    first, second = (_cleaner(options, name) for name in options.sides)
    with run.sink, first:
        for source in run.sources():
            run.compare(source, first, second)
    if len(run.figures) > 1 and (options.out or options.format == "text"):
        write_stream(sys.stdout, total(run.figures) + "\n")
    differs = any(differing for differing, _, _ in run.figures)
    return run.exit_code or (DIFFERENT if differs and options.exit_code else 0)


def _cleaner(options: DiffOptions, name: str) -> Cleaner:
    side = Contender.of(name)
    return Cleaner(
        render=options.render or options.js,
        method=side.method,
        model=side.model,
        settings=options.settings,
        explain=options.format == "html",
    )


class _Run(PageRun):
    """One run of the command: what was asked for, where comparisons go, and what came of each.

    Attributes:
        sink: where comparisons go.
        figures: of every page done: how many blocks differ, the agreement, the word F1.
    """

    def __init__(self, options: DiffOptions) -> None:
        super().__init__(options, renders=options.render or options.js)
        self.sink = sink_for(options.out, options.format, many=self.many)
        self.figures: list[tuple[int, float, float]] = []
        self.options = options

    def compare(self, source: Source, first: Cleaner, second: Cleaner) -> None:
        """Compare them on one page and write what comes out; a failure is reported."""
        with self.reported(source.id):
            with bugs_reported():
                page = self.read(source)
                blocks, picture = first.cut(page, picture=self.renders and self.options.format == "html")
                results = first.label(blocks, page.id), second.label(blocks, page.id)
                comparison = Comparison(self.options.sides, *results, picture)
            self.sink.put(comparison)
            self.done += 1
            self.figures.append((len(comparison.differing), comparison.agreement, comparison.word_f1))
            if self.options.out:
                write_stream(sys.stdout, f"{comparison.id}: {comparison.summary()}\n")
