"""Snapshots kept on disk, so that a page is rendered once and learned from or scored many times."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
import zlib
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.errors import InputError, OutputError
from vclean.files import write_atomic
from vclean.render.snapshot import Snapshot, Styles
from vclean.render.stored import StoredFiles

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from vclean.page import Page
    from vclean.settings import RenderSettings

VERSION: Final = 1
"""Version of the file's layout, and of what the walker and the parser put into a snapshot."""

KEY_BYTES: Final = 16
"""Length of a `read_key`."""

_COLUMNS: Final = ("tag", "parent", "end", "depth", "box", "hidden", "style", "attr_node", "attr_name", "text_parent",
                   "text_after", "line_text", "line_box")  # fmt: skip
_FACTS: Final = tuple(field.name for field in fields(Snapshot) if field.name not in (*_COLUMNS, "styles", "timings"))

_DAMAGE: Final = (zipfile.BadZipFile, zlib.error, RuntimeError, KeyError, ValueError, EOFError, OSError)
"""What reading a damaged archive raises; RuntimeError where a wrong bit means encryption or an unknown method."""


def to_bytes(snapshot: Snapshot) -> bytes:
    """The snapshot as a compressed archive of its columns, without its timings; equal snapshots give equal bytes."""
    facts: dict[str, Any] = {name: getattr(snapshot, name) for name in _FACTS}
    facts |= {"version": VERSION, "style_names": snapshot.styles.names, "style_rows": snapshot.styles.rows}
    file = io.BytesIO()
    columns = {name: getattr(snapshot, name) for name in _COLUMNS}
    text = np.frombuffer(json.dumps(facts).encode(), dtype=np.uint8)
    np.savez_compressed(file, facts=text, **columns)
    return file.getvalue()


def from_bytes(data: bytes) -> Snapshot:
    """The snapshot in `data`, as `to_bytes` wrote it.

    Raises:
        InputError: it is damaged, or of another version.
    """
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            facts = json.loads(archive["facts"].tobytes())
            columns = {name: archive[name] for name in _COLUMNS}
    except _DAMAGE as error:
        raise InputError("a stored snapshot is damaged: delete it and render the page again") from error
    if facts.pop("version") != VERSION:
        raise InputError("a stored snapshot is of another version: delete it and render the page again")
    styles = Styles(names=tuple(facts.pop("style_names")), rows=tuple(map(tuple, facts.pop("style_rows"))))
    return Snapshot(**(facts | {"tags": tuple(facts["tags"])}), styles=styles, **columns)


def read_key(page: Page, settings: Mapping[str, float | bool], *, rendered: bool) -> bytes:
    """16 bytes by which the snapshot of a page is found again: equal for equal pages that are read alike.

    Args:
        page: content, URL and declared charset count.
        settings: it is read with, by name.
        rendered: whether it is rendered.
    """
    how = json.dumps([VERSION, rendered, settings, page.url, page.charset], sort_keys=True)
    content = page.content if isinstance(page.content, bytes) else page.content.encode("utf-8", "surrogatepass")
    return hashlib.sha256(how.encode() + content).digest()[:KEY_BYTES]


@dataclass(frozen=True)
class StoredReader:
    """Reads pages through a folder of snapshots: what is there is not rendered again.

    Attributes:
        folder: where the snapshots are, in files of their own or in those of a farm; it is made when the first one is
            written.
        read: renders or parses a page that is not there.
        settings: the settings `read` works with; a page read with others is another snapshot.
        rendered: whether `read` renders.
    """

    folder: Path
    read: Callable[[Page], Snapshot]
    settings: RenderSettings
    rendered: bool

    def __call__(self, page: Page) -> Snapshot:
        """The snapshot of `page`.

        Raises:
            InputError: its stored snapshot is damaged.
            OutputError: it cannot be stored.
            VcleanError: it cannot be read.
        """
        key = read_key(page, self.settings.to_dict(), rendered=self.rendered)
        path = self.folder / f"{key.hex()}.npz"
        try:
            return from_bytes(path.read_bytes())
        except FileNotFoundError:
            if (packed := self._files.get(key)) is not None:
                return from_bytes(packed)
            snapshot = self.read(page)
        except OSError as error:
            raise InputError(f"cannot read the snapshot {path}: {error.strerror or error}") from error
        make_folder(self.folder)
        write_atomic(path, to_bytes(snapshot))
        return snapshot

    @cached_property
    def _files(self) -> StoredFiles:
        return StoredFiles(self.folder)


def make_folder(folder: Path) -> None:
    """Make a folder, and those it is in, where they are missing.

    Raises:
        OutputError: it cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot make the folder {folder}: {error.strerror or error}") from error
