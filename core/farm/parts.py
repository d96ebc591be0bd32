"""The parts of the output: Parquet files of some hundred rows, each there as a whole or not at all."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from hashlib import blake2b
from typing import IO, TYPE_CHECKING, Final, Self

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from vclean.errors import InputError
from vclean.farm.rows import FAILED, SCHEMA
from vclean.files import beside, explained, leftovers, make_folder, put_in_place

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

PARTS: Final = "parts"
SNAPSHOTS: Final = "snapshots"

_TELLING: Final = ("id", "url", "source", "key", "read_key")
SNAPSHOT_SCHEMA: Final = pa.schema([*map(SCHEMA.field, _TELLING), pa.field("snapshot", pa.binary())])
"""The columns of a file of snapshots: those of `SCHEMA` that tell a page, and its packed snapshot."""

_GROUP_ROWS: Final = 64
_GROUP_BYTES: Final = 32 * 2**20
"""Rows wait in memory until there are so many, or they take so much."""

_SNAPSHOT_GROUP_ROWS: Final = 8
"""A snapshot takes some 100 kB: to read one of them costs reading so many."""

_DIGEST: Final = 8
_FAILED: Final = pa.scalar(FAILED)


class PartWriter:
    """Writes rows to parts, and snapshots to files beside them.

    A part is named after the pages in it. Used as a context manager it commits the last part at the end, also where
    the block raises: what was put is kept.

    Args:
        folder: the output; its folders for parts and snapshots are made.
        rows: in a part.
        snapshots: keep them.
        mark: what tells a task that may be done twice from all others, 1 to 64 bytes: its parts have the same names
            both times, and replace themselves. Without it every part gets a name of its own.
        facts: go into the metadata of every file, by name.

    Every method raises:
        OutputError: a file could not be written; the part in hand is gone, those committed are whole.
    """

    def __init__(
        self,
        folder: Path,
        *,
        rows: int = 500,
        snapshots: bool = False,
        mark: bytes = b"",
        facts: Mapping[str, str] | None = None,
    ) -> None:
        self._rows = rows
        self._mark = mark
        self._names: list[bytes] = []
        self._parts = _Aside(make_folder(folder / PARTS), _with(SCHEMA, facts), _GROUP_ROWS)
        self._snapshots: _Aside | None = None
        if snapshots:
            self._snapshots = _Aside(
                make_folder(folder / SNAPSHOTS), _with(SNAPSHOT_SCHEMA, facts), _SNAPSHOT_GROUP_ROWS
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """Commit what was put."""
        self.commit()

    def put(self, row: pa.RecordBatch, snapshot: bytes | None = None) -> None:
        """Add a page: its row of `SCHEMA`, and its packed snapshot if there is one."""
        with self._undone_on_error():
            self._parts.add(row)
            if self._snapshots and snapshot is not None:
                self._snapshots.add(_snapshot_row(row, snapshot))
            self._names.append(row.column("key")[0].as_py() + row.column("id")[0].as_py().encode())
            if len(self._names) >= self._rows:
                self._commit()

    def commit(self) -> None:
        """Put the part in hand in its place, if there is a page in it: first the snapshots, then the rows."""
        with self._undone_on_error():
            self._commit()

    def _commit(self) -> None:
        if not self._names:
            return
        name = self._name()
        if self._snapshots:
            self._snapshots.commit(f"{SNAPSHOTS}-{name}.parquet")
        self._parts.commit(f"part-{name}.parquet")
        self._names.clear()

    def _name(self) -> str:
        """16 hexadecimal digits; not those of a part that is there, if that one is to stay."""
        count = 0
        while True:
            salt = count.to_bytes(4)
            names = b"\0".join(sorted(self._names))
            digest = blake2b(names, digest_size=_DIGEST, salt=salt, key=self._mark).hexdigest()
            if self._mark or not (self._parts.folder / f"part-{digest}.parquet").exists():
                return digest
            count += 1

    @contextmanager
    def _undone_on_error(self) -> Iterator[None]:
        try:
            yield
        except BaseException:
            self.discard()
            raise

    def discard(self) -> None:
        """Drop the part in hand."""
        self._names.clear()
        self._parts.discard()
        if self._snapshots:
            self._snapshots.discard()


def part_paths(folder: Path) -> list[Path]:
    """The committed parts of an output, in the order of their names."""
    return sorted((folder / PARTS).glob("part-*.parquet"))


def read_parts(paths: Iterable[Path], columns: Sequence[str], rows: int) -> Iterator[pa.RecordBatch]:
    """Some columns of parts, `rows` rows at a time.

    Raises:
        InputError: a part cannot be read.
    """
    for path in paths:
        try:
            with pq.ParquetFile(path) as file:
                yield from file.iter_batches(rows, columns=list(columns))
        except (OSError, pa.ArrowException, KeyError) as error:
            reason = str(error).splitlines()[0]
            raise InputError(f"{path} is damaged ({reason}): delete it, and --resume does its pages again") from error


def tidy(folder: Path) -> None:
    """Remove what a run that was killed left: files written aside, and snapshots whose part never came.

    Raises:
        OutputError: a file cannot be removed.
    """
    parts = {path.name.removeprefix("part-") for path in part_paths(folder)}
    snapshots = (folder / SNAPSHOTS).glob(f"{SNAPSHOTS}-*.parquet")
    orphans = [path for path in snapshots if path.name.removeprefix(f"{SNAPSHOTS}-") not in parts]
    for place in (folder, folder / PARTS, folder / SNAPSHOTS):
        orphans += leftovers(place)
    for path in orphans:
        with explained(path):
            path.unlink(missing_ok=True)


def forget_failures(folder: Path) -> None:
    """Take the rows of failed pages out of the parts, so that a resumed run tries these pages again.

    Raises:
        InputError: a part cannot be read.
        OutputError: it cannot be written again; it stays as it was.
    """
    for path in part_paths(folder):
        table = pa.Table.from_batches(read_parts([path], ["status"], _GROUP_ROWS), pa.schema([SCHEMA.field("status")]))
        if pc.any(pc.equal(table["status"], _FAILED)).as_py():
            _rewrite(path)


def _rewrite(path: Path) -> None:
    """A part without its failures, a row group at a time; none where nothing else is in it."""
    rest = _Aside(path.parent, pq.read_schema(path), _GROUP_ROWS)
    try:
        for batch in read_parts([path], SCHEMA.names, _GROUP_ROWS):
            kept = batch.filter(pc.not_equal(batch["status"], _FAILED))
            if kept.num_rows:
                rest.add(kept)
        with explained(path):
            path.unlink() if rest.is_empty else rest.commit(path.name)
    except BaseException:
        rest.discard()
        raise


class _Aside:
    """A Parquet file that is written aside, row group by row group; there is none until there are rows for it.

    Args:
        folder: where it is to be.
        schema: its columns and metadata.
        group_rows: rows in a row group.
    """

    def __init__(self, folder: Path, schema: pa.Schema, group_rows: int) -> None:
        self.folder = folder
        self._schema = schema
        self._group_rows = group_rows
        self._waiting: list[pa.RecordBatch] = []
        self._bytes = 0
        self._path = beside(folder / "part")
        self._file: IO[bytes] | None = None
        self._writer: pq.ParquetWriter | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing was added since it was made, or last had its name."""
        return not self._waiting and self._writer is None

    def add(self, row: pa.RecordBatch) -> None:
        """Add a row, or some; rows wait in memory until they make a row group."""
        self._waiting.append(row)
        self._bytes += row.nbytes
        if len(self._waiting) >= self._group_rows or self._bytes >= _GROUP_BYTES:
            self._flush()

    def commit(self, name: str) -> None:
        """Give the file its name, if there is one."""
        if self._waiting:
            self._flush()
        if self._writer is None or self._file is None:
            return
        with explained(self.folder):
            self._writer.close()
            self._file.close()
        put_in_place(self._path, self.folder / name)
        self._writer = self._file = None

    def discard(self) -> None:
        """Remove the file and the rows that wait."""
        self._waiting.clear()
        self._bytes = 0
        if self._writer is not None:
            self._writer.is_open = False  # or it would write the footer, now or when it is collected
        if self._file is not None:
            with suppress(OSError):  # what is left in its buffer may not fit either
                self._file.close()
            with suppress(OSError):
                self._path.unlink(missing_ok=True)
        self._writer = self._file = None

    def _flush(self) -> None:
        with explained(self.folder):
            if self._writer is None:
                self._file = self._path.open("wb")
                self._writer = pq.ParquetWriter(self._file, self._schema, compression="zstd")
            self._writer.write_table(pa.Table.from_batches(self._waiting, self._schema))
        self._waiting.clear()
        self._bytes = 0


def _snapshot_row(row: pa.RecordBatch, snapshot: bytes) -> pa.RecordBatch:
    return pa.RecordBatch.from_arrays(
        [*row.select(list(_TELLING)).columns, pa.array([snapshot])], schema=SNAPSHOT_SCHEMA
    )


def _with(schema: pa.Schema, facts: Mapping[str, str] | None) -> pa.Schema:
    return schema.with_metadata(
        (schema.metadata or {}) | {key.encode(): value.encode() for key, value in (facts or {}).items()}
    )
