"""How far a run is: a bar on a terminal, a line now and then elsewhere."""

from __future__ import annotations

import logging
import sys
import threading
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Final

from tqdm import tqdm
from tqdm.contrib.logging import logging_redirect_tqdm

from vclean.farm.output import LOG

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from vclean.farm.stats import Stats

_BAR_SECONDS: Final = 0.5
_LINE_SECONDS: Final = 30.0
_log = logging.getLogger("vclean")


def shown(stats: Stats, *, quiet: bool) -> AbstractContextManager[None]:
    """Show the progress of a run on standard error inside the block."""
    if quiet:
        return nullcontext()
    return _bar(stats) if sys.stderr.isatty() else _every(_LINE_SECONDS, lambda: _log.warning("%s", line(stats)))


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


@contextmanager
def _bar(stats: Stats) -> Iterator[None]:
    with (
        logging_redirect_tqdm([_log]),
        tqdm(total=stats.total, unit=" pages", leave=False, smoothing=0.05, initial=stats.skipped) as bar,
    ):

        def update() -> None:
            if bar.total != stats.total:
                bar.reset(stats.total)
            bar.set_postfix_str(f"{stats.failed.total():,} failed", refresh=False)
            bar.update(stats.skipped + stats.done - bar.n)

        with _every(_BAR_SECONDS, update):
            yield


@contextmanager
def _every(seconds: float, call: Callable[[], object]) -> Iterator[None]:
    """Call a function again and again, from a thread, until the block ends."""
    over = threading.Event()

    def repeat() -> None:
        while not over.wait(seconds):
            call()

    thread = threading.Thread(target=repeat, name="vclean-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
