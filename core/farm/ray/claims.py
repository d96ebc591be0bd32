"""What earlier runs have done, asked by many readers, any of which may ask twice."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any

from vclean.farm.resume import Ledger

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path
    from types import ModuleType

    from vclean.farm.inputs import Inputs


class Claims:
    """The ledger of a run, as an actor: it gives a row that is done to one page, and to the same again.

    A reader that was lost is done again from the start, and has to leave out the same pages as the first time. Answers
    are kept in a temporary file, so that memory does not grow with them.

    Args:
        parts: of the earlier runs.
        inputs: of this run.
    """

    def __init__(self, parts: Iterable[Path], inputs: Inputs) -> None:
        self._ledger = Ledger(parts)
        self._covers = inputs.covers
        self._answers = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        self._answers.execute(
            "create table answers (unit integer, batch integer, done blob, primary key (unit, batch))"
        )

    def take(self, unit: int, batch: int, pages: Sequence[tuple[bytes, str]]) -> bytes:
        """Which pages are done: one byte each, 1 or 0.

        Args:
            unit: the number of the unit that the pages are in.
            batch: their number in the unit.
            pages: key and id of each.
        """
        found = self._answers.execute("select done from answers where unit = ? and batch = ?", (unit, batch)).fetchone()
        if found:
            return bytes(found[0])
        done = bytes(self._ledger.take(key, name, self._covers) for key, name in pages)
        if any(done):  # without rows for them there will be none later either
            self._answers.execute("insert into answers values (?, ?, ?)", (unit, batch, done))
        return done


class RemoteClaims:
    """The actor `Claims` as its readers see it; can be pickled.

    Args:
        ray: the module.
        parts: of the earlier runs.
        inputs: of this run.
        options: of the actor.
    """

    def __init__(self, ray: ModuleType, parts: Iterable[Path], inputs: Inputs, **options: object) -> None:
        self._actor: Any = ray.remote(Claims).options(max_task_retries=-1, **options).remote(parts, inputs)

    def take(self, unit: int, batch: int, pages: Sequence[tuple[bytes, str]]) -> bytes:
        """See `Claims.take`."""
        import ray

        done: bytes = ray.get(self._actor.take.remote(unit, batch, pages))
        return done
