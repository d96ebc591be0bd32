"""Report progress: a bar on a terminal, a log line every 30 seconds elsewhere or with --log-json, nothing with --quiet.

The level of the package's logger decides: progress is shown if it logs warnings. No function needs a parameter for it.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from vclean.logs import logs_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tqdm import tqdm

    Bar: TypeAlias = tqdm[Any]

_T = TypeVar("_T")

_BAR_SECONDS: Final = 0.5
_LINE_SECONDS: Final = 30.0
_log = logging.getLogger("vclean")


def track(items: Iterable[_T], task: str, unit: str, *, total: int | None = None) -> Iterator[_T]:
    """Iterate over `items` and show the progress on standard error.

    Args:
        items: the items to process.
        task: the title of the progress, such as `reading`.
        unit: the noun for the items, in the plural, with an s.
        total: the number of items; None if unknown.

    Yields:
        Each item.
    """
    with count_progress(task, unit, total=total) as advance:
        for item in items:
            yield item
            advance()


@contextmanager
def count_progress(task: str, unit: str, *, total: int | None = None) -> Iterator[Callable[[], None]]:
    """Show the progress of the work in the block.

    Args:
        task: the title of the progress, such as `training`.
        unit: the noun for the units of work, in the plural, with an s.
        total: the number of units; None if unknown.

    Yields:
        A function to call after each unit.
    """
    done = 0
    start = time.monotonic()

    def advance() -> None:
        nonlocal done
        done += 1

    def line() -> str:
        return f"{task}: {_line(done, total, unit, time.monotonic() - start)}"

    with show_progress(lambda bar: bar.update(done - bar.n), line, unit, task=task, total=total):
        yield advance


@contextmanager
def show_progress(
    update: Callable[[Bar], object],
    line: Callable[[], str],
    unit: str,
    *,
    task: str = "",
    total: int | None = None,
    initial: int = 0,
) -> Iterator[None]:
    """Show the progress of the work in the block; a thread calls `update` or `line` periodically.

    Args:
        update: updates the bar to the current state.
        line: returns the current state in one line.
        unit: the noun for the units of work, in the plural.
        task: the title of the bar.
        total: the number of units; None if unknown.
        initial: the number of units that were done before.
    """
    if not _log.isEnabledFor(logging.WARNING) or sys.stderr is None:
        yield
    elif not sys.stderr.isatty() or logs_json():
        lines: list[str] = []

        def log() -> None:
            lines.append(line())
            _log.warning("%s", lines[-1])

        with call_every(_LINE_SECONDS, log):
            yield
        if lines:
            log()
    else:
        with _bar(task, unit, total, initial) as bar, call_every(_BAR_SECONDS, lambda: update(bar)):
            yield


@contextmanager
def _bar(task: str, unit: str, total: int | None, initial: int) -> Iterator[Bar]:
    """Show a bar; log lines appear above it."""
    from tqdm import tqdm
    from tqdm.contrib.logging import logging_redirect_tqdm

    with (
        logging_redirect_tqdm([_log]),
        tqdm(desc=task or None, total=total, unit=f" {unit}", leave=False, smoothing=0.05, initial=initial) as bar,
    ):
        yield bar


@contextmanager
def call_every(seconds: float, call: Callable[[], object]) -> Iterator[None]:
    """Call a function from a thread every `seconds` until the block ends."""

    def repeat(stop: threading.Event) -> None:
        while not stop.wait(seconds):
            call()

    with background_thread(repeat):
        yield


@contextmanager
def background_thread(work: Callable[[threading.Event], object]) -> Iterator[None]:
    """Run `work` in a thread during the block; it has to return soon after the event in its argument is set."""
    stop = threading.Event()
    thread = threading.Thread(target=work, args=(stop,), name="vclean-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _line(done: int, total: int | None, unit: str, seconds: float) -> str:
    """Return the progress in one line: units done, rate, and estimated time left.

    >>> _line(250, 1000, "pages", 50)
    '250 of 1,000 pages, 5 a second, 02:30 left'
    """
    from tqdm import tqdm

    of = "" if total is None else f" of {total:,}"
    rate = f", {_rate(done / seconds)}" if done and seconds else ""
    left = "" if total is None or not done else f", {tqdm.format_interval((total - done) * seconds / done)} left"
    units = unit.removesuffix("s") if done == 1 and not of else unit
    return f"{done:,}{of} {units}{rate}{left}"


def _rate(rate: float) -> str:
    if rate < 1:
        return f"{1 / rate:,.0f} s each"
    return f"{rate:,.0f} a second" if rate >= 10 else f"{rate:.2g} a second"
