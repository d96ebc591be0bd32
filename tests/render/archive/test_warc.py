from __future__ import annotations

import gzip
import io
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest
from fastwarc.stream_io import BrotliWriter, ZstdWriter
from fastwarc.warc import ArchiveIterator, WarcRecord
from helpers.archives import PAGE, STYLE, record, response

from vclean.errors import InputError
from vclean.render.archive import warc
from vclean.render.archive.warc import (
    Member,
    decode_body,
    decode_content,
    find_next_record,
    is_truncated,
    list_members,
    open_member,
    read_record,
)

LONG = record("http://a.example/long", response(bytes(range(256)) * 2000, "image/png"))


@pytest.fixture
def wacz(tmp_path: Path):
    def write(compression: int = zipfile.ZIP_STORED, comment: bytes = b"") -> Path:
        path = tmp_path / "a.wacz"
        with zipfile.ZipFile(path, "w") as archive:
            archive.comment = comment
            archive.writestr("datapackage.json", "{}" * 100)
            archive.writestr("archive/b.warc", PAGE + LONG + STYLE, compression)
            archive.writestr("archive/a.warc.gz", gzip.compress(STYLE), compression)
        return path

    return write


class TestListMembers:
    def test_returns_warc_file_as_its_member(self, tmp_path: Path) -> None:
        (tmp_path / "a.warc").write_bytes(PAGE)
        assert list_members(tmp_path / "a.warc") == [Member("", 0, len(PAGE))]

    def test_sorts_members_of_wacz_file(self, wacz) -> None:
        assert [(member.name, member.size) for member in list_members(wacz(comment=b"x" * 50))] == [
            ("archive/a.warc.gz", len(gzip.compress(STYLE))),
            ("archive/b.warc", len(PAGE + LONG + STYLE)),
        ]

    def test_reports_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="does not exist: check the name"):
            list_members(tmp_path / "a.wacz")

    def test_rejects_header_beyond_the_end(self, wacz) -> None:
        path = wacz()
        data = path.read_bytes()
        end = data.rindex(b"PK\x01\x02")
        path.write_bytes(data[: end + 42] + b"\xff\xff\xff\x7f" + data[end + 46 :])
        with pytest.raises(InputError, match="no readable WACZ"):
            list_members(path)


class TestOpenMember:
    def test_reads_stored_member_directly(self, wacz) -> None:
        path = wacz()
        member = list_members(path)[1]
        assert member.start == path.read_bytes().index(PAGE)
        with open_member(path, member) as stream:
            assert stream.read() == PAGE + LONG + STYLE
            assert stream.read(1) == b""
            assert stream.seek(len(PAGE)) == stream.tell() == len(PAGE)
            assert stream.read(10) == LONG[:10]
            assert stream.seek(-3, io.SEEK_END) == member.size - 3
            assert stream.read(100) == STYLE[-3:]


class TestReadRecord:
    @pytest.fixture
    def archive(self, tmp_path: Path):
        def write(data: bytes) -> tuple[Path, Member]:
            path = tmp_path / "a.warc"
            path.write_bytes(data)
            return path, list_members(path)[0]

        return write

    def test_reads_one_byte_over_the_limit(self, archive) -> None:
        assert len(read_record(*archive(LONG), 0, 100).body) == 101

    @pytest.mark.parametrize("http", [
        response(gzip.compress(bytes(10**8)), extra="Content-Encoding: gzip\r\n"),
        response(bytes(10**7)),
    ])  # fmt: skip
    def test_limits_decompressed_body(self, archive, http: bytes) -> None:
        assert len(read_record(*archive(gzip.compress(record("http://a.example/", http))), 0, 1000).body) == 1001

    def test_reports_missing_record(self, archive) -> None:
        with pytest.raises(OSError, match="no longer exists"):
            read_record(*archive(PAGE), len(PAGE), 100)


class TestFindNextRecord:
    def test_ignores_version_inside_a_line(self) -> None:
        page = record("http://a.example/", response(b"see WARC/1.0\r\n and \nWARC/1.0 too"))
        assert find_next_record(io.BytesIO(page + STYLE), 1) == len(page)

    @pytest.mark.parametrize("chunk", [1, 100, 1024, 5000, 2**20])
    def test_finds_record_across_chunks(self, chunk: int, monkeypatch) -> None:
        monkeypatch.setattr(warc, "_CHUNK", chunk)
        assert find_next_record(io.BytesIO(LONG[:7000] + b"\n" + STYLE), 1) == 7001
        packed = gzip.compress(PAGE)
        stream = io.BytesIO(packed + b"\x1f\x8b\x08" * 1000 + gzip.compress(STYLE))
        assert find_next_record(stream, 1) == len(packed) + 3000


class TestIsTruncated:
    @pytest.mark.parametrize(("end", "expected"), [(None, False), (-4, False), (-5, True), (-1000, True)])
    def test_compares_with_declared_length(self, end: int | None, expected: bool) -> None:
        assert is_truncated(io.BytesIO(PAGE + LONG[:end]), len(PAGE)) is expected

    def test_detects_truncated_header(self) -> None:
        packed = gzip.compress(PAGE)
        cut = gzip.compress(STYLE.partition(b"Content-Length")[0])
        assert is_truncated(io.BytesIO(packed + cut), len(packed))

    def test_reads_member_in_chunks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(warc, "_CHUNK", 100)
        packed = gzip.compress(LONG)
        assert not is_truncated(io.BytesIO(packed), 0)
        assert is_truncated(io.BytesIO(packed[:-1]), 0)


TEXT = b"<p>The mill stood." * 50


def written(writer: type, data: bytes) -> bytes:
    out = io.BytesIO()
    stream = writer(out)
    stream.write(data)
    stream.close()
    return out.getvalue()


CODERS = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: written(BrotliWriter, data),
    "zstd": lambda data: written(ZstdWriter, data),
    "identity": bytes,
}


def encoded(data: bytes, codings: str) -> bytes:
    for name in codings.replace(" ", "").split(","):
        data = CODERS[name](data)
    return data


@pytest.mark.parametrize(
    "codings", ["gzip", "x-gzip", "deflate", "br", "zstd", "identity", "gzip, gzip", "br, gzip", "deflate,zstd"]
)
def test_decodes(codings: str) -> None:
    assert decode_content(encoded(TEXT, codings), codings, 10_000) == TEXT
    assert decode_content(encoded(TEXT, codings), codings.upper(), 7) == TEXT[:7]


@pytest.mark.parametrize(
    ("body", "codings", "message"),
    [
        (TEXT, "gzip", "data error"),
        (b"<p>", "gzip, br", "Invalid Data"),
        (TEXT, "compress", "unknown coding compress"),
        (TEXT, "gzip, gzip, gzip, gzip, gzip", "5 codings"),
    ],
)
def test_reports_what_is_not_so_encoded(body: bytes, codings: str, message: str) -> None:
    with pytest.raises(OSError, match=message):
        decode_content(body, codings, 10_000)
    assert decode_body(parsed(codings), body, 10_000) == body


def parsed(codings: str) -> WarcRecord:
    """Return a record with these codings in its header."""
    data = record("http://a.example/", response(b"", extra=f"Content-Encoding: {codings}\r\n"))
    return next(iter(ArchiveIterator(io.BytesIO(data))))


def test_start_of_a_cut_body_is_decoded() -> None:
    body = gzip.compress(bytes(range(256)) * 100, 0)
    assert decode_body(parsed("gzip"), body[:5000], 10_000)[:256] == bytes(range(256))


BOMB = """
import resource, sys
from pathlib import Path
from vclean.render.archive.warc import decode_content
body = Path(sys.argv[1]).read_bytes()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert len(decode_content(body, sys.argv[2], 2**24)) == 2**24
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="units of ru_maxrss differ")
@pytest.mark.parametrize("codings", ["gzip", "gzip, gzip", "br", "br, gzip", "deflate, gzip"])
def test_memory_is_bounded(codings: str, tmp_path) -> None:
    bomb = tmp_path / "bomb"
    bomb.write_bytes(encoded(bytes(2**28), codings))
    command = [sys.executable, "-c", BOMB, str(bomb), codings]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(run.stdout) * 1024 < 2**24 + 100 * 10**6
