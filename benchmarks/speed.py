"""Measure CPU time per page and stage: `python benchmarks/speed.py CORPUS.parquet [--pages N] [--render] [--json OUT]`.

Time is user and system time, not wall-clock time, so other load on the machine does not count. Pages are evenly spaced
over the corpus; the first pages warm up caches and are left out. With `--render` every page is also rendered, right
after it was parsed; its time includes all processes: Python, the driver and Chromium.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from vclean.classify.content import model, stacking
from vclean.classify.content.postprocess import block_groups
from vclean.classify.corpora.corpora import read_corpus
from vclean.errors import InputError, VcleanError
from vclean.features import matrix
from vclean.features.blocks import extract_blocks
from vclean.files import write_atomic
from vclean.imports import versions
from vclean.render.browser.renderer import Renderer
from vclean.render.static.parse import parse
from vclean.result import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from vclean.classify.content.model import Model
    from vclean.classify.corpora.corpora import Corpus
    from vclean.classify.corpora.gold import GoldPage
    from vclean.page import Page
    from vclean.render.snapshot import Snapshot

    Times = dict[str, float]
    """CPU seconds by stage."""

Item = TypeVar("Item")
WARM_UP = 5
STAGES = ("read", "extract", "features", "predict", "write")
"""Decoding and parsing, or rendering; extraction of blocks; feature matrix; labels; text."""


@dataclass(frozen=True, slots=True)
class Spread:
    """Median and 90th percentile, in milliseconds."""

    median: float
    p90: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> Spread:
        """Return the spread of a non-empty sequence of times in seconds."""
        median, p90 = np.percentile(np.array(seconds) * 1000, [50, 90])
        return cls(round(float(median), 2), round(float(p90), 2))


class Stopwatch:
    """Stopwatch that records the time of each lap by name, with a given clock."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self.laps: Times = {}
        self._clock = clock
        self._last = clock()

    def lap(self, name: str) -> None:
        """End a lap, and record its time under `name`."""
        now = self._clock()
        self.laps[name] = now - self._last
        self._last = self._clock()


class ChildProcesses:
    """CPU clock of the descendants of this process."""

    def __init__(self) -> None:
        import psutil

        self._psutil = psutil
        self._self = psutil.Process()

    def seconds(self) -> float:
        """Return user and system time of running descendants, and of ended children that were waited for."""
        times = [self._times(process) for process in self._self.children(recursive=True)]
        ended = self._self.cpu_times()
        return sum(times) + ended.children_user + ended.children_system

    def _times(self, process: object) -> float:
        try:
            return sum(process.cpu_times()[:4])
        except self._psutil.NoSuchProcess:
            return 0.0


def stages(page: Page, read: Callable[[Page], Snapshot], trained: Model, clock: Callable[[], float]) -> Times:
    """Return the times of one page, by stage and in total.

    Raises:
        VcleanError: the page could not be read.
    """
    watch = Stopwatch(clock)
    snapshot = read(page)
    watch.lap("read")
    clean(snapshot, trained, watch.lap)
    return {**watch.laps, "total": sum(watch.laps.values())}


def clean(snapshot: Snapshot, trained: Model, lap: Callable[[str], None]) -> Result:
    """Label a snapshot and write its text; call `lap` with the name of each stage at its end."""
    blocks = extract_blocks(snapshot)
    lap("extract")
    features = matrix.extract(blocks)
    lap("features")
    x = stacking.stack_columns(features, *trained.linear.scores(features))
    prediction = trained.decide(x, features.layout.tokens, block_groups(blocks), alike=features.layout.alike)
    lap("predict")
    result = Result(columns=blocks, prediction=prediction)
    result.to_cleaneval()
    lap("write")
    return result


def with_children(run: Callable[[], Times], processes: ChildProcesses) -> Times:
    """Return the times of `run`, and add the CPU time of child processes to the stage "read" and to the total."""
    before = processes.seconds()
    times = run()
    outside = processes.seconds() - before
    return times | {"read": times["read"] + outside, "total": times["total"] + outside}


def evenly(pages: Collection[Item], count: int) -> Iterator[Item]:
    """Return `count` evenly spaced pages of a corpus or list, or all pages if it has fewer."""
    chosen = set(np.linspace(0, len(pages) - 1, max(0, min(count, len(pages))), dtype=int).tolist())
    return (page for index, page in enumerate(pages) if index in chosen)


def measure(
    pages: Iterable[GoldPage], trained: Model, renderer: Renderer | None
) -> tuple[list[Times], list[Times], int]:
    """Return the times of unrendered pages, those of rendered pages, and the number of pages that failed.

    Without a renderer there are no times of rendered pages.
    """
    processes = ChildProcesses() if renderer else None
    parsed: list[Times] = []
    rendered: list[Times] = []
    failed = 0
    for page in pages:
        try:
            one = stages(page.to_page(), parse, trained, time.process_time)
            if renderer is not None and processes is not None:
                rendered.append(with_children(lambda: _rendered(page.to_page(), renderer, trained), processes))  # noqa: B023
            parsed.append(one)
        except VcleanError:
            failed += 1
    return parsed[WARM_UP:], rendered[WARM_UP:], failed


def _rendered(page: Page, renderer: Renderer, trained: Model) -> Times:
    return stages(page, lambda page: renderer.render(page).snapshot, trained, time.process_time)


def summary(times: Sequence[Times]) -> dict[str, Spread]:
    """Return the spread of every stage and of the total."""
    return {stage: Spread.of([page[stage] for page in times]) for stage in (*STAGES, "total")}


def ratio(parsed: Sequence[Times], rendered: Sequence[Times]) -> float:
    """Return the median over the pages of CPU time rendered, divided by CPU time parsed."""
    return round(float(np.median([b["total"] / a["total"] for a, b in zip(parsed, rendered, strict=True)])), 2)


def table(ways: dict[str, dict[str, Spread]]) -> str:
    """Return a text table of the spreads by stage, with two columns for each way to read a page."""
    lines = ["ms of CPU per page".ljust(20) + "".join(f"{way:>20}" for way in ways)]
    lines.append(" " * 20 + "".join(f"{'median':>12}{'p90':>8}" for _ in ways))
    for stage in (*STAGES, "total"):
        lines.append(
            stage.ljust(20) + "".join(f"{way[stage].median:12.1f}{way[stage].p90:8.1f}" for way in ways.values())
        )
    return "\n".join(lines)


def summaries(parsed: Sequence[Times], rendered: Sequence[Times]) -> dict[str, dict[str, Spread]]:
    """Return the spreads of the ways to read a page that were measured."""
    ways = {"unrendered": parsed, "rendered": rendered}
    return {way: summary(times) for way, times in ways.items() if times}


def report(corpus: Corpus, parsed: Sequence[Times], rendered: Sequence[Times], failed: int) -> dict[str, object]:
    """Return all results, for JSON."""
    ways = summaries(parsed, rendered)
    return {
        "corpus": corpus.name,
        "pages": len(parsed),
        "failed": failed,
        "versions": versions("lightgbm", "lxml", "numpy"),
        "ms": {way: {stage: asdict(spread) for stage, spread in spreads.items()} for way, spreads in ways.items()},
        "ratio": ratio(parsed, rendered) if rendered else None,
    }


def run(options: argparse.Namespace) -> None:
    """Measure, print the table, and write the JSON file.

    Raises:
        VcleanError: the model, the browser or the corpus is missing, or too few pages could be read.
    """
    corpus, trained = read_corpus(options.corpus), model.load()
    with Renderer() if options.render else nullcontext() as renderer:
        parsed, rendered, failed = measure(evenly(corpus, options.pages + WARM_UP), trained, renderer)
    if not parsed:
        raise InputError(f"{options.corpus} has too few pages that can be read: give a corpus of more than {WARM_UP}")
    print(table(summaries(parsed, rendered)))
    print(f"{len(parsed)} pages of {corpus.name}, {failed} failed")
    if rendered:
        print(f"rendering a page takes {ratio(parsed, rendered)} times the CPU of parsing it (median of the ratios)")
    if options.json:
        write_atomic(options.json, json.dumps(report(corpus, parsed, rendered, failed), indent=1) + "\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition(":")[0])
    parser.add_argument("corpus", type=Path, help="a Parquet file with the columns id, html and gold_text")
    parser.add_argument("--pages", type=int, default=300, help="number of pages, evenly spaced (default: 300)")
    parser.add_argument("--render", action="store_true", help="also measure rendering")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    try:
        run(parser.parse_args(arguments))
    except VcleanError as error:
        print(f"speed.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
