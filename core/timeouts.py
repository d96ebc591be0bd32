"""A wall-clock bound on work in this process."""

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
    """Bound the work inside by `seconds` of wall clock.

    It works by the alarm signal, hence in the main thread of a POSIX system, and only while nobody else uses the
    alarm; elsewhere the work is not bounded. One call of a C library is never cut in the middle.

    Raises:
        DeadlineError: the time was up.
    """
    if not _is_available():
        yield
        return

    def stop(_signal: int, _frame: FrameType | None) -> None:
        raise DeadlineError(f"the page took longer than {seconds:g} s: raise --timeout")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _is_available() -> bool:
    if not hasattr(signal, "SIGALRM") or threading.current_thread() is not threading.main_thread():
        return False
    return signal.getsignal(signal.SIGALRM) is signal.SIG_DFL and not signal.getitimer(signal.ITIMER_REAL)[0]


_T = TypeVar("_T")


def within(seconds: float, work: Callable[[], _T]) -> _T:
    """The result of `work`, which runs in a thread of its own and is left behind there when the time is up.

    Signals (an alarm, an interrupt from the keyboard) get through while `work` is in a library that lets go of the
    interpreter, as lxml does while it parses.

    Raises:
        DeadlineError: the work took longer than `seconds` of wall clock.
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
    except BaseException as error:  # it is raised where the result is waited for
        future.set_exception(error)
