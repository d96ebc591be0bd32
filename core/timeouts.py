"""Limit the wall-clock time of work in this process."""

from __future__ import annotations

import signal
import threading
from concurrent.futures import Future
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

from vclean.errors import DeadlineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FrameType


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Limit the time of the block to `seconds` of wall clock.

    The limit uses the alarm signal. It applies only in the main thread of a POSIX system, and only if no other code
    uses the alarm; elsewhere there is no limit. A running call of a C library is never interrupted.

    Raises:
        DeadlineError: the block took longer.
    """
    if not _is_available():
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise DeadlineError(f"the page took longer than {seconds:g} s: raise --timeout")

    previous_handler = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous_handler)


def _is_available() -> bool:
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        return False
    return signal.getsignal(signal.SIGALRM) is signal.SIG_DFL and not signal.getitimer(signal.ITIMER_REAL)[0]


_T = TypeVar("_T")


def run_within(seconds: float, work: Callable[[], _T]) -> _T:
    """Run `work` in a new thread and return its result.

    After a timeout the thread is abandoned and continues in the background. Signals (an alarm, Ctrl-C) are handled
    while `work` is in a library that releases the global interpreter lock, such as lxml while it parses.

    Args:
        seconds: the limit of wall clock.
        work: the function to run.

    Returns:
        The result of `work`.

    Raises:
        DeadlineError: `work` took longer than `seconds`.
    """
    future: Future[_T] = Future()
    threading.Thread(target=_fulfil, args=(future, work), daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError as error:
        raise DeadlineError(f"the page took longer than {seconds:g} s: raise --timeout") from error


def _fulfil(future: Future[_T], work: Callable[[], _T]) -> None:
    try:
        future.set_result(work())
    except BaseException as error:  # re-raised by `future.result`
        future.set_exception(error)
