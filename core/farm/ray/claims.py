"""Share the resume log of a run between many readers, with the same answer to a repeated request."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from vclean.farm.resume import ResumeLog

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from types import ModuleType

    from vclean.farm.inputs import Inputs


class Claims:
    """Resume log of a run, as an actor. It assigns each row to one page, and repeated requests get the same answer.

    A reader that was lost is run again from the start and has to skip the same pages as before. The answers are in a
    temporary file, so memory does not grow with their number.

    Args:
        parts: parts of the earlier runs.
        inputs: inputs of this run.
    """

    def __init__(self, parts: Iterable[Path], inputs: Inputs) -> None:
        self._resume_log = ResumeLog(parts)
        self._covers = inputs.covers
        self._answers = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._answers.execute(
            "create table answers (unit integer, batch integer, done blob, primary key (unit, batch))"
        )

    def claim(self, unit: int, batch: int, pages: Sequence[tuple[bytes, str]]) -> bytes:
        """Return which pages are done, one byte each: 1 or 0.

        Args:
            unit: number of the unit that contains the pages.
            batch: number of the batch in the unit.
            pages: key and id of each page.
        """
        row = self._answers.execute("select done from answers where unit = ? and batch = ?", (unit, batch)).fetchone()
        if row:
            return bytes(row[0])
        done = bytes(self._resume_log.claim(key, name, self._covers) for key, name in pages)
        if any(done):  # no need to store zeros: a page without a row has none later either
            self._answers.execute("insert into answers values (?, ?, ?)", (unit, batch, done))
        return done


class RemoteClaims:
    """Client of the actor `Claims` for readers; picklable.

    Args:
        ray: the module.
        parts: parts of the earlier runs.
        inputs: inputs of this run.
        options: options of the actor.
    """

    def __init__(self, ray: ModuleType, parts: Iterable[Path], inputs: Inputs, **options: object) -> None:
        self._actor: Any = ray.remote(Claims).options(max_task_retries=-1, **options).remote(parts, inputs)

    def claim(self, unit: int, batch: int, pages: Sequence[tuple[bytes, str]]) -> bytes:
        """Call `Claims.claim` of the actor."""
        import ray

        done: bytes = ray.get(self._actor.claim.remote(unit, batch, pages))
        return done
