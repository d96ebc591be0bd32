"""Build task outcomes of small pages, for tests of the farm's output."""

from __future__ import annotations

from helpers.pages import laid_out, result
from vclean.errors import DeadlineError
from vclean.farm import rows
from vclean.farm.rows import RunSettings, Task, TaskOutcome
from vclean.page import Page
from vclean.render.cache import to_bytes
from vclean.settings import CleanerSettings

CLEANING = CleanerSettings(render=False)
RUN = RunSettings(part_rows=4, snapshots=True)
RESULT = result(laid_out("<h1>One<p>two three<p hidden>four"), "hpo")
SNAPSHOT = to_bytes(RESULT.columns.snapshot)


def key(number):
    """Return the key of page `number`."""
    return number.to_bytes(16)


def task(number, *, source="/in/pages.parquet", attempt=1, name=""):
    """Return the task of page `number`."""
    content = f"<p>{number}".encode()
    page = Page(content=content, id=name or f"p{number}", url=f"https://example.org/{number}")
    return Task(page, source, key(number), attempt)


def done(number, **facts):
    """Return the outcome of a page that was cleaned."""
    return TaskOutcome(rows.result_row(RESULT, task(number, **facts), {"render": 0.5, "extract": 0.25}), SNAPSHOT)


def lost(number, **facts):
    """Return the outcome of a page that failed."""
    error = DeadlineError("it took too long")
    return rows.failed_outcome(task(number, **facts), error, {"read": 1.0})
