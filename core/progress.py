"""How far a command is: a bar on a terminal, a line now and then elsewhere, nothing where only errors are wanted.

What is wanted is told by the level of the package's log, so that nobody has to hand it down.
"""

from __future__ import annotations

import logging
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tqdm import tqdm

    Bar: TypeAlias = tqdm[Any]

_T = TypeVar("_T")

_BAR_SECONDS: Final = 0.5
_LINE_SECONDS: Final = 30.0
_log = logging.getLogger("vclean")


def tracked(items: Iterable[_T], what: str, unit: str, *, total: int | None = None) -> Iterator[_T]:
    """The items, counted on standard error as each is done with.

    Args:
        items: see there.
        what: is done with them, such as `reading`.
        unit: what they are, in the plural, with an s.
        total: how many there are; None where that is not known.
    """
    with counted(what, unit, total=total) as advance:
        for item in items:
            yield item
            advance()


@contextmanager
def counted(what: str, unit: str, *, total: int | None = None) -> Iterator[Callable[[], None]]:
    """Show the progress of what is done inside the block; gives what is to be called after each of `total` units."""
    done = 0
    start = time.monotonic()

    def advance() -> None:
        nonlocal done
        done += 1

    def line() -> str:
        return f"{what}: {_line(done, total, unit, time.monotonic() - start)}"

    with shown(lambda bar: bar.update(done - bar.n), line, unit, what=what, total=total):
        yield advance


@contextmanager
def shown(
    update: Callable[[Bar], object],
    line: Callable[[], str],
    unit: str,
    *,
    what: str = "",
    total: int | None = None,
    initial: int = 0,
) -> Iterator[None]:
    """Show the progress of what is done inside the block, told by two functions that are called from a thread.

    Args:
        update: brings a bar to the state of things.
        line: the state of things in one line.
        unit: what is counted, in the plural.
        what: the bar's title.
        total: how many there are, if that is known.
        initial: how many of them were done before.
    """
    if not _log.isEnabledFor(logging.WARNING) or sys.stderr is None:
        yield
    elif not sys.stderr.isatty():
        with every(_LINE_SECONDS, lambda: _log.warning("%s", line())):
            yield
    else:
        with _bar(what, unit, total, initial) as bar, every(_BAR_SECONDS, lambda: update(bar)):
            yield


@contextmanager
def _bar(what: str, unit: str, total: int | None, initial: int) -> Iterator[Bar]:
    """A bar that makes way for what is logged."""
    from tqdm import tqdm
    from tqdm.contrib.logging import logging_redirect_tqdm

    with (
        logging_redirect_tqdm([_log]),
        tqdm(desc=what or None, total=total, unit=f" {unit}", leave=False, smoothing=0.05, initial=initial) as bar,
    ):
        yield bar


@contextmanager
def every(seconds: float, call: Callable[[], object]) -> Iterator[None]:
    """Call a function again and again, from a thread, until the block ends."""

    def repeat(over: threading.Event) -> None:
        while not over.wait(seconds):
            call()

    with beside(repeat):
        yield


@contextmanager
def beside(work: Callable[[threading.Event], object]) -> Iterator[None]:
    """Let a function work in a thread inside the block; the event that it is given tells it to end with the block."""
    over = threading.Event()
    thread = threading.Thread(target=work, args=(over,), name="vclean-progress", daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def _line(done: int, total: int | None, unit: str, seconds: float) -> str:
    """How many units were done in so many seconds, and how long the rest will take.

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
