"""Pages in rows: Parquet files and JSON lines, by their columns or fields `html`, `url` and `id`.

In Parquet a column `snapshot` may stand for `html`: the page as a farm keeps it (see `vclean.render.storage.cache`).
"""

from __future__ import annotations

import gzip
import json
import zlib
from contextlib import contextmanager
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final, NoReturn

from vclean.errors import InputError, LimitError, VcleanError
from vclean.imports import of_extra
from vclean.page import Page

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from io import BufferedIOBase
    from pathlib import Path

    import pyarrow as pa
    import pyarrow.parquet as pq

    Found = tuple[str, Callable[[], Page]]
    """The id of a page, and what reads it."""

_DOCUMENTS: Final = ("html", "snapshot")
_COLUMNS: Final = (*_DOCUMENTS, "url", "id")
_BATCH_BYTES: Final = 8 * 2**20
_BATCH_ROWS: Final = 64
_BUFFER: Final = 2**20
"""Without a buffer, all of a row group is read at once, which may be gigabytes."""

_ESCAPED: Final = 4
"""How much longer a document may be in JSON: Cyrillic takes three times its bytes where it is escaped."""


def parquet_pages(path: Path, max_bytes: int, groups: Iterable[int] | None = None) -> Iterator[Found]:
    """The rows of a Parquet file as pages; a page without id or URL is called after its row, counted from 0.

    Only a few rows, and only the columns that count, are in memory at once.

    Args:
        path: the file; its column `html` is of bytes or text, its column `snapshot` of bytes. Where a row has both,
            the snapshot counts.
        max_bytes: cap on a document; reading a larger one is a `LimitError`.
        groups: the row groups to read, instead of all.

    Raises:
        InputError: the file is no Parquet file, has neither column, or is damaged: raised after what can be read.
    """
    with of_extra("parquet", "pyarrow"):
        import pyarrow as pa

    with _parquet(path) as file:
        names = _columns(file.schema_arrow, path)
        starts = [0, *accumulate(file.metadata.row_group(group).num_rows for group in range(file.num_row_groups))]
        for group in range(file.num_row_groups) if groups is None else groups:
            size = _batch_rows(file.metadata.row_group(group))
            number = starts[group]
            for batch in file.iter_batches(size, row_groups=[group], columns=names, use_threads=False):
                yield from _batch_pages(path, number, batch, max_bytes)
                number += batch.num_rows
            pa.default_memory_pool().release_unused()  # or it keeps what the largest group took: 0.5 GB with wcxb


def row_groups(path: Path, rows: int) -> Iterator[range]:
    """The row groups of a Parquet file in runs of about so many `rows`.

    Raises:
        InputError: the file is no readable Parquet file.
    """
    with _parquet(path) as file:
        first = count = 0
        for group in range(file.num_row_groups):
            count += file.metadata.row_group(group).num_rows
            if count >= rows or group == file.num_row_groups - 1:
                yield range(first, group + 1)
                first, count = group + 1, 0


def row_count(path: Path) -> int:
    """The number of rows of a Parquet file.

    Raises:
        InputError: the file is no readable Parquet file.
    """
    with _parquet(path) as file:
        return int(file.metadata.num_rows)


def line_count(path: Path) -> int:
    """The number of lines of a file.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as stream:
        return sum(data.count(b"\n") for data in iter(partial(stream.read, _BUFFER), b""))


def json_pages(path: Path, max_bytes: int) -> Iterator[Found]:
    """The lines of a file as pages, each a JSON object; blank lines are passed over.

    A page without id or URL is called after its line, counted from 1. A line that is no such object is a page whose
    reading fails.

    Args:
        path: the file; one whose name ends in `.gz` is unpacked.
        max_bytes: cap on a document; a line may be four times as long.

    Raises:
        InputError: the file cannot be read, or is damaged: raised after what can be read.
    """
    limit = _ESCAPED * max_bytes + _BUFFER
    with _readable(path), path.open("rb") as stream:
        lines = gzip.GzipFile(fileobj=stream) if path.suffix.lower() == ".gz" else stream
        for number, line in enumerate(read_lines(lines, limit), 1):
            place = f"{path}#{number}"
            if len(line) > limit:
                yield failing(place, LimitError(f"{place} is a line of over {limit:,} bytes: raise --max-bytes"))
            elif line.strip():
                yield _json_page(place, line, max_bytes)


def read_lines(stream: BufferedIOBase, limit: int) -> Iterator[bytes]:
    """The lines of a stream; of one with more than `limit` bytes only the beginning, one byte more."""
    while line := stream.readline(limit + 1):
        yield line
        while len(line) > limit and not line.endswith(b"\n"):
            rest = stream.readline(_BUFFER)
            if not rest or rest.endswith(b"\n"):
                break


def printable(name: str) -> str:
    r"""The name in what UTF-8 can hold: bytes of file names that are no text are written `\udc..`.

    >>> printable("caf\udce9.html")
    'caf\\udce9.html'
    """
    return name.encode("utf-8", "backslashreplace").decode()


def over_cap(name: str, max_bytes: int) -> LimitError:
    """What to say of a page with more than `max_bytes` bytes."""
    return LimitError(f"{name} is over the cap of {max_bytes:,} bytes: raise it with --max-bytes")


def failing(name: str, error: VcleanError) -> Found:
    """A page that was found and cannot be read."""
    return name, partial(_fail, error)


def _fail(error: VcleanError) -> NoReturn:
    raise error


def _page(place: str, html: bytes | str, url: str, name: str, max_bytes: int) -> Found:
    """The page of a row at `place`."""
    name = name or url or place
    size = len(html) if isinstance(html, bytes) else len(html.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        return failing(name, over_cap(name, max_bytes))
    return name, partial(Page, content=html, url=url, id=name)


def _stored(place: str, snapshot: bytes, url: str, name: str, max_bytes: int) -> Found:
    """The page of a row that has a snapshot."""
    name = name or url or place
    if len(snapshot) > max_bytes:
        return failing(name, over_cap(name, max_bytes))
    return name, partial(Page, snapshot=snapshot, url=url, id=name)


@contextmanager
def _parquet(path: Path) -> Iterator[pq.ParquetFile]:
    with of_extra("parquet", "pyarrow"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        # Opened here, because Arrow takes no path that is not UTF-8.
        with path.open("rb") as stream, pq.ParquetFile(stream, buffer_size=_BUFFER) as file:
            yield file
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path} is no readable Parquet file ({reason})") from error


def _columns(schema: pa.Schema, path: Path) -> list[str]:
    """The columns to read.

    Raises:
        InputError: there is none with documents.
    """
    names = [name for name in _COLUMNS if schema.get_field_index(name) >= 0]
    documents = [name for name in _DOCUMENTS if name in names]
    if not documents:
        raise InputError(f"{path} has no column 'html': it has {', '.join(schema.names)}")
    for name in documents:
        kind = schema.field(name).type
        if not _is_text(kind):
            raise InputError(f"{path} has documents of type {kind} in its column {name!r}: make them bytes or text")
    return names


def _is_text(kind: pa.DataType) -> bool:
    import pyarrow as pa

    if pa.types.is_dictionary(kind):
        return _is_text(kind.value_type)
    return any(part in str(kind) for part in ("string", "binary")) and not pa.types.is_nested(kind)


def _batch_rows(group: pq.RowGroupMetaData) -> int:
    mean = group.total_byte_size // max(group.num_rows, 1)
    return min(max(_BATCH_BYTES // max(mean, 1), 1), _BATCH_ROWS)


def _batch_pages(path: Path, start: int, batch: pa.RecordBatch, max_bytes: int) -> Iterator[Found]:
    """The rows of a batch, of which the first has the number `start`."""
    columns = {name: _as_bytes(batch.column(name)) for name in batch.schema.names}
    is_text = "html" in columns and "string" in str(batch.schema.field("html").type)
    for at in range(batch.num_rows):
        place = f"{path}#{start + at}"
        url, name = (_decoded(columns[key][at].as_py() or b"") if key in columns else "" for key in ("url", "id"))
        html, snapshot = (columns[key][at].as_py() if key in columns else None for key in _DOCUMENTS)
        if snapshot is not None:
            yield _stored(place, snapshot, url, name, max_bytes)
        else:
            yield _page(place, _decoded(html or b"") if is_text else html or b"", url, name, max_bytes)


def _as_bytes(column: pa.Array[Any]) -> pa.Array[Any]:
    """The same values as bytes: text as UTF-8, or whatever else is stored as text, and numbers in digits."""
    import pyarrow as pa

    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
    if not _is_text(column.type):
        column = column.cast(pa.string())
    return column.cast(pa.large_binary())


def _decoded(content: bytes) -> str:
    """Text as it should be stored; a column of text may hold anything, for writers do not check."""
    return content.decode("utf-8", "replace")


@contextmanager
def _readable(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error})") from error


def _json_page(place: str, line: bytes, max_bytes: int) -> Found:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return failing(place, InputError(f"{place} is no JSON ({error})"))
    if not isinstance(row, dict):
        return failing(place, InputError(f"{place} is no JSON object: it needs a field 'html'"))
    url, name = (_named(row.get(field)) for field in ("url", "id"))
    if not isinstance(row.get("html", 0), str | None):
        why = "has no field 'html' with text" if "html" in row else f"has no field 'html': it has {', '.join(row)}"
        return failing(name or url or place, InputError(f"{place} {why}"))
    return _page(place, row["html"] or b"", url, name, max_bytes)


def _named(value: object) -> str:
    return "" if value is None else printable(str(value))
