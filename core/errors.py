"""Errors of vclean; each message states what happened and what to do next.

::

    VcleanError                   exit code
    ├── UsageError                2   the command line or an argument is wrong
    ├── InputError                3   the input is missing, unreadable or of another format
    │   └── NotHtmlError          4   empty, binary, or no HTML in it
    ├── LimitError                5   the page is over a limit (bytes, nodes)
    ├── DeadlineError             6   the page took longer than its deadline
    ├── NetworkError              7   a live page could not be fetched
    ├── BrowserError              8   the browser crashed or did not start
    │   └── BrowserMissingError   9   no usable Chromium
    ├── ModelError               10   the model file is missing, damaged or of another version
    ├── ExtraMissingError        11   a required extra is not installed
    └── OutputError              12   the result could not be written

Other exit codes: 0 for success, 1 if some of several inputs failed, 13 if `vclean diff --exit-code` found a difference,
130 if the user interrupted the command.

>>> from vclean import UsageError, clean
>>> try:
...     clean("<p>It rained.", method="none")
... except UsageError as error:
...     print(error.exit_code)
2
"""

from __future__ import annotations

from typing import ClassVar


class VcleanError(Exception):
    """Base class of all errors of vclean; the message is one line for the user.

    Attributes:
        exit_code: the exit code of the command line for this error.
    """

    exit_code: ClassVar[int] = 1

    def __init_subclass__(cls, *, exit_code: int | None = None) -> None:
        """Set the exit code of a class, by default that of its base class."""
        cls.exit_code = cls.exit_code if exit_code is None else exit_code


class UsageError(VcleanError, exit_code=2):
    """Wrong command line, or wrong argument of a function."""


class InputError(VcleanError, exit_code=3):
    """Input that is missing, unreadable or in another format than declared."""


class NotHtmlError(InputError, exit_code=4):
    """Input that is empty, binary, or contains no HTML."""


class LimitError(VcleanError, exit_code=5):
    """Page over a limit of bytes or nodes."""


class DeadlineError(VcleanError, exit_code=6):
    """Page that took longer than its deadline."""


class NetworkError(VcleanError, exit_code=7):
    """Live page that could not be fetched."""


class BrowserError(VcleanError, exit_code=8):
    """Browser that crashed or did not start."""


class BrowserMissingError(BrowserError, exit_code=9):
    """Missing browser: no usable Chromium on this machine."""


class ModelError(VcleanError, exit_code=10):
    """Model file that is missing, damaged or of another version."""


class ExtraMissingError(VcleanError, exit_code=11):
    """Extra of vclean that is required and not installed."""


class OutputError(VcleanError, exit_code=12):
    """Result that could not be written."""
