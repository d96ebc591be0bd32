"""What goes to a worker and what comes back: one page each time, in values that can be pickled."""

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
    """A page of the input that was found and not read yet.

    Attributes:
        id: the page's name in the output: its id or URL, its file, or file and number.
        source: the file it is in, absolute, or what stands for one: a URL, or an argument that gave no page.
        read: gives the page, whose `id` is the same; raises a `VcleanError`, which makes the page a failure.
    """

    id: str
    source: str
    read: Callable[[], Page]


@dataclass(frozen=True, slots=True)
class Task:
    """A page to be cleaned.

    Attributes:
        page: with its content; its `resources` can be pickled and are small.
        source: see `Item`.
        key: see `key_of`.
        attempt: 1 the first time.
        seconds: wall clock that reading it took.
    """

    page: Page
    source: str
    key: bytes
    attempt: int = 1
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class TaskOutcome:
    """What became of a page.

    Attributes:
        record: its row, of `vclean.farm.rows.SCHEMA`.
        snapshot: packed (see `vclean.render.storage.cache`), where snapshots are kept and the page could be read.
        error: the class name of what it failed with, or empty.
        seconds: wall clock by stage: "read", "render" (parsing, where pages are not rendered), "cut", "label", and
            "pack" where snapshots are kept.
        worn: the worker ends after this page and is to be replaced.
    """

    record: pa.RecordBatch
    snapshot: bytes | None = None
    error: str = ""
    seconds: dict[str, float] = field(default_factory=dict)
    worn: bool = False


def key_of(page: Page, digest: str) -> bytes:
    """16 bytes that are equal for equal pages cleaned with equal settings, wherever and in whatever order they come.

    Args:
        page: content or snapshot, URL and declared charset count; name and place do not.
        digest: of the settings (`vclean.farm.settings.settings_digest`).
    """
    content = page.content if isinstance(page.content, bytes) else page.content.encode("utf-8", "surrogatepass")
    head = "\0".join((digest, page.url, page.charset, str(page.live)))
    parts = (head.encode("utf-8", "surrogatepass"), content if page.snapshot is None else page.snapshot)
    return blake2b(b"\0".join(parts), digest_size=KEY_BYTES).digest()
