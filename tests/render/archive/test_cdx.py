"""Tests of indexing a WACZ file by its own CDX index: the same index as by streaming, or streaming."""

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
from vclean.render.archive import cdx
from vclean.render.archive import index as index_module
from vclean.render.archive.cdx import CdxError
from vclean.render.archive.index import _Builder
from vclean.render.archive.pages import Archive

if TYPE_CHECKING:
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


def lines(records: list[bytes], name: str = "a.warc.gz") -> list[str]:
    """The CDXJ lines of records packed one by one; as usual, of responses, resources and revisits alone."""
    made, offset = [], 0
    for data in records:
        packed = gzip.compress(data, mtime=0) if name.endswith(".gz") else data
        found = next(iter(ArchiveIterator(io.BytesIO(data))))
        fields = {"url": found.headers.get("WARC-Target-URI"), "filename": name}
        fields |= {"offset": str(offset), "length": str(len(packed)), "digest": "sha256:00"}
        if found.headers["WARC-Type"] == "revisit":
            made.append(fields | {"mime": "warc/revisit"})
        elif found.is_http and found.headers["WARC-Type"] == "response":
            mime = (found.http_content_type or "").partition(";")[0] or "unk"
            made.append(fields | {"mime": mime, "status": str(found.http_headers.status_code)})
        elif found.headers["WARC-Type"] == "resource":
            made.append(fields | {"mime": "text/html", "status": "200"})
        offset += len(packed)
    return [f"example,a)/ 20260101000000 {json.dumps(fields)}" for fields in made]


def write(path: Path, records: list[bytes], index: list[str] | bytes | None, *, pages: list[str] = (), **names) -> Path:
    """A WACZ file; `index` None for one without an index."""
    warc_name, index_name = names.get("warc_name", "a.warc.gz"), names.get("index_name", "index.cdx")
    pack = (lambda data: gzip.compress(data, mtime=0)) if warc_name.endswith(".gz") else bytes
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"archive/{warc_name}", b"".join(map(pack, records)))
        if index is not None:
            data = index if isinstance(index, bytes) else "".join(f"{line}\n" for line in index).encode()
            archive.writestr(f"indexes/{index_name}", gzip.compress(data) if index_name.endswith(".gz") else data)
        if pages:
            archive.writestr("pages/pages.jsonl", "".join(json.dumps({"url": url}) + "\n" for url in pages))
    return path


def contents(archive: Archive) -> list[object]:
    """All that an index says, its own identity and the digits of the archive's place aside."""
    database = sqlite3.connect(archive._index.path)
    tables = ["SELECT key, url, name, offset, kind FROM records JOIN members m ON m.id = member ORDER BY records.id",
              "SELECT key, target, target_key FROM redirects ORDER BY id", "SELECT * FROM pages ORDER BY number",
              "SELECT * FROM facts WHERE name NOT IN ('archive', 'changed', 'size') ORDER BY name"]  # fmt: skip
    rows = [database.execute(query).fetchall() for query in tables]
    database.close()
    return rows


@pytest.fixture
def ways(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """How each WARC file was indexed."""
    taken = []
    for name in ("_index", "_index_by_cdx"):
        method = getattr(_Builder, name)

        def noted(self, *arguments, _name=name, _method=method):
            taken.append(_name)
            return _method(self, *arguments)

        monkeypatch.setattr(_Builder, name, noted)
    return taken


class TestSame:
    @pytest.mark.parametrize("warc_name", ["a.warc.gz", "a.warc"])
    @pytest.mark.parametrize("index_name", ["index.cdx", "index.cdxj", "index.cdx.gz"])
    @pytest.mark.parametrize("pages", [[], [URL + "old", URL + "raw"]])
    def test_as_without(self, tmp_path, ways, warc_name, index_name, pages) -> None:
        """Pages, sub-resources, redirects and facts, with a list of pages and without one."""
        index = ["!meta 0 {}", *sorted(lines(RECORDS, warc_name), reverse=True)]
        names = {"warc_name": warc_name, "index_name": index_name, "pages": pages}
        streamed = Archive(write(tmp_path / "a.wacz", RECORDS, None, **names))
        indexed = Archive(write(tmp_path / "b.wacz", RECORDS, index, **names))
        assert ways == ["_index", "_index_by_cdx"]
        assert contents(indexed) == contents(streamed)
        assert [page.url for page in indexed.pages] == (
            [URL + "page", URL + "raw"] if pages else [URL, URL + "page", URL + "raw"]
        )
        for url in ("s.css?v=1", "old", "again", "19.png", "gone", "frame", "page"):
            assert indexed.get(URL + url) == streamed.get(URL + url)
        assert indexed.page(indexed.pages[0], CAP).content == streamed.page(streamed.pages[0], CAP).content

    @pytest.mark.parametrize("kept", [0, 1, 5, 10])
    def test_records_that_are_not_in_it_are_found(self, tmp_path, ways, kept: int) -> None:
        streamed = Archive(write(tmp_path / "a.wacz", RECORDS, None))
        indexed = Archive(write(tmp_path / "b.wacz", RECORDS, lines(RECORDS)[:kept]))
        assert contents(indexed) == contents(streamed)
        assert ways == ["_index", "_index_by_cdx"]

    def test_large_records_are_read_in_place(self, tmp_path, ways, monkeypatch) -> None:
        monkeypatch.setattr(index_module, "_MAX_IN_MEMORY", 100)
        self.test_records_that_are_not_in_it_are_found(tmp_path, ways, 5)

    def test_two_files_in_one_index(self, tmp_path, ways) -> None:
        for name, index in (("a.wacz", []), ("b.wacz", lines([PAGE], "1.warc.gz") + lines([STYLE], "0.warc.gz"))):
            with zipfile.ZipFile(tmp_path / name, "w") as archive:
                archive.writestr("archive/1.warc.gz", gzip.compress(PAGE, mtime=0))
                archive.writestr("archive/0.warc.gz", gzip.compress(STYLE, mtime=0))
                if index:
                    archive.writestr("indexes/index.cdx", "\n".join(index))
        assert contents(Archive(tmp_path / "a.wacz")) == contents(Archive(tmp_path / "b.wacz"))
        assert ways == ["_index"] * 2 + ["_index_by_cdx"] * 2

    def test_bodies_are_passed_over(self, tmp_path, monkeypatch) -> None:
        looked = []
        monkeypatch.setattr(index_module, "_matches", lambda entry, _record: looked.append(entry.url) or True)
        archive = Archive(write(tmp_path / "a.wacz", RECORDS, lines(RECORDS)))
        assert len(looked) < len(lines(RECORDS))
        assert archive.get(URL + "19.png").body == b"\x89PNG" + bytes(19)


def changed(line: str, **fields: object) -> str:
    key, time, text = line.split(" ", 2)
    return f"{key} {time} {json.dumps(json.loads(text) | fields)}"


class TestWrong:
    """The archive is streamed, as if it had no index."""

    def check(self, tmp_path: Path, index: list[str] | bytes, ways: list[str], caplog, **names: str) -> None:
        caplog.set_level(logging.DEBUG, "vclean")
        streamed = Archive(write(tmp_path / "a.wacz", RECORDS, None))
        indexed = Archive(write(tmp_path / "b.wacz", RECORDS, index, **names))
        assert contents(indexed) == contents(streamed)
        assert ways[-1] == "_index"
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
    def test_fields(self, tmp_path, ways, caplog, fields, number: int) -> None:
        index = lines(RECORDS)
        index[number] = changed(index[number], **fields)
        self.check(tmp_path, index, ways, caplog)

    @pytest.mark.parametrize("fields", [{"status": "404"}, {"mime": "image/gif"}, {"mime": "text/css", "status": 200}])
    def test_what_is_said_of_a_page(self, tmp_path, ways, caplog, fields) -> None:
        """Records whose bodies would be passed over are looked at, some of them."""
        index = lines(RECORDS)
        index[1] = changed(index[1], **fields)
        self.check(tmp_path, index, ways, caplog)

    @pytest.mark.parametrize(
        "index",
        [b"\xff\xfe", b"a b [1]", b"a b 1", b"a b " + b"[" * 60_000, b"a b {", b"x" * 70_000, b"\x00" * 10],
        ids=lambda index: repr(index[:8]),
    )
    def test_lines(self, tmp_path, ways, caplog, index: bytes) -> None:
        self.check(tmp_path, index, ways, caplog)

    def test_overlap(self, tmp_path, ways, caplog) -> None:
        index = lines(RECORDS)
        offset = json.loads(index[0].split(" ", 2)[2])["offset"]
        self.check(tmp_path, [*index, changed(index[0], offset=str(int(offset) + 3))], ways, caplog)

    def test_a_bomb(self, tmp_path, ways, caplog, monkeypatch) -> None:
        monkeypatch.setattr(cdx, "_SPARE_BYTES", 2**10)
        data = ("\n".join(lines(RECORDS)) + "\n").encode() * 1000
        self.check(tmp_path, data, ways, caplog, index_name="index.cdx.gz")
        assert "too large" in caplog.text

    def test_cut_off(self, tmp_path, ways, caplog) -> None:
        path = write(tmp_path / "a.wacz", RECORDS, None)
        with zipfile.ZipFile(path, "a") as archive:
            archive.writestr("indexes/index.cdx.gz", gzip.compress("\n".join(lines(RECORDS)).encode())[:-20])
        assert len(Archive(path).pages) == 3
        assert ways == ["_index"]

    def test_a_cut_off_archive(self, tmp_path, ways) -> None:
        """Damage is told as ever."""
        with zipfile.ZipFile(tmp_path / "a.wacz", "w") as archive:
            archive.writestr("archive/a.warc.gz", gzip.compress(PAGE, mtime=0) + gzip.compress(STYLE, mtime=0)[:-9])
            archive.writestr("indexes/index.cdx", "\n".join(lines([PAGE])))
        assert "cut off" in Archive(tmp_path / "a.wacz").damage
        assert ways == ["_index_by_cdx", "_index"]

    @pytest.mark.parametrize(
        ("name", "method"), [("a.warc.zst", zipfile.ZIP_STORED), ("a.warc.gz", zipfile.ZIP_DEFLATED)]
    )
    def test_archives_that_are_always_streamed(self, tmp_path, ways, name: str, method: int) -> None:
        with zipfile.ZipFile(tmp_path / "a.wacz", "w", method) as archive:
            archive.writestr(f"archive/{name}", gzip.compress(PAGE, mtime=0))
            archive.writestr("indexes/index.cdx", "\n".join(lines([PAGE], name)))
        assert len(Archive(tmp_path / "a.wacz").pages) == 1
        assert ways == ["_index"]

    def test_nothing_in_the_archive(self, tmp_path) -> None:
        with zipfile.ZipFile(tmp_path / "a.wacz", "w") as archive:
            archive.writestr("archive/a.warc.gz", b"")
            archive.writestr("indexes/index.cdx", "")
        with pytest.raises(InputError, match="contains no web archive records"):
            Archive(tmp_path / "a.wacz")

    @settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.binary(max_size=200), st.integers(0, 5000), st.integers(0, 40))
    def test_any_damage_of_the_index(self, tmp_path, junk: bytes, start: int, size: int) -> None:
        """What is read or passed over stays within the archive; nothing but streaming follows."""
        data = "\n".join(lines(RECORDS)).encode()
        path = write(tmp_path / "a.wacz", RECORDS, data[:start] + junk + data[start + size :])
        archive = Archive(path)
        assert [page.url for page in archive.pages][:2] == [URL, URL + "page"]


class TestEntries:
    def test_fields(self, tmp_path) -> None:
        path = write(tmp_path / "a.wacz", [PAGE], lines([PAGE]))
        members = index_module.warc.list_members(path)
        assert list(cdx.entries(path, members)) == [(0, 0, members[0].size, URL + "page", "text/html", 200)]

    def test_it_raises(self, tmp_path) -> None:
        path = write(tmp_path / "a.wacz", [PAGE], ["nothing"])
        with pytest.raises(CdxError, match="cannot be read"):
            list(cdx.entries(path, index_module.warc.list_members(path)))
