from __future__ import annotations

import gc
import gzip
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from helpers.archives import PAGE, STYLE, STYLED, record, response

from vclean.errors import OutputError
from vclean.render.archive import index as archive_index
from vclean.render.archive.index import (
    HTML,
    SUBRESOURCE,
    Record,
    normalize_url,
    open_index,
    open_matching_index,
    url_key,
)
from vclean.render.archive.pages import Archive


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(gzip.compress(STYLED) + gzip.compress(STYLE))
    return path


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    return tmp_path / "kept.index"


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Where indexes were built."""
    seen: list[Path] = []

    def build(archive: Path, path: Path) -> None:
        seen.append(path)
        original(archive, path)

    original = archive_index._build
    monkeypatch.setattr(archive_index, "_build", build)
    return seen


class TestOpenIndex:
    def test_a_temporary_one_goes_away(self, archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        place = tmp_path / "temporary"
        place.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(place))
        index = open_index(archive)
        assert list(place.iterdir()) == [index.path]
        del index
        gc.collect()
        assert list(place.iterdir()) == []

    def test_a_kept_one_is_used_again(self, archive: Path, kept: Path, builds: list[Path]) -> None:
        first = open_index(archive, kept)
        facts, pages = first.facts, first.pages(1, 10)
        first.close()
        again = open_index(archive, kept)
        assert (again.facts, again.pages(1, 10)) == (facts, pages)
        assert len(builds) == 1
        assert sorted(path.name for path in kept.parent.iterdir()) == ["a.warc.gz", "kept.index"]

    def test_the_damage_is_remembered(self, archive: Path, kept: Path) -> None:
        archive.write_bytes(archive.read_bytes()[:-20])
        assert Archive(archive, index=kept).damage == Archive(archive, index=kept).damage != ""

    def test_another_archive_under_the_name(self, archive: Path, kept: Path, builds: list[Path]) -> None:
        open_index(archive, kept)
        archive.write_bytes(gzip.compress(PAGE))
        assert open_index(archive, kept).facts["has_resources"] == 0
        assert len(builds) == 2

    def test_a_change_of_the_same_size(self, archive: Path, kept: Path, builds: list[Path]) -> None:
        open_index(archive, kept)
        status = archive.stat()
        os.utime(archive, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
        open_index(archive, kept)
        assert len(builds) == 2

    def test_an_index_of_other_rules(
        self, archive: Path, kept: Path, builds: list[Path], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        open_index(archive, kept)
        monkeypatch.setattr(archive_index, "_VERSION", -1)
        open_index(archive, kept)
        assert len(builds) == 2

    @pytest.mark.parametrize("content", [b"", b"no database" * 1000, b"SQLite format 3\0" + bytes(5000)])
    def test_a_file_that_is_none_is_replaced(self, archive: Path, kept: Path, content: bytes) -> None:
        kept.write_bytes(content)
        assert open_index(archive, kept).facts["pages"] == 1
        assert open_matching_index(archive, kept) is not None

    def test_a_folder_that_does_not_exist(self, archive: Path, tmp_path: Path) -> None:
        with pytest.raises(OutputError, match="create the folder first"):
            open_index(archive, tmp_path / "none" / "kept.index")

    def test_a_full_disk(self, archive: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
        schema = archive_index._SCHEMA + "PRAGMA max_page_count = 8;"
        monkeypatch.setattr(archive_index, "_SCHEMA", schema)
        archive.write_bytes(b"".join(gzip.compress(record(f"http://a/{i}", response(b"x"))) for i in range(800)))
        with pytest.raises(OutputError, match=r"full.*free some space") as failure:
            open_index(archive)
        assert "\n" not in str(failure.value)
        assert list(tmp_path.iterdir()) == [archive]

    def test_two_processes_at_once(self, archive: Path, kept: Path) -> None:
        """Each builds its own, aside; whichever is put in place last is whole."""
        archive.write_bytes(b"".join(gzip.compress(record(f"http://a/{i}", response(b"x"))) for i in range(2000)))
        code = "import sys; from pathlib import Path; from vclean.render.archive.pages import Archive;"
        code += "print(len(Archive(Path(sys.argv[1]), index=Path(sys.argv[2])).pages))"
        command = [sys.executable, "-c", code, str(archive), str(kept)]
        runs = [subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2)]
        assert [run.communicate()[0].strip() for run in runs] == [b"2000", b"2000"]
        found = open_matching_index(archive, kept)
        assert found is not None
        assert found.facts["pages"] == 2000
        assert sorted(path.name for path in kept.parent.iterdir()) == ["a.warc.gz", "kept.index"]


class TestFitting:
    def test_nothing_there(self, archive: Path, kept: Path) -> None:
        assert open_matching_index(archive, kept) is None

    def test_the_archive_is_gone(self, archive: Path, kept: Path) -> None:
        open_index(archive, kept)
        archive.unlink()
        assert open_matching_index(archive, kept) is None

    def test_a_copy_of_the_archive(self, archive: Path, kept: Path) -> None:
        open_index(archive, kept)
        copy = archive.with_name("copy.warc.gz")
        copy.write_bytes(archive.read_bytes())
        assert open_matching_index(copy, kept) is None


class TestIndex:
    def test_the_first_record_counts(self, archive: Path) -> None:
        archive.write_bytes(gzip.compress(PAGE) + gzip.compress(STYLED))
        assert open_index(archive).find("http://a.example/page") == Record("http://a.example/page", "", 0)

    def test_records_of_one_kind(self, archive: Path) -> None:
        index = open_index(archive)
        assert index.find("http://a.example/page", HTML) is not None
        assert index.find("http://a.example/page", SUBRESOURCE) is None
        assert index.find("http://a.example/s.css?v=1", SUBRESOURCE) is not None

    @pytest.mark.parametrize(
        "kind",
        ["image/png", "text/css", "application/x-javascript", "font/woff2", "application/font-woff",
         "application/octet-stream"],
    )  # fmt: skip
    def test_what_pages_load(self, archive: Path, kind: str) -> None:
        archive.write_bytes(record("http://a.example/x", response(b"x", kind)))
        assert open_index(archive).facts["has_resources"] == 1

    def test_members(self, archive: Path) -> None:
        assert list(open_index(archive).members) == [""]

    def test_it_cannot_be_changed(self, archive: Path) -> None:
        index = open_index(archive)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            index._database.execute("DELETE FROM records")


class TestMemory:
    def test_it_does_not_grow_with_the_archive(self, tmp_path: Path) -> None:
        """Ten times the records; what is compared is the peak of a process that builds the index."""
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


class TestKeyOf:
    @pytest.mark.parametrize("other", ["https://a.example/b?c", "http://A.EXAMPLE/b?c#d", "http://a.example/%62?%63"])
    def test_spellings(self, other: str) -> None:
        assert url_key("http://a.example/b?c") == url_key(other)

    @pytest.mark.parametrize("other", ["http://a.example/B?c", "http://a.example/b", "http://b.example/b?c"])
    def test_other_addresses(self, other: str) -> None:
        assert url_key("http://a.example/b?c") != url_key(other)

    def test_any_text_has_one(self) -> None:
        assert len({len(url_key(text)) for text in ("", "http://[", "\udcff", "\0")}) == 1
        assert normalize_url("http://[") == "http://["
