"""Read pages and their subresources from web archives: WARC (ISO 28500), plain or compressed, and WACZ."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from vclean.characters import format_count
from vclean.errors import InputError, LimitError
from vclean.page import Page, Resource
from vclean.render.archive import subresources, warc
from vclean.render.archive.index import Record, open_index, open_matching_index
from vclean.render.archive.schema import HTML, SUBRESOURCE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from vclean.render.archive.index import Index
    from vclean.render.archive.warc import RecordContent

__all__ = ["Archive", "ArchivePages", "Record"]

_MAX_RESOURCE: Final = 16 * 2**20
"""Bytes."""
_ROWS: Final = 500
"""Pages that one query reads."""


class Archive:
    """Web archive that is indexed once by streaming; bodies are read on request.

    It implements `Resources` for all of its pages, and several threads may share it. A pickled archive is small: it
    stores paths only. After unpickling it opens the same index. If that index is missing, as on another machine, it
    builds a temporary one, once per process.

    Args:
        path: a file named `.wacz`, or any WARC file.
        index: path of the index that later runs use again (see docs/reference/archives.md). Without it the index is a
            temporary file, which is deleted with the archive and its pages.
        max_resource: largest size of a subresource in bytes; larger ones are not served.

    Raises:
        InputError: the archive cannot be read, or contains no records.
        OutputError: the index cannot be written.
    """

    def __init__(self, path: Path, *, index: Path | None = None, max_resource: int = _MAX_RESOURCE) -> None:
        self._path = path
        self._max_resource = max_resource
        self._open_index: Index | None = open_index(path, index)
        self._index_path = self._open_index.path

    def __getstate__(self) -> tuple[Path, Path, int]:
        """Return the paths of the archive and its index, and the size limit of subresources."""
        return self._path, self._index_path, self._max_resource

    def __setstate__(self, state: tuple[Path, Path, int]) -> None:
        """Restore the paths; the index is opened on first use."""
        self._path, self._index_path, self._max_resource = state
        self._open_index = None

    @property
    def damage(self) -> str:
        """Return a line that describes the damage of the archive; empty if there is none.

        All records that could be read are usable. In gzip and in plain files, reading resumes after the damage.
        """
        return str(self._index.facts["damage"])

    @property
    def excluded_documents(self) -> int:
        """Return the number of HTML documents with status 200 that are not pages.

        They are frames, were loaded by scripts, or are missing from the page list of the archive.
        """
        return int(self._index.facts["left_out"])

    @property
    def has_resources(self) -> bool:
        """Return whether the archive contains subresources: style sheets, images, fonts, scripts or frames."""
        return bool(self._index.facts["has_resources"])

    @property
    def pages(self) -> ArchivePages:
        """Return the pages of the archive, in its order."""
        return ArchivePages(self._index)

    def select(self, urls: Iterable[str]) -> Iterator[tuple[str, Record | None]]:
        """Yield each URL with its first HTML document, or None; redirects are followed.

        Documents that are not pages, such as frames, are found too.
        """
        return ((url, self._index.find(url, HTML)) for url in urls)

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
        record = self._index.find(url)
        if record is None:
            return None
        try:
            content = self._read(record, self._max_resource)
        except OSError:
            return None
        if len(content.body) > self._max_resource:
            return None
        charset = f"; charset={content.charset}" if content.charset else ""
        return Resource(content.body, content.media_type + charset, content.status)

    @property
    def _index(self) -> Index:
        if self._open_index is None:
            self._open_index = _reopen(self._path, self._index_path)
        return self._open_index

    def _read(self, record: Record, limit: int) -> RecordContent:
        return warc.read_record(self._path, self._index.members[record.member], record.offset, limit)

    def _serves(self, document: bytes, url: str) -> bool:
        """Return whether the archive contains a subresource of the document; true for documents too long to scan.

        A page without subresources renders several times faster, and crawls of documents contain a few stray images.
        """
        if not self.has_resources or len(document) > subresources.SCANNED_BYTES:
            return self.has_resources
        loaded = any(self._index.find(other, SUBRESOURCE) for other in subresources.subresource_urls(document, url))
        return loaded or any(self._index.find(other) for other in subresources.frame_urls(document, url))


class ArchivePages:
    """Sequence of the pages of an archive, read from its index on request."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def __len__(self) -> int:
        """Return the number of pages."""
        return int(self._index.facts["pages"])

    def __iter__(self) -> Iterator[Record]:
        """Yield the pages in the archive's order."""
        for start in range(1, len(self) + 1, _ROWS):
            yield from self._index.pages(start, _ROWS)

    def __getitem__(self, number: int) -> Record:
        """Return a page by its number, from 0; negative numbers count from the end.

        Raises:
            IndexError: there is no page with this number.
        """
        return self._index.pages(range(1, len(self) + 1)[number], 1)[0]


@lru_cache(maxsize=16)
def _reopen(archive: Path, index: Path) -> Index:
    """Open the index of an unpickled archive, once for all copies of it in this process."""
    return open_matching_index(archive, index) or open_index(archive)
