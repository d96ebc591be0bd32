"""What a run has done so far: the numbers behind its progress, its metrics and its summary."""

from __future__ import annotations

import time
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import InputError
from vclean.input.sources import holds_many, is_archive, is_parquet
from vclean.input.tables import line_count, row_count
from vclean.progress import beside
from vclean.render.archive.index import open_matching_index

if TYPE_CHECKING:
    import threading
    from collections.abc import Iterator

    from vclean.farm.inputs import Inputs
    from vclean.farm.tasks import TaskOutcome
    from vclean.render.archive.index import Index


@dataclass(slots=True)
class Stats:
    """Counts of one run; nothing in it grows with the number of pages.

    Attributes:
        total: pages of the input, None while that is unknown.
        skipped: pages that an earlier run had done.
        ok, failed: pages done by this run; the failed ones by the class name of their error.
        retried: attempts after the first.
        restarts: workers that were replaced, by reason, "crash", "deadline", "memory" or "worn"; and browsers that were
            lost while their workers lived, "browser".
        seconds: wall clock by stage, summed over pages.
        working: pages in work.
        started: by `time.monotonic`.
    """

    total: int | None = None
    skipped: int = 0
    ok: int = 0
    failed: Counter[str] = field(default_factory=Counter)
    retried: int = 0
    restarts: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)
    working: int = 0
    started: float = field(default_factory=time.monotonic)

    @property
    def done(self) -> int:
        """Pages done by this run."""
        return self.ok + self.failed.total()

    @property
    def elapsed(self) -> float:
        """Seconds since the run began."""
        return time.monotonic() - self.started

    @property
    def rate(self) -> float:
        """Pages per second, over the whole run."""
        return self.done / max(self.elapsed, 1e-3)

    @property
    def queued(self) -> int | None:
        """Pages that are left to do and not in work; None while nobody can tell."""
        return None if self.total is None else max(self.total - self.skipped - self.done - self.working, 0)

    @property
    def left(self) -> float | None:
        """Seconds to the end at this rate; None while nobody can tell."""
        if self.queued is None or not self.done:
            return None
        return (self.queued + self.working) / self.rate

    def count(self, outcome: TaskOutcome) -> None:
        """Count a page that is done."""
        if outcome.error:
            self.failed[outcome.error] += 1
        else:
            self.ok += 1
        self.seconds.update(outcome.seconds)

    def add(self, other: Stats) -> None:
        """Add what was counted elsewhere for this run; what is going on there, and its time, are its own."""
        self.skipped += other.skipped
        self.ok += other.ok
        self.retried += other.retried
        self.failed.update(other.failed)
        self.restarts.update(other.restarts)
        self.seconds.update(other.seconds)

    def to_dict(self) -> dict[str, Any]:
        """The counts by name, for the summary."""
        return {
            "ok": self.ok,
            "failed": dict(sorted(self.failed.items())),
            "skipped": self.skipped,
            "retried": self.retried,
            "restarts": dict(sorted(self.restarts.items())),
            "seconds": round(self.elapsed, 3),
            "pages_per_second": round(self.rate, 3),
            "stage_seconds": {name: round(value, 3) for name, value in sorted(self.seconds.items())},
        }


_LINES: Final = (".jsonl", ".ndjson")

_SECONDS: Final = 5.0
"""Between two counts, as long as there is something left to count."""


@dataclass(slots=True)
class _Count:
    """Pages that were counted, the bytes of their files, and the bytes of files that were not counted."""

    pages: int = 0
    size: int = 0
    unknown: int = 0

    @property
    def total(self) -> int | None:
        """All pages, those that were not counted by their share of the bytes; None where no share is known."""
        if not self.unknown:
            return self.pages
        return round(self.pages * (1 + self.unknown / self.size)) if self.size else None


@contextmanager
def counted(inputs: Inputs, stats: Stats) -> Iterator[None]:
    """Keep `stats.total` up to date inside the block, in a thread."""

    def repeat(over: threading.Event) -> None:
        while not over.is_set():
            count = _count(inputs, over)
            stats.total = count.total
            if not count.unknown or over.wait(_SECONDS):
                return

    with beside(repeat):
        yield


def _count(inputs: Inputs, over: threading.Event) -> _Count:
    """Count once; archives that nobody has read yet, and packed lines, cannot be counted without reading them."""
    count = _Count()
    for name in inputs.names():
        if over.is_set():
            break
        if not holds_many(name):
            count.pages += 1
            continue
        pages, size = _pages(inputs, Path(name)), _size(Path(name))
        if pages is None:
            count.unknown += size
        else:
            count.pages += pages
            count.size += size
    return count


def _pages(inputs: Inputs, path: Path) -> int | None:
    try:
        if is_parquet(path):
            return row_count(path)
        if is_archive(path):
            place = inputs.reader.index_of(path)
            index = open_matching_index(path, place) if place else None
            return _chosen(inputs, index) if index else None
        if path.suffix.lower() in _LINES:
            return line_count(path)
    except (InputError, OSError):
        return 1  # a failure
    return None


def _chosen(inputs: Inputs, index: Index) -> int:
    """The pages of an archive, at most as many as are asked for."""
    pages, wanted = int(index.facts["pages"]), inputs.reader.pages
    index.close()
    return pages if wanted is None else min(pages, len(wanted))


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
