"""What a farm run is told, frozen and checked: what decides its rows, and what only decides how it works."""

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


def settings_facts(settings: CleanerSettings) -> dict[str, Any]:
    """Return the settings by name, with vclean's version, and digests of the model and templates for their paths.

    Raises:
        ModelError: the model cannot be read.
        InputError: the templates cannot be read.
    """
    from importlib import metadata  # it takes longer to load than `vclean --help` does

    digests = {"model": _model_digest(settings.model), "templates": _templates_digest(settings.templates)}
    return asdict(settings) | digests | {"vclean": metadata.version("vclean")}


def settings_digest(settings: CleanerSettings) -> str:
    """Return 32 hexadecimal digits that are equal for equal settings, on every machine; errors as `settings_facts`."""
    text = json.dumps(settings_facts(settings), sort_keys=True)
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
    """How a run works; its rows do not depend on it.

    Attributes:
        workers: pages in work at once, each in a browser of its own; 0 for the processors and one more.
        retries: how often a page is tried again in a new browser after a crash.
        max_memory: bytes one page may take in its worker and browser together; they end when it takes more.
        part_rows: pages in one part of the output.
        snapshots: keep the snapshots of the pages.

    Raises:
        UsageError: a value is out of range.
    """

    workers: int = 0
    retries: int = 2
    max_memory: int = 3 * 2**30
    part_rows: int = 500
    snapshots: bool = False

    def __post_init__(self) -> None:
        """Check ranges."""
        for name, least in (("workers", 0), ("retries", 0), ("max_memory", 2**28), ("part_rows", 1)):
            if getattr(self, name) < least:
                raise UsageError(f"{name} has to be at least {least:,}, not {getattr(self, name):,}")

    @property
    def pool_size(self) -> int:
        """The number of workers: while one waits for its browser, another has work for the processor."""
        return self.workers or processors() + 1


def processors() -> int:
    """How many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
