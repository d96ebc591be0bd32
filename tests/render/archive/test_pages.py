from __future__ import annotations

import gc
import gzip
import io
import pickle
import random
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from fastwarc.stream_io import ZstdWriter
from helpers.archives import PAGE, STYLE, STYLED, record, response

from vclean.errors import InputError, LimitError, OutputError
from vclean.page import Resource
from vclean.render.archive import index_builder, pages
from vclean.render.archive.pages import Archive, open_index, open_matching_index

CAP = 10_000


def zstandard(data: bytes) -> bytes:
    stream = io.BytesIO()
    ZstdWriter(stream).write(data)
    return stream.getvalue()


@pytest.fixture
def warc(tmp_path: Path):
    def write(*records: bytes, name: str = "a.warc") -> Path:
        path = tmp_path / name
        pack = {".gz": gzip.compress, ".zst": zstandard}.get(path.suffix, bytes)
        path.write_bytes(b"".join(map(pack, records)))
        return path

    return write


class TestPages:
    @pytest.mark.parametrize("order", [(0, 1), (1, 0)])
    def test_reads_file_that_gzip_compressed_as_a_whole(self, tmp_path: Path, order: tuple[int, int]) -> None:
        path = tmp_path / "a.warc.gz"
        path.write_bytes(gzip.compress(PAGE + record("http://a.example/two", response(b"<p>two"))))
        archive = pickle.loads(pickle.dumps(Archive(path, index=tmp_path / "a.index")))
        assert archive.damage == ""
        assert [archive.page(archive.pages[number], CAP).url for number in order] == [
            ("http://a.example/page", "http://a.example/two")[number] for number in order
        ]
        assert archive.page(archive.pages[1], CAP).content == b"<p>two"

    def test_reads_the_start_of_a_cut_file_that_gzip_compressed_as_a_whole(self, tmp_path: Path) -> None:
        path = tmp_path / "a.warc.gz"
        pages = [record(f"http://a.example/{n}", response(random.Random(n).randbytes(20_000))) for n in range(20)]
        path.write_bytes(gzip.compress(b"".join(pages))[:200_000])
        archive = Archive(path)
        assert "is damaged" in archive.damage
        assert len(archive.page(archive.pages[5], 2 * CAP).content) == 2 * CAP

    def test_text_without_markup_is_named(self, warc) -> None:
        path = warc(record("http://a.example/", b"The text", kind="conversion"))
        with pytest.raises(InputError, match=r"contains text without markup \(WET\): give the WARC file"):
            Archive(path)

    def test_lists_resource_records(self, warc) -> None:
        archive = Archive(warc(record("http://a.example/raw", b"<p>raw", kind="resource")))
        assert archive.page(archive.pages[0], CAP).content == b"<p>raw"

    def test_rejects_body_over_the_limit(self, warc) -> None:
        bomb = gzip.compress(b"<p>" + b"a" * 10 * CAP)
        archive = Archive(warc(record("http://a.example/", response(bomb, extra="Content-Encoding: gzip\r\n"))))
        with pytest.raises(LimitError, match="--max-bytes"):
            archive.page(archive.pages[0], CAP)

    def test_sets_no_resources_without_archived_references(self, warc) -> None:
        # Such a page renders several times faster. A link to another page is not a subresource.
        other = record("http://a.example/two", response(b"<a href=page>one</a><link rel=next href=page>"))
        archive = Archive(warc(STYLED, other, STYLE))
        assert archive.pages.facts["has_resources"]
        assert archive.page(archive.pages[1], CAP).resources is None

    def test_assumes_references_in_long_documents(self, warc, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(index_builder, "SCANNED_BYTES", 5)
        archive = Archive(warc(PAGE, STYLE))
        assert archive.page(archive.pages[0], CAP).resources is archive


def test_select_follows_redirects_and_finds_frames(warc) -> None:
    top = record("http://a.example/", response(b"<iframe src=page></iframe>"))
    archive = Archive(warc(top, moved("http://a.example/old", "/page"), PAGE))
    assert [page.url for page in archive.pages] == ["http://a.example/"]
    ((_, selected),) = archive.select(["http://a.example/old"])
    assert selected is not None
    assert selected.url == "http://a.example/page"


class TestPickle:
    def test_is_small_and_reads_the_same_index(self, warc) -> None:
        archive = Archive(warc(STYLED, STYLE))
        data = pickle.dumps(archive)
        copy = pickle.loads(data)
        assert len(data) < 500
        assert copy.pages.path == archive.pages.path
        assert list(copy.pages) == list(archive.pages)
        assert copy.get("http://a.example/s.css?v=1") == archive.get("http://a.example/s.css?v=1")

    def test_builds_missing_index(self, warc, tmp_path: Path) -> None:
        # As on another machine; nothing is written at the path of the old index.
        index = tmp_path / "kept.index"
        data = pickle.dumps(Archive(warc(STYLED, STYLE), index=index))
        index.unlink()
        assert pickle.loads(data).get("http://a.example/s.css?v=1") is not None
        assert not index.exists()


def moved(url: str, to: str) -> bytes:
    return record(url, response(b"", status="301 Moved", extra=f"Location: {to}\r\n"))


class TestGet:
    @pytest.mark.parametrize(
        ("url", "resource"),
        [
            ("http://a.example/s.css?v=1#x", Resource(b"p{}", "text/css", 200)),
            ("http://a.example/page", Resource(b"<p>one", "text/html; charset=windows-1250", 200)),
            ("http://b.example/copy.css", Resource(b"p{}", "text/css", 200)),  # a revisit
            ("http://a.example/s.css", None),
            ("http://b.example/s.css?v=1", None),
            ("http://[broken", None),
            ("", None),
            ("http://a.example/old.css", None),  # its redirect is invalid
            ("http://a.example/1", None),  # a loop of redirects
        ],
    )
    def test_returns_what_is_archived(self, warc, url: str, resource: Resource | None) -> None:
        extra = "WARC-Refers-To-Target-URI: http://a.example/s.css?v=1\r\n"
        revisit = record("http://b.example/copy.css", response(b"", "text/css"), "revisit", extra)
        redirects = [("old.css", "http://[/"), ("1", "/2"), ("2", "/1")]
        archive = Archive(warc(PAGE, STYLE, revisit, *(moved(f"http://a.example/{url}", to) for url, to in redirects)))
        assert archive.get(url) == resource

    @pytest.mark.parametrize(("limit", "is_served"), [(2, False), (3, True)])
    def test_refuses_resource_over_the_limit(self, warc, limit: int, is_served: bool, monkeypatch) -> None:
        monkeypatch.setattr(pages, "_MAX_RESOURCE", limit)
        packed = response(gzip.compress(b"p{}"), "text/css", extra="Content-Encoding: gzip\r\n")
        archive = Archive(warc(STYLE, record("http://a.example/b.css", packed), name="a.warc.gz"))
        for name in ("s.css?v=1", "b.css"):
            assert (archive.get(f"http://a.example/{name}") is not None) == is_served

    def test_returns_none_for_deleted_file(self, warc) -> None:
        path = warc(STYLE)
        archive = Archive(path)
        path.unlink()
        assert archive.get("http://a.example/s.css?v=1") is None


class TestDamage:
    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("a.warc", b"hello world " * 100, r"a\.warc"),
            ("a.warc", b"\x1f\x8b\x08\x00garbage" * 9, r"a\.warc"),
            ("a.warc", b"PK\x03\x04" * 20, r"a\.warc"),
            ("a.warc.gz", b"", "empty or cut off"),
            ("a.wacz", b"nothing of the kind", "no readable WACZ"),
            ("a.wacz", b"PK\5\6" + bytes(18), "contains no web archive records"),  # a zip file without members
        ],
    )
    def test_rejects_other_files(self, tmp_path: Path, name: str, content: bytes, message: str) -> None:
        (tmp_path / name).write_bytes(content)
        with pytest.raises(InputError, match=message) as failure:
            Archive(tmp_path / name)
        assert "\n" not in str(failure.value)

    def test_skips_damage_in_the_middle(self, warc) -> None:
        path = warc(PAGE, STYLE, PAGE, name="a.warc.gz")
        data = bytearray(path.read_bytes())
        start = len(gzip.compress(PAGE))
        data[start + 12 : start + 60] = b"\xff" * 48
        path.write_bytes(data)
        archive = Archive(path)
        assert [archive.page(page, CAP).content for page in archive.pages] == [b"<p>one", b"<p>one"]
        assert "2 records could be read" in archive.damage
        assert "\n" not in archive.damage

    def test_finds_last_record_after_damage(self, warc) -> None:
        last = record("http://a.example/last", response(b"<p>last"))
        path = warc(PAGE, name="a.warc.gz")
        path.write_bytes(path.read_bytes()[:60] + b"\x1f\x8b\x08" * 1500 + gzip.compress(last))
        archive = Archive(path)
        assert archive.page(archive.pages[-1], CAP).content == b"<p>last"
        assert archive.damage

    def test_reports_record_damaged_after_indexing(self, warc) -> None:
        path = warc(PAGE, name="a.warc.gz")
        archive = Archive(path)
        path.write_bytes(b"\x1f\x8b\x08\x00" + b"\xff" * 200)
        with pytest.raises(InputError, match=r"http://a\.example/page is damaged"):
            archive.page(archive.pages[0], CAP)


class TestWacz:
    @pytest.fixture
    def wacz(self, tmp_path: Path):
        def write(compression: int = zipfile.ZIP_STORED) -> Path:
            path = tmp_path / "a.wacz"
            with zipfile.ZipFile(path, "w", compression) as archive:
                archive.writestr("archive/one.warc.gz", gzip.compress(STYLED) + gzip.compress(PAGE))
                archive.writestr("archive/two.warc", b"".join([STYLE, record("http://b.example/", response(b"<p>b"))]))
            return path

        return write

    def test_rejects_zip_of_a_later_version(self, wacz) -> None:
        path = wacz()
        data = path.read_bytes()
        at = data.index(b"PK\1\2") + 6  # the version of zip that is needed
        path.write_bytes(data[:at] + b"\xc8" + data[at + 1 :])
        with pytest.raises(InputError, match="no readable WACZ file"):
            Archive(path)

    def test_reads_other_members_after_a_damaged_one(self, wacz) -> None:
        path = wacz(compression=zipfile.ZIP_DEFLATED)
        data = bytearray(path.read_bytes())
        data[60:90] = b"\xff" * 30
        path.write_bytes(data)
        archive = Archive(path)
        assert [page.url for page in archive.pages] == ["http://b.example/"]
        assert "2 records could be read" in archive.damage


@pytest.fixture
def styled(tmp_path: Path) -> Path:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(STYLED) + gzip.compress(STYLE))
    return path


@pytest.fixture
def index_path(tmp_path: Path) -> Path:
    return tmp_path / "index_path.index"


class TestOpenIndex:
    def test_deletes_temporary_index(self, styled: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder = tmp_path / "temporary"
        folder.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(folder))
        index = open_index(styled)
        assert list(folder.iterdir()) == [index.path]
        del index
        gc.collect()
        assert list(folder.iterdir()) == []

    @pytest.mark.parametrize("content", [b"", b"no database" * 1000, b"SQLite format 3\0" + bytes(5000)])
    def test_replaces_invalid_index(self, styled: Path, index_path: Path, content: bytes) -> None:
        index_path.write_bytes(content)
        assert open_index(styled, index_path).facts["pages"] == 1
        assert open_matching_index(styled, index_path) is not None

    def test_reports_full_disk(self, styled: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        monkeypatch.setattr(index_builder, "SCHEMA", index_builder.SCHEMA + "PRAGMA max_page_count = 8;")
        styled.write_bytes(b"".join(gzip.compress(record(f"http://a/{i}", response(b"x"))) for i in range(800)))
        with pytest.raises(OutputError, match=r"full.*free some space") as failure:
            open_index(styled)
        assert "\n" not in str(failure.value)
        assert list(tmp_path.iterdir()) == [styled]


def test_missing_index_and_deleted_archive_have_no_matching_index(styled: Path, index_path: Path) -> None:
    assert open_matching_index(styled, index_path) is None
    assert list(open_index(styled, index_path).members) == [""]
    styled.unlink()
    assert open_matching_index(styled, index_path) is None


def test_memory_does_not_grow_with_the_archive(tmp_path: Path) -> None:
    """Compare the peak memory of building indexes of 3,000 and 30,000 records."""
    peaks = []
    for count in (3000, 30_000):
        path = tmp_path / f"{count}.warc"
        with path.open("wb") as file:
            file.writelines(record(f"http://a.example/{i}/{'x' * 300}", response(b"x")) for i in range(count))
        code = "import resource, sys; from pathlib import Path; from vclean.render.archive.pages import Archive;"
        code += "archive = Archive(Path(sys.argv[1])); assert sum(1 for _ in archive.pages) == int(sys.argv[2]);"
        code += "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
        run = subprocess.run([sys.executable, "-c", code, path, str(count)], capture_output=True, check=True)
        peaks.append(int(run.stdout))
    assert peaks[1] - peaks[0] < 40_000  # KiB: the caches of the database fill up
