"""Every error vclean raises on purpose; each says what happened and what to do next.

::

    VcleanError                   exit code
    ├── UsageError                2   the command line or an argument is wrong
    ├── InputError                3   the input is missing, unreadable or not what it claims
    │   └── NotHtmlError          4   empty, binary, or no HTML in it
    ├── LimitError                5   the page is over a cap (bytes, nodes)
    ├── DeadlineError             6   the page took longer than its deadline
    ├── NetworkError              7   a live page could not be fetched
    ├── BrowserError              8   the browser crashed or refused to work
    │   └── BrowserMissingError   9   no usable Chromium
    ├── ModelError               10   the model file is missing, damaged or of another version
    ├── ExtraMissingError        11   what is asked for needs an extra that is not installed
    └── OutputError              12   the result could not be written

Exit code 0 is success, 1 means that some of several inputs failed, 13 that `vclean diff --exit-code` found a
difference, 130 that the user interrupted.
"""

from __future__ import annotations

from typing import ClassVar


class VcleanError(Exception):
    """Base of all errors; its text is one line for the user."""

    exit_code: ClassVar[int] = 1


class UsageError(VcleanError):
    """The command line or an argument is wrong."""

    exit_code = 2


class InputError(VcleanError):
    """The input is missing, unreadable or not what it claims to be."""

    exit_code = 3


class NotHtmlError(InputError):
    """The input is empty, binary, or holds no HTML."""

    exit_code = 4


class LimitError(VcleanError):
    """The page is over a cap on bytes or nodes."""

    exit_code = 5


class DeadlineError(VcleanError):
    """The page took longer than its deadline."""

    exit_code = 6


class NetworkError(VcleanError):
    """A live page could not be fetched."""

    exit_code = 7


class BrowserError(VcleanError):
    """The browser crashed or refused to work."""

    exit_code = 8


class BrowserMissingError(BrowserError):
    """There is no usable Chromium."""

    exit_code = 9


class ModelError(VcleanError):
    """The model file is missing, damaged or of another version."""

    exit_code = 10


class ExtraMissingError(VcleanError):
    """What is asked for needs an extra that is not installed."""

    exit_code = 11


class OutputError(VcleanError):
    """The result could not be written."""

    exit_code = 12
