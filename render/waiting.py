"""Waiting for library code that cannot be interrupted."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

from vclean.errors import DeadlineError

if TYPE_CHECKING:
    from collections.abc import Callable

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
