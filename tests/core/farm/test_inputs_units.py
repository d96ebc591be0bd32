from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import PAGE, STYLE, record, response

from vclean.errors import InputError, NetworkError, OutputError, VcleanError
from vclean.farm import inputs
from vclean.farm.inputs import InputUnit, UnitReader, read_task
from vclean.farm.tasks import Item, page_key
from vclean.page import Page
from vclean.settings import CleanerSettings

TWO = record("http://a.example/two", response(b"<p>two"))


def items(*arguments: object, groups: range | None = None, missing: bool = False, reader: UnitReader | None = None):
    reader = reader or UnitReader(CleanerSettings())
    return list(reader.items(InputUnit(tuple(map(str, arguments)), groups, missing)))


def failure(item) -> VcleanError:
    with pytest.raises(VcleanError) as caught:
        item.read()
    return caught.value


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(map(gzip.compress, (PAGE, STYLE, TWO))))
    return path


class TestPages:
    def test_html_file(self, tmp_path: Path) -> None:
        path = tmp_path / "page.html"
        path.write_bytes(b"<p>Hello")
        (item,) = items(path)
        page = item.read()
        assert (item.id, item.source) == (str(path), str(path))
        assert (page.id, page.content, page.path) == (str(path), b"<p>Hello", path)

    def test_rows_have_ids_and_source_of_their_file(self, tmp_path: Path) -> None:
        path = tmp_path / "a.parquet"
        pq.write_table(pa.table({"html": ["<p>1", "<p>2"], "url": ["http://a/", None]}), path)
        matches = items(path)
        assert [(item.id, item.source) for item in matches] == [("http://a/", str(path)), (f"{path}#1", str(path))]
        assert [item.read().id for item in matches] == ["http://a/", f"{path}#1"]

    def test_an_archive(self, archive: Path) -> None:
        matches = items(archive)
        assert [(item.id, item.source) for item in matches] == [("http://a.example/page", str(archive)),
                                                              ("http://a.example/two", str(archive))]  # fmt: skip
        assert matches[0].read().charset == "windows-1250"


class TestLive:
    def test_requires_network_option(self) -> None:
        (item,) = items("https://example.org/")
        error = failure(item)
        assert isinstance(error, NetworkError)
        assert "add --network public" in str(error)

    def test_worker_fetches_page(self) -> None:
        """Leave the fetch to the worker, for rendered and unrendered pages: the reader must not wait."""
        reader = UnitReader(CleanerSettings(network="public", render=False))
        (item,) = items("https://example.org/", reader=reader)
        page = item.read()
        assert (item.id, item.source) == ("https://example.org/", "https://example.org/")
        assert (page.url, page.live, page.content) == ("https://example.org/", True, b"")

    def test_url_that_is_not_utf8(self) -> None:
        (item,) = items("https://example.org/caf\udce9", reader=UnitReader(CleanerSettings(network="public")))
        assert item.read().url == item.id == r"https://example.org/caf\udce9"


class TestFailures:
    def test_one_unreadable_file_does_not_end_the_unit(self, tmp_path: Path) -> None:
        (tmp_path / "b.html").write_bytes(b"<p>")
        missing, matches = items(tmp_path / "a.html", tmp_path / "b.html")
        assert (missing.id, missing.source) == (str(tmp_path / "a.html"),) * 2
        assert "does not exist" in str(failure(missing))
        assert matches.read().content == b"<p>"

    def test_damaged_end_of_archive(self, tmp_path: Path) -> None:
        path = tmp_path / "a.warc"
        path.write_bytes(PAGE + TWO[:-8])
        *matches, last = items(path)
        assert matches[0].read().content == b"<p>one"
        assert (last.id, last.source) == (str(path), str(path))
        assert isinstance(failure(last), InputError)

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("a.warc", b"", "empty or cut off"),
            ("a.warc.gz", b"words", "no readable web archive"),
            ("a.wacz", b"words", "no readable WACZ"),
            ("a.warc", STYLE, "contains no HTML page"),
            ("a.parquet", b"words", "not a readable Parquet"),
            ("a.jsonl.gz", b"words", "cannot be read"),
            ("a.txt", b"page.html", "a list inside a list: name it as an input of its own"),
        ],
    )
    def test_content_that_contradicts_suffix(self, tmp_path: Path, name: str, content: bytes, message: str) -> None:
        (tmp_path / name).write_bytes(content)
        (item,) = items(tmp_path / name)
        assert item.id == item.source == str(tmp_path / name)
        assert message in str(failure(item))

    def test_pattern_without_matches(self, tmp_path: Path) -> None:
        (item,) = items(tmp_path / "*.warc")
        assert str(failure(item)) == f"no file matches {tmp_path}/*.warc: check the pattern"

    @pytest.mark.parametrize("name", ["nul\0.html", "caf\udce9.html", "a" * 5000, "caf\udce9*.html", "b\udce9.warc"])
    def test_odd_names_can_be_stored(self, tmp_path: Path, name: str) -> None:
        (item,) = items(tmp_path / name)
        error = failure(item)
        assert isinstance(error, InputError)
        for text in (item.id, item.source, str(error)):
            text.encode()

    def test_file_name_that_is_not_utf8(self, tmp_path: Path) -> None:
        path = tmp_path / os.fsdecode(b"caf\xe9.html")
        path.write_bytes(b"<p>")
        (item,) = items(path)
        assert item.id == item.source == rf"{tmp_path}/caf\udce9.html"
        assert (item.read().content, item.read().id, item.read().path) == (b"<p>", item.id, path)

    def test_bug_is_a_failure(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken(*_args: object) -> None:
            raise ZeroDivisionError("of all things")

        monkeypatch.setattr(inputs, "find_sources", broken)
        (item,) = items(tmp_path / "a.html")
        assert "unexpected ZeroDivisionError: of all things" in str(failure(item))

    def test_bug_in_reading_is_a_failure(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        def broken() -> None:
            raise ZeroDivisionError

        monkeypatch.setattr(inputs, "find_sources", lambda *_: iter([inputs.Source("x", broken)]))
        (item,) = items(tmp_path / "a.html")
        assert type(failure(item)) is VcleanError


class TestIndexes:
    def test_indexes_archive_once(self, archive: Path, tmp_path: Path) -> None:
        reader = UnitReader(CleanerSettings(), index_folder=tmp_path / "out" / "index")
        assert len(items(archive, reader=reader)) == 2
        (index,) = (tmp_path / "out" / "index").iterdir()
        written = index.stat().st_mtime_ns
        assert len(items(archive, reader=reader)) == 2
        assert index.stat().st_mtime_ns == written

    def test_archives_of_equal_name_have_separate_indexes(self, archive: Path, tmp_path: Path) -> None:
        (tmp_path / "sub").mkdir()
        other = tmp_path / "sub" / archive.name
        other.write_bytes(gzip.compress(TWO))
        reader = UnitReader(CleanerSettings(), index_folder=tmp_path / "index")
        assert [item.id for item in items(archive, other, reader=reader)][-1] == "http://a.example/two"
        assert len(list((tmp_path / "index").iterdir())) == 2

    def test_unwritable_index_folder(self, archive: Path, tmp_path: Path) -> None:
        """Read the archive again on resume: a full disk is no property of the archive."""
        (tmp_path / "index").write_bytes(b"")
        with pytest.raises(OutputError, match="not a folder"):
            items(archive, reader=UnitReader(CleanerSettings(), index_folder=tmp_path / "index"))


class TestSelectedPages:
    @pytest.fixture
    def reader(self) -> UnitReader:
        pages = ("http://a.example/two", "http://a.example/three")
        return UnitReader(CleanerSettings(), pages)

    def test_takes_only_selected_pages_from_archives(self, archive: Path, reader: UnitReader) -> None:
        (item,) = items(archive, reader=reader)
        assert (item.id, item.read().content) == ("http://a.example/two", b"<p>two")

    def test_does_not_restrict_other_inputs(self, tmp_path: Path, reader: UnitReader) -> None:
        (tmp_path / "a.html").write_bytes(b"<p>")
        assert len(items(tmp_path / "a.html", reader=reader)) == 1

    def test_archive_without_selected_pages_is_no_failure(self, tmp_path: Path, reader: UnitReader) -> None:
        (tmp_path / "b.warc").write_bytes(PAGE)
        assert items(tmp_path / "b.warc", reader=reader) == []

    def test_reports_missing_pages(self, archive: Path, tmp_path: Path, reader: UnitReader) -> None:
        (tmp_path / "b.warc").write_bytes(PAGE)
        (tmp_path / "bad.warc").write_bytes(b"")
        (missing,) = items(tmp_path / "b.warc", tmp_path / "bad.warc", archive, missing=True, reader=reader)
        assert missing.id == missing.source == "http://a.example/three"
        assert "is in no archive of this run" in str(failure(missing))

    def test_no_archives(self, reader: UnitReader) -> None:
        assert [item.id for item in items(missing=True, reader=reader)] == list(reader.pages or ())


SMALL = Page(content=b"<p>Hello", id="a")


def failing(error: Exception) -> Item:
    def fail() -> NoReturn:
        raise error

    return Item("a", "/crawl/a.warc", fail)


class TestReadTask:
    def test_returns_task(self) -> None:
        task, failure = read_task(Item("a", "/crawl/a.html", lambda: SMALL), "digest")
        assert failure is None
        assert (task.page, task.source, task.key) == (SMALL, "/crawl/a.html", page_key(SMALL, "digest"))
        assert task.attempt == 1

    def test_error_gives_failure(self) -> None:
        task, failure = read_task(failing(InputError("it is damaged")), "digest")
        assert failure is not None
        row = failure.record.to_pylist()[0]
        assert (row["id"], row["source"], row["status"]) == ("a", "/crawl/a.warc", "failed")
        assert (row["error"], row["message"]) == ("InputError", "it is damaged")
        assert failure.error == "InputError"
        assert row["key"] == task.key

    def test_lack_of_memory_gives_failure(self) -> None:
        _, failure = read_task(failing(MemoryError()), "digest")
        assert failure is not None
        assert failure.error == "LimitError"

    def test_raises_other_errors(self) -> None:
        with pytest.raises(ZeroDivisionError):
            read_task(failing(ZeroDivisionError()), "digest")

    def test_key_of_failure_is_stable_and_distinct(self) -> None:
        first, again = (read_task(failing(InputError(text)), "digest")[0] for text in ("one", "two"))
        other, _ = read_task(Item("b", "/crawl/a.warc", failing(InputError("")).read), "digest")
        assert first.key == again.key != other.key
