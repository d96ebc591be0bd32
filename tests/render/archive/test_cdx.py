"""Test indexing a WACZ file by its CDX index: the result equals that of streaming, or streaming is used."""

from __future__ import annotations

import gzip
import io
import json
import logging
import sqlite3
import zipfile
from typing import TYPE_CHECKING

import pytest
from fastwarc.warc import ArchiveIterator
from helpers.archives import PAGE, STYLE, record, response
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vclean.errors import InputError
from vclean.render.archive import cdx, warc
from vclean.render.archive.cdx import CdxIndexBuilder
from vclean.render.archive.index_builder import IndexBuilder
from vclean.render.archive.pages import Archive

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

CAP = 10_000
URL = "http://a.example/"
REQUEST = record(URL + "page", b"GET /page HTTP/1.1\r\nSec-Fetch-Dest: document\r\n\r\n", kind="request")
FRAMED = record(URL + "frame", response(b"<p>in a frame"))
RECORDS = [
    record("", b"software: test\r\n", kind="warcinfo"),
    record(URL, response(b"<iframe src=frame></iframe><link rel=stylesheet href='s.css?v=1'>")),
    PAGE,
    REQUEST,
    STYLE,
    FRAMED,
    record(URL + "old", response(b"", status="301 Moved", extra="Location: /page\r\n")),
    record(URL + "gone", response(b"<p>gone", status="404 Not Found")),
    record(URL + "again", b"", kind="revisit", extra=f"WARC-Refers-To-Target-URI: {URL}page\r\n"),
    *(record(f"{URL}{n}.png", response(b"\x89PNG" + bytes(n), "Image/PNG; a=b")) for n in range(20)),
    record(URL + "raw", b"<p>raw", kind="resource"),
    record(URL + "empty", response(b"", "")),
]


def cdxj_lines(records: list[bytes], name: str = "a.warc.gz") -> list[str]:
    """Return CDXJ lines of records that are compressed one by one: responses, resources and revisits only."""
    entries, offset = [], 0
    for data in records:
        packed = gzip.compress(data, mtime=0) if name.endswith(".gz") else data
        parsed = next(iter(ArchiveIterator(io.BytesIO(data))))
        fields = {"url": parsed.headers.get("WARC-Target-URI"), "filename": name}
        fields |= {"offset": str(offset), "length": str(len(packed)), "digest": "sha256:00"}
        if parsed.headers["WARC-Type"] == "revisit":
            entries.append(fields | {"mime": "warc/revisit"})
        elif parsed.is_http and parsed.headers["WARC-Type"] == "response":
            mime = (parsed.http_content_type or "").partition(";")[0] or "unk"
            entries.append(fields | {"mime": mime, "status": str(parsed.http_headers.status_code)})
        elif parsed.headers["WARC-Type"] == "resource":
            entries.append(fields | {"mime": "text/html", "status": "200"})
        offset += len(packed)
    return [f"example,a)/ 20260101000000 {json.dumps(fields)}" for fields in entries]


def write_wacz(
    path: Path,
    records: list[bytes],
    index: list[str] | bytes | None,
    *,
    pages: Sequence[str] = (),
    warc_name: str = "a.warc.gz",
    index_name: str = "index.cdx",
    compression: int = zipfile.ZIP_STORED,
) -> Path:
    """Write a WACZ file; `index` is None for a file without an index."""
    pack = bytes if warc_name.endswith(".warc") else lambda data: gzip.compress(data, mtime=0)
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr(f"archive/{warc_name}", b"".join(map(pack, records)))
        if index is not None:
            data = index if isinstance(index, bytes) else "".join(f"{line}\n" for line in index).encode()
            archive.writestr(f"indexes/{index_name}", gzip.compress(data) if index_name.endswith(".gz") else data)
        if pages:
            archive.writestr("pages/pages.jsonl", "".join(json.dumps({"url": url}) + "\n" for url in pages))
    return path


def with_fields(line: str, **fields: object) -> str:
    key, time, text = line.split(" ", 2)
    return f"{key} {time} {json.dumps(json.loads(text) | fields)}"


def index_rows(archive: Archive) -> list[object]:
    """Return all rows of an index, except its identity and the path of the archive."""
    database = sqlite3.connect(archive._index.path)
    tables = ["SELECT key, url, name, offset, kind FROM records JOIN members m ON m.id = member ORDER BY records.id",
              "SELECT key, target, target_key FROM redirects ORDER BY id", "SELECT * FROM pages ORDER BY number",
              "SELECT * FROM facts WHERE name NOT IN ('archive', 'changed', 'size') ORDER BY name"]  # fmt: skip
    rows = [database.execute(query).fetchall() for query in tables]
    database.close()
    return rows


@pytest.fixture
def methods(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Record the method by which each WARC file is indexed: "streaming" or "cdx"."""
    calls = []
    for name, builder in (("streaming", IndexBuilder), ("cdx", CdxIndexBuilder)):

        def recorded(self, *arguments, _name=name, _original=builder._index):
            calls.append(_name)
            return _original(self, *arguments)

        monkeypatch.setattr(builder, "_index", recorded)
    return calls


class TestSameIndex:
    @pytest.mark.parametrize("warc_name", ["a.warc.gz", "a.warc"])
    @pytest.mark.parametrize("index_name", ["index.cdx", "index.cdxj", "index.cdx.gz"])
    @pytest.mark.parametrize("pages", [[], [URL + "old", URL + "raw"]])
    def test_equals_streaming(self, tmp_path, methods, warc_name, index_name, pages) -> None:
        """Compare pages, subresources, redirects and facts, with and without a page list."""
        index = ["!meta 0 {}", *sorted(cdxj_lines(RECORDS, warc_name), reverse=True)]
        names = {"warc_name": warc_name, "index_name": index_name, "pages": pages}
        streamed = Archive(write_wacz(tmp_path / "a.wacz", RECORDS, None, **names))
        indexed = Archive(write_wacz(tmp_path / "b.wacz", RECORDS, index, **names))
        assert methods == ["streaming", "cdx"]
        assert index_rows(indexed) == index_rows(streamed)
        assert [page.url for page in indexed.pages] == (
            [URL + "page", URL + "raw"] if pages else [URL, URL + "page", URL + "raw"]
        )
        for url in ("s.css?v=1", "old", "again", "19.png", "gone", "frame", "page"):
            assert indexed.get(URL + url) == streamed.get(URL + url)
        assert indexed.page(indexed.pages[0], CAP).content == streamed.page(streamed.pages[0], CAP).content

    @pytest.mark.parametrize("line_count", [0, 1, 5, 10])
    def test_finds_records_missing_in_the_index(self, tmp_path, methods, line_count: int) -> None:
        streamed = Archive(write_wacz(tmp_path / "a.wacz", RECORDS, None))
        indexed = Archive(write_wacz(tmp_path / "b.wacz", RECORDS, cdxj_lines(RECORDS)[:line_count]))
        assert index_rows(indexed) == index_rows(streamed)
        assert methods == ["streaming", "cdx"]

    def test_reads_large_records_without_copy(self, tmp_path, methods, monkeypatch) -> None:
        """Check that parts of the archive above the limit of memory are opened, and indexed alike."""
        opened = []

        def open_member(path, member, _original=warc.open_member):
            opened.append(member)
            return _original(path, member)

        monkeypatch.setattr(warc, "open_member", open_member)
        monkeypatch.setattr(cdx, "_MAX_IN_MEMORY", 100)
        self.test_finds_records_missing_in_the_index(tmp_path, methods, 5)
        (whole,) = warc.list_members(tmp_path / "b.wacz")
        parts = [member for member in opened if member.size < whole.size]
        assert parts
        assert min(member.size for member in parts) > 100

    def test_skips_bodies(self, tmp_path, monkeypatch) -> None:
        checked_urls = []
        monkeypatch.setattr(cdx, "_matches", lambda entry, _record: checked_urls.append(entry.url) or True)
        archive = Archive(write_wacz(tmp_path / "a.wacz", RECORDS, cdxj_lines(RECORDS)))
        assert len(checked_urls) < len(cdxj_lines(RECORDS))
        assert archive.get(URL + "19.png").body == b"\x89PNG" + bytes(19)


class TestInvalidIndex:
    """Invalid indexes, for which the archive is streamed as if it had no index."""

    def assert_streamed(
        self, tmp_path: Path, index: list[str] | bytes, methods: list[str], caplog, **names: str
    ) -> None:
        caplog.set_level(logging.DEBUG, "vclean")
        streamed = Archive(write_wacz(tmp_path / "a.wacz", RECORDS, None))
        indexed = Archive(write_wacz(tmp_path / "b.wacz", RECORDS, index, **names))
        assert index_rows(indexed) == index_rows(streamed)
        assert methods[-1] == "streaming"
        assert "CDX index" in caplog.text
        assert all(message.levelno == logging.DEBUG for message in caplog.records)

    @pytest.mark.parametrize(
        "fields",
        [
            {"offset": "1"}, {"offset": "-1"}, {"offset": "9" * 18}, {"offset": "9" * 30}, {"offset": None},
            {"length": "0"}, {"length": "5"}, {"length": "100000"}, {"length": 10**400}, {"length": True},
            {"filename": "../../etc/passwd"}, {"filename": "b.warc.gz"}, {"filename": 3}, {"url": None},
            {"url": URL + "other"},
        ],
    )  # fmt: skip
    @pytest.mark.parametrize("number", [0, 3, -1])
    def test_rejects_invalid_fields(self, tmp_path, methods, caplog, fields, number: int) -> None:
        index = cdxj_lines(RECORDS)
        index[number] = with_fields(index[number], **fields)
        self.assert_streamed(tmp_path, index, methods, caplog)

    @pytest.mark.parametrize("fields", [{"status": "404"}, {"mime": "image/gif"}, {"mime": "text/css", "status": 200}])
    def test_detects_wrong_status_and_media_type(self, tmp_path, methods, caplog, fields) -> None:
        """Check that some of the skippable records are read."""
        self.test_rejects_invalid_fields(tmp_path, methods, caplog, fields, 1)

    @pytest.mark.parametrize(
        "index",
        [b"\xff\xfe", b"a b [1]", b"a b 1", b"a b " + b"[" * 60_000, b"a b {", b"x" * 70_000, b"\x00" * 10,
         [*cdxj_lines(RECORDS), with_fields(cdxj_lines(RECORDS)[0], offset="3")]],
        ids=lambda index: repr(index[:8]) if isinstance(index, bytes) else "overlapping records",
    )  # fmt: skip
    def test_rejects_invalid_lines(self, tmp_path, methods, caplog, index: bytes | list[str]) -> None:
        self.assert_streamed(tmp_path, index, methods, caplog)

    def test_rejects_gzip_bomb(self, tmp_path, methods, caplog, monkeypatch) -> None:
        monkeypatch.setattr(cdx, "_SPARE_BYTES", 2**10)
        data = ("\n".join(cdxj_lines(RECORDS)) + "\n").encode() * 1000
        self.assert_streamed(tmp_path, data, methods, caplog, index_name="index.cdx.gz")
        assert "too large" in caplog.text

    def test_rejects_truncated_index(self, tmp_path, methods, caplog) -> None:
        path = write_wacz(tmp_path / "a.wacz", RECORDS, None)
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("indexes/index.cdx.gz", gzip.compress("\n".join(cdxj_lines(RECORDS)).encode())[:-20])
        assert len(Archive(path).pages) == 3
        assert methods == ["streaming"]

    def test_reports_truncated_archive(self, tmp_path, methods) -> None:
        with zipfile.ZipFile(tmp_path / "a.wacz", "w") as archive:
            archive.writestr("archive/a.warc.gz", gzip.compress(PAGE, mtime=0) + gzip.compress(STYLE, mtime=0)[:-9])
            archive.writestr("indexes/index.cdx", "\n".join(cdxj_lines([PAGE])))
        assert "cut off" in Archive(tmp_path / "a.wacz").damage
        assert methods == ["cdx", "streaming"]

    @pytest.mark.parametrize(
        ("name", "compression"), [("a.warc.zst", zipfile.ZIP_STORED), ("a.warc.gz", zipfile.ZIP_DEFLATED)]
    )
    def test_streams_zstd_and_deflated_members(self, tmp_path, methods, name: str, compression: int) -> None:
        index = cdxj_lines([PAGE], name)
        path = write_wacz(tmp_path / "a.wacz", [PAGE], index, warc_name=name, compression=compression)
        assert len(Archive(path).pages) == 1
        assert methods == ["streaming"]

    def test_rejects_archive_without_records(self, tmp_path) -> None:
        path = write_wacz(tmp_path / "a.wacz", [], [])
        with pytest.raises(InputError, match="contains no web archive records"):
            Archive(path)

    @settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.binary(max_size=200), st.integers(0, 5000), st.integers(0, 40))
    def test_survives_any_damage_of_the_index(self, tmp_path, junk: bytes, start: int, size: int) -> None:
        """Check that the reader stays within the archive and falls back to streaming."""
        data = "\n".join(cdxj_lines(RECORDS)).encode()
        path = write_wacz(tmp_path / "a.wacz", RECORDS, data[:start] + junk + data[start + size :])
        archive = Archive(path)
        assert [page.url for page in archive.pages][:2] == [URL, URL + "page"]
