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
from contextlib import nullcontext, suppress
from dataclasses import asdict, astuple, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from tabulate import tabulate

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
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from vclean.classify.content.model import Model
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


def child_seconds() -> float:
    """Return user and system time of running descendants, and of ended children that were waited for."""
    import psutil

    process = psutil.Process()
    ended = process.cpu_times()
    seconds = ended.children_user + ended.children_system
    for child in process.children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            seconds += sum(child.cpu_times()[:4])
    return float(seconds)


def stages(page: Page, read: Callable[[Page], Snapshot], trained: Model, clock: Callable[[], float]) -> Times:
    """Return the times of one page, by stage and in total.

    Raises:
        VcleanError: the page could not be read.
    """
    times: Times = {}
    start = clock()

    def lap(stage: str) -> None:
        nonlocal start
        times[stage] = clock() - start
        start = clock()

    snapshot = read(page)
    lap("read")
    blocks = extract_blocks(snapshot)
    lap("extract")
    features = matrix.extract(blocks)
    lap("features")
    x = stacking.stack_columns(features, *trained.linear.scores(features))
    prediction = trained.decide(x, features.layout.tokens, block_groups(blocks), alike=features.layout.alike)
    lap("predict")
    Result(columns=blocks, prediction=prediction).to_cleaneval()
    lap("write")
    return times | {"total": sum(times.values())}


def rendered_stages(page: Page, renderer: Renderer, trained: Model) -> Times:
    """Return the times of one page that is rendered; "read" and the total include the CPU time of child processes."""
    before = child_seconds()
    times = stages(page, lambda page: renderer.render(page).snapshot, trained, time.process_time)
    outside = child_seconds() - before
    return times | {"read": times["read"] + outside, "total": times["total"] + outside}


def evenly(pages: Collection[Item], count: int) -> Iterator[Item]:
    """Return `count` evenly spaced pages of a corpus or list, or all pages if it has fewer."""
    chosen = set(np.linspace(0, len(pages) - 1, max(0, min(count, len(pages))), dtype=int).tolist())
    return (page for index, page in enumerate(pages) if index in chosen)


def measure(pages: Iterable[GoldPage], trained: Model, renderer: Renderer | None) -> tuple[dict[str, list[Times]], int]:
    """Return the times of the pages, unrendered and with a renderer also rendered, and how many pages failed."""
    times: list[dict[str, Times]] = []
    failed = 0
    for each in pages:
        page = each.to_page()
        try:
            ways = {"unrendered": stages(page, parse, trained, time.process_time)}
            if renderer:
                ways["rendered"] = rendered_stages(page, renderer, trained)
            times.append(ways)
        except VcleanError:
            failed += 1
    measured = times[WARM_UP:]
    return {way: [ways[way] for ways in measured] for way in (measured[0] if measured else ())}, failed


def summary(times: Sequence[Times]) -> dict[str, Spread]:
    """Return the spread of every stage and of the total."""
    return {stage: Spread.of([page[stage] for page in times]) for stage in (*STAGES, "total")}


def ratio(times: Mapping[str, Sequence[Times]]) -> float | None:
    """Return the median over the pages of CPU time rendered over CPU time parsed; None without rendered pages."""
    pairs = zip(times["unrendered"], times.get("rendered", ()), strict=False)
    ratios = [rendered["total"] / parsed["total"] for parsed, rendered in pairs]
    return round(float(np.median(ratios)), 2) if ratios else None


def table(ways: Mapping[str, Mapping[str, Spread]]) -> str:
    """Return a text table of the spreads by stage, with two columns for each way to read a page."""
    head = ["ms of CPU per page", *(f"{way}, {part}" for way in ways for part in ("median", "p90"))]
    rows = [
        [stage, *(value for spreads in ways.values() for value in astuple(spreads[stage]))]
        for stage in (*STAGES, "total")
    ]
    return tabulate(rows, head, floatfmt=".1f")


def run(options: argparse.Namespace) -> None:
    """Measure, print the table, and write the JSON file.

    Raises:
        VcleanError: the model, the browser or the corpus is missing, or too few pages could be read.
    """
    corpus, trained = read_corpus(options.corpus), model.load()
    with Renderer() if options.render else nullcontext() as renderer:
        times, failed = measure(evenly(corpus, options.pages + WARM_UP), trained, renderer)
    if not times:
        raise InputError(f"{options.corpus} has too few pages that can be read: give a corpus of more than {WARM_UP}")
    ways = {way: summary(pages) for way, pages in times.items()}
    count, slower = len(times["unrendered"]), ratio(times)
    print(table(ways))
    print(f"{count} pages of {corpus.name}, {failed} failed")
    if slower:
        print(f"rendering a page takes {slower} times the CPU of parsing it (median of the ratios)")
    if options.json:
        report = {
            "corpus": corpus.name,
            "pages": count,
            "failed": failed,
            "versions": versions("lightgbm", "lxml", "numpy"),
            "ms": {way: {stage: asdict(spread) for stage, spread in spreads.items()} for way, spreads in ways.items()},
            "ratio": slower,
        }
        write_atomic(options.json, json.dumps(report, indent=1) + "\n")


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
