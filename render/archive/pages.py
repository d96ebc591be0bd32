"""Web archives as pages with their sub-resources: WARC (ISO 28500), plain or compressed, and WACZ (a zip of them)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from vclean.errors import InputError, LimitError
from vclean.page import Page, Resource
from vclean.render.archive import subresources, warc
from vclean.render.archive.index import HTML, LOADED, Record, open_index, open_matching_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from vclean.render.archive.index import Index

__all__ = ["Archive", "Pages", "Record"]

_MAX_RESOURCE: Final = 16 * 2**20
_ROWS: Final = 500
"""Pages that are looked up at once."""


class Archive:
    """An archive, indexed once by streaming; bodies are read when asked for.

    It is the `Resources` of every page in it. It can be pickled and is small then; what is unpickled reads the same
    index, or builds one for its process where that is gone or on another machine. All of it may be used from
    several threads.

    Args:
        path: a file named `.wacz`, or any WARC file.
        index: where the index is kept for the next time (see docs/reference/archives.md); without it, it is a temporary
            file that goes away with the archive and its pages.
        max_resource: cap on the bytes of one sub-resource; a larger one is not served.

    Raises:
        InputError: the archive cannot be read, or holds no records.
        OutputError: the index cannot be written.
    """

    def __init__(self, path: Path, *, index: Path | None = None, max_resource: int = _MAX_RESOURCE) -> None:
        self._path = path
        self._max_resource = max_resource
        self._opened: Index | None = open_index(path, index)
        self._index_path = self._opened.path

    def __getstate__(self) -> tuple[Path, Path, int]:
        """Where the archive and its index are."""
        return self._path, self._index_path, self._max_resource

    def __setstate__(self, state: tuple[Path, Path, int]) -> None:
        """Nothing is opened yet."""
        self._path, self._index_path, self._max_resource = state
        self._opened = None

    @property
    def damage(self) -> str:
        """What is wrong with the archive, one line, or empty; what could be read is usable.

        Records after the damage are found again in gzip and in plain files.
        """
        return str(self._index.facts["damage"])

    @property
    def excluded_documents(self) -> int:
        """How many HTML documents with status 200 are no pages: frames, what scripts loaded, what no list names."""
        return int(self._index.facts["left_out"])

    @property
    def has_resources(self) -> bool:
        """Whether there is anything that pages load: style sheets, images, fonts, scripts, frames."""
        return bool(self._index.facts["has_resources"])

    @property
    def pages(self) -> Pages:
        """The documents that are pages by themselves, in the archive's order."""
        return Pages(self._index)

    def select(self, urls: Iterable[str]) -> Iterator[tuple[str, Record | None]]:
        """For every URL, in its order, the first HTML document for it, redirects followed, or None.

        Documents that are no pages by themselves are found too.
        """
        return ((url, self._index.find(url, HTML)) for url in urls)

    def page(self, record: Record, max_bytes: int) -> Page:
        """The page at `record`, with this archive as its sub-resources, or none if it refers to nothing in it.

        Raises:
            InputError: the record cannot be read.
            LimitError: its body has more than `max_bytes` bytes.
        """
        try:
            content = warc.read(self._path, self._index.members[record.member], record.offset, max_bytes)
        except (OSError, KeyError) as error:
            raise InputError(f"{self._path}: the record of {record.url} is damaged ({error})") from error
        if len(content.body) > max_bytes:
            raise LimitError(f"{record.url} is over the cap of {max_bytes:,} bytes: raise it with --max-bytes")
        resources = self if self._serves(content.body, record.url) else None
        return Page(content=content.body, url=record.url, charset=content.charset, resources=resources, id=record.url)

    def get(self, url: str) -> Resource | None:
        """The archived response for the absolute `url`, redirects followed inside the archive, or None."""
        record = self._index.find(url)
        if record is None:
            return None
        try:
            found = warc.read(self._path, self._index.members[record.member], record.offset, self._max_resource)
        except OSError:
            return None
        if len(found.body) > self._max_resource:
            return None
        kind = f"{found.kind}; charset={found.charset}" if found.charset else found.kind
        return Resource(found.body, kind, found.status)

    @property
    def _index(self) -> Index:
        if self._opened is None:
            self._opened = _reopened(self._path, self._index_path)
        return self._opened

    def _serves(self, document: bytes, url: str) -> bool:
        """Whether the archive holds something that the document loads; of a long one, that is taken for granted.

        A page without sub-resources renders several times faster, and crawls of documents have a few stray images.
        """
        if not self.has_resources or len(document) > subresources.GLANCE:
            return self.has_resources
        loaded = any(self._index.find(other, LOADED) for other in subresources.loaded(document, url))
        return loaded or any(self._index.find(other) for other in subresources.frames(document, url))


class Pages:
    """The pages of an archive, read from its index as they are asked for."""

    def __init__(self, index: Index) -> None:
        self._index = index

    def __len__(self) -> int:
        return int(self._index.facts["pages"])

    def __iter__(self) -> Iterator[Record]:
        """The pages in the archive's order."""
        for start in range(1, len(self) + 1, _ROWS):
            yield from self._index.pages(start, _ROWS)

    def __getitem__(self, number: int) -> Record:
        """The page with a number, from 0; negative ones count from the end.

        Raises:
            IndexError: there are not so many.
        """
        return self._index.pages(range(1, len(self) + 1)[number], 1)[0]


@lru_cache(maxsize=16)
def _reopened(archive: Path, index: Path) -> Index:
    """The index for archives that come out of pickles: many do in one process, and mean the same."""
    return open_matching_index(archive, index) or open_index(archive)
