"""What an earlier run has done, so that a resumed one does not do it again."""

from __future__ import annotations

import sqlite3
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, Self

from vclean.errors import OutputError
from vclean.farm.parts import read_parts
from vclean.farm.rows import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

_ROWS_AT_ONCE: Final = 10_000
_CACHE_KIB: Final = 32_768

_MOST_PASSED: Final = 100_000
_MARK_BYTES: Final = 8


class Ledger:
    """The pages of the parts, each to be taken once; kept in a temporary file and a byte of memory each.

    Args:
        parts: the parts; none for a new run.

    Raises:
        InputError: a part cannot be read.
        OutputError: the temporary file cannot be written.
    """

    def __init__(self, parts: Iterable[Path]) -> None:
        self._left = 0
        self._passed: dict[tuple[Any, ...], int] = {}
        paths = list(parts)
        # "" is SQLite's own temporary file: it has no name, and is gone with the process however that ends.
        self._base = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        if paths:
            self._fill(paths)
        self._taken = bytearray(self._left + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Remove the temporary file."""
        self._base.close()

    def __len__(self) -> int:
        """How many pages are not taken yet."""
        return self._left

    def take(self, key: bytes, page_id: str, covers: Callable[[str], bool]) -> bool:
        """Whether a page of this run's input is done; if so, one row less is left to account for others.

        A row accounts for a page of the same key if it has its id too, or else if its file is no longer among the
        inputs, so that the page must have been moved or renamed.

        Args:
            key: see `vclean.farm.tasks.key_of`.
            page_id: the page's id.
            covers: whether pages of a file are among this run's inputs.
        """
        if not self._left:
            return False
        row = self._same(key, page_id) or self._moved(key, covers)
        if row is None:
            return False
        self._taken[row] = True
        self._left -= 1
        return True

    def _same(self, key: bytes, page_id: str) -> int | None:
        """A row of a page's key and id."""
        query = "select rowid from done where key = ? and mark = ? and rowid > ? order by rowid"
        return self._first(query, (key, _mark(page_id)), lambda _: True)

    def _moved(self, key: bytes, covers: Callable[[str], bool]) -> int | None:
        """A row of a page's key whose file is not among the inputs."""
        query = "select rowid, source from done where key = ? and rowid > ? order by rowid"
        return self._first(query, (key,), lambda row: not covers(row[1]))

    def _first(self, query: str, place: tuple[Any, ...], fits: Callable[[Any], bool]) -> int | None:
        """The first row that is not taken and fits; what was passed over is not looked at again."""
        start = last = self._passed.get(place, 0)
        for row in self._base.execute(query, (*place, start)):
            if not self._taken[row[0]] and fits(row):
                break
            last = row[0]
        else:
            row = (None,)
        if last > start:
            self._passed = self._passed if len(self._passed) < _MOST_PASSED else {}
            self._passed[place] = last
        found: int | None = row[0]
        return found

    def _fill(self, paths: list[Path]) -> None:
        run = self._base.execute
        try:
            for pragma in ("journal_mode = off", "synchronous = off", f"cache_size = -{_CACHE_KIB}"):
                run(f"pragma {pragma}")
            run("create table done (key blob, mark integer, source text)")
            run("begin")
            self._base.executemany("insert into done values (?, ?, ?)", _done(paths))
            run("commit")
            run("create index place on done (key, mark)")
            (self._left,) = run("select count(*) from done").fetchone()
        except sqlite3.Error as error:
            raise OutputError(f"cannot keep a list of what is done ({error}): free some space in TMPDIR") from error


def _done(paths: Iterable[Path]) -> Iterator[tuple[bytes, int, str]]:
    for batch in read_parts(paths, ("key", "id", "source"), _ROWS_AT_ONCE):
        keys, names, sources = (column.to_pylist() for column in batch.select(["key", "id", "source"]).columns)
        yield from zip(keys, map(_mark, map(str, names)), sources, strict=True)


def _mark(page_id: str) -> int:
    """A number for an id, as a row has it; far shorter, and the key beside it makes it all but unique."""
    return int.from_bytes(blake2b(plain(page_id).encode(), digest_size=_MARK_BYTES).digest(), signed=True)
