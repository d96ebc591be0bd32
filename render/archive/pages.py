"""Read pages and their subresources from web archives: WARC (ISO 28500), plain or compressed, and WACZ.

The index of an archive is an SQLite file, so its size is not limited by memory. It is built once, by streaming.
"""

from __future__ import annotations

import os
import sqlite3
import tempfile
import threading
import weakref
from contextlib import closing, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.characters import format_count
from vclean.errors import InputError, LimitError, OutputError
from vclean.files import output_errors, replace_durably
from vclean.page import Page, Resource
from vclean.render.archive import index_builder, warc
from vclean.render.archive.index_builder import HTML, MAX_HOPS, SUBRESOURCE, IndexBuilder, identity, url_key
from vclean.render.isolation import temp_dirs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    from vclean.render.archive.warc import Member, RecordContent

_MAX_RESOURCE: Final = 16 * 2**20
"""Largest size of a subresource in bytes; larger ones are not served."""
_SELECT_RECORD: Final = "SELECT url, name, offset FROM records JOIN members ON members.id = member"


@dataclass(frozen=True, slots=True)
class Record:
    """Location of a record: its URL, the `member` of a WACZ file (empty for a WARC file), and the `offset` in bytes."""

    url: str
    member: str
    offset: int


class Index:
    """Complete index of an archive, opened read-only: the sequence of its pages. Several threads may share it.

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

    def __len__(self) -> int:
        """Return the number of pages."""
        return int(self.facts["pages"])

    def __iter__(self) -> Iterator[Record]:
        """Return the pages in the archive's order."""
        return map(self.__getitem__, range(len(self)))

    def __getitem__(self, number: int) -> Record:
        """Return a page by its number, from 0; negative numbers count from the end.

        Raises:
            IndexError: there is no page with this number.
        """
        row = range(1, len(self) + 1)[number]
        return Record(*self._all(f"{_SELECT_RECORD} JOIN pages ON record = records.id WHERE number = ?", row)[0])

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
                return Record(*rows[0])
            targets = self._all("SELECT target FROM redirects WHERE key = ? ORDER BY id LIMIT 1", key)
            if not targets:
                return None
            url = targets[0][0]
        return None

    def _all(self, query: str, *values: object) -> list[Any]:
        with self._lock:
            return self._database.execute(query, values).fetchall()


def open_index(archive: Path, path: Path | None = None) -> Index:
    """Open the index at `path` if it matches the archive; otherwise build it there, or in a temporary file.

    Raises:
        InputError: the archive cannot be read, or contains no records.
        OutputError: the index cannot be written.
    """
    if path is not None and (index := open_matching_index(archive, path)) is not None:
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
    with suppress(OSError, sqlite3.Error):
        index = Index(path)
        if identity(archive).items() <= index.facts.items():
            return index
    return None


def _close(database: sqlite3.Connection, path: Path | None) -> None:
    database.close()
    if path is not None:
        path.unlink(missing_ok=True)


def _build(archive: Path, path: Path) -> None:
    """Build the index; raise errors of SQLite, which occur while it is written, as `OutputError`."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            IndexBuilder(archive, database).run(warc.list_members(archive))
    except sqlite3.Error as error:
        message = (
            f"the index of the archive cannot be written to {path.parent} ({error}): free some space, or set TMPDIR"
        )
        raise OutputError(message) from error


class Archive:
    """Web archive that is indexed once by streaming; bodies are read on request.

    It implements `Resources` for all of its pages, and several threads may share it. A pickled archive is small: it
    stores paths only. After unpickling it opens the same index. If that index is missing, as on another machine, it
    builds a temporary one, once per process.

    Args:
        path: a file named `.wacz`, or any WARC file.
        index: path of the index that later runs use again (see docs/reference/archives.md). Without it the index is a
            temporary file, which is deleted with the archive and its pages.

    Raises:
        InputError: the archive cannot be read, or contains no records.
        OutputError: the index cannot be written.
    """

    def __init__(self, path: Path, *, index: Path | None = None) -> None:
        self._path = path
        self.pages = open_index(path, index)
        self._index_path = self.pages.path

    def __getstate__(self) -> dict[str, Path]:
        """Return the paths of the archive and its index, which is opened on the first use of the copy."""
        return {"_path": self._path, "_index_path": self._index_path}

    @cached_property
    def pages(self) -> Index:
        """Return the sequence of the pages of the archive, in its order."""
        return _reopen(self._path, self._index_path)

    @property
    def damage(self) -> str:
        """Return a line that describes the damage of the archive; empty if there is none.

        All records that could be read are usable. In gzip and in plain files, reading resumes after the damage.
        """
        return str(self.pages.facts["damage"])

    @property
    def excluded_documents(self) -> int:
        """Return the number of HTML documents with status 200 that are not pages.

        They are frames, were loaded by scripts, or are missing from the page list of the archive.
        """
        return int(self.pages.facts["left_out"])

    def select(self, urls: Iterable[str]) -> Iterator[tuple[str, Record | None]]:
        """Yield each URL with its first HTML document, or None; redirects are followed.

        Documents that are not pages, such as frames, are found too.
        """
        return ((url, self.pages.find(url, HTML)) for url in urls)

    def page(self, record: Record, max_bytes: int) -> Page:
        """Read the page at `record`; this archive serves its subresources if it has any of them.

        Raises:
            InputError: the record cannot be read.
            LimitError: the body has more than `max_bytes` bytes.
        """
        try:
            content = self._read(record, max_bytes)
        except (OSError, KeyError) as error:
            raise InputError(f"{self._path}: the record of {record.url} is damaged ({error})") from error
        if len(content.body) > max_bytes:
            raise LimitError(
                f"{record.url} is over the limit of {format_count(max_bytes, 'byte')}: raise it with --max-bytes"
            )
        resources = self if self._serves(content.body, record.url) else None
        return Page(
            content=content.body,
            url=record.url,
            charset=content.charset,
            resources=resources,
            id=record.url,
            record_id=content.record_id,
            record_date=content.date,
        )

    def get(self, url: str) -> Resource | None:
        """Return the archived response for the absolute `url`, or None; redirects are followed inside the archive."""
        record = self.pages.find(url)
        if record is None:
            return None
        try:
            content = self._read(record, _MAX_RESOURCE)
        except OSError:
            return None
        if len(content.body) > _MAX_RESOURCE:
            return None
        charset = f"; charset={content.charset}" if content.charset else ""
        return Resource(content.body, content.media_type + charset, content.status)

    def _read(self, record: Record, limit: int) -> RecordContent:
        return warc.read_record(self._path, self.pages.members[record.member], record.offset, limit)

    def _serves(self, document: bytes, url: str) -> bool:
        """Return whether the archive contains a subresource of the document; true for documents too long to scan.

        A page without subresources renders several times faster, and crawls of documents contain a few stray images.
        """
        has_resources = bool(self.pages.facts["has_resources"])
        if not has_resources or len(document) > index_builder.SCANNED_BYTES:
            return has_resources
        loaded = any(self.pages.find(other, SUBRESOURCE) for other in index_builder.subresource_urls(document, url))
        return loaded or any(self.pages.find(other) for other in index_builder.frame_urls(document, url))


@lru_cache(maxsize=16)
def _reopen(archive: Path, index: Path) -> Index:
    """Open the index of an unpickled archive, once for all copies of it in this process."""
    return open_index(archive) if (matching := open_matching_index(archive, index)) is None else matching
