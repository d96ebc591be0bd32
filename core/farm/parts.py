"""Write and read the parts of the output: Parquet files of some hundred rows, each complete or absent.

A resumed run skips the pages that an earlier run has done.
"""

from __future__ import annotations

import itertools
from contextlib import AbstractContextManager, suppress
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vclean.characters import replace_surrogates
from vclean.errors import InputError
from vclean.farm.rows import FAILED, SCHEMA
from vclean.files import make_folder, output_errors, replace_durably, stale_temporary_files, temporary_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path


PARTS: Final = "parts"
SNAPSHOTS: Final = "snapshots"
WET: Final = "wet"

_PAGE_COLUMNS: Final = ("id", "url", "source", "key", "read_key")
"""Columns of a file of snapshots, beside the packed snapshot: those that identify a page."""

_GROUP_ROWS: Final = 64
"""Rows in a row group."""

_SNAPSHOT_GROUP_ROWS: Final = 8
"""Snapshots in a row group. One has about 100 kB, and reading one reads its whole group."""

_PART_BYTES: Final = 2**27
"""Bytes of waiting rows and snapshots that are written as a part, although it has fewer rows than others."""


class PartWriter(AbstractContextManager["PartWriter"]):
    """Write rows to parts, and snapshots to files beside them.

    Rows wait in memory until they fill a part. The name of a part is a digest of its pages. As a context manager it
    commits the last part at the end, also when the block raises: everything written is saved.

    Args:
        folder: the output; its folders for parts and snapshots are made.
        rows: rows in a part.
        snapshots: whether to save snapshots.
        facts: entries for the metadata of every file, by name.
        on_commit: called with the path of each part when it is complete.

    Every method raises:
        OutputError: a file could not be written; the unfinished part is dropped, committed parts are complete.
    """

    def __init__(
        self,
        folder: Path,
        *,
        rows: int = 500,
        snapshots: bool = False,
        facts: Mapping[str, str] | None = None,
        on_commit: Callable[[Path], None] | None = None,
    ) -> None:
        self._rows = rows
        self._facts = facts or {}
        self._on_commit = on_commit
        self._parts = make_folder(folder / PARTS)
        self._snapshots = make_folder(folder / SNAPSHOTS) if snapshots else None
        self._waiting: list[tuple[pa.RecordBatch, bytes | None]] = []
        self._bytes = 0

    def __exit__(self, *exception: object) -> None:
        """Commit the unfinished part."""
        self.commit()

    def write(self, row: pa.RecordBatch, snapshot: bytes | None = None) -> None:
        """Add a page: its row of `SCHEMA`, and its packed snapshot, if any."""
        self._waiting.append((row, snapshot))
        self._bytes += row.nbytes + len(snapshot or b"")
        if len(self._waiting) >= self._rows or self._bytes >= _PART_BYTES:
            self.commit()

    def commit(self) -> None:
        """Write the unfinished part, unless it is empty: first the snapshots, then the rows."""
        pages, self._waiting, self._bytes = self._waiting, [], 0
        if not pages:
            return
        rows = pa.Table.from_batches([row for row, _ in pages], SCHEMA)
        name = self._part_name(rows)
        if self._snapshots:
            snapshots = pa.array([snapshot for _, snapshot in pages], pa.binary())
            table = rows.select(_PAGE_COLUMNS).append_column("snapshot", snapshots).filter(snapshots.is_valid())
            if table.num_rows:
                path = self._snapshots / f"{SNAPSHOTS}-{name}.parquet"
                _write_table(path, table, self._facts, _SNAPSHOT_GROUP_ROWS)
        path = self._parts / f"part-{name}.parquet"
        _write_table(path, rows, self._facts, _GROUP_ROWS)
        if self._on_commit:
            self._on_commit(path)

    def _part_name(self, rows: pa.Table) -> str:
        """Return 16 hexadecimal digits that no existing part has."""
        pages = rows.select(["key", "id"]).to_pylist()
        names = b"\0".join(sorted(page["key"] + page["id"].encode() for page in pages))
        for count in itertools.count():
            digest = blake2b(names, digest_size=8, salt=count.to_bytes(4)).hexdigest()
            if not (self._parts / f"part-{digest}.parquet").exists():
                break
        return digest


def _write_table(path: Path, table: pa.Table, facts: Mapping[str, str], group_rows: int) -> None:
    """Write a Parquet file with `facts` in its metadata; it is complete or absent."""
    metadata: dict[Any, Any] = dict(table.schema.metadata or {})
    table = table.replace_schema_metadata(metadata | dict(facts))
    temporary = temporary_path(path)
    try:
        with output_errors(path.parent), temporary.open("wb") as file:
            pq.write_table(table, file, row_group_size=group_rows, compression="zstd")
        replace_durably(temporary, path)
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def part_paths(folder: Path) -> list[Path]:
    """Return the committed parts of an output, sorted by name."""
    return sorted((folder / PARTS).glob("part-*.parquet"))


def wet_name(part: str) -> str:
    """Return the name of the WET file of a part.

    >>> wet_name("part-0a.parquet")
    'wet-0a.warc.wet.gz'
    """
    return f"wet-{part.removeprefix('part-').removesuffix('.parquet')}.warc.wet.gz"


def read_parts(paths: Iterable[Path], columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
    """Yield some columns of parts, `rows` rows at a time.

    Raises:
        InputError: a part cannot be read.
    """
    for path in paths:
        try:
            with pq.ParquetFile(path) as file:
                yield from file.iter_batches(rows, columns=list(columns))
        except (OSError, pa.ArrowException, KeyError) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"{path} is damaged ({reason}): delete it, and --resume cleans its pages again") from error


def remove_leftovers(folder: Path) -> None:
    """Delete what a killed run left: temporary files, and snapshots and WET files without a part.

    Raises:
        OutputError: a file cannot be deleted.
    """
    parts = [path.name for path in part_paths(folder)]
    names = {*map(wet_name, parts), *(name.replace("part-", f"{SNAPSHOTS}-") for name in parts)}
    companions = (*(folder / SNAPSHOTS).glob(f"{SNAPSHOTS}-*.parquet"), *(folder / WET).glob("wet-*"))
    orphans = [path for path in companions if path.name not in names]
    for subfolder in (folder, folder / PARTS, folder / SNAPSHOTS, folder / WET):
        orphans += stale_temporary_files(subfolder)
    for path in orphans:
        with output_errors(path):
            path.unlink(missing_ok=True)


def drop_failures(folder: Path) -> None:
    """Remove the rows of failed pages from the parts: a resumed run then tries these pages again.

    Raises:
        InputError: a part cannot be read.
        OutputError: it cannot be rewritten; it stays unchanged.
    """
    for path in part_paths(folder):
        if any(FAILED in batch["status"].to_pylist() for batch in read_parts([path], ["status"], _GROUP_ROWS)):
            rows = pa.Table.from_batches(read_parts([path], SCHEMA.names, _GROUP_ROWS))
            successes = rows.filter(pc.not_equal(rows["status"], pa.scalar(FAILED)))
            if successes.num_rows:
                _write_table(path, successes, {}, _GROUP_ROWS)
            else:
                with output_errors(path):
                    path.unlink()


_ROWS_AT_ONCE: Final = 10_000


class ResumeLog:
    """Rows of the parts, each of which one page can claim. They take 16 bytes each in memory.

    Args:
        parts: the parts; none for a new run.
        covers: returns whether a file or URL (`vclean.page.Source.origin`) is an input of this run.

    Raises:
        InputError: a part cannot be read.
    """

    def __init__(self, parts: Iterable[Path], covers: Callable[[str], bool]) -> None:
        hashes = np.fromiter(self._read(parts, covers), dtype=np.int64)
        self._hashes, self._counts = np.unique(hashes, return_counts=True)

    def _read(self, parts: Iterable[Path], covers: Callable[[str], bool]) -> Iterator[int]:
        """Yield a hash of 64 bits for each row: of key and id, or of the key if its file is no longer an input."""
        is_input = lru_cache(covers)  # rows of one file follow each other
        for batch in read_parts(parts, ("key", "id", "source"), _ROWS_AT_ONCE):
            for row in batch.to_pylist():
                yield hash((row["key"], row["id"] if is_input(row["source"]) else None))

    def claim(self, key: bytes, page_id: str) -> bool:
        """Return whether a page of the input is done. If it is, claim its row: each row counts for one page.

        A row counts for a page with the same key and id. It also counts for a page with the same key if the file of the
        row is no longer an input: the page was then moved or renamed.

        Args:
            key: see `vclean.farm.rows.page_key`.
            page_id: id of the page.
        """
        for page in (hash((key, replace_surrogates(page_id))), hash((key, None))):
            row = int(np.searchsorted(self._hashes, page))
            if row < len(self._hashes) and self._hashes[row] == page and self._counts[row]:
                self._counts[row] -= 1
                return True
        return False
