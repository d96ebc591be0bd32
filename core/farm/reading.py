"""From an item of the input to a task for a worker."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from vclean.errors import VcleanError
from vclean.farm.failures import failed
from vclean.farm.task import Item, Task, key_of
from vclean.page import Page

if TYPE_CHECKING:
    from vclean.farm.task import Outcome


def read(item: Item, digest: str) -> tuple[Task, Outcome | None]:
    """The task for a page, and its outcome already where it cannot be read.

    Args:
        item: the page.
        digest: of the settings it will be cleaned with (`CleaningSettings.digest`).
    """
    start = time.perf_counter()
    try:
        page = item.read()
    except (VcleanError, MemoryError) as error:
        task = _unread(item, digest)
        return task, failed(task, error, {"read": time.perf_counter() - start})
    return Task(page, item.source, key_of(page, digest), seconds=time.perf_counter() - start), None


def _unread(item: Item, digest: str) -> Task:
    """What stands for a page that could not be read; its key comes from its name and place."""
    return Task(Page(id=item.id), item.source, key_of(Page(content=item.source, url=item.id), digest))
