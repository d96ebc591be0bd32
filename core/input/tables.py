"""Read pages from rows of Parquet files and JSON lines, from the columns or fields `html`, `url` and `id`.

In Parquet, a column `snapshot` may replace `html`: snapshots as a farm stores them (see `vclean.render.cache`).
"""

from __future__ import annotations

import gzip
import json
import zlib
from contextlib import contextmanager
from functools import partial
from typing import IO, TYPE_CHECKING, Any, Final, NoReturn

from vclean.characters import format_count
from vclean.errors import InputError, LimitError
from vclean.imports import requires_extra
from vclean.page import Page, Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import BufferedIOBase
    from pathlib import Path

    import pyarrow as pa
    import pyarrow.parquet as pq

_DOCUMENTS: Final = ("html", "snapshot")
_COLUMNS: Final = (*_DOCUMENTS, "url", "id")
_BATCH_BYTES: Final = 8 * 2**20
_BATCH_ROWS: Final = 64
_BUFFER: Final = 2**20
"""Bytes of the read buffer. Without a buffer, a whole row group is read at once, which may be gigabytes."""

_ESCAPE_FACTOR: Final = 4
"""Largest ratio of the size of a document in JSON to its size: escaped Cyrillic is three times as long."""


def parquet_pages(path: Path, max_bytes: int) -> Iterator[Source]:
    """Iterate over the rows of a Parquet file as pages.

    A page without id and URL is named after its row, counted from 0. Only a few rows, and only the needed columns, are
    in memory at once.

    Args:
        path: the file; its column `html` has bytes or text, its column `snapshot` bytes. If a row has both, the
            snapshot is used.
        max_bytes: limit on the size of a document in bytes; reading a larger one raises `LimitError`.

    Yields:
        The sources of the pages.

    Raises:
        InputError: the file is not a Parquet file, has neither column, or is damaged; raised after the readable pages.
    """
    with _parquet(path) as file:
        import pyarrow as pa

        names = page_columns(file.schema_arrow, str(path))
        number = 0
        for group in range(file.num_row_groups):
            metadata = file.metadata.row_group(group)
            mean = metadata.total_byte_size // max(metadata.num_rows, 1)
            size = min(max(_BATCH_BYTES // max(mean, 1), 1), _BATCH_ROWS)
            for batch in file.iter_batches(size, row_groups=[group], columns=names, use_threads=False):
                yield from batch_pages(batch, max_bytes, name=str(path), start=number)
                number += batch.num_rows
            pa.default_memory_pool().release_unused()  # or the memory of the largest group is kept: 0.5 GB with wcxb


def row_count(path: Path) -> int:
    """Return the number of rows of a Parquet file.

    Raises:
        InputError: the file is not a readable Parquet file.
    """
    with _parquet(path) as file:
        return int(file.metadata.num_rows)


def line_count(path: Path) -> int:
    """Return the number of lines of a file.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb", buffering=0) as stream:
        return sum(data.count(b"\n") for data in iter(partial(stream.read, _BUFFER), b""))


def json_pages(path: Path, max_bytes: int) -> Iterator[Source]:
    """Iterate over the lines of a file as pages; each line is a JSON object, blank lines are skipped.

    A page without id and URL is named after its line, counted from 1. For an invalid line, a page is returned that
    raises an error when it is read.

    Args:
        path: the file; it is decompressed if its name ends in `.gz`.
        max_bytes: limit on the size of a document in bytes; a line may be four times as long.

    Yields:
        The sources of the pages.

    Raises:
        InputError: the file cannot be read, or is damaged; raised after the readable pages.
    """
    limit = _ESCAPE_FACTOR * max_bytes + _BUFFER
    try:
        with path.open("rb") as stream:
            lines = gzip.GzipFile(fileobj=stream) if path.suffix.lower() == ".gz" else stream
            for number, line in enumerate(read_lines(lines, limit), 1):
                location = f"{path}#{number}"
                if len(line) > limit:
                    reason = f"is a line of over {format_count(limit, 'byte')}: raise --max-bytes"
                    yield failing_source(location, LimitError(f"{location} {reason}"))
                elif line.strip():
                    yield _json_page(location, line, max_bytes)
    except (OSError, EOFError, ValueError, zlib.error) as error:
        raise InputError(f"{path} cannot be read ({getattr(error, 'strerror', None) or error})") from error


def read_lines(stream: BufferedIOBase | IO[bytes], limit: int) -> Iterator[bytes]:
    """Iterate over the lines of a stream; a line of more than `limit` bytes is truncated to `limit` + 1 bytes."""
    while line := stream.readline(limit + 1):
        yield line
        while len(line) > limit and not line.endswith(b"\n"):
            rest = stream.readline(_BUFFER)
            if not rest or rest.endswith(b"\n"):
                break


def escape_surrogates(name: str) -> str:
    r"""Return a name that UTF-8 can encode: bytes of a file name that are not text are written as `\udc..`.

    >>> escape_surrogates("caf\udce9.html")
    'caf\\udce9.html'
    """
    return name.encode("utf-8", "backslashreplace").decode()


def size_limit_error(name: str, max_bytes: int) -> LimitError:
    """Return the error for a page of more than `max_bytes` bytes."""
    return LimitError(f"{name} is over the limit of {format_count(max_bytes, 'byte')}: raise it with --max-bytes")


def failing_source(name: str, error: Exception) -> Source:
    """Return a page that raises `error` when it is read."""
    return Source(name, partial(_fail, error))


def _fail(error: Exception) -> NoReturn:
    raise error


def _source(page: Page, max_bytes: int) -> Source:
    """Return the source of a page; reading it raises an error if its document is too large."""
    document = page.content if page.snapshot is None else page.snapshot
    size = len(document) if isinstance(document, bytes) else len(document.encode("utf-8", "surrogatepass"))
    if size > max_bytes:
        return failing_source(page.id, size_limit_error(page.id, max_bytes))
    return Source(page.id, lambda: page)


@contextmanager
def _parquet(path: Path) -> Iterator[pq.ParquetFile]:
    with requires_extra("parquet", "pyarrow"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    try:
        # Arrow accepts no path that is not UTF-8, but any open file.
        with path.open("rb") as stream, pq.ParquetFile(stream, buffer_size=_BUFFER) as file:
            yield file
    except (OSError, ValueError, pa.ArrowException) as error:
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{path} is not a readable Parquet file ({reason}): name another, or repair it") from error


def page_columns(schema: pa.Schema, name: str) -> list[str]:
    """Return the names of the columns to read.

    Args:
        schema: the columns of a table.
        name: the name of the table in messages.

    Raises:
        InputError: no column has documents, or its type is wrong.
    """
    names = [column for column in _COLUMNS if schema.get_field_index(column) >= 0]
    documents = [column for column in _DOCUMENTS if column in names]
    if not documents:
        raise InputError(f"{name} has no column 'html', it has {', '.join(schema.names)}: rename the documents' column")
    for document in documents:
        kind = schema.field(document).type
        if not _is_text(kind):
            raise InputError(f"{name} has documents of type {kind} in its column {document!r}: make them bytes or text")
    return names


def _is_text(kind: pa.DataType) -> bool:
    """Return whether a column has text or bytes, also in a dictionary."""
    import pyarrow as pa

    return any(part in str(kind) for part in ("string", "binary")) and not pa.types.is_nested(kind)


def batch_pages(batch: pa.RecordBatch, max_bytes: int, *, name: str, start: int = 0) -> Iterator[Source]:
    """Iterate over the rows of a batch as pages; each page is read as in `parquet_pages`.

    Args:
        batch: rows with the columns that `page_columns` returned.
        max_bytes: limit on the size of a document in bytes; reading a larger one raises `LimitError`.
        name: the name of the table, from which pages without id and URL take their names.
        start: the number of the first row in the table.

    Yields:
        The sources of the pages.
    """
    columns = {key: _as_bytes(batch.column(key)) for key in batch.schema.names}
    is_text = "html" in columns and "string" in str(batch.schema.field("html").type)
    for number in range(batch.num_rows):
        row = {key: column[number].as_py() for key, column in columns.items()}
        url, page_id = (_decode(row.get(key) or b"") for key in ("url", "id"))
        snapshot = row.get("snapshot")
        html = b"" if snapshot is not None else row.get("html") or b""
        content = _decode(html) if is_text else html
        page = Page(content=content, snapshot=snapshot, url=url, id=page_id or url or f"{name}#{start + number}")
        yield _source(page, max_bytes)


def _as_bytes(column: pa.Array[Any]) -> pa.Array[Any]:
    """Convert a column to bytes: text to its stored bytes, which should be UTF-8; numbers to decimal digits."""
    import pyarrow as pa

    if isinstance(column, pa.DictionaryArray):
        column = column.dictionary_decode()
    if not _is_text(column.type):
        column = column.cast(pa.string())
    return column.cast(pa.large_binary())


def _decode(content: bytes) -> str:
    """Decode UTF-8 with replacement characters: a column of type text may have other bytes, writers do not check."""
    return content.decode("utf-8", "replace")


def _json_page(location: str, line: bytes, max_bytes: int) -> Source:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError) as error:
        return failing_source(location, InputError(f"{location} is not JSON ({error}): write one object on each line"))
    if not isinstance(row, dict):
        return failing_source(location, InputError(f"{location} is not a JSON object: it needs a field 'html'"))
    url, name = ("" if row.get(field) is None else escape_surrogates(str(row[field])) for field in ("url", "id"))
    if not isinstance(row.get("html", 0), str | None):
        others = " with text" if "html" in row else f", it has {', '.join(row)}"
        reason = f"has no field 'html'{others}: write the document into it"
        return failing_source(name or url or location, InputError(f"{location} {reason}"))
    return _source(Page(content=row["html"] or b"", url=url, id=name or url or location), max_bytes)
