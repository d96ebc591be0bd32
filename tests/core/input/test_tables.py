from __future__ import annotations

import doctest
import gzip
import io
import json
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.errors import InputError, LimitError
from vclean.input import tables
from vclean.input.tables import (
    escape_surrogates,
    json_pages,
    parquet_pages,
    read_lines,
)

LIMIT = 1000


def test_docstrings() -> None:
    assert doctest.testmod(tables).failed == 0


def lines(path: Path, *rows: object) -> Path:
    """Write a file of JSON lines; bytes are written unchanged."""
    data = b"".join((row if isinstance(row, bytes) else json.dumps(row).encode()) + b"\n" for row in rows)
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


def read(sources):
    """Return the id of each page, and its content or error message."""
    return [(source.id, content(source)) for source in sources]


def content(source):
    try:
        return source.read().content
    except (InputError, LimitError) as error:
        return str(error)


class TestParquetPages:
    @pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())])
    def test_text_is_text(self, tmp_path: Path, kind: pa.DataType) -> None:
        """Ignore a declared charset: text is already decoded."""
        pq.write_table(pa.table({"html": pa.array(["<p>č", "<p>č"]).cast(kind)}), tmp_path / "a.parquet")
        assert [page for _, page in read(parquet_pages(tmp_path / "a.parquet", LIMIT))] == ["<p>č"] * 2

    def test_ids_may_be_numbers(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"html": ["<p>", "<p>"], "id": [0, None]}), tmp_path / "a.parquet")
        names = [source.id for source in parquet_pages(tmp_path / "a.parquet", LIMIT)]
        assert names == ["0", f"{tmp_path}/a.parquet#1"]

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ([[[b"<p>"]]], r"documents of type list<.*>.*: make them bytes or text"),
            ([["<p>"], ["<p>"]], "no column 'html'"),  # which of the two is meant is unknown
        ],
    )
    def test_unusable_columns(self, tmp_path: Path, columns: list[list[object]], message: str) -> None:
        arrays = [pa.array(each) for each in columns]
        pq.write_table(pa.Table.from_arrays(arrays, names=["html"] * len(arrays)), tmp_path / "a.parquet")
        with pytest.raises(InputError, match=message):
            list(parquet_pages(tmp_path / "a.parquet", LIMIT))

    def test_the_limit_is_in_bytes(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"html": ["č" * 501, "č" * 500]}), tmp_path / "a.parquet")
        (_, first), (_, second) = read(parquet_pages(tmp_path / "a.parquet", LIMIT))
        assert first == f"{tmp_path}/a.parquet#0 is over the limit of 1,000 bytes: raise it with --max-bytes"
        assert second == "č" * 500


class TestJsonPages:
    @pytest.mark.parametrize(
        ("row", "message"),
        [
            (b"words", "is not JSON"),
            (b"\xff", "is not JSON"),
            (b"[" * 100_000, "is not JSON"),
            ([1], "is not a JSON object: it needs a field 'html'"),
            ({"text": "x", "id": None}, "has no field 'html', it has text, id: write"),
            ({"html": 1}, "has no field 'html' with text"),
        ],
    )
    def test_a_bad_line_fails_alone(self, tmp_path: Path, row: object, message: str) -> None:
        path = lines(tmp_path / "a.jsonl", {"html": "<p>1"}, row, {"html": "<p>3"})
        (_, first), (name, failure), (_, last) = read(json_pages(path, 10**6))
        assert (first, name, last) == ("<p>1", f"{path}#2", "<p>3")
        assert message in failure
        assert "\n" not in failure

    def test_bad_line_with_id(self, tmp_path: Path) -> None:
        path = lines(tmp_path / "a.jsonl", {"url": "http://a/"})
        assert read(json_pages(path, LIMIT)) == [
            ("http://a/", f"{path}#1 has no field 'html', it has url: write the document into it")
        ]

    def test_the_limit(self, tmp_path: Path) -> None:
        """Do not count escapes."""
        texts = ("a" * LIMIT, "a" * (LIMIT + 1), "č" * (LIMIT // 2))
        path = lines(tmp_path / "a.jsonl", *({"html": text} for text in texts))
        message = f"{path}#2 is over the limit of 1,000 bytes: raise it with --max-bytes"
        assert read(json_pages(path, LIMIT)) == [
            (f"{path}#1", texts[0]),
            (f"{path}#2", message),
            (f"{path}#3", texts[2]),
        ]

    def test_endless_line_is_not_kept_in_memory(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl.gz"
        with gzip.open(path, "wb", compresslevel=1) as stream:
            stream.write(b'{"html": "')
            for _ in range(64):
                stream.write(bytes(2**20))
            stream.write(b'\n{"html": "<p>2"}')
        tracemalloc.start()
        (_, failure), (name, page) = read(json_pages(path, LIMIT))
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert "is a line of over" in failure
        assert (name, page) == (f"{path}#2", "<p>2")
        assert most < 16 * 2**20

    def test_no_file(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="cannot be read"):
            list(json_pages(tmp_path / "a.jsonl", LIMIT))


class TestReadLines:
    @given(st.lists(st.binary(max_size=30).map(lambda line: line.replace(b"\n", b"")), max_size=8), st.integers(1, 20))
    def test_long_lines_are_truncated(self, parts: list[bytes], limit: int) -> None:
        data = b"".join(part + b"\n" for part in parts)
        lines = list(read_lines(io.BytesIO(data), limit))
        assert lines == [(part + b"\n")[: limit + 1] for part in parts]

    def test_last_line_without_line_end(self) -> None:
        assert list(read_lines(io.BytesIO(b"a\nbbbbbbbb"), 3)) == [b"a\n", b"bbbb"]


class TestEscapeSurrogates:
    @given(st.text(alphabet=st.characters(exclude_categories=())))
    def test_result_is_valid_utf8(self, name: str) -> None:
        assert escape_surrogates(name).encode().decode() == escape_surrogates(name)

    @given(st.text())
    def test_text_stays(self, name: str) -> None:
        assert escape_surrogates(name) == name
