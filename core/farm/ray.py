"""Run the farm on a Ray cluster, one at an address or a new one: the same workers, as actors of a Ray Data pipeline.

The stages are units -> read -> clean -> write; each runs on any node with room. The driver receives only the log entry
of each page, and its memory does not grow with their number.

Between two stages, a table of one row contains a chunk of pages, and Ray makes a block of every row. If Ray loses a
node and repeats its task, the task returns the same number of blocks with the same pages in each. Some of these blocks
may have been used already.
"""

from __future__ import annotations

import asyncio
import logging
import os
import pickle
import secrets
import signal
import socket
import sqlite3
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, NamedTuple, NoReturn

import pyarrow as pa

from vclean.errors import OutputError, UsageError, VcleanError
from vclean.farm.inputs import read_task
from vclean.farm.parts import ResumeLog, part_paths, remove_leftovers
from vclean.farm.rows import log_entry
from vclean.farm.stats import Stats
from vclean.farm.tasks import settings_digest
from vclean.farm.workers import (
    CRASHES,
    MAX_CRASHES,
    InterruptedRunError,
    WorkerProcess,
    clean_with_retries,
    repeated_crash_error,
)
from vclean.files import write_atomic
from vclean.imports import import_optional

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import FrameType, ModuleType

    from vclean.farm.inputs import Inputs, InputUnit, UnitReader
    from vclean.farm.output import RunOutput
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
    """Token of a run, and its file in the output folder: tasks of an abandoned run cannot write to the next one."""

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
    number, unit = from_table(table)
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
        chunk: Chunk = from_table(table)
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
    task = repr((fencing_token.token, sorted(chunk.position for chunk in chunks)))
    writer = part_writer(mark=blake2b(task.encode(), digest_size=_MARK_BYTES).digest())
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


def to_table(value: object) -> pa.Table:
    """Return a table of one row that contains a value."""
    return pa.table({"packed": pa.array([pickle.dumps(value)], pa.binary())})


def from_table(table: pa.Table) -> Any:  # noqa: ANN401 - see `to_table`
    """Return the value in a table of one row."""
    return pickle.loads(table["packed"][0].as_py())


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


WORKER_CPUS: Final = 0.75
"""Processors for a worker. It and its browser wait for each other, so four workers fit on three processors."""

TASK_CPUS: Final = 0.1
"""Processors for reading and writing, which take a hundredth of the time of cleaning."""

WORKER_MEMORY: Final = {True: 2**30, False: 2**29}
"""Bytes reserved for a worker, with a browser and without one. On ordinary pages they use up to 830 MB and 290 MB."""

_SPARED: Final = 0.2
_SHARE: Final = 0.95
"""Share of a node's processors, less `_SPARED`, that workers may take.

Reading and writing need room on every node. Otherwise workers that wait for them occupy all processors forever.
"""

_WORKERS_PER_READER: Final = 8
"""Workers for one reader; a writer serves twice as many. Both could serve many times more."""

_CONNECT_SECONDS: Final = 10

_log = logging.getLogger("vclean")


class PoolSizes(NamedTuple):
    """Numbers of tasks that run at once, each at least 1."""

    workers: int
    readers: int
    writers: int


def pool_sizes(
    nodes: Iterable[Mapping[str, float]], *, requested: int = 0, memory: int = WORKER_MEMORY[True]
) -> PoolSizes:
    """Compute the numbers of tasks for a cluster.

    Args:
        nodes: resources of each node: "CPU", and "memory" in bytes.
        requested: maximum number of workers; 0 for as many as fit.
        memory: bytes reserved for each worker.

    Raises:
        UsageError: not even one worker fits.
    """
    resources = [(node.get("CPU", 0), node.get("memory", 0)) for node in nodes]
    by_node = (min((cpus * _SHARE - _SPARED) / WORKER_CPUS, size // memory) for cpus, size in resources)
    fitting = sum(max(0, int(workers)) for workers in by_node)
    if not fitting:
        raise UsageError("no node of the Ray cluster has a processor and 1 GB of memory to spare: add a node")
    workers = min(requested or fitting, fitting)
    left = sum(cpus for cpus, _ in resources) - workers * WORKER_CPUS
    tasks = max(2, int(left / TASK_CPUS))
    readers = min(max(1, workers // _WORKERS_PER_READER), tasks // 2)
    writers = min(max(1, workers // _WORKERS_PER_READER // 2), tasks - readers)
    return PoolSizes(workers, readers, writers)


@contextmanager
def connect_to_cluster(address: str | None) -> Iterator[ModuleType]:
    """Connect the module `ray` to a cluster inside the block.

    Args:
        address: address of the cluster. None for a running one (`RAY_ADDRESS`, or on this machine), or else for a new
            one on this machine, which ends with the block.

    Raises:
        ExtraMissingError: Ray is not installed.
        UsageError: there is no cluster at the address.
    """
    verbose = _log.isEnabledFor(logging.DEBUG)  # Ray's messages are hidden otherwise: most do not concern a user
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "info" if verbose else "fatal")
    ray = import_optional("ray", "Ray")
    import_optional("ray.data", "Ray")
    level = logging.INFO if verbose else logging.ERROR
    logging.getLogger("ray.data").setLevel(level)
    if ray.is_initialized():
        yield ray
        return
    _connect(ray, address, log_to_driver=verbose, logging_level=level)
    try:
        yield ray
    finally:
        ray.shutdown()


def _connect(ray: ModuleType, address: str | None, **options: object) -> None:
    if address and "://" in address:
        raise UsageError(f"{address} is the address of a Ray client: run vclean on a node, with --address auto")
    host, colon, port = (address or "").rpartition(":")
    try:
        if colon:  # Ray itself would try for ten minutes
            socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()
        ray.init(address, **options)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UsageError(
            f"no Ray cluster at {address or 'this machine'} ({reason}): check with `ray status`"
        ) from error


def to_vclean_error(error: BaseException) -> VcleanError:
    """Return the `VcleanError` that caused the failure of a task, else one with Ray's message."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, VcleanError):
            return cause
        cause = getattr(cause, "cause", None) or cause.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return VcleanError(f"Ray failed ({lines[-1] if lines else type(error).__name__}): continue with --resume")


_FENCING_FILE: Final = ".ray-run"
_TABLES: Final = {"batch_format": "pyarrow", "zero_copy_batch": True}
_TRACE: Final = 0.001
_AHEAD: Final = 2
"""Chunks queued for a worker, so it never waits for the next one."""


def run_on_ray(
    inputs: Inputs, output: RunOutput, cleaning: CleanerSettings, run: RunSettings, stats: Stats, *, ray: ModuleType
) -> None:
    """Clean all pages of `inputs` into `output`; `stats` reports the progress.

    Args:
        inputs: on a cluster, in folders that all nodes share.
        output: likewise.
        cleaning: settings that determine the rows.
        run: execution settings; `workers` limits the number of actors.
        stats: counts.
        ray: the connected module: see `connect_to_cluster`.

    Raises:
        InterruptedRunError: SIGINT or SIGTERM was received.
        VcleanError: an error that every page would repeat, or the output cannot be written.
    """
    model, templates = (path and path.absolute() for path in (cleaning.model, cleaning.templates))
    cleaning = replace(cleaning, model=model, templates=templates)
    try:
        with _raise_on_signals() as received:
            for report in _run_pipeline(ray, inputs, output, cleaning, run):
                for entry in report.entries:
                    output.log(entry)
                stats.add(report.stats)
                if received:
                    raise InterruptedRunError(received[0])
            remove_leftovers(output.folder)  # files of tasks that were lost while writing
    except (InterruptedRunError, VcleanError):
        raise
    except Exception as error:  # Ray raises many types, and wraps those of workers
        _log.debug("", exc_info=error)
        raise to_vclean_error(error) from error


def _run_pipeline(
    ray: ModuleType, inputs: Inputs, output: RunOutput, cleaning: CleanerSettings, run: RunSettings
) -> Iterator[PartReport]:
    """Run the stages, and yield a report of each part when it is written."""
    context = ray.data.DataContext.get_current().copy()
    context.target_max_block_size = 1  # a block for every row
    context.enable_progress_bars = False
    context.autoscaling_config.actor_pool_util_downscaling_threshold = 0.0  # until nothing is left to read
    with ray.data.DataContext.current(context):
        stages = _stages(ray, inputs, output, cleaning, run)
        for table in stages.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
            yield from_table(table)


def _stages(ray: ModuleType, inputs: Inputs, output: RunOutput, cleaning: CleanerSettings, run: RunSettings) -> Any:  # noqa: ANN401 - a dataset of Ray
    """Return the stages of a run as a Ray Data pipeline. Each gets tables of one row; writing gets as many as fit."""
    memory = WORKER_MEMORY[bool(cleaning.render)]
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    pools = pool_sizes(nodes, requested=run.workers, memory=memory)
    folder = output.folder.absolute()
    fencing_token = FencingToken(folder / _FENCING_FILE, secrets.token_hex(16))
    write_atomic(fencing_token.path, fencing_token.token)
    # Without a processor, and on the driver's node, because they read its files.
    on_driver = {"num_cpus": 0, "resources": {f"node:{ray.util.get_node_ip_address()}": _TRACE}}
    parts = part_paths(folder)
    size = min(CHUNK_PAGES, run.part_rows)
    reading = {
        "reader": inputs.reader,
        "digest": settings_digest(cleaning),
        "fencing_token": fencing_token,
        "claim": remote_claim(ray, parts, inputs, **on_driver) if parts else None,
        "size": size,
    }
    writing = {"part_writer": output.part_writer, "fencing_token": fencing_token}
    # A pool that may shrink to one: an actor of a lost node then waits for a free slot.
    actors = ray.data.ActorPoolStrategy(
        min_size=1, max_size=pools.workers, initial_size=pools.workers, max_tasks_in_flight_per_actor=_AHEAD
    )

    def tasks(number: int) -> dict[str, object]:
        return {"compute": ray.data.TaskPoolStrategy(size=number), "num_cpus": TASK_CPUS, **_TABLES}

    return (
        ray.data.from_items([{"start": 0}])
        .map_batches(list_units, fn_kwargs={"inputs": inputs}, batch_size=1, **_TABLES, **on_driver)
        .map_batches(read_chunks, fn_kwargs=reading, batch_size=1, **tasks(pools.readers))
        .map_batches(
            ChunkCleaner,
            fn_constructor_args=(cleaning, run),
            batch_size=1,
            **_TABLES,
            compute=actors,
            num_cpus=WORKER_CPUS,
            memory=memory,
        )
        .map_batches(write_part, fn_kwargs=writing, batch_size=max(1, run.part_rows // size), **tasks(pools.writers))
    )


@contextmanager
def _raise_on_signals() -> Iterator[list[int]]:
    """Raise an `InterruptedRunError` in the block on SIGINT or SIGTERM; yield the list of the received signals.

    The error is lost if the signal comes while Ray ignores errors, such as in a destructor. The list has it even then.
    """
    received: list[int] = []

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        received.append(number)
        raise InterruptedRunError(number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield received
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
