"""Count what a run has done, for its progress and summary, and serve the counts to Prometheus over HTTP."""

from __future__ import annotations

import math
import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import InputError, NotHtmlError, UsageError
from vclean.imports import requires_extra
from vclean.input.sources import is_archive, is_container, is_parquet
from vclean.input.tables import line_count, row_count
from vclean.render.archive.pages import open_matching_index
from vclean.runtime import background_thread

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterable, Iterator, Mapping

    from prometheus_client.core import Metric

    from vclean.farm.inputs import Inputs
    from vclean.farm.rows import TaskOutcome

with requires_extra("farm", "prometheus-client"):
    from prometheus_client import CollectorRegistry, start_http_server
    from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
    from prometheus_client.registry import Collector


@dataclass(slots=True, eq=False)
class Stats(Collector):
    """Counts of one run. Their size does not depend on the number of pages.

    Attributes:
        total: pages of the input; None while unknown.
        skipped: pages that an earlier run has done.
        ok, failed: pages that this run has done; failed ones by class name of their error.
        no_pages: files of this run that are no pages, such as images.
        retried: attempts after the first.
        restarts: replaced workers by reason: "crash", "deadline", "memory" or "worn"; and browsers lost without their
            worker: "browser".
        seconds: wall clock by stage, summed over pages.
        working: pages in progress.
        started: start by `time.monotonic`.
    """

    total: int | None = None
    skipped: int = 0
    ok: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    no_pages: int = 0
    retried: int = 0
    restarts: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    working: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """Return the number of pages that this run has done."""
        return self.ok + self.failed.total() + self.no_pages

    @property
    def elapsed(self) -> float:
        """Return the seconds since the run began."""
        return time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Return the pages per second over the whole run."""
        return self.done / max(self.elapsed, 1e-3)

    @property
    def queued(self) -> int | None:
        """Return the number of pages that are neither done nor in progress; None while unknown."""
        return None if self.total is None else max(self.total - self.skipped - self.done - self.working, 0)

    def count(self, outcome: TaskOutcome) -> None:
        """Count a finished page."""
        if outcome.error == NotHtmlError.__name__:
            self.no_pages += 1
        elif outcome.error:
            self.failed[outcome.error] += 1
        else:
            self.ok += 1
        self.seconds.update(outcome.seconds)

    def to_dict(self) -> dict[str, Any]:
        """Return the counts by name, for the summary."""
        return {
            "ok": self.ok,
            "failed": dict(sorted(self.failed.items())),
            "no_pages": self.no_pages,
            "skipped": self.skipped,
            "retried": self.retried,
            "restarts": dict(sorted(self.restarts.items())),
            "seconds": round(self.elapsed, 3),
            "pages_per_second": round(self.rate, 3),
            "stage_seconds": {name: round(value, 3) for name, value in sorted(self.seconds.items())},
        }

    def collect(self) -> Iterable[Metric]:
        """Yield the metrics that docs/reference/farm.md lists, at each request of Prometheus."""
        yield GaugeMetricFamily("vclean_pages_working", "Pages in progress.", self.working)
        if self.queued is not None:
            text = "Pages that are neither done nor in progress."
            yield GaugeMetricFamily("vclean_pages_queued", text, self.queued)
        yield CounterMetricFamily("vclean_pages_done", "Pages cleaned.", self.ok)
        yield CounterMetricFamily("vclean_pages_skipped", "Pages that an earlier run has done.", self.skipped)
        yield _counters("vclean_pages_failed", "Failed pages, by error class.", "error", self.failed)
        yield CounterMetricFamily("vclean_no_pages", "Files that are no pages.", self.no_pages)
        yield CounterMetricFamily("vclean_retries", "Attempts after the first.", self.retried)
        yield _counters("vclean_worker_restarts", "Workers and browsers replaced, by reason.", "reason", self.restarts)
        yield _counters("vclean_stage_seconds", "Wall clock by stage, summed over pages.", "stage", self.seconds)
        yield GaugeMetricFamily("vclean_run_seconds", "Seconds since the run began.", self.elapsed)


_SECONDS: Final = 5.0
"""Seconds between two counts, until all files can be counted."""


@contextmanager
def count_input(inputs: Inputs, stats: Stats) -> Iterator[None]:
    """Set `stats.total` in a thread inside the block, as soon as the pages of every file can be counted."""

    def repeat(stop: threading.Event) -> None:
        while not stop.is_set():
            names = takewhile(lambda _: not stop.is_set(), inputs.names())
            total = sum(_pages_of_file(inputs, Path(name)) if is_container(name) else 1 for name in names)
            if not (math.isnan(total) or stop.is_set()):
                stats.total = int(total) if inputs.limit is None else min(int(total), inputs.limit)
                return
            stop.wait(_SECONDS)

    with background_thread(repeat):
        yield


def _pages_of_file(inputs: Inputs, path: Path) -> float:
    """Return the number of pages of a file; NaN for archives without an index, and compressed lines."""
    try:
        path.stat()
        if is_parquet(path):
            return row_count(path)
        if is_archive(path):
            index_path = inputs.index_of(path)
            index = open_matching_index(path, index_path) if index_path else None
            if index is None:
                return math.nan
            pages = int(index.facts["pages"])
            index.close()
            return pages if inputs.pages is None else min(pages, len(inputs.pages))
        return line_count(path) if path.suffix.lower() in (".jsonl", ".ndjson") else math.nan
    except (InputError, OSError):
        return 1  # the file gives one failure row


@contextmanager
def serve_metrics(stats: Stats, address: str) -> Iterator[None]:
    """Serve the metrics at http://ADDRESS:PORT/metrics inside the block.

    Raises:
        UsageError: the port is taken, or this machine does not have the address.
    """
    registry = CollectorRegistry()
    registry.register(stats)
    host, _, port = address.rpartition(":")
    try:
        server, thread = start_http_server(int(port), addr=host, registry=registry)
    except OSError as error:
        reason = error.strerror or error
        raise UsageError(
            f"cannot serve metrics on {address} ({reason}): choose another --metrics [HOST:]PORT"
        ) from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _counters(name: str, text: str, label: str, values: Mapping[str, float]) -> Metric:
    family = CounterMetricFamily(name, text, labels=[label])
    for key, value in sorted(values.items()):
        family.add_metric([key], value)
    return family
