"""Pages that fail, as rows of the output."""

from __future__ import annotations

import logging

from vclean.errors import LimitError, VcleanError
from vclean.explain import unexpected
from vclean.farm import rows
from vclean.farm.task import Outcome, Task

_log = logging.getLogger("vclean")


def failed(task: Task, error: Exception, seconds: dict[str, float] | None = None) -> Outcome:
    """The outcome for a page that failed; what is no error of ours is a bug, or want of memory.

    Args:
        task: the page.
        error: what it failed with.
        seconds: wall clock by stage, as far as it came.
    """
    known = _known(task, error)
    return Outcome(rows.of_failure(task, known, seconds or {}), error=type(known).__name__, seconds=seconds or {})


def _known(task: Task, error: Exception) -> VcleanError:
    if isinstance(error, VcleanError):
        return error
    if isinstance(error, MemoryError):
        return LimitError("the page takes more memory than there is: clean it on a larger machine")
    _log.debug("%s", task.page.id, exc_info=error)
    return VcleanError(f"{unexpected(error)}, with the page")
