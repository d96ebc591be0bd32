"""Open and query the index of a web archive.

The index is an SQLite file, so its size is not limited by memory. It is built once, by streaming. If a WACZ file has a
CDX index, records are not read if their CDX entries contain enough information.
"""

from __future__ import annotations

import logging
import os
import sqlite3
import tempfile
import threading
import weakref
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.errors import OutputError
from vclean.files import output_errors, replace_durably
from vclean.render.archive import cdx, warc
from vclean.render.archive.cdx import CdxError
from vclean.render.archive.index_builder import CdxIndexBuilder, IndexBuilder
from vclean.render.archive.schema import MAX_HOPS, identity, url_key
from vclean.render.isolation import temp_dirs

if TYPE_CHECKING:
    from typing import Any

    from vclean.render.archive.warc import Member

_log = logging.getLogger("vclean")

_SELECT_RECORD: Final = "SELECT url, name, offset, kind FROM records JOIN members ON members.id = member"


@dataclass(frozen=True, slots=True)
class Record:
    """Location of a record: its URL, the `member` of a WACZ file (empty for a WARC file), and the `offset` in bytes."""

    url: str
    member: str
    offset: int


class Index:
    """Complete index, opened read-only; several threads may share it.

    Args:
        path: the file of the index.
        temporary: delete the file with this object.

    Raises:
        sqlite3.Error: the file is not a database.
    """

    def __init__(self, path: Path, *, temporary: bool = False) -> None:
        self.path = path
        self._lock = threading.Lock()
        address = f"{path.absolute().as_uri()}?mode=ro&immutable=1"
        self._database = sqlite3.connect(address, uri=True, check_same_thread=False)
        self._finalizer = weakref.finalize(self, _close, self._database, path if temporary else None)

    def close(self) -> None:
        """Close the file, and delete it if it is temporary."""
        self._finalizer()

    @cached_property
    def facts(self) -> dict[str, Any]:
        """Return the properties of the archive by name."""
        return dict(self._all("SELECT name, value FROM facts"))

    @cached_property
    def members(self) -> dict[str, Member]:
        """Return the members of the archive by name."""
        rows = self._all("SELECT name, start, size FROM members")
        return {name: warc.Member(name, start, size) for name, start, size in rows}

    def find(self, url: str, kind: int | None = None) -> Record | None:
        """Return the first record for the absolute `url` (of `kind` unless None), or None; redirects are followed."""
        for _ in range(MAX_HOPS):
            key = url_key(url)
            condition = "WHERE key = ? AND kind = coalesce(?, kind) ORDER BY records.id LIMIT 1"
            if rows := self._all(f"{_SELECT_RECORD} {condition}", key, kind):
                return Record(*rows[0][:3])
            targets = self._all("SELECT target FROM redirects WHERE key = ? ORDER BY id LIMIT 1", key)
            if not targets:
                return None
            url = targets[0][0]
        return None

    def pages(self, start: int, count: int) -> list[Record]:
        """Return at most `count` pages from number `start`, in the archive's order."""
        query = f"{_SELECT_RECORD} JOIN pages ON record = records.id WHERE number >= ? ORDER BY number LIMIT ?"
        return [Record(*row[:3]) for row in self._all(query, start, count)]

    def _all(self, query: str, *values: object) -> list[Any]:
        with self._lock:
            return self._database.execute(query, values).fetchall()


def open_index(archive: Path, path: Path | None = None) -> Index:
    """Open the index at `path` if it matches the archive; otherwise build it there, or in a temporary file.

    Raises:
        InputError: the archive cannot be read, or contains no records.
        OutputError: the index cannot be written.
    """
    if path is not None and (index := open_matching_index(archive, path)):
        return index
    with output_errors(path or temp_dirs.root()):
        handle, name = tempfile.mkstemp(".tmp", ".vclean-index-", path and path.absolute().parent)
        os.close(handle)
    temporary_path = Path(name)
    try:
        _build(archive, temporary_path)
        if path is None:
            return Index(temporary_path, temporary=True)
        replace_durably(temporary_path, path)
        return Index(path)
    except BaseException:
        temporary_path.unlink(missing_ok=True)
        raise


def open_matching_index(archive: Path, path: Path) -> Index | None:
    """Open the index at `path`; None if the archive has another path, size or modification time than when indexed."""
    if not path.is_file():
        return None
    index = None
    try:
        index = Index(path)
        if identity(archive).items() <= index.facts.items():
            return index
    except (OSError, sqlite3.Error):
        pass
    if index is not None:
        index.close()
    return None


def _close(database: sqlite3.Connection, path: Path | None) -> None:
    database.close()
    if path is not None:
        path.unlink(missing_ok=True)


def _build(archive: Path, path: Path) -> None:
    members = warc.list_members(archive)
    if cdx.has_index(archive, members):
        try:
            return _run(CdxIndexBuilder, archive, path, members)
        except CdxError as error:
            _log.debug("the CDX index of %s is not used: %s", archive, error)
            os.truncate(path, 0)
    return _run(IndexBuilder, archive, path, members)


def _run(builder: type[IndexBuilder], archive: Path, path: Path, members: list[Member]) -> None:
    """Build the index; raise errors of SQLite, which occur while it is written, as `OutputError`."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            builder(archive, database).run(members)
    except sqlite3.Error as error:
        message = (
            f"the index of the archive cannot be written to {path.parent} ({error}): free some space, or set TMPDIR"
        )
        raise OutputError(message) from error
