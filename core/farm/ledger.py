"""What an earlier run has done, so that a resumed one does not do it again."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, Any, Final, Self

from vclean.errors import OutputError
from vclean.farm.parts import read_parts
from vclean.farm.rows import plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

_ROWS_AT_ONCE: Final = 10_000
_CACHE_KIB: Final = 65_536

_AWAY, _HERE, _UNKNOWN = 0, 1, 2
"""Whether the file of a row is among the inputs."""


class Ledger:
    """The pages of the parts, each to be taken once; kept in a temporary file, so that memory does not grow with them.

    Args:
        parts: the parts; none for a new run.

    Raises:
        InputError: a part cannot be read.
        OutputError: the temporary file cannot be written.
    """

    def __init__(self, parts: Iterable[Path]) -> None:
        self._left = 0
        paths = list(parts)
        # "" is SQLite's own temporary file: it has no name, and is gone with the process however that ends.
        self._base = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        if paths:
            self._fill(paths)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Remove the temporary file."""
        self._base.close()

    def __len__(self) -> int:
        """How many pages are not taken yet."""
        return self._left

    def take(self, key: bytes, page_id: str, source: str, covers: Callable[[str], bool]) -> bool:
        """Whether a page of this run's input is done; if so, one row less is left to account for others.

        A row accounts for a page of the same key if it has its id, or else if its file is no longer among the inputs,
        so that the page must have been moved or renamed.

        Args:
            key: see `vclean.farm.task.key_of`.
            page_id: the page's id.
            source: the file it is in.
            covers: whether pages of a file are among this run's inputs.
        """
        if not self._left:
            return False
        row = self._same(key, plain(page_id), plain(source)) or self._moved(key, covers)
        if row is None:
            return False
        self._base.execute("delete from done where rowid = ?", (row,))
        self._left -= 1
        return True

    def _same(self, key: bytes, page_id: str, source: str) -> int | None:
        """The row of a page's key and id, that of its file before others."""
        query = "select rowid from done where key = ? and here in (0, 1, 2) and id = ? order by source = ? desc limit 1"
        row = self._base.execute(query, (key, page_id, source)).fetchone()
        return row[0] if row else None

    def _moved(self, key: bytes, covers: Callable[[str], bool]) -> int | None:
        """A row of a page's key whose file is not among the inputs; each row is only once asked where it is."""
        query = "select rowid, source, here from done where key = ? and here in (0, 2) order by here limit 1"
        while row := self._base.execute(query, (key,)).fetchone():
            number, source, here = row
            if here == _AWAY or not covers(source):
                return int(number)
            self._base.execute("update done set here = ? where rowid = ?", (_HERE, number))
        return None

    def _fill(self, paths: list[Path]) -> None:
        run = self._base.execute
        try:
            for pragma in ("journal_mode = off", "synchronous = off", f"cache_size = -{_CACHE_KIB}"):
                run(f"pragma {pragma}")
            run(f"create table done (key blob, id text, source text, here integer default {_UNKNOWN})")
            run("begin")
            self._base.executemany("insert into done (key, id, source) values (?, ?, ?)", _done(paths))
            run("commit")
            run("create index place on done (key, here, id)")
            (self._left,) = run("select count(*) from done").fetchone()
        except sqlite3.Error as error:
            raise OutputError(f"cannot keep a list of what is done ({error}): free some space in TMPDIR") from error


def _done(paths: Iterable[Path]) -> Iterator[tuple[Any, ...]]:
    names = ["key", "id", "source"]
    for batch in read_parts(paths, names, _ROWS_AT_ONCE):
        yield from zip(*(batch.column(name).to_pylist() for name in names), strict=True)
