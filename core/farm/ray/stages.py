"""The stages of a run on Ray, each on whatever node there is room: units, reading, cleaning, writing.

What passes between two stages is a table of one row that holds a chunk of pages, and Ray is told to make a block of
every row. So a task that is done again, for Ray lost the node it ran on, gives as many blocks as the first time and the
same pages in each of them: some may have been used already.
"""

from __future__ import annotations

import asyncio
import pickle
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, cast

import pyarrow as pa

from vclean.errors import OutputError
from vclean.farm.executor import CRASHES, MAX_CRASHES, clean, machine_at_fault
from vclean.farm.inputs import read
from vclean.farm.rows import light
from vclean.farm.stats import Stats
from vclean.farm.supervisor import WorkerProcess

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from vclean.farm.inputs import Inputs, InputUnit, UnitReader
    from vclean.farm.parts import PartWriter
    from vclean.farm.ray.claims import Claims, RemoteClaims
    from vclean.farm.settings import RunSettings
    from vclean.farm.tasks import Item, Task, TaskOutcome
    from vclean.settings import CleanerSettings

CHUNK_PAGES: Final = 32
_CHUNK_BYTES: Final = 4 * 2**20
"""A chunk is what Ray gives to a worker at a time, and what is done again when it is lost: some seconds of work."""

_UNIT_ROWS: Final = 5_000
"""Rows of a Parquet file that one reader reads: they are shared out, and do not wait for one."""

_MARK: Final = 32


@dataclass(frozen=True, slots=True)
class Fence:
    """Keeps what is left of a run whose driver is gone from writing into the next run; a file in the output folder.

    Attributes:
        path: the file; on a cluster in a folder that all nodes share.
        token: of this run.
    """

    path: Path
    token: str

    def check(self) -> None:
        """See that this run may write.

        Raises:
            OutputError: another run may, or the folder is another one on this node.
        """
        try:
            token = self.path.read_text(encoding="ascii")
        except OSError as error:
            text = f"{self.path.parent} is not there on every node: name a folder that all nodes share"
            raise OutputError(text) from error
        if token != self.token:
            raise OutputError(f"another run has taken over {self.path.parent}: let it end")


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some pages on their way, from reading to cleaning and from there to writing.

    Attributes:
        place: the number of the unit that they are from, and of the chunk in it: the same whenever it is read.
        pages: pickled one by one: `(Task, TaskOutcome | None)` before they are cleaned, `TaskOutcome` after.
        stats: what was counted on the way.
    """

    place: tuple[int, int]
    pages: list[bytes]
    stats: Stats = field(default_factory=Stats)


@dataclass(frozen=True, slots=True)
class Written:
    """What the driver gets to know of a part: the light rows of its pages, and what was counted on the way."""

    lines: list[dict[str, Any]]
    stats: Stats


def units(_start: pa.Table, inputs: Inputs) -> Iterator[pa.Table]:
    """The units of the input, numbered."""
    for numbered in enumerate(inputs.units(rows=_UNIT_ROWS)):
        yield packed(numbered)


def chunks(
    table: pa.Table, *, reader: UnitReader, digest: str, fence: Fence, claims: Claims | RemoteClaims | None, size: int
) -> Iterator[pa.Table]:
    """The pages of a unit that are left to do.

    Args:
        table: the unit and its number.
        reader: reads it.
        digest: of the settings.
        fence: of this run.
        claims: what earlier runs have done; None for a new run.
        size: pages in a chunk.
    """
    fence.check()
    number, unit = cast("tuple[int, InputUnit]", unpacked(table))
    skipped = 0
    for batch, pages in enumerate(_batches(reader, unit, digest, size)):
        left = [page for page, done in zip(pages, _done(claims, number, batch, pages), strict=True) if not done]
        skipped += len(pages) - len(left)
        if left:
            yield packed(Chunk((number, batch), [pickled for _, pickled in left], Stats(skipped=skipped)))
            skipped = 0
    if skipped:
        yield packed(Chunk((number, -1), [], Stats(skipped=skipped)))


_Page = tuple["Task", bytes]


def _batches(reader: UnitReader, unit: InputUnit, digest: str, size: int) -> Iterator[list[_Page]]:
    """The pages of a unit, so many at a time, fewer where they are large."""
    batch: list[_Page] = []
    weight = 0
    for item in reader.items(unit):
        page = _page(item, digest)
        batch.append(page)
        weight += len(page[1])
        if len(batch) >= size or weight >= _CHUNK_BYTES:
            yield batch
            batch, weight = [], 0
    if batch:
        yield batch


def _page(item: Item, digest: str) -> _Page:
    task, outcome = read(item, digest)
    return task, pickle.dumps((task, outcome))


def _done(claims: Claims | RemoteClaims | None, number: int, batch: int, pages: list[_Page]) -> Iterable[int]:
    if claims is None:
        return bytes(len(pages))
    return claims.take(number, batch, [(task.key, task.page.id) for task, _ in pages])


class Cleaning:
    """Cleans chunks: an actor that owns one worker process.

    Not an asynchronous actor, for those outlive their run: it waits for its worker in an event loop of its own. The
    worker ends by itself, with its browser, when this process does, however that ends (see `vclean.farm.worker`).
    """

    def __init__(self, cleaning: CleanerSettings, run: RunSettings) -> None:
        self._worker = WorkerProcess(cleaning, run)
        self._retries = run.retries
        self._loop = asyncio.Runner()
        self._lost = 0

    def __call__(self, table: pa.Table) -> pa.Table:
        """A chunk, cleaned.

        Raises:
            VcleanError: what keeps every page from being cleaned.
        """
        chunk = cast("Chunk", unpacked(table))
        return packed(Chunk(chunk.place, self._loop.run(self._clean(chunk)), chunk.stats))

    def __del__(self) -> None:
        """End the worker, where the actor ends in peace: Ray drops its callables then."""
        with self._loop:
            self._loop.run(self._worker.close())

    async def _clean(self, chunk: Chunk) -> list[bytes]:
        cleaned = []
        for page in chunk.pages:
            task, failure = pickle.loads(page)
            cleaned.append(pickle.dumps(await self._outcome(task, failure, chunk.stats)))
        return cleaned

    async def _outcome(self, task: Task, failure: TaskOutcome | None, stats: Stats) -> TaskOutcome:
        outcome = failure or await clean(self._worker, task, self._retries, stats)
        self._lost = self._lost + 1 if outcome.error in CRASHES else 0
        if self._lost >= MAX_CRASHES:
            raise machine_at_fault(self._lost)
        return outcome


def write(table: pa.Table, part_writer: Callable[..., PartWriter], fence: Fence) -> pa.Table:
    """Write chunks as one part, whose name is the same whenever it is written in this run.

    Args:
        table: the chunks, one a row.
        part_writer: makes the writer.
        fence: of this run.
    """
    parts: list[Chunk] = [pickle.loads(each.as_py()) for each in table["packed"]]
    stats, lines = Stats(), []
    writer = part_writer(mark=_mark(fence.token, parts))
    for chunk in parts:
        stats.add(chunk.stats)
        for pickled in chunk.pages:
            outcome: TaskOutcome = pickle.loads(pickled)
            writer.put(outcome.record, outcome.snapshot)
            stats.count(outcome)
            lines.append(light(outcome.record))
    try:
        fence.check()
    except OutputError:
        writer.discard()
        raise
    writer.commit()
    return packed(Written(lines, stats))


def _mark(token: str, parts: Iterable[Chunk]) -> bytes:
    text = repr((token, sorted(chunk.place for chunk in parts)))
    return blake2b(text.encode(), digest_size=_MARK).digest()


def packed(value: object) -> pa.Table:
    """A table of one row that holds a value."""
    return pa.table({"packed": pa.array([pickle.dumps(value)], pa.binary())})


def unpacked(table: pa.Table) -> object:
    """The value that a table of one row holds."""
    value: object = pickle.loads(table["packed"][0].as_py())
    return value
