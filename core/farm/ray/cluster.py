"""The Ray cluster of a run: connected to or started, and how many workers fit on it."""

from __future__ import annotations

import logging
import os
import socket
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Self

from vclean.errors import UsageError, VcleanError
from vclean.imports import need

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from types import ModuleType

WORKER_CPUS: Final = 0.75
"""A worker waits for its browser and its browser for it, so that four fit on three processors."""

TASK_CPUS: Final = 0.1
"""Reading and writing take a hundredth of the time that cleaning takes."""

WORKER_MEMORY: Final = {True: 2**30, False: 2**29}
"""Bytes set aside for a worker, with a browser and without one: on usual pages they take up to 830 MB and 290 MB."""

_SPARED: Final = 0.2
_SHARE: Final = 0.95
"""Workers may take this share of a node's processors, less `_SPARED`: reading and writing need a place on every node,
or those that wait for them hold all processors for ever."""

_PAGES_APART: Final = 8
"""Workers that one reader, and half as many that one writer can serve, many times over."""

_KNOCK_SECONDS: Final = 10

_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True)
class Crew:
    """How many tasks run at once.

    Attributes:
        workers, readers, writers: each at least 1.
    """

    workers: int
    readers: int
    writers: int

    @classmethod
    def of(cls, nodes: Iterable[Mapping[str, float]], *, wanted: int = 0, memory: int = WORKER_MEMORY[True]) -> Self:
        """The crew for a cluster.

        Args:
            nodes: the resources of each node: "CPU", and "memory" in bytes.
            wanted: the number of workers that is wanted at most; 0 for all that fit.
            memory: bytes set aside for each worker.

        Raises:
            UsageError: not even one worker fits.
        """
        nodes = list(nodes)
        fitting = sum(_fitting(node, memory) for node in nodes)
        if not fitting:
            raise UsageError("no node of the Ray cluster has a processor and 1 GB of memory to spare: add a node")
        workers = min(wanted or fitting, fitting)
        left = sum(node.get("CPU", 0) for node in nodes) - workers * WORKER_CPUS
        tasks = max(2, int(left / TASK_CPUS))
        readers = min(max(1, workers // _PAGES_APART), tasks // 2)
        writers = min(max(1, workers // _PAGES_APART // 2), tasks - readers)
        return cls(workers, readers, writers)


def _fitting(node: Mapping[str, float], memory: int) -> int:
    processors = int((node.get("CPU", 0) * _SHARE - _SPARED) / WORKER_CPUS)
    return max(0, min(processors, int(node.get("memory", 0) // memory)))


@contextmanager
def connected(address: str | None) -> Iterator[ModuleType]:
    """The module `ray`, connected to a cluster inside the block.

    Args:
        address: of the cluster; None for the one that is found (`RAY_ADDRESS`, or running on this machine), or else a
            new one on this machine, which ends with the block.

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
    """The module; it says nothing unless we say much, for most of what it says is no news to a user."""
    talkative = _log.isEnabledFor(logging.DEBUG)
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_BACKEND_LOG_LEVEL", "info" if talkative else "fatal")
    ray = need("ray", "Ray")
    need("ray.data", "Ray")
    logging.getLogger("ray.data").setLevel(logging.INFO if talkative else logging.ERROR)
    return ray


def _connect(ray: ModuleType, address: str | None) -> None:
    if address and "://" in address:
        raise UsageError(f"{address} is the address of a Ray client: run vclean on a node, with --address auto")
    talkative = _log.isEnabledFor(logging.DEBUG)
    try:
        _knock(address)
        ray.init(address, log_to_driver=talkative, logging_level=logging.INFO if talkative else logging.ERROR)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UsageError(
            f"no Ray cluster at {address or 'this machine'} ({reason}): check with `ray status`"
        ) from error


def _knock(address: str | None) -> None:
    """See that somebody answers at HOST:PORT; Ray itself would try for ten minutes.

    Raises:
        OSError: nobody does.
    """
    host, colon, port = (address or "").rpartition(":")
    if colon:
        socket.create_connection((host, int(port)), _KNOCK_SECONDS).close()


def alive(ray: ModuleType) -> list[Mapping[str, float]]:
    """The resources of each node that is alive."""
    return [node["Resources"] for node in ray.nodes() if node["Alive"]]


def ours(error: BaseException) -> VcleanError:
    """The error of ours that a task ended with, or else one that says what Ray says."""
    found: BaseException | None = error
    while found is not None:
        if isinstance(found, VcleanError):
            return found
        found = getattr(found, "cause", None) or found.__cause__
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return VcleanError(f"Ray gave up ({lines[-1] if lines else type(error).__name__}): --resume goes on")
