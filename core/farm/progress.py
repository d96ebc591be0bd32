"""How far a run is, in words and figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tqdm import tqdm

from vclean import progress
from vclean.farm.output import LOG

if TYPE_CHECKING:
    from collections import Counter
    from contextlib import AbstractContextManager

    from vclean.farm.stats import Stats


def shown(stats: Stats) -> AbstractContextManager[None]:
    """Show the progress of a run on standard error inside the block."""

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
    pages = stats.skipped + stats.done
    before = f", {stats.skipped:,} of them before" if stats.skipped else ""
    reasons = ", ".join(f"{name} {count:,}" for name, count in sorted(failed.items()))
    why = f" ({reasons}; {LOG} says why, --retry-failed tries again)" if failed else ""
    time = tqdm.format_interval(stats.elapsed)
    return f"{pages:,} page{'s' * (pages != 1)}{before}, {failed.total():,} failed{why}, in {time}"
