"""What `proof.py` keeps: entries of pages in Parquet files, and the choice of pages."""

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
"""How the value of an entry is to be read. JSON is compared field by field, HTML as a document."""

_SCHEMA = pa.schema([(name, pa.string()) for name in ("kind", "page", "form", "value")])
_NEEDED = {"id", "url", "html"}


class Entry(NamedTuple):
    """One thing that was recorded of a page.

    Attributes:
        kind: what it is, such as `text` or `segments vips json`.
        page: the page's id; empty for what concerns all pages of a corpus.
        form: one of `FORMS`.
        value: as text.
    """

    kind: str
    page: str
    form: str
    value: str


def as_json(kind: str, page: str, value: object) -> Entry:
    """Return an entry with a value that `json` can write."""
    return Entry(kind, page, "json", json.dumps(value, ensure_ascii=False))


def as_error(kind: str, page: str, error: BaseException) -> Entry:
    """Return an entry with the class name and the message of an error."""
    return Entry(kind, page, "error", f"{type(error).__name__}: {error}")


def write_entries(path: Path, entries: Iterable[Entry]) -> int:
    """Write entries to a file, whole or not at all. Return the number of pages.

    Entries of one kind stand together, because likes compress well.
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
    found: dict[str, dict[str, Entry]] = {}
    for batch in pq.ParquetFile(path).iter_batches(1000):
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            entry = Entry(*row)
            if found.setdefault(entry.kind, {}).setdefault(entry.page, entry) is not entry:
                raise ValueError(f"{path} has {entry.kind} of {entry.page} twice: record it again")
    return found


def read_meta(folder: Path) -> dict[str, Any]:
    """Return what is known of a record as a whole; nothing where there is none."""
    path = folder / META
    return dict(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else {}


def write_meta(folder: Path, meta: dict[str, Any]) -> None:
    """Write what is known of a record as a whole."""
    (folder / META).write_text(json.dumps(meta, indent=1) + "\n", encoding="utf-8")


def places(total: int, count: int) -> list[int]:
    """Return the places of `count` of `total` pages, evenly spaced; of all where there are no more.

    >>> places(10, 4)
    [0, 2, 5, 7]
    """
    return list(range(total)) if total <= count else [at * total // count for at in range(count)]


def sample(corpus: Path, path: Path, count: int) -> int:
    """Write some pages of a corpus, evenly spaced, to another file. Return how many there are.

    Pages get ids of their own: the second `a` becomes `a#2`.
    """
    table = pq.read_table(corpus)
    table = table.take(places(table.num_rows, count))
    ids = pa.array(distinct(map(str, table.column("id").to_pylist())), pa.string())
    table = table.set_column(table.schema.get_field_index("id"), "id", ids)
    pq.write_table(table, path, compression="zstd")
    return table.num_rows


def distinct(names: Iterable[str]) -> list[str]:
    """Return the names, with a number added to those that were there before.

    >>> distinct(["a", "b", "a"])
    ['a', 'b', 'a#2']
    """
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return found


def corpora_in(folder: Path) -> list[Path]:
    """Return the corpora in a folder, the Parquet files that have pages, by name."""
    return [path for path in sorted(folder.glob("*" + SUFFIX)) if set(pq.read_schema(path).names) >= _NEEDED]


def names_in(folders: Sequence[Path]) -> list[str]:
    """Return the names of the files of entries in any of the folders."""
    return sorted({path.stem for path in chain.from_iterable(folder.glob("*" + SUFFIX) for folder in folders)})


def _storable(text: str) -> str:
    r"""Return the text in what UTF-8 can hold: a lone surrogate is written `\\udc80`."""
    return text.encode("utf-8", "backslashreplace").decode()
