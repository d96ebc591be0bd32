"""What a run has done so far: the numbers behind its progress, its metrics and its summary."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from vclean.farm.task import Outcome


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

    def count(self, outcome: Outcome) -> None:
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
