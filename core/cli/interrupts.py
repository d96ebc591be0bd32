"""What Ctrl-C does: while the program loads it ends at once, for nothing is to be put in order; then it is raised."""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager

TYPE_CHECKING = False  # see `vclean.__init__`
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Final, NoReturn

INTERRUPTED: Final = 130
"""The exit code of an interrupted command: 128 and the number of the signal, as shells have it."""


def end_at_once() -> None:
    """Let Ctrl-C end the process from now on, without a word; not where it is ignored, as under `nohup`."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


@contextmanager
def raised() -> Iterator[None]:
    """Let Ctrl-C raise a `KeyboardInterrupt` inside the block, where `end_at_once` was called before.

    Raises:
        KeyboardInterrupt: also in place of an error that came of the interrupt, such as that of a module half loaded.
    """
    if signal.getsignal(signal.SIGINT) is not _end:
        yield
        return
    heard = False

    def interrupt(*_: object) -> NoReturn:
        nonlocal heard
        heard = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception:
        if heard:
            raise KeyboardInterrupt from None
        raise
    finally:
        # CPython notes an interrupt that ended an exec() of text, such as libraries make while they load, and ends the
        # process by the signal then, caught as it may be; the next exec() takes the note away (pythonrun.c).
        exec("")
        signal.signal(signal.SIGINT, _end)


def _end(*_: object) -> NoReturn:
    # Not by an exception: one that is raised inside an import may come out as another, or be told and forgotten.
    os._exit(INTERRUPTED)
