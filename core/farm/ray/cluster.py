"""Connect to a Ray cluster or start one, and compute how many workers fit on it."""

from __future__ import annotations

import logging
import os
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from vclean.errors import UsageError, VcleanError
from vclean.imports import import_optional

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import ModuleType

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
        nodes = list(nodes)
        fitting = sum(_workers_on(node, memory) for node in nodes)
        if not fitting:
            raise UsageError("no node of the Ray cluster has a processor and 1 GB of memory to spare: add a node")
        workers = min(requested or fitting, fitting)
        left = sum(node.get("CPU", 0) for node in nodes) - workers * WORKER_CPUS
        tasks = max(2, int(left / TASK_CPUS))
        readers = min(max(1, workers // _WORKERS_PER_READER), tasks // 2)
        writers = min(max(1, workers // _WORKERS_PER_READER // 2), tasks - readers)
        return cls(workers, readers, writers)


def _workers_on(node: Mapping[str, float], memory: int) -> int:
    by_cpu = int((node.get("CPU", 0) * _SHARE - _SPARED) / WORKER_CPUS)
    return max(0, min(by_cpu, int(node.get("memory", 0) // memory)))


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
    ray = _ray()
    if ray.is_initialized():
        yield ray
        return
    _connect(ray, address)
    try:
        yield ray
    finally:
        ray.shutdown()


def _ray() -> ModuleType:
    """Import Ray. Its messages are hidden unless the log level is DEBUG: most do not concern a user."""
    verbose = _log.isEnabledFor(logging.DEBUG)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "info" if verbose else "fatal")
    ray = import_optional("ray", "Ray")
    import_optional("ray.data", "Ray")
    logging.getLogger("ray.data").setLevel(logging.INFO if verbose else logging.ERROR)
    return ray


def _connect(ray: ModuleType, address: str | None) -> None:
    if address and "://" in address:
        raise UsageError(f"{address} is the address of a Ray client: run vclean on a node, with --address auto")
    verbose = _log.isEnabledFor(logging.DEBUG)
    try:
        _check_reachable(address)
        ray.init(address, log_to_driver=verbose, logging_level=logging.INFO if verbose else logging.ERROR)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UsageError(
            f"no Ray cluster at {address or 'this machine'} ({reason}): check with `ray status`"
        ) from error


def _check_reachable(address: str | None) -> None:
    """Check that HOST:PORT accepts connections; Ray itself would try for ten minutes.

    Raises:
        OSError: it does not.
    """
    host, colon, port = (address or "").rpartition(":")
    if colon:
        socket.create_connection((host, int(port)), _CONNECT_SECONDS).close()


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
