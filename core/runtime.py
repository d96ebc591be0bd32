"""What a run does beside its work: report progress, keep deadlines, write its log, pause garbage collection.

Progress is a bar on a terminal, a log line every 30 seconds elsewhere or with --log-json, and nothing with --quiet: it
is shown if the package's logger logs warnings, so no function needs a parameter for it.
"""

from __future__ import annotations

import gc
import json
import logging
import re
import signal
import sys
import threading
import time
from concurrent.futures import Future
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from vclean.errors import DeadlineError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from types import FrameType

    from tqdm import tqdm

    Bar: TypeAlias = tqdm[Any]

_T = TypeVar("_T")

_BAR_SECONDS: Final = 0.5
_LINE_SECONDS: Final = 30.0
_LINE: Final = "{desc}: {n_fmt}/{total_fmt}{unit} [{elapsed}<{remaining}, {rate_fmt}]"
"""Progress in one line, such as `reading: 250/1000 pages [00:50<02:30, 5.00 pages/s]`."""
_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Line ends, characters that a terminal interprets, and those that change the direction of the text."""
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
    done, start = 0, time.monotonic()

    def advance() -> None:
        nonlocal done
        done += 1

    def line() -> str:
        from tqdm import tqdm

        state: dict[str, Any] = {"total": total, "elapsed": time.monotonic() - start}
        return tqdm.format_meter(done, **state, prefix=task, unit=f" {unit}", bar_format=_LINE)

    with show_progress(lambda bar: bar.update(done - bar.n), line, desc=task, unit=unit, total=total):
        yield advance


@contextmanager
def show_progress(
    update: Callable[[Bar], object], line: Callable[[], str], *, unit: str, **options: Any
) -> Iterator[None]:
    """Show the progress of the work in the block; a thread calls `update` or `line` periodically.

    Args:
        update: updates the bar to the current state.
        line: returns the current state in one line.
        unit: the noun for the units of work, in the plural.
        options: other options of the bar, such as `total`.
    """
    if not _log.isEnabledFor(logging.WARNING) or sys.stderr is None:
        yield
    elif not sys.stderr.isatty() or any(isinstance(each.formatter, JsonFormatter) for each in _log.handlers):
        lines: list[str] = []

        def log() -> None:
            lines.append(line())
            _log.warning("%s", lines[-1])

        with background_thread(partial(_call_every, _LINE_SECONDS, log)):
            yield
        if lines:
            log()
    else:
        from tqdm import tqdm
        from tqdm.contrib.logging import logging_redirect_tqdm

        with (
            logging_redirect_tqdm([_log]),  # log lines appear above the bar
            tqdm(unit=f" {unit}", leave=False, smoothing=0.05, **options) as bar,
            background_thread(partial(_call_every, _BAR_SECONDS, lambda: update(bar))),
        ):
            yield


def _call_every(seconds: float, call: Callable[[], object], stop: threading.Event) -> None:
    """Call a function every `seconds` until the event is set."""
    while not stop.wait(seconds):
        call()


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


@contextmanager
def deadline(seconds: float) -> Iterator[None]:
    """Limit the time of the block to `seconds` of wall clock.

    The limit uses the alarm signal. It applies only in the main thread of a POSIX system, and only if no other code
    uses the alarm; elsewhere there is no limit. A running call of a C library is never interrupted.

    Raises:
        DeadlineError: the block took longer.
    """
    is_main = threading.current_thread() is threading.main_thread()
    has_alarm = is_main and hasattr(signal, "SIGALRM") and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    if not has_alarm or signal.getitimer(signal.ITIMER_REAL)[0]:
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

    def fulfil() -> None:
        try:
            future.set_result(work())
        except BaseException as error:  # re-raised by `future.result`
            future.set_exception(error)

    threading.Thread(target=fulfil, daemon=True).start()
    try:
        return future.result(seconds)
    except TimeoutError as error:
        raise DeadlineError(f"the page took longer than {seconds:g} s: raise --timeout") from error


class LineFormatter(logging.Formatter):
    r"""Formatter that writes each message on one line: names of pages may contain control characters.

    >>> LineFormatter().format(logging.LogRecord("vclean", logging.WARNING, "", 0, "no %s", ("a\x1b[2J\nb",), None))
    'vclean: no a [2J b'
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the message as one line, then the traceback if there is one."""
        line = f"vclean: {_CONTROLS.sub(' ', record.getMessage())}"
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


class JsonFormatter(logging.Formatter):
    """Formatter that writes a JSON object for each message: `time` (ISO 8601, UTC), `level`, `message`.

    >>> record = logging.LogRecord("vclean", logging.WARNING, "", 0, "%d pages", (3,), None)
    >>> record.created = 0
    >>> JsonFormatter().format(record)
    '{"time":"1970-01-01T00:00:00.000Z","level":"warning","message":"3 pages"}'
    """

    def format(self, record: logging.LogRecord) -> str:
        """Return the message as one line of JSON."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        entry = {
            "time": time.replace("+00:00", "Z"),
            "level": record.levelname.lower(),
            "message": record.getMessage(),
        }
        if record.exc_info:
            entry["traceback"] = self.formatException(record.exc_info)
        return json.dumps(entry, ensure_ascii=False, separators=(",", ":"))


@contextmanager
def log_to_stderr() -> Iterator[None]:
    """Write the log of the package to standard error during the block, one line per message."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LineFormatter())
    _log.addHandler(handler)
    level = _log.level
    try:
        yield
    finally:
        _log.setLevel(level)
        _log.removeHandler(handler)


def log_json() -> None:
    """Write the messages of `log_to_stderr` as JSON from now on."""
    for handler in _log.handlers:
        handler.setFormatter(JsonFormatter())


@contextmanager
def exempt_from_gc() -> Iterator[None]:
    """Exclude objects allocated in this block from garbage collection: imported libraries and models stay in use."""
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()
