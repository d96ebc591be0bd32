"""What a farm run is told, frozen and checked: what decides its rows, and what only decides how it works."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, Literal

from vclean.errors import InputError, ModelError, UsageError
from vclean.settings import Policy, RenderSettings

if TYPE_CHECKING:
    from pathlib import Path

Network = Literal["none", "public"]

_DIGEST: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class CleaningSettings:
    """What decides the content of the rows: equal pages with equal settings give equal rows.

    Attributes:
        render: render pages in headless Chromium instead of parsing them only.
        page: how to render, and what bounds a page.
        method: the name of the method that labels the blocks.
        model: a model file in place of the shipped one.
        templates: a folder of files of selectors by host, which decide on their sites in place of the method.
        policy: what counts as content.
        network: "public" lets pages load what no archive or folder holds from public addresses; "none" nothing.
    """

    render: bool = True
    page: RenderSettings = field(default_factory=RenderSettings)
    method: str = "vclean"
    model: Path | None = None
    templates: Path | None = None
    policy: Policy = field(default_factory=Policy)
    network: Network = "none"

    def to_dict(self) -> dict[str, Any]:
        """The settings by name, with the version of vclean, and the contents of model and templates for their paths.

        Raises:
            ModelError: the model cannot be read.
            InputError: there are no such templates.
        """
        from importlib import metadata  # it takes longer to load than `vclean --help` does

        contents = {"model": self._model_digest(), "templates": self._templates_digest()}
        return asdict(self) | contents | {"vclean": metadata.version("vclean")}

    def _model_digest(self) -> str | None:
        if self.model is None:
            return None
        try:
            return blake2b(self.model.read_bytes(), digest_size=_DIGEST).hexdigest()
        except OSError as error:
            raise ModelError(f"{self.model} cannot be read ({error.strerror}): check the name") from error

    def _templates_digest(self) -> str | None:
        if self.templates is None:
            return None
        from vclean.classify.methods.templates import template_files

        try:
            contents = [(path.name, path.read_bytes().hex()) for path in template_files(self.templates)]
        except OSError as error:
            raise InputError(f"{error.filename} cannot be read ({error.strerror}): check its rights") from error
        return blake2b(json.dumps(contents).encode(), digest_size=_DIGEST).hexdigest()

    def digest(self) -> str:
        """32 hexadecimal digits that are equal for equal settings, on every machine."""
        text = json.dumps(self.to_dict(), sort_keys=True)
        return blake2b(text.encode(), digest_size=_DIGEST).hexdigest()


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
