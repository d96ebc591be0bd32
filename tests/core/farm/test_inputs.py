from __future__ import annotations

import gzip
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NoReturn

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import PAGE, STYLE, record, response
from hypothesis import given
from hypothesis import strategies as st

from vclean.errors import InputError, OutputError
from vclean.farm import inputs as module
from vclean.farm.inputs import Inputs, read_list, read_task
from vclean.farm.rows import page_key
from vclean.page import Page, Source
from vclean.settings import CleanerSettings

TWO = record("http://a.example/two", response(b"<p>two"))


INDEXES = TemporaryDirectory()


def inputs(*arguments: object, network: str = "public", **options) -> Inputs:
    options = {"index_folder": Path(INDEXES.name), **options}
    return Inputs([str(argument) for argument in arguments], CleanerSettings(network=network), **options)


def ids(*arguments: object, **options) -> list[str]:
    return [item.id for item in inputs(*arguments, **options)]


def failure(item: Source) -> str:
    """Return error and message of a page that cannot be read."""
    _, outcome = read_task(item, "digest")
    assert outcome
    return f"{outcome.error}: {outcome.record['message'][0].as_py()}"


def pages(folder: Path, *names: str) -> list[str]:
    """Write files with these names and return their paths."""
    paths = [folder / name for name in names]
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"<p>" + path.name.encode())
    return list(map(str, paths))


def listed(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def parquet(path: Path, rows: int, group: int) -> Path:
    pq.write_table(pa.table({"html": [f"<p>{row}" for row in range(rows)]}), path, row_group_size=group)
    return path


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "a.warc.gz"
    path.write_bytes(b"".join(map(gzip.compress, (PAGE, STYLE, TWO))))
    return path


@pytest.fixture
def stdin(monkeypatch: pytest.MonkeyPatch):
    def give(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


class TestIteration:
    def test_all_kinds_in_argument_order(self, tmp_path: Path, archive: Path) -> None:
        first, second = pages(tmp_path, "z.html", "folder/a.html")
        (tmp_path / "c.jsonl").write_text(json.dumps({"html": "<p>"}))
        table = parquet(tmp_path / "d.parquet", 2, 10)
        url = "https://e.example/"
        items = list(inputs(first, archive, url, tmp_path / "folder", tmp_path / "c.jsonl", table))
        assert [(item.id, item.origin) for item in items] == [
            (first, first),
            ("http://a.example/page", str(archive)),
            ("http://a.example/two", str(archive)),
            (url, url),
            (second, second),
            (f"{tmp_path}/c.jsonl#1", f"{tmp_path}/c.jsonl"),
            (f"{table}#0", str(table)),
            (f"{table}#1", str(table)),
        ]
        page, archived, _, live, *rows = (item.read() for item in items)
        assert (page.id, page.content, page.path) == (first, b"<p>z.html", Path(first))
        assert archived.charset == "windows-1250"
        assert (live.url, live.live, live.content) == (url, True, b"")
        assert [row.id for row in rows] == [item.id for item in items[4:]]

    def test_absolute_paths_also_if_named_repeatedly(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (path,) = pages(tmp_path, "sub/a.html")
        monkeypatch.chdir(tmp_path)
        assert ids("sub/a.html", "sub/../sub", "s*", tmp_path / "sub", "sub/a.html") == [path] * 5

    def test_finds_pages_lazily(self, tmp_path: Path) -> None:
        first, second = pages(tmp_path, *(f"{number:03}.html" for number in range(100)))[:2]
        items = iter(inputs(tmp_path))
        assert [next(items).id, next(items).id] == [first, second]
        for path in tmp_path.iterdir():
            path.unlink()
        assert list(items) == []

    def test_no_arguments(self) -> None:
        assert ids() == []
        assert not inputs().covers("/a.html")

    def test_url_requires_network_option(self) -> None:
        (item,) = inputs("https://example.org/", network="none")
        assert failure(item).startswith("NetworkError")
        assert "add --network public" in failure(item)

    def test_url_that_is_not_utf8(self) -> None:
        (item,) = inputs("https://example.org/caf\udce9")
        assert item.read().url == item.id == r"https://example.org/caf\udce9"


class TestFolders:
    def test_reads_subfolders_without_resources_of_saved_pages(self, tmp_path: Path) -> None:
        pages(tmp_path, "b.html", "b_files/frame.html", "a/d.xhtml", "a/c.MHTML", "a/b.css", "a/e.txt")
        assert ids(tmp_path) == [f"{tmp_path}/{name}" for name in ("b.html", "a/c.MHTML", "a/d.xhtml")]

    def test_folder_without_pages_is_a_failure(self, tmp_path: Path) -> None:
        (item,) = inputs(tmp_path)
        assert item.id == item.origin == str(tmp_path)
        assert "without HTML files" in failure(item)

    def test_circular_links(self, tmp_path: Path) -> None:
        (path,) = pages(tmp_path, "a/page.html")
        (tmp_path / "a" / "again").symlink_to(tmp_path)
        assert ids(tmp_path) == [path]


class TestPatterns:
    def test_matches_are_sorted(self, tmp_path: Path) -> None:
        paths = pages(tmp_path, "a1.html", "a2.html", "sub/a3.html", "sub/deep/a4.html")
        pages(tmp_path, "b.html")
        assert ids(tmp_path / "a?.html") == paths[:2]
        assert ids(tmp_path / "**" / "a*.html") == paths

    def test_existing_file_is_no_pattern(self, tmp_path: Path) -> None:
        odd, _ = pages(tmp_path, "a[1].html", "a1.html")
        assert ids(odd) == [odd]

    def test_working_directory_is_no_pattern(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (path,) = pages(tmp_path, "[1]/a.html")
        monkeypatch.chdir(tmp_path / "[1]")
        assert ids("*.html") == ids("a.html") == [path]

    def test_matches_folders_archives_and_lists(self, tmp_path: Path) -> None:
        (path,) = pages(tmp_path, "x-folder/a.html")
        (tmp_path / "x-a.warc").write_bytes(PAGE)
        listed(tmp_path / "x.txt", "https://e.example/")
        assert ids(tmp_path / "x*") == ["http://a.example/page", path, "https://e.example/"]

    @pytest.mark.parametrize("pattern", ["*.nope", "nowhere/**/*.html", "nul\0*", "[" * 300])
    def test_pattern_without_match_is_a_failure(self, tmp_path: Path, pattern: str) -> None:
        (item,) = inputs(tmp_path / pattern)
        assert item.id == str(tmp_path / pattern)
        assert failure(item).startswith(f"InputError: {tmp_path / pattern} does not exist: check the name")


class TestLists:
    def test_one_input_per_line(self, tmp_path: Path) -> None:
        paths = pages(tmp_path, "a.html", "folder/b.html")
        lines = ("# pages", "", f"  {paths[0]} ", "https://e.example/#x", tmp_path / "f*", "\r")
        path = listed(tmp_path / "inputs.TXT", *lines)
        assert ids(path) == [paths[0], "https://e.example/#x", paths[1]]

    def test_reads_standard_input(self, tmp_path: Path, stdin) -> None:
        (path,) = pages(tmp_path, "a.html")
        stdin(f"\ufeff{path}\r\nhttps://e.example/".encode())
        items = inputs("-")
        assert [item.id for item in items] == [path, "https://e.example/"] == [item.id for item in items]

    def test_does_not_read_standard_input_unless_named(self, tmp_path: Path, stdin) -> None:
        stdin(b"https://e.example/")
        (item,) = inputs(listed(tmp_path / "a.txt", "-"))
        assert item.id.endswith("/-")

    def test_names_that_are_not_utf8(self, tmp_path: Path, stdin) -> None:
        stdin(bytes(tmp_path) + b"/caf\xe9.html\n")
        path = Path(f"{tmp_path}/caf\udce9.html")
        path.write_bytes(b"<p>")
        (item,) = inputs("-")
        page = read_task(item, "digest")[0].page
        assert item.id == item.origin == page.id == rf"{tmp_path}/caf\udce9.html"
        assert (page.content, page.path) == (b"<p>", path)

    def test_nested_list_is_a_failure(self, tmp_path: Path) -> None:
        path = tmp_path / "a.txt"
        (item,) = inputs(listed(path, path))
        assert "is a list inside a list: name it as an input of its own" in failure(item)

    def test_folder_named_like_a_list(self, tmp_path: Path) -> None:
        (path,) = pages(tmp_path, "a.txt/page.html")
        assert ids(tmp_path / "a.txt") == [path]

    @given(st.lists(st.text(alphabet="ab#/ \t*?[.é\0\x85", max_size=6), max_size=6))
    def test_skips_only_comments_and_blank_lines(self, tmp_path_factory, lines: list[str]) -> None:
        path = listed(tmp_path_factory.mktemp("list") / "a.txt", *lines)
        expected = [line.strip() for line in lines if line.strip() and not line.strip().startswith("#")]
        assert list(read_list(path)) == expected
        named = [f"https://e.example/{line}" for line in expected]
        assert ids(listed(path, *named)) == named


class TestFailures:
    def test_do_not_end_the_input(self, tmp_path: Path) -> None:
        first, last = pages(tmp_path, "a.html", "c.html")
        missing = str(tmp_path / "b.html")
        items = list(inputs(first, missing, tmp_path / "a.txt", last))
        assert [item.id for item in items] == [first, missing, f"{tmp_path}/a.txt", last]
        assert all("does not exist" in failure(item) for item in items[1:3])
        assert items[1].origin == missing
        assert items[-1].read().content == b"<p>c.html"

    def test_damaged_end_of_archive(self, tmp_path: Path) -> None:
        path = tmp_path / "a.warc"
        path.write_bytes(PAGE + TWO[:-8])
        *matches, last = inputs(path)
        assert matches[0].read().content == b"<p>one"
        assert (last.id, last.origin) == (str(path), str(path))
        assert failure(last).startswith("InputError")

    @pytest.mark.parametrize(
        ("name", "content", "message"),
        [
            ("a.warc", b"", "empty or cut off"),
            ("a.warc.gz", b"words", "no readable web archive"),
            ("a.wacz", b"words", "no readable WACZ"),
            ("a.warc", STYLE, "contains no HTML page"),
            ("a.parquet", b"words", "not a readable Parquet"),
            ("a.jsonl.gz", b"words", "cannot be read"),
        ],
    )
    def test_content_that_contradicts_suffix(self, tmp_path: Path, name: str, content: bytes, message: str) -> None:
        (tmp_path / name).write_bytes(content)
        (item,) = inputs(tmp_path / name)
        assert item.id == item.origin == str(tmp_path / name)
        assert message in failure(item)

    @pytest.mark.parametrize("name", ["nul\0.html", "caf\udce9.html", "a" * 5000, "caf\udce9*.html", "b\udce9.warc"])
    def test_odd_names_can_be_stored(self, tmp_path: Path, name: str) -> None:
        (item,) = inputs(tmp_path / name)
        error = failure(item)
        assert error.startswith("InputError")
        for text in (item.id, item.origin, error):
            text.encode()

    @pytest.mark.parametrize("when", ["finding", "reading"])
    def test_bug_is_a_failure(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, when: str) -> None:
        def broken(*_args: object) -> NoReturn:
            raise ZeroDivisionError("of all things")

        found = broken if when == "finding" else lambda *_: iter([module.Source("x", broken)])
        monkeypatch.setattr(module, "find_sources", found)
        (item,) = inputs(tmp_path / "a.html")
        assert "unexpected ZeroDivisionError: of all things" in failure(item)


class TestIndexes:
    def test_indexes_every_archive_once(self, archive: Path, tmp_path: Path) -> None:
        """Make separate indexes for archives of equal name."""
        folder, other = tmp_path / "out" / "index", tmp_path / "sub" / archive.name
        other.parent.mkdir()
        other.write_bytes(gzip.compress(TWO))
        found = ids(archive, other, index_folder=folder)
        assert found == ["http://a.example/page", "http://a.example/two", "http://a.example/two"]
        written = {index: index.stat().st_mtime_ns for index in folder.iterdir()}
        assert len(written) == 2
        assert ids(archive, other, index_folder=folder) == found
        assert {index: index.stat().st_mtime_ns for index in folder.iterdir()} == written

    def test_unwritable_index_folder(self, archive: Path, tmp_path: Path) -> None:
        """Read the archive again on resume: a full disk is no property of the archive."""
        (tmp_path / "index").write_bytes(b"")
        with pytest.raises(OutputError, match="not a folder"):
            ids(archive, index_folder=tmp_path / "index")


class TestSelectedPages:
    def test_are_read_from_archives_and_missing_ones_come_last(self, tmp_path: Path) -> None:
        """Read all other inputs, and report no archive that has none of the pages."""
        archives = {"a.warc": PAGE + TWO, "b.warc": TWO, "none.warc": PAGE, "bad.warc": b""}
        for name, content in archives.items():
            (tmp_path / name).write_bytes(content)
        (path,) = pages(tmp_path, "a.html")
        two, none = "http://a.example/two", "http://a.example/none"
        requested = listed(tmp_path / "pages.txt", none, two, two)
        items = list(inputs(*(tmp_path / name for name in archives), path, pages=requested))
        assert [item.id for item in items] == [two, two, f"{tmp_path}/bad.warc", path, none]
        assert items[0].read().content == b"<p>two"
        assert items[-1].origin == none
        assert "is in no archive of this run" in failure(items[-1])

    def test_no_archives(self, tmp_path: Path) -> None:
        assert ids(pages=listed(tmp_path / "pages.txt", "http://a.example/two")) == ["http://a.example/two"]

    def test_missing_list(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"pages\.txt cannot be read"):
            inputs(tmp_path, pages=tmp_path / "pages.txt")


class TestCovers:
    def test_named_inputs(self, tmp_path: Path) -> None:
        a, b, c, d = pages(tmp_path, "a.html", "b.html", "c1.html", "d.html")
        path = listed(tmp_path / "a.txt", b, "https://e.example/")
        items = inputs(a, path, tmp_path / "c*")
        assert all(map(items.covers, [a, b, c, "https://e.example/"]))
        assert not any(map(items.covers, [d, "https://e.example/2", str(path), str(tmp_path)]))

    def test_files_in_named_folder(self, tmp_path: Path) -> None:
        """Recognize also a page after its file was renamed within a folder."""
        inside, outside = pages(tmp_path, "folder/sub/a.html", "folder2/a.html")
        items = inputs(tmp_path / "folder")
        assert items.covers(inside)
        assert not items.covers(outside)
        Path(inside).unlink()
        assert not items.covers(inside)

    def test_every_source_of_a_run(self, tmp_path: Path, stdin) -> None:
        paths = pages(tmp_path, "a.html", "folder/b.html", "folder/café.html")
        Path(f"{tmp_path}/folder/caf\udce9.html").write_bytes(b"<p>")
        stdin(f"{paths[0]}\nhttps://e.example/é\n".encode())
        items = inputs("-", tmp_path / "folder", parquet(tmp_path / "a.parquet", 1, 1))
        sources = [item.origin for item in items]
        assert len(sources) == 6
        assert all(map(items.covers, sources))


def failing(error: Exception, name: str = "a") -> Source:
    def fail() -> NoReturn:
        raise error

    return Source(name, fail, "/crawl/a.warc")


class TestReadTask:
    def test_returns_task(self) -> None:
        page = Page(content=b"<p>Hello", id="a")
        task, failure = read_task(Source("a", lambda: page, "/crawl/a.html"), "digest")
        assert (failure, task.page, task.source, task.attempt) == (None, page, "/crawl/a.html", 1)
        assert task.key == page_key(page, "digest")

    @pytest.mark.parametrize(
        ("error", "name", "message"),
        [
            (InputError("it is damaged"), "InputError", "it is damaged"),
            (MemoryError(), "LimitError", "needs more memory than this machine has: clean it on a larger machine"),
        ],
    )
    def test_error_gives_failure(self, error: Exception, name: str, message: str) -> None:
        task, failure = read_task(failing(error), "digest")
        assert failure is not None
        row = failure.record.to_pylist()[0]
        known = {"id": "a", "source": "/crawl/a.warc", "status": "failed", "error": name, "key": task.key}
        assert known.items() <= row.items()
        assert row["message"].endswith(message)
        assert failure.error == name

    def test_key_of_failure_is_stable_and_distinct(self) -> None:
        items = failing(InputError("one")), failing(InputError("two")), failing(InputError("one"), "b")
        first, again, other = (read_task(item, "digest")[0].key for item in items)
        assert first == again != other
