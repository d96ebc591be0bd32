"""What the farm reads at a time: units that can be read anywhere, in any order, and the items in them."""

from __future__ import annotations

import logging
import os
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from glob import has_magic
from hashlib import blake2b
from itertools import starmap
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn

from vclean.errors import InputError, NetworkError, OutputError, VcleanError
from vclean.explain import unexpected
from vclean.farm.task import Item
from vclean.outputs import made
from vclean.sources import Source, find, find_in_archive, is_archive, is_url
from vclean.tables import parquet_pages, printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from vclean.farm.settings import CleaningSettings
    from vclean.page import Page

LIST_SUFFIX: Final = ".txt"

_log = logging.getLogger("vclean")


@dataclass(frozen=True, slots=True)
class Unit:
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

    settings: CleaningSettings
    pages: tuple[str, ...] | None = None
    index_folder: Path | None = None

    def items(self, unit: Unit) -> Iterator[Item]:
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
        path, max_bytes = Path(argument), self.settings.page.max_bytes
        if is_url(argument):
            self._check_network(argument)
            return find(printable(argument), self.settings.page, live=True)
        if groups is not None:
            return starmap(Source, parquet_pages(path, max_bytes, groups))
        if is_archive(path) and path.is_file():
            return find_in_archive(path, max_bytes, index=self.index_of(path), only=self.pages)
        _check_name(path)
        return find(argument, self.settings.page)

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
        return made(self.index_folder) / f"{blake2b(os.fsencode(archive), digest_size=16).hexdigest()}.sqlite"

    def _lost(self, archives: tuple[str, ...]) -> Iterator[Item]:
        """The pages asked for that are in none of the archives."""
        from vclean.render.archives import Archive

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
