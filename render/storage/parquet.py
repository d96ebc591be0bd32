"""Find snapshots in the Parquet files of a farm."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.errors import InputError
from vclean.imports import requires_extra

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow.parquet as pq
    from numpy.typing import NDArray

_KEY: Final = "read_key"
_SNAPSHOT: Final = "snapshot"
_KEY_HALVES: Final = np.dtype(np.uint64)
_ENTRY: Final = np.dtype([("head", np.uint64), ("tail", np.uint64), ("file", np.uint32), ("row", np.uint32)])
"""Index entry: a key in two halves, and the file and row of its snapshot."""


class ParquetSnapshots:
    """Snapshots in the Parquet files that a farm wrote to a folder; other files are ignored.

    The index takes 24 bytes per snapshot; snapshots are read on demand.

    Args:
        folder: folder of the files; if it does not exist, there are no snapshots.

    Raises:
        InputError: a file is damaged, or contains no snapshots.
    """

    def __init__(self, folder: Path) -> None:
        self._paths = sorted(folder.glob("*.parquet"))
        tables = [_keys(path, number) for number, path in enumerate(self._paths)]
        entries = np.concatenate(tables) if tables else np.empty(0, dtype=_ENTRY)
        self._entries = entries[np.argsort(entries["head"], kind="stable")]
        self._file: tuple[int, pq.ParquetFile, list[int]] | None = None
        self._group: tuple[int, int, Any] | None = None

    def __len__(self) -> int:
        """Return the number of snapshots."""
        return len(self._entries)

    def get(self, key: bytes) -> bytes | None:
        """Return the serialized snapshot of a page, or None if it is not stored.

        Args:
            key: the page's `vclean.render.storage.cache.read_key`.

        Raises:
            InputError: the file is damaged.
        """
        head, tail = np.frombuffer(key, dtype=_KEY_HALVES).tolist()
        heads = self._entries["head"]
        first, last = np.searchsorted(heads, head, "left"), np.searchsorted(heads, head, "right")
        for entry in self._entries[first:last]:
            if entry["tail"] == tail:
                return self._read(int(entry["file"]), int(entry["row"]))
        return None

    def _read(self, number: int, row: int) -> bytes:
        """Read the snapshot in a row of a file; cache its row group, which often contains the next page."""
        with _readable(self._paths[number]):
            file, starts = self._open(number)
            group = bisect_right(starts, row) - 1
            if self._group is None or self._group[:2] != (number, group):
                self._group = (number, group, file.read_row_group(group, columns=[_SNAPSHOT]).column(_SNAPSHOT))
            packed: bytes = self._group[2][row - starts[group]].as_py()
            return packed

    def _open(self, number: int) -> tuple[pq.ParquetFile, list[int]]:
        """Open a file, and return it with the number of the first row of each row group."""
        if self._file is None or self._file[0] != number:
            if self._file:
                self._file[1].close()
            import pyarrow.parquet as pq

            file = pq.ParquetFile(self._paths[number])
            sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
            self._file = (number, file, [0, *accumulate(sizes[:-1])])
        return self._file[1:]


def _keys(path: Path, number: int) -> NDArray[Any]:
    """Return the index of a file: an `_ENTRY` for each row that has a key."""
    with requires_extra("parquet", "pyarrow"):
        import pyarrow.parquet as pq

    with _readable(path):
        keys = pq.read_table(path, columns=[_KEY]).column(_KEY).combine_chunks()
    rows = np.flatnonzero(keys.is_valid().to_numpy(zero_copy_only=False))
    halves = np.frombuffer(b"".join(filter(None, keys.to_pylist())), dtype=_KEY_HALVES).reshape(-1, 2)
    entries = np.empty(len(rows), dtype=_ENTRY)
    entries["head"], entries["tail"], entries["file"], entries["row"] = halves[:, 0], halves[:, 1], number, rows
    return entries


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    import pyarrow as pa

    try:
        yield
    except (OSError, pa.ArrowException, KeyError) as error:
        raise InputError(f"{path} contains no readable snapshots: name another folder, or delete it") from error
