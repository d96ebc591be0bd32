"""The farm on a Ray cluster: the same workers, as the actors of a Ray Data pipeline.

units -> read -> clean -> write, every arrow a stream of chunks of pages. The driver sees what `pages.jsonl` says of
each page and nothing else; nothing in it grows with their number. See `vclean.farm.ray.stages`.
"""

from __future__ import annotations

import logging
import secrets
import signal
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, cast

from vclean.errors import VcleanError
from vclean.farm.executor import InterruptedRunError
from vclean.farm.parts import part_paths, tidy
from vclean.farm.ray.claims import RemoteClaims
from vclean.farm.ray.cluster import TASK_CPUS, WORKER_CPUS, WORKER_MEMORY, Crew, alive, ours
from vclean.farm.ray.stages import CHUNK_PAGES, Cleaning, Fence, Written, chunks, units, unpacked, write
from vclean.farm.settings import settings_digest
from vclean.files import write_atomic

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import FrameType, ModuleType

    import pyarrow as pa

    from vclean.farm.inputs import Inputs
    from vclean.farm.output import RunOutput
    from vclean.farm.settings import RunSettings
    from vclean.farm.stats import Stats
    from vclean.settings import CleanerSettings

_FENCE: Final = ".ray-run"
_TABLES: Final = {"batch_format": "pyarrow", "zero_copy_batch": True}
_TRACE: Final = 0.001
_AHEAD: Final = 2
"""Chunks that a worker has at hand, so that it never waits for the next."""

_log = logging.getLogger("vclean")


def run_on_ray(
    inputs: Inputs, output: RunOutput, cleaning: CleanerSettings, run: RunSettings, stats: Stats, *, ray: ModuleType
) -> None:
    """Clean all pages of `inputs` into `output`; `stats` tells how far it is.

    Args:
        inputs: on a cluster, in folders that all nodes share.
        output: likewise.
        cleaning: what decides the rows.
        run: `workers` bounds the actors.
        stats: counts.
        ray: connected: see `vclean.farm.ray.cluster.connected`.

    Raises:
        InterruptedRunError: by SIGINT or SIGTERM.
        VcleanError: what keeps every page from being cleaned, or the output from being written.
    """
    model, templates = (path and path.absolute() for path in (cleaning.model, cleaning.templates))
    cleaning = replace(cleaning, model=model, templates=templates)
    with _interruptible(), _errors_as_ours():
        for written in _Pipeline(ray, inputs, output, cleaning=cleaning, run=run).written():
            for line in written.lines:
                output.note(line)
            stats.add(written.stats)
        tidy(output.folder)  # of tasks that were lost while they wrote


class _Dataset(Protocol):
    """What is used of a Ray Data set."""

    def map_batches(self, function: object, **options: object) -> _Dataset:
        """The dataset whose blocks are what a function makes of those of this one."""

    def iter_batches(self, **options: object) -> Iterable[pa.Table]:
        """The blocks."""


class _Pipeline:
    """The stages of one run, as Ray Data has them."""

    def __init__(
        self, ray: ModuleType, inputs: Inputs, output: RunOutput, *, cleaning: CleanerSettings, run: RunSettings
    ) -> None:
        self._ray = ray
        self._inputs = inputs
        self._output = output
        self._cleaning = cleaning
        self._run = run
        self._memory = WORKER_MEMORY[cleaning.render]
        self._crew = Crew.of(alive(ray), wanted=run.workers, memory=self._memory)
        self._size = min(CHUNK_PAGES, run.part_rows)

    def written(self) -> Iterator[Written]:
        """The parts, as they are written."""
        context = self._ray.data.DataContext.get_current().copy()
        _adjust(context)
        with self._ray.data.DataContext.current(context):
            stages = self._stages(_fence(self._output.folder.absolute()))
            for table in stages.iter_batches(batch_size=None, batch_format="pyarrow", prefetch_batches=0):
                yield cast("Written", unpacked(table))

    def _stages(self, fence: Fence) -> _Dataset:
        start: _Dataset = self._ray.data.from_items([{"start": 0}])
        found = _mapped(start, units, {"inputs": self._inputs}, self._here())
        read = _mapped(found, chunks, self._reading(fence), self._tasks(self._crew.readers))
        cleaned = read.map_batches(
            Cleaning, fn_constructor_args=(self._cleaning, self._run), batch_size=1, **_TABLES, **self._actors()
        )
        writing = {"part_writer": self._output.part_writer, "fence": fence}
        rows = max(1, self._run.part_rows // self._size)
        return _mapped(cleaned, write, writing, self._tasks(self._crew.writers), rows=rows)

    def _reading(self, fence: Fence) -> dict[str, object]:
        parts = part_paths(self._output.folder.absolute())
        return {
            "reader": self._inputs.reader,
            "digest": settings_digest(self._cleaning),
            "fence": fence,
            "claims": RemoteClaims(self._ray, parts, self._inputs, **self._here()) if parts else None,
            "size": self._size,
        }

    def _tasks(self, number: int) -> dict[str, object]:
        return {"compute": self._ray.data.TaskPoolStrategy(size=number), "num_cpus": TASK_CPUS}

    def _actors(self) -> dict[str, object]:
        """A pool that may shrink to one: an actor whose node is gone waits for the place of one that is done."""
        strategy = self._ray.data.ActorPoolStrategy(
            min_size=1,
            max_size=self._crew.workers,
            initial_size=self._crew.workers,
            max_tasks_in_flight_per_actor=_AHEAD,
        )
        return {"compute": strategy, "num_cpus": WORKER_CPUS, "memory": self._memory}

    def _here(self) -> dict[str, object]:
        """For what needs no processor, and files of the driver's own."""
        return {"num_cpus": 0, "resources": {f"node:{self._ray.util.get_node_ip_address()}": _TRACE}}


def _adjust(context: Any) -> None:  # noqa: ANN401 - a DataContext
    """Have Ray Data make a block of every row, and shrink the pool only when there is nothing left to read."""
    context.target_max_block_size = 1
    context.enable_progress_bars = False
    context.autoscaling_config.actor_pool_util_downscaling_threshold = 0.0


def _mapped(
    data: _Dataset, function: object, arguments: dict[str, object], options: dict[str, object], *, rows: int = 1
) -> _Dataset:
    return data.map_batches(function, fn_kwargs=arguments, batch_size=rows, **_TABLES, **options)


def _fence(folder: Path) -> Fence:
    """A new fence: what is left of the run before this one may write no more."""
    fence = Fence(folder / _FENCE, secrets.token_hex(16))
    write_atomic(fence.path, fence.token)
    return fence


@contextmanager
def _interruptible() -> Iterator[None]:
    """Have SIGINT and SIGTERM end the block by an `InterruptedRunError`."""

    def stop(number: int, _frame: FrameType | None) -> NoReturn:
        raise InterruptedRunError(number)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _errors_as_ours() -> Iterator[None]:
    try:
        yield
    except (InterruptedRunError, VcleanError):
        raise
    except Exception as error:
        _log.debug("", exc_info=error)
        raise ours(error) from error
