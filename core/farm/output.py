"""The output folder of a run: its parts, its log, its summary, and whether it may be written to."""

from __future__ import annotations

import json
import platform
from collections import Counter
from contextlib import ExitStack, contextmanager
from datetime import UTC, datetime
from functools import cached_property, partial
from importlib import metadata
from typing import IO, TYPE_CHECKING, Any, Final, Self

import numpy as np
import pyarrow.compute as pc

from vclean.errors import UsageError
from vclean.farm.parts import PartWriter, forget_failures, part_paths, read_parts, tidy
from vclean.farm.resume import Ledger
from vclean.farm.rows import LIGHT, STAGES, VERSION, light
from vclean.farm.settings import settings_digest, settings_facts
from vclean.files import Replacement, explained, locked, make_folder, write_atomic

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from vclean.farm.settings import RunSettings
    from vclean.farm.stats import Stats
    from vclean.farm.tasks import TaskOutcome
    from vclean.settings import CleanerSettings


PERCENTILES: Final = (50, 90, 99)

_SUMMARY_BATCH: Final = 10_000
_COLUMNS: Final = ("status", "error", "attempts", "seconds", "characters", "block_count", "kept_count")
_COUNTED: Final = ("block_count", "kept_count", "characters")

_LEAST, _MOST = 1e-5, 1e5
_STEP: Final = 1.02
"""Seconds are counted in bins, each 2 % wider than the last, so that a percentile is right within 1 %."""


class Percentiles:
    """Counts seconds, to tell their percentiles."""

    def __init__(self) -> None:
        size = int(np.ceil(np.log(_MOST / _LEAST) / np.log(_STEP))) + 1
        self._bins = np.zeros(size, dtype=np.int64)
        self._sum = 0.0
        self._greatest = 0.0

    def add(self, seconds: NDArray[np.float32]) -> None:
        """Count the seconds of some pages, (n,)."""
        if not len(seconds):
            return
        place = np.log(np.clip(seconds, _LEAST, _MOST) / _LEAST) / np.log(_STEP)
        self._bins += np.bincount(place.astype(np.int64), minlength=len(self._bins))
        self._sum += float(seconds.sum(dtype=np.float64))
        self._greatest = max(self._greatest, float(seconds.max()))

    def to_dict(self) -> dict[str, float] | None:
        """Mean, percentiles and maximum by name; None where nothing was counted."""
        total = int(self._bins.sum())
        if not total:
            return None
        facts = {"mean": self._sum / total} | {f"p{at}": self._percentile(at, total) for at in PERCENTILES}
        return {name: round(value, 5) for name, value in (facts | {"max": self._greatest}).items()}

    def _percentile(self, percent: int, total: int) -> float:
        place = int(np.searchsorted(np.cumsum(self._bins), total * percent / 100))
        return min(float(_LEAST * _STEP ** (place + 0.5)), self._greatest)


def summarise(paths: Sequence[Path]) -> dict[str, Any]:
    """What parts hold: pages, failures by error, attempts after the first, blocks, bytes, seconds by stage.

    Raises:
        InputError: a part cannot be read.
    """
    counts: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    stages = {stage: Percentiles() for stage in STAGES}
    for batch in read_parts(paths, _COLUMNS, _SUMMARY_BATCH):
        counts.update(_counts(batch))
        failed.update(error for error in batch.column("error").to_pylist() if error is not None)
        for stage in STAGES:
            seconds = pc.struct_field(batch.column("seconds"), stage).drop_null()
            stages[stage].add(seconds.to_numpy(zero_copy_only=False))
    files = {"parts": len(paths), "bytes": sum(path.stat().st_size for path in paths)}
    return {
        "pages": counts["pages"],
        "ok": counts["pages"] - failed.total(),
        "failed": dict(sorted(failed.items())),
        "retries": counts["attempts"] - counts["pages"],
        **{name: counts[name] for name in _COUNTED},
        **files,
        "seconds": {stage: seconds.to_dict() for stage, seconds in stages.items()},
    }


def _counts(batch: pa.RecordBatch) -> dict[str, int]:
    sums = {name: pc.sum(batch.column(name)).as_py() or 0 for name in ("attempts", *_COUNTED)}
    return {"pages": batch.num_rows, **sums}


RUN: Final = "run.json"
LOG: Final = "pages.jsonl"
SUMMARY: Final = "summary.json"

_LOCK: Final = ".lock"
_ROWS_AT_ONCE: Final = 1_000


class RunOutput:
    """Takes what became of the pages; a context manager that is the run.

    What was put is kept when the block ends, however it ends.

    Args:
        folder: made if it is not there.
        cleaning: what decides the rows.
        run: how the run works.
        resume: go on with the run that the folder holds, if any.
        retry_failed: drop its failures first.
        stats: the counts of this run, for the summary.

    Attributes:
        failed: when the block has ended, the failures in all parts, by the class name of their error.

    Raises:
        UsageError: the folder holds a run and this one does not resume it, or has other settings; or another process
            writes to it.
        InputError: a part of the run to be resumed is damaged.
        OutputError: the folder cannot be written to.
    """

    def __init__(
        self,
        folder: Path,
        cleaning: CleanerSettings,
        run: RunSettings,
        *,
        resume: bool,
        retry_failed: bool = False,
        stats: Stats | None = None,
    ) -> None:
        self.folder = folder
        self._cleaning = cleaning
        self._run = run
        self._resume = resume
        self._retry_failed = retry_failed
        self._stats = stats
        self._interrupted = False
        self._complete = False
        self.failed: Counter[str] = Counter()
        self._stack = ExitStack()

    @property
    def index_folder(self) -> Path:
        """Where indexes of archives are kept for the next run."""
        return self.folder.absolute() / "index"

    def __enter__(self) -> Self:
        """Begin the run, or go on with it."""
        with ExitStack() as stack:
            stack.enter_context(locked(make_folder(self.folder), _LOCK))
            self._facts = _begin(self.folder, self._cleaning, resume=self._resume)
            tidy(self.folder)
            if self._retry_failed:
                forget_failures(self.folder)
            stack.callback(self._write_summary)
            self._done = part_paths(self.folder)
            self._log = stack.enter_context(_log(self.folder / LOG, self._done))
            self._writer = stack.enter_context(self.part_writer())
            self._stack = stack.pop_all()
        return self

    def __exit__(self, kind: type[BaseException] | None = None, *_: object) -> None:
        """Keep what was put, and write the summary."""
        with self._stack:
            self._writer.commit()
            self._complete = kind is None and not self._interrupted

    @property
    def part_writer(self) -> partial[PartWriter]:
        """Makes writers of parts for this output, in other processes too; `put` has one of its own."""
        return partial(
            PartWriter,
            self.folder.absolute(),
            rows=self._run.part_rows,
            snapshots=self._run.snapshots,
            facts={"vclean.digest": self._facts["digest"], "vclean.versions": json.dumps(self._facts["versions"])},
        )

    def is_done(self, page_id: str, key: bytes, covers: Callable[[str], bool]) -> bool:
        """Whether an earlier run has done a page; every page it did is given once: see `Ledger.take`."""
        return self._ledger.take(key, page_id, covers)

    @cached_property
    def _ledger(self) -> Ledger:
        """Made when it is asked for the first time: other engines ask one of their own."""
        return self._stack.enter_context(Ledger(self._done))

    def put(self, outcome: TaskOutcome) -> None:
        """Take what became of a page: its row, its snapshot if it is to be kept, its line in the log.

        Raises:
            OutputError: it cannot be written.
        """
        self._writer.put(outcome.record, outcome.snapshot)
        self.note(light(outcome.record))

    def note(self, line: Mapping[str, Any]) -> None:
        """Add a page to the log alone, as `vclean.farm.rows.light` gives it: its row is in a part already.

        Raises:
            OutputError: it cannot be written.
        """
        with explained(self.folder / LOG):
            self._log.write(_line(line))

    def interrupt(self) -> None:
        """Have the summary say that there is more to do."""
        self._interrupted = True

    def _write_summary(self) -> None:
        state = {"state": "complete" if self._complete else "interrupted"}
        own = {"run": self._stats.to_dict() if self._stats else None}
        found = summarise(part_paths(self.folder))
        self.failed.update(found["failed"])
        facts = state | found | own | self._facts
        write_atomic(self.folder / SUMMARY, _document(facts))


def _begin(folder: Path, cleaning: CleanerSettings, *, resume: bool) -> dict[str, Any]:
    """What `run.json` says, written if there is none.

    Raises:
        UsageError: the folder holds something else, or a run that is not to be, or cannot be, resumed.
    """
    path = folder / RUN
    if not path.exists():
        if any(each.name != _LOCK for each in folder.iterdir()):
            raise UsageError(f"{folder} holds other files: name a new folder")
        facts = _facts(cleaning)
        write_atomic(path, _document(facts))
        return facts
    if not resume:
        raise UsageError(f"{folder} holds a run already: add --resume, or name another folder")
    return _checked(path, _facts(cleaning))


def _facts(cleaning: CleanerSettings) -> dict[str, Any]:
    versions = {"vclean": metadata.version("vclean"), "python": platform.python_version()}
    return {
        "schema": VERSION,
        "digest": settings_digest(cleaning),
        "settings": settings_facts(cleaning),
        "versions": versions,
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _checked(path: Path, mine: Mapping[str, Any]) -> dict[str, Any]:
    """What `run.json` of the run to be resumed says, if that run works as this one."""
    try:
        facts: dict[str, Any] = json.loads(path.read_bytes())
        theirs = _flat({name: facts[name] for name in ("schema", "digest", "settings")})
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise UsageError(f"{path} is damaged, so that its run cannot be resumed: name another folder") from error
    ours = _flat(json.loads(json.dumps({name: mine[name] for name in ("schema", "digest", "settings")})))
    other = [
        f"{name.removeprefix('settings.')} was {theirs.get(name)!r} and is {ours.get(name)!r}"
        for name in sorted(theirs.keys() | ours.keys())
        if name != "digest" and theirs.get(name) != ours.get(name)
    ]
    if other or theirs["digest"] != ours["digest"]:
        what = "; ".join(other) or "its digest"
        raise UsageError(f"the run in {path.parent} has other settings ({what}): use the same, or another folder")
    return facts


def _flat(facts: Mapping[str, Any], head: str = "") -> dict[str, Any]:
    """Nested names as one, with dots."""
    flat: dict[str, Any] = {}
    for name, value in facts.items():
        flat |= _flat(value, f"{head}{name}.") if isinstance(value, dict) else {head + name: value}
    return flat


@contextmanager
def _log(path: Path, parts: list[Path]) -> Iterator[IO[str]]:
    """The log with a line for each page of the parts, and open for more, which a reader sees at once."""
    with Replacement(path) as file:
        for batch in read_parts(parts, LIGHT, _ROWS_AT_ONCE):
            for row in range(batch.num_rows):
                file.write(_line(light(batch.slice(row, 1))))
    with explained(path), path.open("a", encoding="utf-8", buffering=1) as log:
        yield log


def _line(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n"


def _document(facts: Mapping[str, Any]) -> str:
    return json.dumps(facts, ensure_ascii=False, allow_nan=False, indent=1) + "\n"
