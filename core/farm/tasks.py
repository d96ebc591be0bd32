"""Define the values that a farm exchanges with its workers: one page at a time, all of them picklable."""

from __future__ import annotations

from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from vclean.page import Page

KEY_BYTES = 16


@dataclass(frozen=True, slots=True)
class Item:
    """Reference to an input page that was not read yet.

    Attributes:
        id: name of the page in the output: its id or URL, its file, or its file and number.
        source: absolute path of the file that contains it; or a URL, or an argument that gave no page.
        read: returns the page, with the same `id`. Raises a `VcleanError`, which becomes the failure of the page.
    """

    id: str
    source: str
    read: Callable[[], Page]


@dataclass(frozen=True, slots=True)
class Task:
    """Page to clean.

    Attributes:
        page: the page with its content; its `resources` are picklable and small.
        source: see `Item`.
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
        snapshot: packed snapshot (see `vclean.render.storage.cache`), if snapshots are saved and the page was read.
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


def page_key(page: Page, digest: str) -> bytes:
    """Return 16 bytes that are equal for equal pages cleaned with equal settings, wherever they come from.

    Args:
        page: its content or snapshot, URL and declared charset enter the key; its name and location do not.
        digest: digest of the settings (`vclean.farm.settings.settings_digest`).
    """
    content = page.content if isinstance(page.content, bytes) else page.content.encode("utf-8", "surrogatepass")
    head = "\0".join((digest, page.url, page.charset, str(page.live)))
    parts = (head.encode("utf-8", "surrogatepass"), content if page.snapshot is None else page.snapshot)
    return blake2b(b"\0".join(parts), digest_size=KEY_BYTES).digest()
