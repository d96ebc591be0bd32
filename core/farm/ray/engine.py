"""Run the farm on a Ray cluster, one at an address or a new one: the same workers, as actors of a Ray Data pipeline.

The stages are units -> read -> clean -> write, connected by streams of chunks of pages. The driver receives only the
log entry of each page, and its memory does not grow with their number. See `vclean.farm.ray.stages`.
"""

from __future__ import annotations

import logging
import os
import secrets
import signal
import socket
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NoReturn, Self, cast

from vclean.errors import UsageError, VcleanError
from vclean.farm.parts import part_paths, remove_leftovers
from vclean.farm.ray.stages import (
    CHUNK_PAGES,
    ChunkCleaner,
    FencingToken,
    PartReport,
    from_table,
    list_units,
    read_chunks,
    remote_claim,
    write_part,
)
from vclean.farm.tasks import settings_digest
from vclean.farm.workers import InterruptedRunError
from vclean.files import write_atomic
from vclean.imports import import_optional

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from types import FrameType, ModuleType

    from vclean.farm.inputs import Inputs
    from vclean.farm.output import RunOutput
    from vclean.farm.stats import Stats
    from vclean.farm.tasks import RunSettings
    from vclean.settings import CleanerSettings

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


@dataclass(frozen=True, slots=True)
class PoolSizes:
    """Numbers of tasks that run at once.

    Attributes:
        workers, readers, writers: each at least 1.
    """

    workers: int
    readers: int
    writers: int

    @classmethod
    def for_nodes(
        cls, nodes: Iterable[Mapping[str, float]], *, requested: int = 0, memory: int = WORKER_MEMORY[True]
    ) -> Self:
        """Compute the numbers for a cluster.

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
        return cls(workers, readers, writers)


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


def alive_nodes(ray: ModuleType) -> list[Mapping[str, float]]:
    """Return the resources of each node that is alive."""
    return [node["Resources"] for node in ray.nodes() if node["Alive"]]


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
        output: on a cluster, in a folder that all nodes share.
        cleaning: settings that determine the rows.
        run: execution settings; `workers` limits the number of actors.
        stats: counts.
        ray: the connected module: see `vclean.farm.ray.engine.connect_to_cluster`.

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
            yield cast("PartReport", from_table(table))


def _stages(ray: ModuleType, inputs: Inputs, output: RunOutput, cleaning: CleanerSettings, run: RunSettings) -> Any:  # noqa: ANN401 - a dataset of Ray
    """Return the stages of a run as a Ray Data pipeline. Each gets tables of one row; writing gets as many as fit."""
    memory = WORKER_MEMORY[bool(cleaning.render)]
    pools = PoolSizes.for_nodes(alive_nodes(ray), requested=run.workers, memory=memory)
    folder = output.folder.absolute()
    fencing_token = _new_fencing_token(folder)
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


def _new_fencing_token(folder: Path) -> FencingToken:
    """Write a new fencing token: tasks that remain from an earlier run can then no longer write."""
    fencing_token = FencingToken(folder / _FENCING_FILE, secrets.token_hex(16))
    write_atomic(fencing_token.path, fencing_token.token)
    return fencing_token


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
