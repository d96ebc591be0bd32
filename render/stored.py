"""Snapshots in the Parquet files of a farm, found by the page they are of."""

from __future__ import annotations

from bisect import bisect_right
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from vclean.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from numpy.typing import NDArray

_KEY: Final = "read_key"
_SNAPSHOT: Final = "snapshot"
_HALVES: Final = np.dtype(np.uint64)
_ENTRY: Final = np.dtype([("head", np.uint64), ("tail", np.uint64), ("file", np.uint32), ("row", np.uint32)])
"""A key in two halves, and the place of its snapshot."""


class StoredFiles:
    """The snapshots in the Parquet files of a folder, such as a farm keeps; other files there are passed over.

    An index of 24 bytes a snapshot is made first; the snapshots are read when they are asked for.

    Args:
        folder: with the files; none if it is not there.

    Raises:
        InputError: a file is damaged, or is no file of snapshots.
    """

    def __init__(self, folder: Path) -> None:
        self._paths = sorted(folder.glob("*.parquet"))
        tables = [_keys(path, number) for number, path in enumerate(self._paths)]
        found = np.concatenate(tables) if tables else np.empty(0, dtype=_ENTRY)
        self._entries = found[np.argsort(found["head"], kind="stable")]
        self._file: tuple[int, pq.ParquetFile, list[int]] | None = None
        self._group: tuple[int, int, Any] | None = None

    def __len__(self) -> int:
        """The number of snapshots."""
        return len(self._entries)

    def get(self, key: bytes) -> bytes | None:
        """The packed snapshot of a page, or None if it is not there.

        Args:
            key: the page's `vclean.render.store.read_key`.

        Raises:
            InputError: its file is damaged.
        """
        head, tail = np.frombuffer(key, dtype=_HALVES).tolist()
        heads = self._entries["head"]
        first, last = np.searchsorted(heads, head, "left"), np.searchsorted(heads, head, "right")
        for entry in self._entries[first:last]:
            if entry["tail"] == tail:
                return self._read(int(entry["file"]), int(entry["row"]))
        return None

    def _read(self, number: int, row: int) -> bytes:
        """The snapshot in a row of a file; its row group is kept, for the next page is often its neighbour."""
        with _readable(self._paths[number]):
            file, starts = self._opened(number)
            group = bisect_right(starts, row) - 1
            if self._group is None or self._group[:2] != (number, group):
                self._group = (number, group, file.read_row_group(group, columns=[_SNAPSHOT]).column(_SNAPSHOT))
            packed: bytes = self._group[2][row - starts[group]].as_py()
            return packed

    def _opened(self, number: int) -> tuple[pq.ParquetFile, list[int]]:
        """A file and the first rows of its row groups."""
        if self._file is None or self._file[0] != number:
            if self._file:
                self._file[1].close()
            file = pq.ParquetFile(self._paths[number])
            sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
            self._file = (number, file, [0, *accumulate(sizes[:-1])])
        return self._file[1:]


def _keys(path: Path, number: int) -> NDArray[Any]:
    """The index of a file: `_ENTRY` for each row that has a key."""
    with _readable(path):
        keys = pq.read_table(path, columns=[_KEY]).column(_KEY).combine_chunks()
    rows = np.flatnonzero(keys.is_valid().to_numpy(zero_copy_only=False))
    halves = np.frombuffer(b"".join(filter(None, keys.to_pylist())), dtype=_HALVES).reshape(-1, 2)
    entries = np.empty(len(rows), dtype=_ENTRY)
    entries["head"], entries["tail"], entries["file"], entries["row"] = halves[:, 0], halves[:, 1], number, rows
    return entries


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, pa.ArrowException, KeyError) as error:
        raise InputError(f"{path} holds no snapshots that can be read: name another folder, or delete it") from error
