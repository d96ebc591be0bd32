"""The inputs of a farm run: files, folders, URLs, patterns and lists of them, as a stream of pages in a fixed order."""

from __future__ import annotations

import codecs
import os
import shutil
import sys
import weakref
from functools import cached_property
from glob import glob, has_magic
from hashlib import blake2b
from itertools import chain, groupby, islice
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.errors import InputError
from vclean.farm.units import LIST_SUFFIX, Unit, UnitReader
from vclean.sources import STDIN, find, holds_many, is_archive, is_folder, is_parquet, is_url
from vclean.tables import printable, read_lines, row_groups

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.farm.settings import CleaningSettings
    from vclean.farm.task import Item

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
        settings: CleaningSettings,
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

    def units(self, *, rows: int = 0) -> Iterator[Unit]:
        """What can be read by itself, in the order of the pages.

        Args:
            rows: divide Parquet files into units of about so many rows, by their row groups; 0 leaves them whole.
        """
        for many, names in groupby(self.names(), holds_many):
            if many:
                yield from chain.from_iterable(_divided(name, rows) for name in names)
            else:
                yield from map(Unit, _batched(names))
        if self.reader.pages is not None:
            yield Unit(tuple(name for name in self._named() if is_archive(Path(name))), lost=True)

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
            for source in find(folder, self.reader.settings.page):
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


def _divided(path: str, rows: int) -> Iterator[Unit]:
    """A file as units of about so many rows, where it can be divided."""
    try:
        groups = list(row_groups(Path(path), rows)) if rows and is_parquet(Path(path)) else [None]
    except InputError:
        groups = [None]
    yield from (Unit((path,), run) for run in groups)


def _hash(name: str) -> int:
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest())
