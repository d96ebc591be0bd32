"""Command line of vclean. This module handles Ctrl-C while the others are imported, and while a command runs."""

from __future__ import annotations

import _thread
import os
import signal
import sys
import time
from contextlib import contextmanager

TYPE_CHECKING = False  # see `vclean.__init__`
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import FrameType
    from typing import Final, NoReturn

INTERRUPTED: Final = 130
"""Exit code of an interrupted command: 128 plus the signal number, as in shells."""

_CALLBACK: Final = ("<frozen importlib._bootstrap>", "cb")
"""File and function of a callback at the end of an import; Python prints and ignores its exceptions."""


def exit_on_interrupt() -> None:
    """Make Ctrl-C end the process without a message from now on; unless it is ignored, as under `nohup`."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


@contextmanager
def raise_interrupts() -> Iterator[None]:
    """Make Ctrl-C raise a `KeyboardInterrupt` inside the block, if `exit_on_interrupt` was called before.

    Raises:
        KeyboardInterrupt: the user interrupted; it also replaces an error that the interrupt caused, such as the error
            of a partially imported module.
    """
    if signal.getsignal(signal.SIGINT) is not _end:
        yield
        return
    interrupted = False

    def interrupt(_number: int, frame: FrameType | None) -> None:
        nonlocal interrupted
        interrupted = True
        if frame is None or (frame.f_code.co_filename, frame.f_code.co_name) != _CALLBACK:
            raise KeyboardInterrupt
        _thread.start_new_thread(_interrupt_later, (_thread.get_ident(),))

    signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    except Exception:  # a library may turn the interrupt into an error
        if interrupted:
            raise KeyboardInterrupt from None
        raise
    finally:
        # CPython sets a flag if an interrupt ended an exec() of text, which some libraries use during import. With the
        # flag set, the process ends by the signal, even if the exception was caught; the next exec() clears the flag
        # (pythonrun.c).
        exec("")
        signal.signal(signal.SIGINT, _end)


def _interrupt_later(thread: int) -> None:
    """Interrupt the main thread when a callback has ended."""
    time.sleep(0.01)
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:
        signal.pthread_kill(thread, signal.SIGINT)  # also ends a call that waits


def _end(*_: object) -> NoReturn:
    # Not by an exception: inside an import it may be replaced by another exception, or printed and ignored.
    os._exit(INTERRUPTED)


def __getattr__(name: str) -> object:
    """Explain the failure of the command of another distribution, `vclean`, which imports `vclean.cli.cli`."""
    if name == "cli":
        raise SystemExit(
            "vclean: the distributions vclean and vclean-web are both installed, and overwrite each other: "
            "run `pip uninstall vclean vclean-web`, then `pip install` the one you want"
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
