"""The rows of the output: one Arrow record per page, a result or a failure."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.cli.batch import unexpected
from vclean.errors import LimitError, VcleanError
from vclean.farm.tasks import KEY_BYTES, Task, TaskOutcome
from vclean.imports import of_extra
from vclean.labels import Visibility
from vclean.output import json
from vclean.render.storage.cache import read_key

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from vclean.features.blocks import BlockColumns
    from vclean.result import Result

with of_extra("farm", "pyarrow"):
    import pyarrow as pa


VERSION: Final = 1
"""Version of the columns; a reader of another version may find other ones."""

OK: Final = "ok"
FAILED: Final = "failed"

STAGES: Final = ("read", "render", "cut", "label", "pack")
"""What the seconds of a page are told by."""

BOX: Final = pa.struct([(name, pa.float32()) for name in ("x", "y", "w", "h")])
BLOCK: Final = pa.struct(
    [
        ("label", pa.string()),
        ("role", pa.string()),
        ("probability", pa.float32()),
        ("box", BOX),
        ("xpath", pa.string()),
        ("visibility", pa.string()),
        ("text", pa.string()),
    ]
)
SECONDS: Final = pa.struct([(stage, pa.float32()) for stage in STAGES])
_COLUMNS: Final[list[tuple[str, pa.DataType]]] = [
    ("id", pa.string()),
    ("url", pa.string()),
    ("source", pa.string()),
    ("key", pa.binary(KEY_BYTES)),
    ("read_key", pa.binary(KEY_BYTES)),
    ("status", pa.string()),
    ("error", pa.string()),
    ("message", pa.string()),
    ("attempts", pa.int32()),
    ("seconds", SECONDS),
    ("rendered", pa.bool_()),
    ("language", pa.string()),
    ("title", pa.string()),
    ("confidence", pa.float32()),
    ("noscript", pa.bool_()),
    ("build", pa.string()),
    ("method", pa.string()),
    ("model", pa.string()),
    ("block_count", pa.int32()),
    ("kept_count", pa.int32()),
    ("characters", pa.int64()),
    ("text", pa.string()),
    ("cleaneval", pa.string()),
    ("blocks", pa.list_(BLOCK)),
]
SCHEMA: Final = pa.schema(_COLUMNS, metadata={"vclean.schema": str(VERSION)})
"""The columns of a part; `docs/reference/farm-output.md` describes them."""

LIGHT: Final = tuple(name for name in SCHEMA.names if name not in ("read_key", "text", "cleaneval", "blocks"))
"""The columns that are small, which `light` keeps."""


_FACTS: Final = ("url", "rendered", "language", "title", "confidence", "noscript", "build", "method")
_VISIBILITY: Final = [each.name.lower() for each in Visibility]


def of_result(result: Result, task: Task, seconds: Mapping[str, float]) -> pa.RecordBatch:
    """The row of a page that was cleaned.

    Args:
        result: what vclean says of it.
        task: the page.
        seconds: wall clock by stage, of `STAGES`.
    """
    facts = json.facts(result)
    named = {name: facts[name] for name in _FACTS}
    content = {"text": result.to_text(), "cleaneval": result.to_cleaneval(), "blocks": _blocks(result)}
    own = {"status": OK, "model": result.versions.get("model"), "read_key": _read_key(result, task)}
    return _row(_shared(task, seconds) | named | own | _counts(result) | content)


def of_failure(task: Task, error: VcleanError, seconds: Mapping[str, float]) -> pa.RecordBatch:
    """The row of a page that could not be cleaned.

    Args:
        task: the page.
        error: why.
        seconds: wall clock by stage, as far as it came.
    """
    facts = {"status": FAILED, "error": type(error).__name__, "message": str(error)}
    return _row(_shared(task, seconds) | facts)


def light(row: pa.RecordBatch) -> dict[str, Any]:
    """A row as `pages.jsonl` has it: the columns of `LIGHT`, in values that `json` can write.

    Args:
        row: one page, with the columns of `LIGHT` at least.
    """
    facts: dict[str, Any] = row.select(list(LIGHT)).to_pylist()[0]
    seconds = {stage: round(value, 4) for stage, value in facts["seconds"].items() if value is not None}
    confidence = None if facts["confidence"] is None else round(facts["confidence"], 4)
    return facts | {"key": facts["key"].hex(), "seconds": seconds, "confidence": confidence}


def plain(text: str) -> str:
    """The text with `?` for what UTF-8, and so Parquet, cannot hold: lone surrogates."""
    return text.encode("utf-8", "replace").decode()


def _shared(task: Task, seconds: Mapping[str, float]) -> dict[str, Any]:
    """What a row says of a page whatever became of it."""
    return {
        "id": task.page.id,
        "url": task.page.url,
        "source": task.source,
        "key": task.key,
        "attempts": task.attempt,
        "seconds": {stage: seconds.get(stage) for stage in STAGES},
    }


def _read_key(result: Result, task: Task) -> bytes | None:
    """The key that readers look for; they look for rendered pages only, for parsing one is as fast as looking."""
    snapshot, page = result.columns.snapshot, task.page
    return read_key(page, snapshot.settings, rendered=True) if snapshot.rendered and page.content else None


def _row(facts: Mapping[str, Any]) -> pa.RecordBatch:
    arrays = [_array(facts.get(field.name), field.type) for field in SCHEMA]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _array(value: object, kind: pa.DataType) -> pa.Array[Any]:
    if isinstance(value, pa.Array):
        return value
    return pa.array([plain(value) if isinstance(value, str) else value], kind)


def _blocks(result: Result) -> pa.Array[Any]:
    """The blocks of a page as one list, made by columns."""
    blocks, prediction = result.columns, result.prediction
    columns = [
        _strings(map(str, prediction.labels)),
        _strings(prediction.roles) if prediction.roles else pa.nulls(len(blocks), pa.string()),
        pa.array(prediction.probability, pa.float32(), from_pandas=True),
        _boxes(blocks),
        _strings(blocks.xpath),
        pa.array(_VISIBILITY, pa.string()).take(pa.array(blocks.visibility.astype(np.int8), pa.int8())),
        _strings(blocks.text),
    ]
    rows = pa.StructArray.from_arrays(columns, fields=list(BLOCK))
    return pa.ListArray.from_arrays(pa.array([0, len(blocks)], pa.int32()), rows, type=SCHEMA.field("blocks").type)


def _strings(values: Iterable[str | None]) -> pa.Array[Any]:
    return pa.array([value if value is None else plain(value) for value in values], pa.string())


def _boxes(blocks: BlockColumns) -> pa.Array[Any]:
    """The boxes, null where nothing is painted."""
    unknown = [not all(map(math.isfinite, box)) for box in blocks.box.tolist()]
    sides = [pa.array(side, pa.float32()) for side in blocks.box.T]
    return pa.StructArray.from_arrays(sides, fields=list(BOX), mask=pa.array(unknown, pa.bool_()))


def _counts(result: Result) -> dict[str, int]:
    count, kept = len(result.columns), result.content_count
    return {"block_count": count, "kept_count": kept, "characters": len(result.to_text())}


_log = logging.getLogger("vclean")


def failed(task: Task, error: Exception, seconds: dict[str, float] | None = None) -> TaskOutcome:
    """The outcome for a page that failed; what is no error of ours is a bug, or want of memory.

    Args:
        task: the page.
        error: what it failed with.
        seconds: wall clock by stage, as far as it came.
    """
    known = _known(task, error)
    return TaskOutcome(of_failure(task, known, seconds or {}), error=type(known).__name__, seconds=seconds or {})


def _known(task: Task, error: Exception) -> VcleanError:
    if isinstance(error, VcleanError):
        return error
    if isinstance(error, MemoryError):
        return LimitError("the page takes more memory than there is: clean it on a larger machine")
    _log.debug("%s", task.page.id, exc_info=error)
    return VcleanError(f"{unexpected(error)}, with the page")
