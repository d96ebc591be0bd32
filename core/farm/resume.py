"""Record which pages an earlier run has done: a resumed run skips them."""

from __future__ import annotations

import sqlite3
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final, Self

from vclean.errors import OutputError
from vclean.farm.parts import read_parts
from vclean.farm.rows import replace_surrogates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

_ROWS_AT_ONCE: Final = 10_000
_CACHE_KIB: Final = 32_768

_MAX_PASSED: Final = 100_000
_HASH_BYTES: Final = 8


class ResumeLog:
    """Pages of the parts, each of which can be claimed once.

    The log is a temporary file; each page also takes a byte of memory.

    Args:
        parts: the parts; none for a new run.

    Raises:
        InputError: a part cannot be read.
        OutputError: the temporary file cannot be written.
    """

    def __init__(self, parts: Iterable[Path]) -> None:
        self._unclaimed = 0
        self._passed: dict[tuple[Any, ...], int] = {}
        paths = list(parts)
        # SQLite makes an unnamed temporary file for "". The system deletes it with the process, however that ends.
        self._database = sqlite3.connect("", check_same_thread=False, isolation_level=None)
        if paths:
            self._load(paths)
        self._claimed = bytearray(self._unclaimed + 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Delete the temporary file."""
        self._database.close()

    def __len__(self) -> int:
        """Return the number of pages that are not claimed yet."""
        return self._unclaimed

    def claim(self, key: bytes, page_id: str, covers: Callable[[str], bool]) -> bool:
        """Return whether a page of the input is done. If it is, claim its row: each row counts for one page.

        A row counts for a page with the same key and id. It also counts for a page with the same key if the file of the
        row is no longer an input: the page was then moved or renamed.

        Args:
            key: see `vclean.farm.tasks.page_key`.
            page_id: id of the page.
            covers: returns whether a file is an input of this run.
        """
        if not self._unclaimed:
            return False
        row = self._row_of_page(key, page_id) or self._row_of_moved_page(key, covers)
        if row is None:
            return False
        self._claimed[row] = True
        self._unclaimed -= 1
        return True

    def _row_of_page(self, key: bytes, page_id: str) -> int | None:
        """Return a row with the key and the id of a page."""
        query = "select rowid from done where key = ? and id_hash = ? and rowid > ? order by rowid"
        return self._first_unclaimed(query, (key, _hash(page_id)), lambda _: True)

    def _row_of_moved_page(self, key: bytes, covers: Callable[[str], bool]) -> int | None:
        """Return a row with the key of a page, if the file of the row is no longer an input."""
        query = "select rowid, source from done where key = ? and rowid > ? order by rowid"
        return self._first_unclaimed(query, (key,), lambda row: not covers(row[1]))

    def _first_unclaimed(self, query: str, parameters: tuple[Any, ...], fits: Callable[[Any], bool]) -> int | None:
        """Return the first unclaimed row that fits. Rows passed over are not examined again for these parameters."""
        start = last = self._passed.get(parameters, 0)
        for row in self._database.execute(query, (*parameters, start)):
            if not self._claimed[row[0]] and fits(row):
                break
            last = row[0]
        else:
            row = (None,)
        if last > start:
            self._passed = self._passed if len(self._passed) < _MAX_PASSED else {}
            self._passed[parameters] = last
        number: int | None = row[0]
        return number

    def _load(self, paths: list[Path]) -> None:
        run = self._database.execute
        try:
            for pragma in ("journal_mode = off", "synchronous = off", f"cache_size = -{_CACHE_KIB}"):
                run(f"pragma {pragma}")
            run("create table done (key blob, id_hash integer, source text)")
            run("begin")
            self._database.executemany("insert into done values (?, ?, ?)", _read_done(paths))
            run("commit")
            run("create index by_page on done (key, id_hash)")
            (self._unclaimed,) = run("select count(*) from done").fetchone()
        except sqlite3.Error as error:
            raise OutputError(f"cannot store the list of finished pages ({error}): free space in TMPDIR") from error


def _read_done(paths: Iterable[Path]) -> Iterator[tuple[bytes, int, str]]:
    for batch in read_parts(paths, ("key", "id", "source"), _ROWS_AT_ONCE):
        keys, names, sources = (column.to_pylist() for column in batch.select(["key", "id", "source"]).columns)
        yield from zip(keys, map(_hash, map(str, names)), sources, strict=True)


def _hash(page_id: str) -> int:
    """Return a 64-bit hash of an id as rows have it. It is short, and with the key it is unique in practice."""
    return int.from_bytes(blake2b(replace_surrogates(page_id).encode(), digest_size=_HASH_BYTES).digest(), signed=True)
