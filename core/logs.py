"""Write the log of the package to standard error: a line of text, or of JSON, for each message."""

from __future__ import annotations

import json
import logging
import re
import sys
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

_CONTROLS: Final = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
"""Line ends, characters that a terminal interprets, and those that change the direction of the text."""

_log = logging.getLogger("vclean")


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


def logs_json() -> bool:
    """Return whether messages are written as JSON. A progress bar would be in their way."""
    return any(isinstance(handler.formatter, JsonFormatter) for handler in _log.handlers)
