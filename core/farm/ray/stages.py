"""Define the stages of a run on Ray: units, reading, cleaning, writing. Each runs on any node with room.

Between two stages, a table of one row contains a chunk of pages, and Ray makes a block of every row. If Ray loses a
node and repeats its task, the task returns the same number of blocks with the same pages in each. Some of these blocks
may have been used already.
"""

from __future__ import annotations

import asyncio
import pickle
import sqlite3
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, cast

import pyarrow as pa

from vclean.errors import OutputError
from vclean.farm.inputs import read_task
from vclean.farm.parts import ResumeLog
from vclean.farm.rows import log_entry
from vclean.farm.stats import Stats
from vclean.farm.workers import CRASHES, MAX_CRASHES, WorkerProcess, clean_with_retries, repeated_crash_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path
    from types import ModuleType

    from vclean.farm.inputs import Inputs, InputUnit, UnitReader
    from vclean.farm.parts import PartWriter
    from vclean.farm.tasks import RunSettings, Task, TaskOutcome
    from vclean.settings import CleanerSettings

    Claim = Callable[[int, int, Sequence[tuple[bytes, str]]], bytes]
    """Method `Claims.claim` of an actor."""


CHUNK_PAGES: Final = 32
_CHUNK_BYTES: Final = 4 * 2**20
"""Bytes that end a chunk before `CHUNK_PAGES` does. Ray assigns and repeats work by chunks: some seconds each."""

_UNIT_ROWS: Final = 5_000
"""Rows of a Parquet file for one reader: several readers share a large file."""

_MARK_BYTES: Final = 32


@dataclass(frozen=True, slots=True)
class FencingToken:
    """Token of a run in a file of the output folder. It stops tasks of an abandoned run from writing to the next run.

    Attributes:
        path: the file; on a cluster in a folder that all nodes share.
        token: token of this run.
    """

    path: Path
    token: str

    def check(self) -> None:
        """Check that this run may write.

        Raises:
            OutputError: another run may, or the folder is another one on this node.
        """
        try:
            token = self.path.read_text(encoding="ascii")
        except OSError as error:
            text = f"{self.path.parent} does not exist on every node: name a folder that all nodes share"
            raise OutputError(text) from error
        if token != self.token:
            raise OutputError(f"another run writes to {self.path.parent} now: wait for its end")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Pages that pass from reading to cleaning, or from cleaning to writing.

    Attributes:
        position: number of their unit, and of the chunk in it: the same whenever the unit is read.
        pages: pickled one by one: `(Task, TaskOutcome | None)` before cleaning, `TaskOutcome` after it.
        stats: counts of the earlier stages.
    """

    position: tuple[int, int]
    pages: list[bytes]
    stats: Stats = field(default_factory=Stats)


@dataclass(frozen=True, slots=True)
class PartReport:
    """Report of a part to the driver: the log entries of its pages, and the counts of all stages."""

    entries: list[dict[str, Any]]
    stats: Stats


def list_units(_start: pa.Table, inputs: Inputs) -> Iterator[pa.Table]:
    """Yield the units of the input with their numbers; with a limit, those of the first pages."""
    for numbered in enumerate(inputs.first_units(rows=_UNIT_ROWS)):
        yield to_table(numbered)


def read_chunks(
    table: pa.Table,
    *,
    reader: UnitReader,
    digest: str,
    fencing_token: FencingToken,
    claim: Claim | None,
    size: int,
) -> Iterator[pa.Table]:
    """Yield the remaining pages of a unit as chunks.

    Args:
        table: the unit and its number.
        reader: reader of the unit.
        digest: digest of the settings.
        fencing_token: token of this run.
        claim: returns which pages earlier runs have done, see `Claims.claim`; None for a new run.
        size: pages in a chunk.
    """
    fencing_token.check()
    number, unit = cast("tuple[int, InputUnit]", from_table(table))
    skipped = 0
    for batch, pages in enumerate(_read_batches(reader, unit, digest, size)):
        keys = [(task.key, task.page.id) for task, _ in pages]
        done = claim(number, batch, keys) if claim else bytes(len(pages))
        remaining = [pickled for (_, pickled), is_done in zip(pages, done, strict=True) if not is_done]
        skipped += len(pages) - len(remaining)
        if remaining:
            yield to_table(Chunk((number, batch), remaining, Stats(skipped=skipped)))
            skipped = 0
    if skipped:
        yield to_table(Chunk((number, -1), [], Stats(skipped=skipped)))


def _read_batches(reader: UnitReader, unit: InputUnit, digest: str, size: int) -> Iterator[list[tuple[Task, bytes]]]:
    """Yield the pages of a unit, also pickled, in batches of `size`; batches of large pages are smaller."""
    batch: list[tuple[Task, bytes]] = []
    size_bytes = 0
    for item in reader.items(unit):
        task, outcome = read_task(item, digest)
        batch.append((task, pickle.dumps((task, outcome))))
        size_bytes += len(batch[-1][1])
        if len(batch) >= size or size_bytes >= _CHUNK_BYTES:
            yield batch
            batch, size_bytes = [], 0
    if batch:
        yield batch


class ChunkCleaner:
    """Clean chunks: an actor that owns one worker process.

    It is not an asynchronous actor, because those outlive their run: it waits for its worker in its own event loop. The
    worker and its browser end with this process, however that ends (see `vclean.farm.worker`).
    """

    def __init__(self, cleaning: CleanerSettings, run: RunSettings) -> None:
        self._worker = WorkerProcess(cleaning, run)
        self._retries = run.retries
        self._loop = asyncio.Runner()
        self._lost = 0

    def __call__(self, table: pa.Table) -> pa.Table:
        """Clean a chunk.

        Raises:
            VcleanError: an error that every page would repeat.
        """
        chunk = cast("Chunk", from_table(table))
        return to_table(Chunk(chunk.position, self._loop.run(self._clean(chunk)), chunk.stats))

    def __del__(self) -> None:
        """End the worker. Ray deletes its callables when an actor ends normally."""
        with self._loop:
            self._loop.run(self._worker.close())

    async def _clean(self, chunk: Chunk) -> list[bytes]:
        cleaned = []
        for page in chunk.pages:
            task, failure = pickle.loads(page)
            outcome = failure or await clean_with_retries(self._worker, task, self._retries, chunk.stats)
            self._lost = self._lost + 1 if outcome.error in CRASHES else 0
            if self._lost >= MAX_CRASHES:
                raise repeated_crash_error(self._lost)
            cleaned.append(pickle.dumps(outcome))
        return cleaned


def write_part(table: pa.Table, part_writer: Callable[..., PartWriter], fencing_token: FencingToken) -> pa.Table:
    """Write chunks as one part. A repeated task writes a part of the same name.

    Args:
        table: the chunks, one in each row.
        part_writer: factory of the writer.
        fencing_token: token of this run.
    """
    chunks: list[Chunk] = [pickle.loads(each.as_py()) for each in table["packed"]]
    stats, entries = Stats(), []
    writer = part_writer(mark=_task_mark(fencing_token.token, chunks))
    for chunk in chunks:
        stats.add(chunk.stats)
        for pickled in chunk.pages:
            outcome: TaskOutcome = pickle.loads(pickled)
            writer.write(outcome.record, outcome.snapshot)
            stats.count(outcome)
            entries.append(log_entry(outcome.record))
    try:
        fencing_token.check()
    except OutputError:
        writer.discard()
        raise
    writer.commit()
    return to_table(PartReport(entries, stats))


def _task_mark(token: str, chunks: Iterable[Chunk]) -> bytes:
    text = repr((token, sorted(chunk.position for chunk in chunks)))
    return blake2b(text.encode(), digest_size=_MARK_BYTES).digest()


def to_table(value: object) -> pa.Table:
    """Return a table of one row that contains a value."""
    return pa.table({"packed": pa.array([pickle.dumps(value)], pa.binary())})


def from_table(table: pa.Table) -> object:
    """Return the value in a table of one row."""
    value: object = pickle.loads(table["packed"][0].as_py())
    return value


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


def remote_claim(ray: ModuleType, parts: Iterable[Path], inputs: Inputs, **options: object) -> Claim:
    """Start the actor `Claims`, with these options, and return its method `claim`; picklable."""
    return partial(_claim, ray.remote(Claims).options(max_task_retries=-1, **options).remote(parts, inputs))


def _claim(actor: Any, unit: int, batch: int, pages: Sequence[tuple[bytes, str]]) -> bytes:  # noqa: ANN401 - of Ray
    import ray

    done: bytes = ray.get(actor.claim.remote(unit, batch, pages))
    return done
