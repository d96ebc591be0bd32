"""Describe results and their chunks in values that JSON has; several adapters share this."""

from __future__ import annotations

import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Literal

from vclean.errors import UsageError, VcleanError
from vclean.labels import Label
from vclean.output import json
from vclean.settings import CleanerSettings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Unpack

    from vclean.output.chunks import Chunk
    from vclean.result import Result
    from vclean.settings import CleanerOptions

_log = logging.getLogger("vclean")

_PAGE_FIELDS: Final = ("url", "title", "language", "rendered", "confidence")
POSITIONS: Final = ("boxes", "xpaths", "blocks", "chunk")
"""Metadata that locate a chunk and do not describe its text."""


class ChunkMaker:
    """Settings of the documents of a framework for retrieval: one document for each chunk of a page.

    Attributes:
        errors: the names of pages that could not be read and their errors, with `on_error="collect"`.

    Args:
        settings: the settings that determine the result of a page; the default settings if None.
        max_words: the limit on the words of a document; None for the default of `Result.chunks`.
        on_error: what to do with a page that cannot be read: `raise` the error, `skip` the page and log why, or
            also `collect` the error in `errors`.
        options: fields of `CleanerSettings` that replace those of `settings`, such as `render=True`.
    """

    def __init__(
        self,
        settings: CleanerSettings | None = None,
        *,
        max_words: int | None = None,
        on_error: Literal["raise", "skip", "collect"] = "raise",
        **options: Unpack[CleanerOptions],
    ) -> None:
        if on_error not in ("raise", "skip", "collect"):
            raise UsageError(f'on_error has to be "raise", "skip" or "collect", not {on_error!r}')
        self.on_error = on_error
        self.errors: list[tuple[str, VcleanError]] = []
        self.settings = (settings or CleanerSettings()).replace(**options)
        self.max_words = max_words

    @contextmanager
    def page_errors(self, name: str) -> Iterator[None]:
        """Raise, log or collect an error of the page `name` in the block, by `on_error`."""
        try:
            yield
        except VcleanError as error:
            if self.on_error == "raise":
                raise
            _log.warning("%s is left out: %s", name, error)
            if self.on_error == "collect":
                self.errors.append((name, error))

    def described_chunks(self, result: Result) -> Iterator[tuple[Chunk, dict[str, Any]]]:
        """Yield the chunks of a page, each with its metadata."""
        for chunk in result.chunks(self.max_words):
            yield chunk, chunk_metadata(result, chunk)


def label_counts(result: Result) -> dict[str, int]:
    """Return the number of blocks of each label."""
    return {str(label): result.prediction.labels.count(label) for label in Label}


def chunk_metadata(result: Result, chunk: Chunk) -> dict[str, Any]:
    """Return what describes a chunk and its page, in values that JSON has.

    Args:
        result: the page.
        chunk: one of its chunks.

    Returns:
        `source` (name of the page), `url`, `title`, `language`, `rendered`, `confidence`; of the chunk `chunk` (its
        number), `headings`, `roles`, `kinds`, `blocks` (indices), `xpaths`, and `boxes`, [x, y, width, height] in CSS
        px or None for each block.
    """
    fields = json.page_fields(result)
    return {
        "source": result.id or result.metadata.url,
        **{name: fields[name] for name in _PAGE_FIELDS},
        "chunk": chunk.index,
        "headings": list(chunk.headings),
        "roles": [str(role) for role in chunk.roles],
        "kinds": [str(kind) for kind in chunk.kinds],
        "blocks": list(chunk.blocks),
        "xpaths": list(chunk.xpaths),
        "boxes": [box and [round(side, 2) for side in box] for box in chunk.boxes],
    }
