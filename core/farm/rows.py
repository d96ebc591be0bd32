"""Define what a farm exchanges with its workers, all picklable: settings, pages, and outcomes with their Arrow rows."""

from __future__ import annotations

import json
import logging
import math
import os
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean import __version__
from vclean.characters import replace_surrogates
from vclean.cli.batch import describe_unexpected
from vclean.errors import BrowserMissingError, InputError, LimitError, ModelError, NotHtmlError, UsageError, VcleanError
from vclean.imports import requires_extra
from vclean.input.tables import escape_surrogates
from vclean.labels import Visibility
from vclean.output.json import page_fields, record_fields
from vclean.records import LISTS, PAGE_FIELDS
from vclean.render.cache import KEY_BYTES, read_key
from vclean.render.snapshot import Hidden

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from vclean.features.blocks import BlockColumns
    from vclean.features.segments.segments import Segments
    from vclean.page import Page
    from vclean.result import Result
    from vclean.settings import CleanerSettings

with requires_extra("farm", "pyarrow"):
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Task:
    """Page to clean.

    Attributes:
        page: the page with its content; its `resources` are picklable and small.
        source: see `Source.origin`.
        key: see `page_key`.
        attempt: number of the attempt, from 1.
        seconds: wall clock spent on reading the page.
    """

    page: Page
    source: str
    key: bytes
    attempt: int = 1
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """Outcome of one page.

    Attributes:
        record: row of the page, with the columns of `SCHEMA`.
        snapshot: packed snapshot (see `vclean.render.cache`), if snapshots are saved and the page was read.
        error: class name of the error, or empty.
        seconds: wall clock by stage: "read", "render" (parsing, for pages that are not rendered), "extract" (blocks),
            "label", and "pack" if snapshots are saved.
        worn: whether the worker ends after this page and has to be replaced.
    """

    record: pa.RecordBatch
    snapshot: bytes | None = None
    error: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    worn: bool = False

    def __reduce__(self) -> tuple[Callable[..., TaskOutcome], tuple[object, ...]]:
        """Pickle the row as an Arrow message: pickling its many columns takes 2 ms, this 0.06."""
        row = self.record.serialize().to_pybytes()
        return _unpickle, (row, self.snapshot, self.error, self.seconds, self.worn)


def _unpickle(row: bytes, *others: Any) -> TaskOutcome:
    return TaskOutcome(pa.ipc.read_record_batch(row, SCHEMA), *others)


def page_key(page: Page, digest: str) -> bytes:
    """Return 16 bytes that are equal for equal pages cleaned with equal settings, wherever they come from.

    Args:
        page: its content or snapshot, URL and declared charset enter the key; its name and location do not.
        digest: digest of the settings (`settings_digest`).
    """
    content = page.content if isinstance(page.content, bytes) else page.content.encode("utf-8", "surrogatepass")
    head = "\0".join((digest, page.url, page.charset, str(page.live)))
    parts = (head.encode("utf-8", "surrogatepass"), content if page.snapshot is None else page.snapshot)
    return blake2b(b"\0".join(parts), digest_size=KEY_BYTES).digest()


def settings_to_dict(settings: CleanerSettings) -> dict[str, Any]:
    """Return the settings by name, with vclean's version. The model and the templates are digests instead of paths.

    Raises:
        ModelError: the model cannot be read.
        InputError: the templates cannot be read.
    """
    digests = {"model": _model_digest(settings.model), "templates": _templates_digest(settings.templates)}
    return asdict(settings) | digests | {"vclean": __version__}


def settings_digest(settings: CleanerSettings) -> str:
    """Return 32 hexadecimal digits, equal for equal settings on every machine. Raises like `settings_to_dict`."""
    text = json.dumps(settings_to_dict(settings), sort_keys=True)
    return blake2b(text.encode(), digest_size=KEY_BYTES).hexdigest()


def _model_digest(model: Path | None) -> str | None:
    if model is None:
        return None
    try:
        return blake2b(model.read_bytes(), digest_size=KEY_BYTES).hexdigest()
    except OSError as error:
        raise ModelError(f"{model} cannot be read ({error.strerror}): check the name") from error


def _templates_digest(folder: Path | None) -> str | None:
    if folder is None:
        return None
    from vclean.classify.methods.template import template_files

    try:
        contents = [(path.name, path.read_bytes().hex()) for path in template_files(folder)]
    except OSError as error:
        raise InputError(f"{error.filename} cannot be read ({error.strerror}): check its rights") from error
    return blake2b(json.dumps(contents).encode(), digest_size=KEY_BYTES).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """Execution settings of a run. The rows do not depend on them, except for the column that `segments` adds.

    Attributes:
        workers: number of pages cleaned at once, each in its own browser; None for the number of processors plus one.
        retries: number of further attempts after a crash, each in a new browser.
        max_memory: bytes that a worker and its browser may use together for one page; more ends both.
        part_rows: pages in one part of the output.
        snapshots: whether to save the snapshots of the pages.
        wet: whether to write the texts as WET files too.
        segments: whether rows have the segments of rendered pages.
    """

    workers: int | None = None
    retries: int = 2
    max_memory: int = 3 * 2**30
    part_rows: int = 500
    snapshots: bool = False
    wet: bool = False
    segments: bool = False

    @property
    def pool_size(self) -> int:
        """Return the number of workers. The default is one more than processors: workers wait for their browsers."""
        processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        return self.workers or processors + 1


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

_TYPES: Final[dict[str, pa.DataType]] = {
    "text": pa.string(),
    "texts": pa.list_(pa.string()),
    "float": pa.float32(),
    "int": pa.int32(),
    "ints": pa.list_(pa.int32()),
    "long": pa.int64(),
    "bool": pa.bool_(),
    "key": pa.binary(KEY_BYTES),
}


def _fields(*lines: str) -> list[pa.Field[Any]]:
    """Return the fields that lines such as `label role: text` declare, with types from `_TYPES`."""
    pairs = (line.split(": ") for line in lines)
    return [pa.field(name, _TYPES[data_type]) for names, data_type in pairs for name in names.split()]


_STRUCTS: Final = {
    "stages": (f"{' '.join(STAGES)}: float",),
    "box": ("x y w h: float",),
    "metadata": tuple(f"{name}: {'texts' if name in LISTS else 'text'}" for name in PAGE_FIELDS),
    # Where a value of the metadata comes from, and how sure it is.
    "evidence": ("field source property: text", "probability: float", "xpath: text", "box: box"),
    "block": ("label role kind: text", "probability: float", "box: box", "xpath visibility technique text: text"),
    "post": ("author date date_text text: text", "depth parent: int", "box: box", "xpath: text", "blocks: ints"),
    "item": ("title link image price snippet: text", "box: box", "xpath: text", "blocks: ints"),
    "product": ("name brand price price_text currency: text", "numbers: texts", "box: box", "blocks: ints"),
    "recipe": ("name: text", "ingredients steps: texts", "box: box", "blocks: ints"),
    # `parent` is the row of the segment around it, -1 for the page.
    "segment": ("parent doc: int", "role: text", "content_share: float", "box: box", "xpaths: texts", "text: text"),
}
for _name, _lines in _STRUCTS.items():
    _TYPES[_name] = pa.struct(_fields(*_lines))
    _TYPES[f"list of {_name}"] = pa.list_(_TYPES[_name])

SCHEMA: Final = pa.schema(
    _fields(
        "id url source record_id record_date: text",
        "key read_key: key",
        "status error message empty: text",
        "attempts: int",
        "seconds: stages",
        "rendered: bool",
        "render_reason: text",
        "render_change: float",
        "language title: text",
        "metadata: metadata",
        "evidence: list of evidence",
        "confidence: float",
        "noscript: bool",
        "build method model: text",
        "block_count kept_count: int",
        "characters revealable_words hidden_words: long",
        "injection_suspect: bool",
        "text cleaneval: text",
        "blocks: list of block",
        "posts: list of post",
        "items: list of item",
        "product: product",
        "recipe: recipe",
        "segments: list of segment",
    ),
    metadata={"vclean.schema": str(VERSION)},
)
"""Columns of a part, described in `docs/reference/farm-output.md`."""

_LARGE: Final = {"read_key", "text", "cleaneval", *(field.name for field in SCHEMA if field.type.num_fields)}
LOG_COLUMNS: Final = tuple(name for name in SCHEMA.names if name == "seconds" or name not in _LARGE)
"""Small columns, which `log_entry` selects."""


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
    facts, text, snapshot = page_fields(result), result.to_text(), result.columns.snapshot
    metadata = facts["metadata"]
    has_key = snapshot.rendered and bool(task.page.content)  # parsing is as fast as finding a snapshot by its key
    columns = {
        "url": facts["url"],
        "evidence": [{**evidence, "field": name} for name, evidence in metadata["evidence"].items()],
        "segments": None if segments is None else _segment_rows(segments),
        "status": OK,
        "message": "; ".join(facts["notes"]) or None,
        "model": result.versions.get("model"),
        "read_key": read_key(task.page, snapshot.settings, rendered=True) if has_key else None,
        "render_change": result.render_change,
        "block_count": len(result.columns),
        "kept_count": result.content_count,
        "characters": len(text),
        **facts["hidden"],
        "text": text,
        "cleaneval": result.to_cleaneval(),
        "blocks": _blocks_array(result),
        **{name: list(map(record_fields, getattr(result, name))) for name in ("posts", "items")},
        "product": result.product and record_fields(result.product),
        "recipe": result.recipe and record_fields(result.recipe),
    }
    return _build_row(facts | _common_columns(task, seconds) | columns)


def log_entry(row: pa.RecordBatch) -> dict[str, Any]:
    """Return a row as `pages.jsonl` has it: the columns of `LOG_COLUMNS`, in values that `json` can write.

    Args:
        row: one page, with at least the columns of `LOG_COLUMNS`.
    """
    entry: dict[str, Any] = row.select(list(LOG_COLUMNS)).to_pylist()[0]
    seconds = {stage: round(value, 4) for stage, value in entry["seconds"].items() if value is not None}
    shares = ("confidence", "render_change")
    rounded = {name: None if entry[name] is None else round(entry[name], 4) for name in shares}
    return entry | {"key": entry["key"].hex(), "seconds": seconds} | rounded


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


def _build_row(values: Mapping[str, Any]) -> pa.RecordBatch:
    """Build a row of the values that are columns; missing ones are null."""
    arrays = []
    for column in SCHEMA:
        value = values.get(column.name)
        arrays.append(value if isinstance(value, pa.Array) else pa.array([_storable(value)], column.type))
    return pa.RecordBatch.from_arrays(arrays, schema=SCHEMA)


def _storable(value: Any) -> Any:  # noqa: ANN401 - a field may have any type
    """Return a JSON value with strings that UTF-8 can encode, and the sides of boxes by name."""
    if isinstance(value, str):
        return replace_surrogates(value)
    if isinstance(value, list):
        return [_storable(each) for each in value]
    if not isinstance(value, dict):
        return value
    sides = {"box": dict(zip("xywh", value["box"], strict=True))} if value.get("box") else {}
    return {name: _storable(each) for name, each in value.items()} | sides


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
    rows = pa.StructArray.from_arrays(columns, fields=_fields(*_STRUCTS["block"]))
    return pa.ListArray.from_arrays(pa.array([0, len(blocks)], pa.int32()), rows, type=SCHEMA.field("blocks").type)


def _segment_rows(segments: Segments) -> list[dict[str, Any]]:
    """Return the segments of a page, in document order."""
    return [
        {
            "parent": int(segments.parent[row]),
            "doc": int(segments.coherence[row]),
            "role": segments.roles[row] if segments.roles else None,
            "content_share": None if math.isnan(share := float(segments.content_share[row])) else share,
            "box": segments.box[row].tolist(),
            "xpaths": [segments.xpath(node) for node in segments.roots[row]],
            "text": segments.segment_text(row),
        }
        for row in range(len(segments))
    ]


def _string_array(values: Iterable[str | None]) -> pa.Array[Any]:
    return pa.array([value if value is None else replace_surrogates(value) for value in values], pa.string())


def _box_array(blocks: BlockColumns) -> pa.Array[Any]:
    """Convert the boxes to an array, with null for blocks that are not painted."""
    unpainted = [not all(map(math.isfinite, box)) for box in blocks.box.tolist()]
    sides = [pa.array(side, pa.float32()) for side in blocks.box.T]
    return pa.StructArray.from_arrays(sides, fields=_fields(*_STRUCTS["box"]), mask=pa.array(unpainted, pa.bool_()))


_log = logging.getLogger("vclean")


def failed_outcome(task: Task, error: Exception, seconds: dict[str, float] | None = None) -> TaskOutcome:
    """Return the outcome of a page that failed. An error that is not a `VcleanError` is a bug, or a lack of memory.

    Args:
        task: the page.
        error: error of the page.
        seconds: wall clock of the completed stages.
    """
    failure, seconds = _to_vclean_error(task, error), seconds or {}
    name = type(failure).__name__
    status = SKIPPED if isinstance(failure, NotHtmlError) else FAILED
    row = _common_columns(task, seconds) | {"status": status, "error": name, "message": escape_surrogates(str(failure))}
    return TaskOutcome(_build_row(row), error=name, seconds=seconds)


def _to_vclean_error(task: Task, error: Exception) -> VcleanError:
    if isinstance(error, VcleanError):
        return error
    if isinstance(error, MemoryError):
        return LimitError("the page needs more memory than this machine has: clean it on a larger machine")
    _log.debug("%s", task.page.id, exc_info=error)
    return VcleanError(f"{describe_unexpected(error)}, with the page")
