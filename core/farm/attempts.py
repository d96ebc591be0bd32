"""One page and a worker: cleaned, and again if its browser or its worker was lost on the way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vclean.errors import BrowserError, DeadlineError, LimitError
from vclean.farm.failures import failed
from vclean.farm.process import WorkerLostError

if TYPE_CHECKING:
    from vclean.farm.process import WorkerProcess
    from vclean.farm.stats import Stats
    from vclean.farm.task import Outcome, Task

CRASHES: Final = frozenset({"BrowserError", "WorkerLostError"})
"""What need not be the page's fault, so that it is tried again."""

MAX_CRASHES: Final = 20
"""So many pages lost one after the other, and the machine is at fault: none of them is called a failure."""

_REASONS: Final = {DeadlineError: "deadline", LimitError: "memory", WorkerLostError: "crash"}


async def clean(worker: WorkerProcess, task: Task, retries: int, stats: Stats) -> Outcome:
    """What becomes of a page in the end.

    Args:
        worker: cleans it.
        task: the page.
        retries: how often it is tried again after a crash.
        stats: counts retries and restarts.

    Raises:
        VcleanError: what keeps every page from being cleaned.
    """
    for attempt in range(1, retries + 1):
        outcome = await _attempt(worker, replace(task, attempt=attempt), stats)
        if outcome.error not in CRASHES:
            return outcome
        stats.retried += 1
    return await _attempt(worker, replace(task, attempt=retries + 1), stats)


async def _attempt(worker: WorkerProcess, task: Task, stats: Stats) -> Outcome:
    try:
        outcome = await worker.run(task)
    except (DeadlineError, LimitError, WorkerLostError) as error:
        stats.restarts[_REASONS[type(error)]] += 1
        return failed(task, error)
    stats.restarts.update(["worn"] * outcome.worn + ["browser"] * (outcome.error == BrowserError.__name__))
    return outcome


def machine_at_fault(lost: int) -> BrowserError:
    """The error that ends a run of which so many pages were lost one after the other."""
    return BrowserError(f"{lost} pages in a row were lost: run `vclean doctor`, then --resume")
