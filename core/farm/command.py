"""`vclean farm`: one run, from its inputs to its exit code."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Literal, Protocol

import click

from vclean.cli.command import command
from vclean.cli.options import (
    argument,
    complete_methods,
    count,
    flag,
    option,
    page_limits,
    path,
    policy,
    port,
    positive,
    take_policy,
    take_settings,
    take_verbosity,
    verbosity,
)

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from vclean import progress
    from vclean.farm.executor import InterruptedRunError
    from vclean.farm.inputs import Inputs
    from vclean.farm.output import RunOutput
    from vclean.farm.settings import RunSettings
    from vclean.farm.stats import Stats
    from vclean.settings import CleanerSettings

Engine = Literal["local", "ray"]

_UNITS: Final = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}

_SIGNAL_CODE: Final = 128
"""What a shell adds to the number of the signal that ended a command."""

_ROWS: Final = "What decides the rows"
_RUN: Final = "How the run works"

_EPILOG: Final = """\
INPUT is a WARC, WACZ, Parquet or JSONL file (columns or fields html, url, id), a folder, an HTML or MHTML file, a URL,
a list of such (.txt), a pattern such as 'crawl/*.warc.gz', or - for a list on standard input. Rows go to OUT/parts,
one line a page to OUT/pages.jsonl, the counts to OUT/summary.json.

Exit codes: 0 every page cleaned, 1 some failed (their rows say why), 130 or 143 interrupted (--resume goes on), others
as for `vclean`, after which --resume goes on too.
"""

_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True, kw_only=True)
class FarmOptions:
    """Options of `vclean farm`.

    Attributes:
        inputs: as given.
        out: the output folder.
        pages: file with the URLs that are wanted of archives; None for all pages.
        cleaning, run: see there.
        resume: go on with what is in `out`.
        retry_failed: try the pages again that failed in it.
        engine, address: where the workers are.
        metrics_port: port for Prometheus, or None.
        verbosity: -1 quiet, 0 normal, 1 verbose.
    """

    inputs: list[str]
    out: Path
    pages: Path | None
    cleaning: CleanerSettings
    run: RunSettings
    resume: bool
    retry_failed: bool
    engine: Engine
    address: str | None
    metrics_port: int | None
    verbosity: int


def _options(**values: Any) -> FarmOptions:  # noqa: ANN401
    values["resume"] |= values["retry_failed"]
    if values["address"] and values["engine"] != "ray":
        raise click.UsageError("argument --address: needs --engine ray")
    return FarmOptions(
        cleaning=_take_cleaning(values), run=_take_run(values), verbosity=take_verbosity(values), **values
    )


def _take_cleaning(values: dict[str, Any]) -> CleanerSettings:
    from vclean.settings import CleanerSettings

    chosen = {name: values.pop(name) for name in ("method", "model", "templates", "network")}
    scripts = values.pop("js")
    render = not values.pop("no_render") or scripts
    page = take_settings(values, scripts=scripts)
    return CleanerSettings(**chosen, render=render, rendering=page, policy=take_policy(values))


def _take_run(values: dict[str, Any]) -> RunSettings:
    from vclean.farm.settings import RunSettings

    names = ("workers", "retries", "max_memory", "part_rows", "snapshots")
    values["workers"] = values["workers"] or 0
    return RunSettings(**{name: values.pop(name) for name in names})


def _size(text: str) -> int:
    """Convert a word to bytes, such as 512M or 3G.

    >>> _size("3G") == 3 * 2**30
    True
    """
    number, unit = text[:-1], text[-1:].lower()
    if unit not in _UNITS:
        number, unit = text, ""
    convert: Callable[[str], float] = positive(float)
    return int(convert(number) * _UNITS[unit])


@command(
    "farm",
    _options,
    help="Clean pages in bulk, into Parquet; every page once, a result or the reason of its failure.",
    epilog=_EPILOG,
)
@argument("inputs", "INPUT...", "what to clean (see below)", nargs=-1, required=True)
@option("-o", "--out", type=path, required=True, metavar="OUT", help="the output folder")
@flag("--resume", help="continue the run in OUT; pages that are done are not done again")
@flag("--retry-failed", help="continue, and try again the pages that failed")
@option("--pages", type=path, metavar="FILE", help="of archives, clean only the pages whose URLs this file lists")
@flag("--no-render", section=_ROWS, help="only parse pages: no browser, a fifth of the time")
@flag("--js", section=_ROWS, help="run the pages' scripts")
@option(
    "--network",
    type=click.Choice(("none", "public")),
    default="none",
    section=_ROWS,
    help="where pages load what no archive or folder has: nowhere, or from public addresses (none)",
)
@option(
    "--method",
    default="vclean",
    metavar="NAME",
    shell_complete=complete_methods,
    section=_ROWS,
    help="the method that labels the blocks: see `vclean methods` (vclean)",
)
@option("--model", type=path, metavar="FILE", section=_ROWS, help="a model in place of the shipped one")
@option(
    "--templates",
    type=path,
    metavar="FOLDER",
    section=_ROWS,
    help="files of selectors, HOST.txt, each for its site alone",
)
@policy(_ROWS)
@page_limits(_ROWS)
@option(
    "--engine",
    type=click.Choice(("local", "ray")),
    default="local",
    section=_RUN,
    help="this machine, or a Ray cluster (local)",
)
@option(
    "--address",
    metavar="ADDR",
    section=_RUN,
    help="address of the Ray cluster; default: the one that is found, or a new one on this machine",
)
@option(
    "--workers",
    type=positive(int),
    metavar="N",
    section=_RUN,
    help="pages in work at once (processors + 1)",
)
@option(
    "--retries",
    type=count,
    default="2",
    metavar="N",
    section=_RUN,
    help="attempts after a crash of the browser (2)",
)
@option(
    "--max-memory",
    type=_size,
    default="3G",
    metavar="SIZE",
    section=_RUN,
    help="memory for one page, with its browser (3G)",
)
@option("--part-rows", type=positive(int), default="500", metavar="N", section=_RUN, help="pages in one part (500)")
@flag("--keep-snapshots", "snapshots", section=_RUN, help="keep the rendered pages in OUT/snapshots")
@option("--metrics-port", type=port, metavar="PORT", section=_RUN, help="serve metrics for Prometheus on this machine")
@verbosity()
def farm(options: FarmOptions) -> int:
    """Clean all pages and give the exit code: 0, 1 if pages failed, 128 and the signal's number if interrupted.

    What is wrong with the command line is found before anything is written.

    Raises:
        VcleanError: what keeps every page from being cleaned, or the output from being written.
    """
    from vclean.farm.executor import InterruptedRunError
    from vclean.farm.inputs import Inputs
    from vclean.farm.metrics import served
    from vclean.farm.output import RunOutput
    from vclean.farm.parts import PARTS
    from vclean.farm.stats import Stats, counted

    stats = Stats()
    going_on = {"resume": options.resume, "retry_failed": options.retry_failed}
    output = RunOutput(options.out, options.cleaning, options.run, **going_on, stats=stats)
    inputs = Inputs(options.inputs, options.cleaning, pages=options.pages, index_folder=output.index_folder)
    _check_methods(options.cleaning)
    with (
        _engine(options) as run,
        served(stats, options.metrics_port),
        output,
        counted(inputs, stats),
        shown(stats),
    ):
        try:
            run(inputs, output, options.cleaning, options.run, stats)
        except InterruptedRunError as interruption:
            output.interrupt()
            return _stopped(interruption, stats)
    if options.verbosity >= 0:
        _log.warning("%s; they are in %s", finished(stats, output.failed), output.folder / PARTS)
    return int(output.failed.total() > 0)


class _Run(Protocol):
    """An engine: see `vclean.farm.executor.run_locally`."""

    def __call__(
        self, inputs: Inputs, output: RunOutput, cleaning: CleanerSettings, run: RunSettings, stats: Stats, /
    ) -> None:
        """Clean all pages of `inputs` into `output`."""


@contextmanager
def _engine(options: FarmOptions) -> Iterator[_Run]:
    """The engine, as far as can be told able to run; before anything is written."""
    if options.engine == "ray":
        from vclean.farm.ray.cluster import connected
        from vclean.farm.ray.engine import run_on_ray

        with connected(options.address) as ray:
            yield partial(run_on_ray, ray=ray)
        return
    from vclean.farm.executor import run_locally

    if options.cleaning.render:
        _check_browser()
    yield run_locally


def _check_methods(cleaning: CleanerSettings) -> None:
    """Say before the run what would go wrong with every page; that the shipped model is whole is not checked here.

    Raises:
        VcleanError: there is no such method, it lacks a library or a model, or a template is wrong.
    """
    from vclean.classify.methods import get
    from vclean.classify.methods.registry import DEFAULT
    from vclean.classify.methods.template import Templates

    if cleaning.method != DEFAULT or cleaning.model:
        get(cleaning.method, cleaning.model)
    if cleaning.templates:
        Templates.from_folder(cleaning.templates)


def _check_browser() -> None:
    """Say before the run what would go wrong with every page, and what a user has to know of the browser.

    Raises:
        BrowserMissingError: there is no usable Chromium.
    """
    from vclean.render.browser.chromium import find_chromium
    from vclean.render.isolation.sandbox import sandbox_obstacle

    find_chromium()
    if in_the_way := sandbox_obstacle():
        _log.warning("Chromium's sandbox is off (%s): %s", in_the_way.reason, in_the_way.remedy)


def _stopped(interruption: InterruptedRunError, stats: Stats) -> int:
    _log.warning("stopped after %s; --resume goes on", line(stats))
    return _SIGNAL_CODE + interruption.number


def shown(stats: Stats) -> AbstractContextManager[None]:
    """Show the progress of a run on standard error inside the block."""
    from vclean import progress

    def update(bar: progress.Bar) -> None:
        if bar.total != stats.total:
            bar.reset(stats.total)
        bar.set_postfix_str(f"{stats.failed.total():,} failed", refresh=False)
        bar.update(stats.skipped + stats.done - bar.n)

    return progress.shown(update, lambda: line(stats), "pages", total=stats.total, initial=stats.skipped)


def line(stats: Stats) -> str:
    """The state of a run in one line.

    >>> from vclean.farm.stats import Stats
    >>> line(Stats(total=10, skipped=4)).partition(",")[0]
    '4 of 10 pages'
    """
    from tqdm import tqdm

    of = "" if stats.total is None else f" of {stats.total:,}"
    left = "" if stats.left is None else f", {tqdm.format_interval(stats.left)} left"
    failed = stats.failed.total()
    return f"{stats.skipped + stats.done:,}{of} pages, {stats.rate:.1f} pages/s, {failed:,} failed{left}"


def finished(stats: Stats, failed: Counter[str]) -> str:
    """A whole run in one line; `failed` are the failures in all of its output, by error.

    >>> from collections import Counter
    >>> from vclean.farm.stats import Stats
    >>> finished(Stats(skipped=4), Counter(InputError=1)).partition(", in ")[0]
    '4 pages, 4 of them before, 1 failed (InputError 1; pages.jsonl says why, --retry-failed tries again)'
    """
    from tqdm import tqdm

    from vclean.farm.output import LOG

    pages = stats.skipped + stats.done
    before = f", {stats.skipped:,} of them before" if stats.skipped else ""
    reasons = ", ".join(f"{name} {count:,}" for name, count in sorted(failed.items()))
    why = f" ({reasons}; {LOG} says why, --retry-failed tries again)" if failed else ""
    time = tqdm.format_interval(stats.elapsed)
    return f"{pages:,} page{'s' * (pages != 1)}{before}, {failed.total():,} failed{why}, in {time}"
