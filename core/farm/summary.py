"""`summary.json`: what all parts of an output hold together, counted in memory that does not grow with them."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow.compute as pc

from vclean.farm.parts import read_parts
from vclean.farm.rows import STAGES

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

PERCENTILES: Final = (50, 90, 99)

_ROWS_AT_ONCE: Final = 10_000
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
    for batch in read_parts(paths, _COLUMNS, _ROWS_AT_ONCE):
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
