"""Read and write the records of `proof.py`: Parquet files of entries. Choose the pages to record."""

from __future__ import annotations

import json
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

META = "meta.json"
SUFFIX = ".parquet"
FORMS = ("text", "json", "html", "error")
"""Formats of the value of an entry. JSON is compared field by field, HTML as a document."""

_SCHEMA = pa.schema([(name, pa.string()) for name in ("kind", "page", "form", "value")])
_CORPUS_COLUMNS = {"id", "url", "html"}


class Entry(NamedTuple):
    """Recorded result of a page.

    Attributes:
        kind: kind of the result, such as `text` or `segments vips json`.
        page: id of the page; empty for results of all pages of a corpus.
        form: one of `FORMS`.
        value: the result as text.
    """

    kind: str
    page: str
    form: str
    value: str


def as_json(kind: str, page: str, value: object) -> Entry:
    """Return an entry with a value that `json` can serialize."""
    return Entry(kind, page, "json", json.dumps(value, ensure_ascii=False))


def as_error(kind: str, page: str, error: BaseException) -> Entry:
    """Return an entry with the class name and the message of an error."""
    return Entry(kind, page, "error", f"{type(error).__name__}: {error}")


def write_entries(path: Path, entries: Iterable[Entry]) -> int:
    """Write entries to a file atomically. Return the number of pages.

    Entries are sorted by kind, because similar values compress well.
    """
    ordered = sorted(entries)
    columns = [[_storable(value) for value in column] for column in zip(*ordered, strict=True)] or [[]] * 4
    table = pa.table([pa.array(column, pa.string()) for column in columns], schema=_SCHEMA)
    aside = path.with_name(f".{path.name}.part")
    pq.write_table(table, aside, compression="zstd", compression_level=9, data_page_size=8 * 2**20)
    aside.rename(path)
    return len({entry.page for entry in ordered if entry.page})


def read_entries(path: Path) -> dict[str, dict[str, Entry]]:
    """Return the entries of a file by kind and page.

    Raises:
        ValueError: an entry occurs twice.
    """
    entries: dict[str, dict[str, Entry]] = {}
    for batch in pq.ParquetFile(path).iter_batches(1000):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            entry = Entry(*row)
            if entries.setdefault(entry.kind, {}).setdefault(entry.page, entry) is not entry:
                raise ValueError(f"{path} has {entry.kind} of {entry.page} twice: record it again")
    return entries


def read_meta(folder: Path) -> dict[str, Any]:
    """Return the metadata of a record; empty if there is no record."""
    path = folder / META
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def write_meta(folder: Path, meta: dict[str, Any]) -> None:
    """Write the metadata of a record."""
    (folder / META).write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")


def evenly_spaced(total: int, count: int) -> list[int]:
    """Return `count` evenly spaced indices below `total`; all indices if `count` is not smaller.

    >>> evenly_spaced(10, 4)
    [0, 2, 5, 7]
    """
    return list(range(total)) if total <= count else [number * total // count for number in range(count)]


def sample(corpus: Path, path: Path, count: int) -> int:
    """Write `count` evenly spaced pages of a corpus to another file. Return the number of pages.

    Ids are made unique: the second `a` becomes `a#2`.
    """
    table = pq.read_table(corpus)
    table = table.take(evenly_spaced(table.num_rows, count))
    ids = pa.array(distinct(map(str, table.column("id").to_pylist())), pa.string())
    table = table.set_column(table.schema.get_field_index("id"), "id", ids)
    pq.write_table(table, path, compression="zstd")
    return table.num_rows


def distinct(names: Iterable[str]) -> list[str]:
    """Return the names, with a number added to repeated names.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a#2']
    """
    counts: dict[str, int] = {}
    unique = []
    for name in names:
        counts[name] = counts.get(name, 0) + 1
        unique.append(name if counts[name] == 1 else f"{name}#{counts[name]}")
    return unique


def corpora_in(folder: Path) -> list[Path]:
    """Return the corpora in a folder, sorted by name: the Parquet files that contain pages."""
    return [path for path in sorted(folder.glob("*" + SUFFIX)) if set(pq.read_schema(path).names) >= _CORPUS_COLUMNS]


def names_in(folders: Sequence[Path]) -> list[str]:
    """Return the sorted names of the record files in any of the folders."""
    return sorted({path.stem for path in chain.from_iterable(folder.glob("*" + SUFFIX) for folder in folders)})


def _storable(text: str) -> str:
    r"""Return the text with lone surrogates escaped as `\\udc80`, because UTF-8 cannot encode them."""
    return text.encode("utf-8", "backslashreplace").decode()
