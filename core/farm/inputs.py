"""The inputs of a farm run: files, folders, URLs, patterns and lists of them, as a stream of pages in a fixed order."""

from __future__ import annotations

import codecs
import logging
import os
import shutil
import sys
import time
import weakref
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from glob import glob, has_magic
from hashlib import blake2b
from itertools import chain, groupby, islice, starmap
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Final, NoReturn

import numpy as np

from vclean.cli.batch import unexpected
from vclean.errors import InputError, NetworkError, OutputError, VcleanError
from vclean.farm.rows import failed
from vclean.farm.tasks import Item, Task, key_of
from vclean.files import make_folder
from vclean.input.sources import (
    STDIN,
    Source,
    find,
    find_in_archive,
    holds_many,
    is_archive,
    is_folder,
    is_parquet,
    is_url,
)
from vclean.input.tables import parquet_pages, printable, read_lines, row_groups
from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.farm.tasks import TaskOutcome
    from vclean.settings import CleanerSettings


LIST_SUFFIX: Final = ".txt"

_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True)
class InputUnit:
    """A part of the input that is read by itself; small, and can be pickled.

    Attributes:
        arguments: URLs and absolute paths: several pages, or one file that holds many.
        groups: the row groups to read of the one Parquet file, instead of all.
        lost: instead of reading the archives that the arguments name, say which pages asked for are in none of them.
    """

    arguments: tuple[str, ...]
    groups: range | None = None
    lost: bool = False


@dataclass(frozen=True, slots=True)
class UnitReader:
    """Reads units; can be pickled.

    Attributes:
        settings: what bounds a page, and whether live pages may be fetched.
        pages: URLs that are taken from archives; None for all of their pages.
        index_folder: where the indexes of archives are kept; None for nowhere.
    """

    settings: CleanerSettings
    pages: tuple[str, ...] | None = None
    index_folder: Path | None = None

    def items(self, unit: InputUnit) -> Iterator[Item]:
        """The pages of a unit, in a fixed order; what cannot be read is an item whose reading fails.

        Raises:
            OutputError: the index of an archive cannot be written.
        """
        if unit.lost:
            yield from self._lost(unit.arguments)
            return
        for argument in unit.arguments:
            name = printable(argument)
            try:
                with _errors_as_ours():
                    for source in self._sources(argument, unit.groups):
                        yield _item(source, name)
            except OutputError:
                raise
            except VcleanError as error:
                yield _failing(name, name, error)

    def _sources(self, argument: str, groups: range | None) -> Iterator[Source]:
        path, max_bytes = Path(argument), self.settings.rendering.max_bytes
        if is_url(argument):
            self._check_network(argument)
            return find(printable(argument), self.settings.rendering, live=True)
        if groups is not None:
            return starmap(Source, parquet_pages(path, max_bytes, groups))
        if is_archive(path) and path.is_file():
            return find_in_archive(path, max_bytes, index=self.index_of(path), only=self.pages)
        _check_name(path)
        return find(argument, self.settings.rendering)

    def _check_network(self, url: str) -> None:
        if self.settings.network != "public":
            raise NetworkError(f"{url} is not fetched without the network: add --network public")

    def index_of(self, archive: Path) -> Path | None:
        """Where the index of an archive is kept.

        Raises:
            OutputError: the folder cannot be made.
        """
        if self.index_folder is None:
            return None
        return make_folder(self.index_folder) / f"{blake2b(os.fsencode(archive), digest_size=16).hexdigest()}.sqlite"

    def _lost(self, archives: tuple[str, ...]) -> Iterator[Item]:
        """The pages asked for that are in none of the archives."""
        from vclean.render.archive.pages import Archive

        left = list(self.pages or ())
        for path in map(Path, archives):
            try:
                found = Archive(path, index=self.index_of(path)).select(left)
                left = [url for url, record in found if record is None]
            except InputError:
                continue  # a failure of its own, where its pages are read
        for url in left:
            name = printable(url)
            yield _failing(name, name, InputError(f"{name} is in no archive of this run: check the list of pages"))


def _check_name(path: Path) -> None:
    """Explain what `find` could not.

    Raises:
        InputError: there is no such file, but a pattern, or a list that a list names.
    """
    if has_magic(str(path)) and not os.path.lexists(path):
        raise InputError(f"no file matches {path}: check the pattern")
    if path.suffix.lower() == LIST_SUFFIX and os.access(path, os.R_OK) and path.is_file():
        raise InputError(f"{path} is a list inside a list: name it as an input of its own")


def _item(source: Source, place: str) -> Item:
    name = printable(source.id)
    return Item(name, place, partial(_read, source.read, name))


def _read(read: Callable[[], Page], name: str) -> Page:
    with _errors_as_ours():
        return replace(read(), id=name)


def _failing(name: str, place: str, error: VcleanError) -> Item:
    return Item(name, place, partial(_fail, error))


def _fail(error: VcleanError) -> NoReturn:
    raise error


@contextmanager
def _errors_as_ours() -> Iterator[None]:
    """Errors whose text can be stored; what nobody foresaw ends one page, or one file, and not the run."""
    try:
        yield
    except VcleanError as error:
        raise type(error)(printable(str(error))) from error
    except MemoryError:
        raise
    except Exception as error:
        _log.debug("", exc_info=True)
        raise VcleanError(unexpected(error)) from error


_PAGES_AT_ONCE: Final = 64
"""Single pages in a unit: few enough to share out, enough for units to be fewer than pages."""

_LONGEST_LINE: Final = 2**14


class Inputs:
    """What a run reads: iterate it for its pages, or its units to read them elsewhere.

    Args:
        arguments: files, folders, URLs, patterns such as `crawl/**/*.warc.gz`, and lists of these, one a line:
            files named `.txt`, or `-` for standard input, which is read to its end here.
        settings: what bounds a page, and whether live pages may be fetched.
        pages: a list of URLs; of archives only the pages at them are taken.
        index_folder: where the indexes of archives are kept, so that the next run finds them.

    Raises:
        InputError: the list of pages cannot be read.

    Attributes:
        reader: reads the units.
    """

    def __init__(
        self,
        arguments: Sequence[str],
        settings: CleanerSettings,
        *,
        pages: Path | None = None,
        index_folder: Path | None = None,
    ) -> None:
        self._arguments = tuple(arguments)
        self._stdin = self._keep_stdin() if STDIN in self._arguments else None
        self.reader = UnitReader(settings, tuple(dict.fromkeys(read_list(pages))) if pages else None, index_folder)

    def __getstate__(self) -> dict[str, object]:
        """With what `covers` needs, so that it works where the lists and standard input are not."""
        return self.__dict__ | {"_covered": self._covered}

    def __iter__(self) -> Iterator[Item]:
        """The pages, in the order of the arguments; what cannot be read is an item whose reading fails.

        Raises:
            OutputError: the index of an archive cannot be written.
        """
        for unit in self.units():
            yield from self.reader.items(unit)

    def units(self, *, rows: int = 0) -> Iterator[InputUnit]:
        """What can be read by itself, in the order of the pages.

        Args:
            rows: divide Parquet files into units of about so many rows, by their row groups; 0 leaves them whole.
        """
        for many, names in groupby(self.names(), holds_many):
            if many:
                yield from chain.from_iterable(_divided(name, rows) for name in names)
            else:
                yield from map(InputUnit, _batched(names))
        if self.reader.pages is not None:
            yield InputUnit(tuple(name for name in self._named() if is_archive(Path(name))), lost=True)

    def covers(self, source: str) -> bool:
        """Whether pages of that source (`Item.source`) are among this run's inputs: named, or in a folder that is.

        A file that is no more is not among them.
        """
        if not any(map(self._holds, (source, *map(str, Path(source).parents)))):
            return False
        # What has a backslash when printed may be called otherwise.
        return is_url(source) or "\\" in source or os.path.lexists(source)

    def _holds(self, name: str) -> bool:
        wanted = np.uint64(_hash(name))
        place = np.searchsorted(self._covered, wanted)
        return bool(place < len(self._covered) and self._covered[place] == wanted)

    @cached_property
    def _covered(self) -> NDArray[np.uint64]:
        """uint64 (N,), sorted: the hashes of all names; as text, those of a long list might not fit in memory."""
        return np.sort(np.fromiter((_hash(printable(name)) for name in self._named()), dtype=np.uint64))

    def names(self) -> Iterator[str]:
        """URLs and absolute paths of files, those in folders too, in the order of the pages."""
        for name in self._named():
            if is_folder(Path(name)):
                yield from self._files_in(name)
            else:
                yield name

    def _files_in(self, folder: str) -> Iterator[str]:
        try:
            for source in find(folder, self.reader.settings.rendering):
                yield source.id
        except InputError:
            yield folder  # whoever reads it fails the same way

    def _named(self) -> Iterator[str]:
        """The URLs and absolute paths that arguments, patterns and lists name."""
        for argument in self._arguments:
            names = [self._stdin] if self._stdin and argument == STDIN else _expanded(argument)
            for name in names:
                if name.lower().endswith(LIST_SUFFIX) and not is_url(name):
                    yield from _listed(name)
                else:
                    yield name

    def _keep_stdin(self) -> str:
        """Standard input as a file that is gone with this object (not with what is unpickled from it)."""
        file = NamedTemporaryFile(prefix="vclean-", suffix=LIST_SUFFIX)  # noqa: SIM115 - closed on the next line
        weakref.finalize(self, file.close)
        shutil.copyfileobj(sys.stdin.buffer, file)
        file.flush()
        return file.name


def _expanded(name: str) -> list[str]:
    """A URL as it is, a path made absolute, a pattern as the paths that it matches, or as itself if there is none."""
    if is_url(name):
        return [name]
    paths = [] if os.path.lexists(name) or not has_magic(name) else _matches(name)
    return [os.path.abspath(path) for path in paths or [name]]  # noqa: PTH100 - without a `..`, but links as named


def _matches(pattern: str) -> list[str]:
    try:
        return sorted(glob(pattern, recursive=True))  # noqa: PTH207 - patterns may be absolute
    except (OSError, ValueError):
        return []


def _batched(names: Iterator[str]) -> Iterator[tuple[str, ...]]:
    while batch := tuple(islice(names, _PAGES_AT_ONCE)):
        yield batch


def _listed(path: str) -> Iterator[str]:
    """What a list names; a list that cannot be read is a name itself, which cannot be read either."""
    try:
        for line in read_list(Path(path)):
            yield from _expanded(line)
    except InputError:
        yield path


def read_list(path: Path) -> Iterator[str]:
    """The lines of a list, without blank ones and comments, which begin with `#`.

    Raises:
        InputError: it cannot be read.
    """
    try:
        with path.open("rb") as stream:
            for number, line in enumerate(read_lines(stream, _LONGEST_LINE)):
                name = os.fsdecode(line.removeprefix(codecs.BOM_UTF8) if number == 0 else line).strip()
                if name and not name.startswith("#"):
                    yield name
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error})") from error


def _divided(path: str, rows: int) -> Iterator[InputUnit]:
    """A file as units of about so many rows, where it can be divided."""
    try:
        groups = list(row_groups(Path(path), rows)) if rows and is_parquet(Path(path)) else [None]
    except InputError:
        groups = [None]
    yield from (InputUnit((path,), run) for run in groups)


def _hash(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest())


def read(item: Item, digest: str) -> tuple[Task, TaskOutcome | None]:
    """The task for a page, and its outcome already where it cannot be read.

    Args:
        item: the page.
        digest: of the settings it will be cleaned with (`vclean.farm.settings.settings_digest`).
    """
    start = time.perf_counter()
    try:
        page = item.read()
    except (VcleanError, MemoryError) as error:
        task = _unread(item, digest)
        return task, failed(task, error, {"read": time.perf_counter() - start})
    return Task(page, item.source, key_of(page, digest), seconds=time.perf_counter() - start), None


def _unread(item: Item, digest: str) -> Task:
    """What stands for a page that could not be read; its key comes from its name and place."""
    return Task(Page(id=item.id), item.source, key_of(Page(content=item.source, url=item.id), digest))
