"""Define what a farm exchanges with its workers: settings, pages and outcomes, all picklable."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from vclean import __version__
from vclean.errors import InputError, ModelError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pyarrow as pa

    from vclean.page import Page
    from vclean.settings import CleanerSettings


KEY_BYTES = 16


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
        record: row of the page, with the columns of `vclean.farm.rows.SCHEMA`.
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
    import pyarrow as pa

    from vclean.farm.rows import SCHEMA

    return TaskOutcome(pa.ipc.read_record_batch(row, SCHEMA), *others)


def page_key(page: Page, digest: str) -> bytes:
    """Return 16 bytes that are equal for equal pages cleaned with equal settings, wherever they come from.

    Args:
        page: its content or snapshot, URL and declared charset enter the key; its name and location do not.
        digest: digest of the settings (`vclean.farm.tasks.settings_digest`).
    """
    content = page.content if isinstance(page.content, bytes) else page.content.encode("utf-8", "surrogatepass")
    head = "\0".join((digest, page.url, page.charset, str(page.live)))
    parts = (head.encode("utf-8", "surrogatepass"), content if page.snapshot is None else page.snapshot)
    return blake2b(b"\0".join(parts), digest_size=KEY_BYTES).digest()


_DIGEST: Final = 16


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
    return blake2b(text.encode(), digest_size=_DIGEST).hexdigest()


def _model_digest(model: Path | None) -> str | None:
    if model is None:
        return None
    try:
        return blake2b(model.read_bytes(), digest_size=_DIGEST).hexdigest()
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
    return blake2b(json.dumps(contents).encode(), digest_size=_DIGEST).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """Execution settings of a run. The rows do not depend on them, except for the column that `segments` adds.

    Attributes:
        workers: number of pages cleaned at once, each in its own browser; 0 for the number of processors plus one.
        retries: number of further attempts after a crash, each in a new browser.
        max_memory: bytes that a worker and its browser may use together for one page; more ends both.
        part_rows: pages in one part of the output.
        snapshots: whether to save the snapshots of the pages.
        wet: whether to write the texts as WET files too.
        segments: whether rows have the segments of rendered pages.
    """

    workers: int = 0
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
