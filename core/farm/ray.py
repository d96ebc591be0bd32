"""Run the workers of a farm on a Ray cluster, one at an address or a new one on this machine.

Each worker is an actor, on any node with room. The driver reads the pages and writes the rows, as without Ray.
"""

from __future__ import annotations

import logging
import os
import socket
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from vclean.errors import UsageError, VcleanError
from vclean.farm.workers import WorkerProcess
from vclean.imports import import_optional

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from vclean.farm.rows import RunSettings, Task, TaskOutcome
    from vclean.settings import CleanerSettings

_WORKER_CPUS: Final = 0.75
"""Processors for a worker. It and its browser wait for each other, so four workers fit on three processors."""

_WORKER_MEMORY: Final = {True: 2**30, False: 2**29}
"""Bytes reserved for a worker, with a browser and without one. On ordinary pages they use up to 830 MB and 290 MB."""

_SPARED: Final = 0.2
_SHARE: Final = 0.95
"""Share of a node's processors, less `_SPARED`, that workers may take. The driver and Ray need room as well."""

_log = logging.getLogger("vclean")


class RayWorker:
    """Worker on any node, with the methods of `WorkerProcess`: an actor that owns a worker process.

    If its node is lost, Ray starts it on another one and repeats its page. The worker process and its browser end with
    the actor, however that ends (see `vclean.farm.worker`).

    Args:
        ray: the connected module: see `connect_to_cluster`.
        cleaning: settings for cleaning pages; the model and the templates have the same path on every node.
        run: execution settings.
    """

    def __init__(self, ray: ModuleType, cleaning: CleanerSettings, run: RunSettings) -> None:
        self._ray = ray
        model, templates = (path and path.absolute() for path in (cleaning.model, cleaning.templates))
        actor = ray.remote(WorkerProcess).options(
            num_cpus=_WORKER_CPUS,
            memory=_WORKER_MEMORY[bool(cleaning.render)],
            max_restarts=-1,
            max_task_retries=-1,
        )
        self._actor = actor.remote(replace(cleaning, model=model, templates=templates), run)

    def run(self, task: Task) -> TaskOutcome:
        """Clean a page.

        Raises:
            VcleanError: as for `WorkerProcess.run`, or Ray failed.
        """
        try:
            outcome: TaskOutcome = self._ray.get(self._actor.run.remote(task))
        except self._ray.exceptions.RayError as error:
            raise _to_vclean_error(error) from error
        return outcome

    def stop(self) -> None:
        """End the worker for good, also during a page."""
        self._ray.kill(self._actor)

    close = stop


def _to_vclean_error(error: Exception) -> VcleanError:
    """Return the error of a worker, else one with Ray's message."""
    cause = getattr(error, "cause", None)
    if isinstance(cause, VcleanError):
        return cause
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return VcleanError(f"Ray failed ({lines[-1] if lines else type(error).__name__}): continue with --resume")


def count_workers(ray: ModuleType, cleaning: CleanerSettings, requested: int | None = None) -> int:
    """Return how many workers run at once on the cluster.

    Args:
        ray: the connected module.
        cleaning: settings for cleaning pages: a browser needs memory.
        requested: maximum number of workers; None for as many as fit.

    Raises:
        UsageError: not even one worker fits.
    """
    fitting, memory = 0, _WORKER_MEMORY[bool(cleaning.render)]
    for node in (node["Resources"] for node in ray.nodes() if node["Alive"]):
        processors = node.get("CPU", 0) * _SHARE - _SPARED
        fitting += max(0, int(min(processors / _WORKER_CPUS, node.get("memory", 0) // memory)))
    if not fitting:
        raise UsageError("no node of the Ray cluster has a processor and 1 GB of memory to spare: add a node")
    return min(requested or fitting, fitting)


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
    if ray.is_initialized():
        yield ray
        return
    _connect(ray, address, log_to_driver=verbose, logging_level=logging.INFO if verbose else logging.ERROR)
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
            socket.create_connection((host, int(port)), timeout=10).close()
        ray.init(address, **options)
    except (OSError, ValueError, RuntimeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise UsageError(
            f"no Ray cluster at {address or 'this machine'} ({reason}): check with `ray status`"
        ) from error
