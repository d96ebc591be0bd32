"""Build the output rows: one Arrow record for each page, a result or a failure."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.characters import replace_surrogates
from vclean.cli.batch import describe_unexpected
from vclean.errors import BrowserMissingError, LimitError, ModelError, NotHtmlError, UsageError, VcleanError
from vclean.farm.tasks import KEY_BYTES, Task, TaskOutcome
from vclean.imports import requires_extra
from vclean.labels import Visibility
from vclean.metadata import LISTS, PAGE_FIELDS
from vclean.output import json
from vclean.render.cache import read_key
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vclean.features.blocks import BlockColumns
    from vclean.features.segments.segments import Segments
    from vclean.records import Item, Post, Product, Recipe
    from vclean.result import Result

with requires_extra("farm", "pyarrow"):
    import pyarrow as pa


VERSION: Final = 2
"""Version of the columns. A reader of another version may find other columns."""

FATAL_ERRORS: Final = (BrowserMissingError, ModelError, UsageError)
"""Errors that every page would repeat. They end the run, and no page gets a failure row for them."""

OK: Final = "ok"
FAILED: Final = "failed"
SKIPPED: Final = "skipped"
"""Status of files that are no pages, such as images."""

STAGES: Final = ("read", "render", "extract", "label", "pack")
"""Stages by which the wall clock of a page is divided."""

BOX: Final = pa.struct([(name, pa.float32()) for name in ("x", "y", "w", "h")])
BLOCK: Final = pa.struct(
    [
        ("label", pa.string()),
        ("role", pa.string()),
        ("kind", pa.string()),
        ("probability", pa.float32()),
        ("box", BOX),
        ("xpath", pa.string()),
        ("visibility", pa.string()),
        ("technique", pa.string()),
        ("text", pa.string()),
    ]
)
SEGMENT: Final = pa.struct(
    [
        ("parent", pa.int32()),
        ("doc", pa.int32()),
        ("role", pa.string()),
        ("content_share", pa.float32()),
        ("box", BOX),
        ("xpaths", pa.list_(pa.string())),
        ("text", pa.string()),
    ]
)
"""Segment of a page; `parent` is the row of the segment around it, -1 for the page."""
_LIST_FIELDS: Final = frozenset(LISTS)
METADATA: Final = pa.struct(
    [(name, pa.list_(pa.string()) if name in _LIST_FIELDS else pa.string()) for name in PAGE_FIELDS]
)
"""Metadata of the page; null where there is no probable value."""
EVIDENCE: Final = pa.struct(
    [("field", pa.string()), ("source", pa.string()), ("property", pa.string()), ("probability", pa.float32()),
     ("xpath", pa.string()), ("box", BOX)]
)  # fmt: skip
"""Where a value of the metadata comes from, and how sure it is."""
_PLACE: Final[list[tuple[str, pa.DataType]]] = [
    ("box", BOX),
    ("xpath", pa.string()),
    ("blocks", pa.list_(pa.int32())),
]
_POST: Final[list[tuple[str, pa.DataType]]] = [
    *((name, pa.string()) for name in ("author", "date", "date_text", "text")),
    *((name, pa.int32()) for name in ("depth", "parent")),
    *_PLACE,
]
_ITEM: Final[list[tuple[str, pa.DataType]]] = [
    *((name, pa.string()) for name in ("title", "link", "image", "price", "snippet")),
    *_PLACE,
]
POST, ITEM = pa.struct(_POST), pa.struct(_ITEM)
_SUBJECT_PLACE: Final[list[tuple[str, pa.DataType]]] = [("box", BOX), ("blocks", pa.list_(pa.int32()))]
_PRODUCT: Final[list[tuple[str, pa.DataType]]] = [
    *((name, pa.string()) for name in ("name", "brand", "price", "price_text", "currency")),
    ("numbers", pa.list_(pa.string())),
    *_SUBJECT_PLACE,
]
_RECIPE: Final[list[tuple[str, pa.DataType]]] = [
    ("name", pa.string()),
    *((name, pa.list_(pa.string())) for name in ("ingredients", "steps")),
    *_SUBJECT_PLACE,
]
PRODUCT, RECIPE = pa.struct(_PRODUCT), pa.struct(_RECIPE)
SECONDS: Final = pa.struct([(stage, pa.float32()) for stage in STAGES])
_COLUMNS: Final[list[tuple[str, pa.DataType]]] = [
    ("id", pa.string()),
    ("url", pa.string()),
    ("source", pa.string()),
    ("record_id", pa.string()),
    ("record_date", pa.string()),
    ("key", pa.binary(KEY_BYTES)),
    ("read_key", pa.binary(KEY_BYTES)),
    ("status", pa.string()),
    ("error", pa.string()),
    ("message", pa.string()),
    ("empty", pa.string()),
    ("attempts", pa.int32()),
    ("seconds", SECONDS),
    ("rendered", pa.bool_()),
    ("render_reason", pa.string()),
    ("render_change", pa.float32()),
    ("language", pa.string()),
    ("title", pa.string()),
    ("metadata", METADATA),
    ("evidence", pa.list_(EVIDENCE)),
    ("confidence", pa.float32()),
    ("noscript", pa.bool_()),
    ("build", pa.string()),
    ("method", pa.string()),
    ("model", pa.string()),
    ("block_count", pa.int32()),
    ("kept_count", pa.int32()),
    ("characters", pa.int64()),
    ("revealable_words", pa.int64()),
    ("hidden_words", pa.int64()),
    ("injection_suspect", pa.bool_()),
    ("text", pa.string()),
    ("cleaneval", pa.string()),
    ("blocks", pa.list_(BLOCK)),
    ("posts", pa.list_(POST)),
    ("items", pa.list_(ITEM)),
    ("product", PRODUCT),
    ("recipe", RECIPE),
    ("segments", pa.list_(SEGMENT)),
]
SCHEMA: Final = pa.schema(_COLUMNS, metadata={"vclean.schema": str(VERSION)})
"""Columns of a part, described in `docs/reference/farm-output.md`."""

_LARGE: Final = frozenset(
    (
        "read_key",
        "metadata",
        "evidence",
        "text",
        "cleaneval",
        "blocks",
        "posts",
        "items",
        "product",
        "recipe",
        "segments",
    )
)
LOG_COLUMNS: Final = tuple(name for name in SCHEMA.names if name not in _LARGE)
"""Small columns, which `log_entry` selects."""


_METADATA_COLUMNS: Final = ("url", "rendered", "language", "title", "confidence", "noscript", "build", "method")
_VISIBILITY: Final = [each.name.lower() for each in Visibility]
_TECHNIQUES: Final = [each.technique or None for each in Hidden]


def result_row(
    result: Result, task: Task, seconds: Mapping[str, float], *, segments: Segments | None = None
) -> pa.RecordBatch:
    """Build the row of a cleaned page.

    Args:
        result: result of the page.
        task: the page.
        seconds: wall clock by stage, of `STAGES`.
        segments: the segments of the page, if they were requested.
    """
    facts = json.page_fields(result)
    metadata = {name: facts[name] for name in _METADATA_COLUMNS}
    metadata |= {"metadata": _metadata_array(facts["metadata"]), "evidence": _evidence_array(facts["metadata"])}
    content = {"text": result.to_text(), "cleaneval": result.to_cleaneval(), "blocks": _blocks_array(result)}
    content |= {"posts": _records_array(result.posts, POST), "items": _records_array(result.items, ITEM)}
    content |= {
        "product": pa.array([_record(result.product)], PRODUCT),
        "recipe": pa.array([_record(result.recipe)], RECIPE),
    }
    farm_columns = {
        "segments": None if segments is None else _segments_array(segments),
        "status": OK,
        "message": "; ".join(facts["notes"]) or None,
        "empty": facts["empty"],
        "model": result.versions.get("model"),
        "read_key": _read_key(result, task),
        "render_reason": result.render_reason or None,
        "render_change": result.render_change,
    }
    return _build_row(_common_columns(task, seconds) | metadata | farm_columns | _count_columns(result) | content)


def failure_row(task: Task, error: VcleanError, seconds: Mapping[str, float]) -> pa.RecordBatch:
    """Build the row of a page that could not be cleaned.

    Args:
        task: the page.
        error: reason of the failure.
        seconds: wall clock of the completed stages.
    """
    status = SKIPPED if isinstance(error, NotHtmlError) else FAILED
    failure = {"status": status, "error": type(error).__name__, "message": str(error)}
    return _build_row(_common_columns(task, seconds) | failure)


def log_entry(row: pa.RecordBatch) -> dict[str, Any]:
    """Return a row as `pages.jsonl` has it: the columns of `LOG_COLUMNS`, in values that `json` can write.

    Args:
        row: one page, with at least the columns of `LOG_COLUMNS`.
    """
    entry: dict[str, Any] = row.select(list(LOG_COLUMNS)).to_pylist()[0]
    seconds = {stage: round(value, 4) for stage, value in entry["seconds"].items() if value is not None}
    confidence = None if entry["confidence"] is None else round(entry["confidence"], 4)
    change = None if entry["render_change"] is None else round(entry["render_change"], 4)
    rounded = {"seconds": seconds, "confidence": confidence, "render_change": change}
    return entry | {"key": entry["key"].hex()} | rounded


def _common_columns(task: Task, seconds: Mapping[str, float]) -> dict[str, Any]:
    """Return the columns that results and failures share."""
    return {
        "id": task.page.id,
        "url": task.page.url,
        "source": task.source,
        "record_id": task.page.record_id or None,
        "record_date": task.page.record_date or None,
        "key": task.key,
        "attempts": task.attempt,
        "seconds": {stage: seconds.get(stage) for stage in STAGES},
    }


def _read_key(result: Result, task: Task) -> bytes | None:
    """Return the key of the page's snapshot; None for parsed pages, because parsing is as fast as a lookup."""
    snapshot, page = result.columns.snapshot, task.page
    return read_key(page, snapshot.settings, rendered=True) if snapshot.rendered and page.content else None


def _build_row(values: Mapping[str, Any]) -> pa.RecordBatch:
    arrays = [_to_array(values.get(field.name), field.type) for field in SCHEMA]
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _to_array(value: object, data_type: pa.DataType) -> pa.Array[Any]:
    if isinstance(value, pa.Array):
        return value
    return pa.array([replace_surrogates(value) if isinstance(value, str) else value], data_type)


def _blocks_array(result: Result) -> pa.Array[Any]:
    """Convert the blocks of a page to an array of one list, column by column."""
    blocks, prediction = result.columns, result.prediction
    columns = [
        _string_array(map(str, prediction.labels)),
        _string_array(result.roles),
        _string_array(result.kinds),
        pa.array(prediction.probability, pa.float32(), from_pandas=True),
        _box_array(blocks),
        _string_array(blocks.xpath),
        pa.array(_VISIBILITY, pa.string()).take(pa.array(blocks.visibility.astype(np.int8), pa.int8())),
        pa.array(_TECHNIQUES, pa.string()).take(pa.array(blocks.technique.astype(np.int8), pa.int8())),
        _string_array(blocks.text),
    ]
    rows = pa.StructArray.from_arrays(columns, fields=list(BLOCK))
    return pa.ListArray.from_arrays(pa.array([0, len(blocks)], pa.int32()), rows, type=SCHEMA.field("blocks").type)


def _metadata_array(fields: Mapping[str, Any]) -> pa.Array[Any]:
    """Convert the metadata of a page, as JSON has it, to an array of one struct."""
    values = {
        name: list(map(replace_surrogates, value)) if name in _LIST_FIELDS else replace_surrogates(value)
        for name, value in fields.items()
        if name in PAGE_FIELDS
    }
    return pa.array([values], METADATA)


def _evidence_array(fields: Mapping[str, Any]) -> pa.Array[Any]:
    """Convert the evidence of the metadata of a page to an array of one list."""
    rows = [
        {**evidence, "field": name, "box": evidence["box"] and dict(zip("xywh", evidence["box"], strict=True))}
        for name, evidence in fields["evidence"].items()
    ]
    return pa.array([rows], pa.list_(EVIDENCE))


def _segments_array(segments: Segments) -> pa.Array[Any]:
    """Convert the segments of a page, in document order, to an array of one list."""
    rows = [
        {
            "parent": int(segments.parent[row]),
            "doc": int(segments.coherence[row]),
            "role": segments.roles[row] if segments.roles else None,
            "content_share": None if math.isnan(share := float(segments.content_share[row])) else share,
            "box": dict(zip("xywh", segments.box[row].tolist(), strict=True)),
            "xpaths": [segments.xpath(node) for node in segments.roots[row]],
            "text": replace_surrogates(segments.segment_text(row)),
        }
        for row in range(len(segments))
    ]
    return pa.array([rows], pa.list_(SEGMENT))


def _records_array(records: Sequence[Post | Item], data_type: pa.DataType) -> pa.Array[Any]:
    """Convert posts or items to an array of one list."""
    return pa.array([[_record(each) for each in records]], pa.list_(data_type))


def _record(record: Post | Item | Product | Recipe | None) -> dict[str, Any] | None:
    """Return the values of a record for Arrow; None without one."""
    if record is None:
        return None
    row = {name: _storable(value) for name, value in json.record_fields(record).items()}
    return row | {"box": row["box"] and dict(zip(("x", "y", "w", "h"), row["box"], strict=True))}


def _storable(value: Any) -> Any:  # noqa: ANN401 - a field may have any type
    if isinstance(value, list):
        return [_storable(each) for each in value]
    return replace_surrogates(value) if isinstance(value, str) else value


def _string_array(values: Iterable[str | None]) -> pa.Array[Any]:
    return pa.array([value if value is None else replace_surrogates(value) for value in values], pa.string())


def _box_array(blocks: BlockColumns) -> pa.Array[Any]:
    """Convert the boxes to an array, with null for blocks that are not painted."""
    unpainted = [not all(map(math.isfinite, box)) for box in blocks.box.tolist()]
    sides = [pa.array(side, pa.float32()) for side in blocks.box.T]
    return pa.StructArray.from_arrays(sides, fields=list(BOX), mask=pa.array(unpainted, pa.bool_()))


def _count_columns(result: Result) -> dict[str, int | bool]:
    hidden = json.hidden_facts(result)
    return {
        "block_count": len(result.columns),
        "kept_count": result.content_count,
        "characters": len(result.to_text()),
        **{name: hidden[name] for name in ("revealable_words", "hidden_words", "injection_suspect")},
    }


_log = logging.getLogger("vclean")


def failed_outcome(task: Task, error: Exception, seconds: dict[str, float] | None = None) -> TaskOutcome:
    """Return the outcome of a page that failed. An error that is not a `VcleanError` is a bug, or a lack of memory.

    Args:
        task: the page.
        error: error of the page.
        seconds: wall clock of the completed stages.
    """
    failure = _to_vclean_error(task, error)
    return TaskOutcome(failure_row(task, failure, seconds or {}), error=type(failure).__name__, seconds=seconds or {})


def _to_vclean_error(task: Task, error: Exception) -> VcleanError:
    if isinstance(error, VcleanError):
        return error
    if isinstance(error, MemoryError):
        return LimitError("the page needs more memory than this machine has: clean it on a larger machine")
    _log.debug("%s", task.page.id, exc_info=error)
    return VcleanError(f"{describe_unexpected(error)}, with the page")
