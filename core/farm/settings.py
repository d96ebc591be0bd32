"""Define the execution settings of a farm run, and the digest of the settings that determine its rows."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

from vclean.errors import InputError, ModelError, UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from vclean.settings import CleanerSettings

_DIGEST: Final = 16


def settings_to_dict(settings: CleanerSettings) -> dict[str, Any]:
    """Return the settings by name, with vclean's version. The model and the templates are digests instead of paths.

    Raises:
        ModelError: the model cannot be read.
        InputError: the templates cannot be read.
    """
    from vclean.imports import version  # loading it takes longer than `vclean --help`

    digests = {"model": _model_digest(settings.model), "templates": _templates_digest(settings.templates)}
    return asdict(settings) | digests | {"vclean": version()}


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

    Raises:
        UsageError: a value is out of range.
    """

    workers: int = 0
    retries: int = 2
    max_memory: int = 3 * 2**30
    part_rows: int = 500
    snapshots: bool = False
    wet: bool = False
    segments: bool = False

    def __post_init__(self) -> None:
        """Check the ranges of the values."""
        for name, minimum in (("workers", 0), ("retries", 0), ("max_memory", 2**28), ("part_rows", 1)):
            if getattr(self, name) < minimum:
                raise UsageError(f"{name} has to be at least {minimum:,}, not {getattr(self, name):,}")

    @property
    def pool_size(self) -> int:
        """Return the number of workers. The default is one more than processors: workers wait for their browsers."""
        return self.workers or processor_count() + 1


def processor_count() -> int:
    """Return the number of processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
