"""Read the inputs of a farm run: files, folders, URLs, patterns and lists, as a stream of pages in a fixed order."""

from __future__ import annotations

import codecs
import os
import sys
import time
from contextlib import nullcontext, suppress
from dataclasses import replace
from functools import cached_property
from glob import glob, has_magic
from hashlib import blake2b
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.errors import InputError, NetworkError, OutputError
from vclean.farm.rows import Task, failed_outcome, page_key
from vclean.files import make_folder
from vclean.input.sources import (
    STDIN,
    archive_sources,
    find_sources,
    is_archive,
    is_folder,
    is_url,
)
from vclean.input.tables import escape_surrogates, failing_source, read_lines
from vclean.page import Page, Source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from vclean.farm.rows import TaskOutcome
    from vclean.settings import CleanerSettings


LIST_SUFFIX: Final = ".txt"


class Inputs:
    """Input of a run. Iterating it yields pages.

    Args:
        arguments: files, folders, URLs, patterns such as `crawl/**/*.warc.gz`, and lists of these with one per line:
            files named `.txt`, or `-` for standard input, which the constructor reads to its end.
        settings: limits of a page, and whether live pages may be fetched.
        pages: file with a list of URLs; archives then give only the pages at these URLs.
        index_folder: folder for the indexes of archives, which the next run reuses; None to keep no index.
        limit: number of pages after which iterating ends; None for all.

    Raises:
        InputError: the list of pages, or that on standard input, cannot be read.

    Attributes:
        pages: URLs to take from archives; None for all their pages.
        limit: see above.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        settings: CleanerSettings,
        *,
        pages: Path | None = None,
        index_folder: Path | None = None,
        limit: int | None = None,
    ) -> None:
        self.limit = limit
        self.pages = tuple(dict.fromkeys(read_list(pages))) if pages else None
        self._settings = settings
        self._index_folder = index_folder
        self._arguments = tuple(arguments)
        self._stdin = tuple(read_list(Path(STDIN))) if STDIN in self._arguments else ()

    def __iter__(self) -> Iterator[Source]:
        """Yield the pages in the order of the arguments. Unreadable input gives one that raises an error when read.

        Raises:
            OutputError: the index of an archive cannot be written.
        """
        items = chain.from_iterable(map(self._items_of, self.names()))
        return islice(chain(items, self._missing_pages()), self.limit)

    def _items_of(self, argument: str) -> Iterator[Source]:
        """Yield the pages of a file or at a URL."""
        name = escape_surrogates(argument)
        try:
            for source in self._find_sources(argument):
                yield Source(escape_surrogates(source.id), source.read, name)
        except OutputError:
            raise
        except Exception as error:  # readers of archives and tables raise many types
            yield replace(failing_source(name, error), origin=name)

    def _find_sources(self, argument: str) -> Iterator[Source]:
        path, rendering = Path(argument), self._settings.rendering
        if is_url(argument):
            if self._settings.network != "public":
                raise NetworkError(f"{argument} is not fetched without the network: add --network public")
            return find_sources(escape_surrogates(argument), rendering, live=True)
        if is_archive(path) and path.is_file():
            return archive_sources(path, rendering.max_bytes, index=self.index_of(path), only=self.pages)
        if path.suffix.lower() == LIST_SUFFIX and os.access(path, os.R_OK) and path.is_file():
            raise InputError(f"{path} is a list inside a list: name it as an input of its own")
        return find_sources(argument, rendering)

    def index_of(self, archive: Path) -> Path | None:
        """Return the path for the index of an archive; None without a folder for indexes.

        Raises:
            OutputError: the folder cannot be made.
        """
        if self._index_folder is None:
            return None
        return make_folder(self._index_folder) / f"{blake2b(os.fsencode(archive), digest_size=16).hexdigest()}.sqlite"

    def _missing_pages(self) -> Iterator[Source]:
        """Yield a failing page for each requested page that none of the archives contains."""
        from vclean.render.archive.pages import Archive

        remaining = list(self.pages or ())
        for path in filter(is_archive, map(Path, self._expand_arguments() if remaining else ())):
            try:
                matches = Archive(path, index=self.index_of(path)).select(remaining)
                remaining = [url for url, record in matches if record is None]
            except InputError:
                continue  # reading its pages reports this failure
        for url in remaining:
            name = escape_surrogates(url)
            error = InputError(f"{name} is in no archive of this run: check the list of pages")
            yield replace(failing_source(name, error), origin=name)

    def covers(self, origin: str) -> bool:
        """Return whether a file or URL is an input of this run: named itself, or in a folder that is named.

        A file that no longer exists is not an input.
        """
        if self._name_hashes.isdisjoint(map(hash, (origin, *map(str, Path(origin).parents)))):
            return False
        # A printed name with a backslash may differ from the name on the disk.
        return is_url(origin) or "\\" in origin or os.path.lexists(origin)

    @cached_property
    def _name_hashes(self) -> frozenset[int]:
        """Return the 64-bit hashes of all names. The names of a long list take several times as much memory."""
        return frozenset(hash(escape_surrogates(name)) for name in self._expand_arguments())

    def names(self) -> Iterator[str]:
        """Yield URLs and absolute paths of files, including files in folders, in the order of the pages."""
        for name in self._expand_arguments():
            if not is_folder(Path(name)):
                yield name
                continue
            try:
                yield from (source.id for source in find_sources(name, self._settings.rendering))
            except InputError:
                yield name  # reading it raises the same error

    def _expand_arguments(self) -> Iterator[str]:
        """Yield the URLs and absolute paths that arguments, patterns and lists name."""
        for argument in self._arguments:
            if argument == STDIN:
                yield from chain.from_iterable(map(_expand, self._stdin))
                continue
            for name in _expand(argument):
                if name.lower().endswith(LIST_SUFFIX) and not is_url(name):
                    yield from _read_names(name)
                else:
                    yield name


def _expand(name: str) -> list[str]:
    """Return a URL as it is, a path made absolute, and for a pattern its matches, or itself without a match."""
    if is_url(name):
        return [name]
    paths: list[str] = []
    if has_magic(name) and not os.path.lexists(name):
        with suppress(OSError, ValueError):
            paths = sorted(glob(name, recursive=True))  # noqa: PTH207 - patterns may be absolute
    return [os.path.abspath(path) for path in paths or [name]]  # noqa: PTH100 - removes `..`, keeps links


def _read_names(path: str) -> Iterator[str]:
    """Yield the names in a list. A list that cannot be read is yielded itself: reading it later reports the error."""
    try:
        for line in read_list(Path(path)):
            yield from _expand(line)
    except InputError:
        yield path


def read_list(path: Path) -> Iterator[str]:
    """Yield the lines of a list, `-` for standard input, without blank lines and comments, which begin with `#`.

    Raises:
        InputError: it cannot be read.
    """
    try:
        with nullcontext(sys.stdin.buffer) if str(path) == STDIN else path.open("rb") as stream:
            for number, line in enumerate(read_lines(stream, 2**14)):
                name = os.fsdecode(line.removeprefix(codecs.BOM_UTF8) if number == 0 else line).strip()
                if name and not name.startswith("#"):
                    yield name
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(f"{path} cannot be read ({reason}): check the name") from error


def read_task(source: Source, digest: str) -> tuple[Task, TaskOutcome | None]:
    """Read a page and return its task; for a page that cannot be read also its outcome, else None.

    The key of a page that cannot be read is computed from its name and location.

    Args:
        source: the page.
        digest: digest of the settings (`vclean.farm.rows.settings_digest`).
    """
    start = time.perf_counter()
    try:
        page = replace(source.read(), id=source.id)
    except Exception as error:  # a bug on one page must not end the run
        key = page_key(Page(content=source.origin, url=source.id), digest)
        task = Task(Page(id=source.id), source.origin, key)
        return task, failed_outcome(task, error, {"read": time.perf_counter() - start})
    return Task(page, source.origin, page_key(page, digest), seconds=time.perf_counter() - start), None
