"""Define `vclean farm`: options, run and exit code."""

from __future__ import annotations

import logging
from contextlib import contextmanager, nullcontext
from dataclasses import fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal

import click

from vclean import runtime
from vclean.characters import format_count
from vclean.cli.command import Options, argument, flag, option
from vclean.cli.options import (
    CONTENT,
    COUNT,
    INPUT,
    PORT,
    RENDERING,
    CleaningOptions,
    LimitOption,
    MessageOptions,
)
from vclean.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from contextlib import AbstractContextManager
    from pathlib import Path

    from vclean.farm.rows import RunSettings
    from vclean.farm.stats import Stats
    from vclean.farm.workers import Worker
    from vclean.settings import CleanerSettings, Network, RenderMode

_UNITS: Final = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}

_ROWS: Final = "Options that change the rows"

_EPILOG: Final = """\
INPUT is a WARC, WACZ, Parquet or JSONL file (columns or fields html, url, id), a folder, an HTML or MHTML file, a URL,
a list of these (.txt), a pattern such as 'crawl/*.warc.gz', or - for a list on standard input. Rows are written to
OUT/parts, one line for each page to OUT/pages.jsonl, and counts to OUT/summary.json.

Exit codes: 0 every page cleaned, 1 some failed (their rows have the reasons), 130 or 143 interrupted, others as for
`vclean`. --resume continues an unfinished run.
"""

_log = logging.getLogger("vclean")


def _parse_address(text: str) -> str:
    """Convert `[HOST:]PORT` to `HOST:PORT`; without a host it is the loopback address."""
    host, _, number = text.rpartition(":")
    return f"{host.strip('[]') or '127.0.0.1'}:{PORT(number)}"


def _parse_size(text: str) -> int:
    """Convert a size such as 512M or 3G to bytes.

    >>> _parse_size("3G") == 3 * 2**30
    True
    """
    factor = _UNITS.get(text[-1:].lower())
    size = int(click.FloatRange(0, _UNITS["t"], min_open=True)(text[:-1] if factor else text) * (factor or 1))
    if size < 2**28:
        raise click.BadParameter(f"a page needs at least 256M, not {text}")
    return size


class RunOptions(Options):
    """Options of `RunSettings`, and where the workers run."""

    section = "Options that do not change the rows"

    engine: Literal["local", "ray"] = option(
        "--engine local|ray", "run on this machine or on a Ray cluster ({default})", default="local"
    )
    address: str | None = option(
        "--address ADDR", "connect to the Ray cluster at this address (a running one, or a new one on this machine)"
    )
    workers: int | None = option("--workers N", "clean N pages at once (processors + 1)")
    retries: int = option(
        "--retries N", "try a page N more times after a crash of the browser ({default})", type=COUNT, default=2
    )
    max_memory: int = option(
        "--max-memory SIZE",
        "limit the memory of one page, including its browser ({default})",
        type=_parse_size,
        default="3G",
    )
    part_rows: int = option("--part-rows N", "write N pages to each part ({default})", default=500)
    wet: bool = flag("--wet", "write the texts as WET too, in OUT/wet: conversion records, as Common Crawl has them")
    segments: bool = flag("--segments", "add the segments of rendered pages to the rows")
    snapshots: bool = flag("--keep-snapshots", "store rendered pages in OUT/snapshots")
    metrics: str | None = option(
        "--metrics, --metrics-port [HOST:]PORT",
        "serve metrics for Prometheus, on this machine only without HOST",
        type=_parse_address,
    )

    @cached_property
    def run(self) -> RunSettings:
        """Return the execution settings."""
        from vclean.farm.rows import RunSettings

        return RunSettings(**{each.name: getattr(self, each.name) for each in fields(RunSettings)})

    def check(self) -> None:
        """Check that an address is that of a Ray cluster."""
        if self.address and self.engine != "ray":
            raise click.UsageError("argument --address: needs --engine ray")
        super().check()


class FarmCommand(RunOptions, CleaningOptions, LimitOption, MessageOptions):
    """Clean pages in bulk, into Parquet. Each page gives one row: a result or the reason of its failure."""

    sections: ClassVar = {RENDERING: _ROWS, CONTENT: _ROWS, INPUT: "Options"}
    epilog = _EPILOG

    inputs: list[str] = argument("INPUT...", "pages to clean (see below)")
    out: Path = option("-o, --out OUT", "write to this folder", required=True)
    continues: bool = flag("--resume", "continue the run in OUT; finished pages are skipped")
    retry_failed: bool = flag("--retry-failed", "continue the run in OUT, and clean its failed pages again")
    pages: Path | None = option("--pages FILE", "from archives, clean only the URLs that this file lists")
    render: str | None = option(
        "--render always|auto",
        "render every page, as without this option; --render auto: only those that need it",
        implied="always",
        section=_ROWS,
    )
    no_render: bool = flag(
        "--no-render", "only parse pages: no browser, a fifth of the time", excludes="render", section=_ROWS
    )
    network: Network = option(
        "--network none|public",
        "load subresources that no archive or folder has: never, or from public addresses ({default})",
        default="none",
        section=_ROWS,
    )

    @property
    def render_mode(self) -> RenderMode:
        """Return whether pages are rendered."""
        return "auto" if self.render == "auto" else self.runs_scripts or not self.no_render

    @cached_property
    def cleaning(self) -> CleanerSettings:
        """Return the settings that determine the rows."""
        return replace(super().cleaning, network=self.network)

    def check(self) -> None:
        """Check that no input is empty, and the settings."""
        if "" in self.inputs:
            raise UsageError("an INPUT is empty: name a file, a folder, a URL, or a pattern")
        super().check()

    def execute(self) -> int:
        """Clean all pages and return the exit code: 0, 1 if pages failed, 128 plus the signal's number if interrupted.

        Errors of the command line are raised before anything is written.

        Raises:
            VcleanError: an error that every page would repeat, or the output cannot be written.
        """
        from vclean.classify.methods.registry import DEFAULT
        from vclean.farm.inputs import Inputs
        from vclean.farm.output import open_output
        from vclean.farm.parts import PARTS
        from vclean.farm.stats import Stats, count_input, serve_metrics
        from vclean.farm.workers import Farm, InterruptedRunError
        from vclean.pipeline import Pipeline

        stats = Stats()
        index_folder, cleaning = self.out.absolute() / "index", self.cleaning
        inputs = Inputs(self.inputs, cleaning, pages=self.pages, index_folder=index_folder, limit=self.limit)
        opened = open_output(
            self.out,
            cleaning,
            self.run,
            resume=self.continues or self.retry_failed,
            retry_failed=self.retry_failed,
            covers=inputs.covers,
            stats=stats,
        )
        if cleaning.method != DEFAULT or cleaning.model or cleaning.templates:
            Pipeline(cleaning)  # raises before the run what every page would repeat; the shipped model has no errors
        try:
            with (
                _engine(self) as (run, new_worker),
                serve_metrics(stats, self.metrics) if self.metrics else nullcontext(),
                opened as output,
                count_input(inputs, stats),
                show_progress(stats),
            ):
                Farm(inputs, output, cleaning, run, stats, new_worker=new_worker).run()
        except InterruptedRunError as interruption:
            _log.warning("stopped after %s; --resume continues", progress_line(stats))
            return 128 + int(interruption.args[0])  # as shells report a command that a signal ended
        if not stats.skipped + stats.done:
            _log.warning("the inputs contain no page: check them")
        elif self.verbosity >= 0:
            _log.warning("%s; the rows are in %s", final_line(stats, output.summary), self.out / PARTS)
        return int(bool(output.summary["failed"]))


@contextmanager
def _engine(options: FarmCommand) -> Iterator[tuple[RunSettings, Callable[[CleanerSettings, RunSettings], Worker]]]:
    """Return execution settings and a maker of workers, after checking before anything is written that they can run.

    A browser renders a text, which also warns of isolation that it lacks: workers print no warnings.

    Raises:
        BrowserError: the browser does not render, or there is no Chromium.
        UsageError: there is no Ray cluster.
    """
    if options.engine == "ray":
        from vclean.farm.ray import RayWorker, connect_to_cluster, count_workers

        with connect_to_cluster(options.address) as ray:
            workers = count_workers(ray, options.cleaning, options.run.workers)
            yield replace(options.run, workers=workers), partial(RayWorker, ray)
        return
    from vclean.farm.workers import WorkerProcess

    if options.cleaning.render:
        from vclean.cli.installation import check_rendering
        from vclean.render.browser.chromium import find_chromium

        check_rendering(find_chromium())
    yield options.run, WorkerProcess


def show_progress(stats: Stats) -> AbstractContextManager[None]:
    """Show the progress of a run on standard error inside the block."""

    def update(bar: runtime.Bar) -> None:
        if bar.total != stats.total:
            bar.reset(stats.total)
        bar.set_postfix_str(f"{stats.failed.total():,} failed", refresh=False)
        bar.update(stats.skipped + stats.done - bar.n)

    return runtime.show_progress(
        update, lambda: progress_line(stats), unit="pages", total=stats.total, initial=stats.skipped
    )


def progress_line(stats: Stats) -> str:
    """Return the state of a run in one line.

    >>> from vclean.farm.stats import Stats
    >>> progress_line(Stats(total=10, skipped=4)).partition(",")[0]
    '4 of 10 pages'
    """
    from tqdm import tqdm

    done = stats.skipped + stats.done
    pages = format_count(done, "page") if stats.total is None else f"{done:,} of {format_count(stats.total, 'page')}"
    line = f"{pages}, {stats.rate:.1f} pages/s, {stats.failed.total():,} failed"
    if stats.total is None or not stats.done:
        return line
    return f"{line}, {tqdm.format_interval(max(stats.total - done, 0) / stats.rate)} left"


def final_line(stats: Stats, summary: Mapping[str, Any]) -> str:
    """Return the result of a run in one line.

    Args:
        stats: the counts of the run.
        summary: the counts of all of its output, as `vclean.farm.output.summarize_parts` returns them.

    >>> from vclean.farm.stats import Stats
    >>> counts = {"failed": {"InputError": 1}, "render_reasons": {"styles": 2}, "no_pages": 0}
    >>> final_line(Stats(skipped=4), counts).partition(" (InputError")[0]
    '4 pages, 4 of them before, 2 rendered (styles 2), 1 failed'
    """
    from tqdm import tqdm

    from vclean.farm.output import LOG

    pages = format_count(stats.skipped + stats.done, "page")
    before = f", {stats.skipped:,} of them before" if stats.skipped else ""
    rendered = _by_name(summary["render_reasons"])
    by_reason = f", {sum(summary['render_reasons'].values()):,} rendered ({rendered})" if rendered else ""
    skipped = f", {format_count(summary['no_pages'], 'file')} skipped (no pages)" if summary["no_pages"] else ""
    reasons = _by_name(summary["failed"])
    details = f" ({reasons}; each message is in {LOG}, --retry-failed tries again)" if reasons else ""
    failed = f", {sum(summary['failed'].values()):,} failed{details}"
    return f"{pages}{before}{by_reason}{skipped}{failed}, in {tqdm.format_interval(stats.elapsed)}"


def _by_name(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items())
