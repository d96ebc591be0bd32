from __future__ import annotations

import gc
import gzip
import io
import json
import os
import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import PAGE, record, response
from hypothesis import given
from hypothesis import strategies as st

from vclean.errors import InputError
from vclean.farm.inputs import Inputs, InputUnit, read_list
from vclean.settings import CleanerSettings

TWO = record("http://a.example/two", response(b"<p>two"))


def inputs(*arguments: object, **options) -> Inputs:
    return Inputs([str(argument) for argument in arguments], CleanerSettings(render=True, network="public"), **options)


def ids(*arguments: object, **options) -> list[str]:
    return [item.id for item in inputs(*arguments, **options)]


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
def stdin(monkeypatch: pytest.MonkeyPatch):
    def give(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))

    return give


class TestIteration:
    def test_all_kinds_in_argument_order(self, tmp_path: Path) -> None:
        first, second = pages(tmp_path, "z.html", "folder/a.html")
        (tmp_path / "b.warc.gz").write_bytes(gzip.compress(PAGE))
        (tmp_path / "c.jsonl").write_text(json.dumps({"html": "<p>"}))
        table = parquet(tmp_path / "d.parquet", 2, 10)
        arguments = (
            first,
            tmp_path / "b.warc.gz",
            "https://e.example/",
            tmp_path / "folder",
            tmp_path / "c.jsonl",
            table,
        )
        assert ids(*arguments) == [first, "http://a.example/page", "https://e.example/", second,
                                   f"{tmp_path}/c.jsonl#1", f"{table}#0", f"{table}#1"]  # fmt: skip

    def test_is_repeatable(self, tmp_path: Path) -> None:
        pages(tmp_path, *(f"{number % 7}/{number}.html" for number in range(200)))
        items = inputs(tmp_path)
        assert [item.id for item in items] == [item.id for item in items]

    def test_independent_of_working_directory(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (path,) = pages(tmp_path, "sub/a.html")
        monkeypatch.chdir(tmp_path)
        assert ids("sub/a.html") == ids("sub/../sub") == ids("s*") == ids(tmp_path / "sub") == [path]

    def test_input_named_twice_is_read_twice(self, tmp_path: Path) -> None:
        (path,) = pages(tmp_path, "a.html")
        assert ids(path, path) == [path, path]

    def test_failures_replace_pages_in_order(self, tmp_path: Path) -> None:
        first, last = pages(tmp_path, "a.html", "c.html")
        missing = str(tmp_path / "b.html")
        assert ids(first, missing, last) == [first, missing, last]

    def test_finds_pages_lazily(self, tmp_path: Path) -> None:
        first, second = pages(tmp_path, *(f"{number:03}.html" for number in range(100)))[:2]
        items = iter(inputs(tmp_path))
        assert [next(items).id, next(items).id] == [first, second]
        for path in tmp_path.iterdir():
            path.unlink()
        with pytest.raises(InputError, match="does not exist"):
            next(items).read()

    def test_no_arguments(self) -> None:
        assert ids() == []


class TestFolders:
    def test_reads_subfolders_without_resources_of_saved_pages(self, tmp_path: Path) -> None:
        pages(tmp_path, "b.html", "b_files/frame.html", "a/d.xhtml", "a/c.MHTML", "a/b.css", "a/e.txt")
        assert ids(tmp_path) == [f"{tmp_path}/{name}" for name in ("b.html", "a/c.MHTML", "a/d.xhtml")]

    def test_folder_without_pages_is_a_failure(self, tmp_path: Path) -> None:
        (item,) = inputs(tmp_path)
        assert item.id == item.source == str(tmp_path)
        with pytest.raises(InputError, match="without HTML files"):
            item.read()

    def test_unreadable_subfolder_is_skipped(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Read the rest of the folder."""
        (path,) = pages(tmp_path, "b/page.html")
        (tmp_path / "a").mkdir()
        listing = os.scandir

        def refuse(folder: str):
            if str(folder).endswith("/a"):
                raise PermissionError(13, "Permission denied", str(folder))
            return listing(folder)

        monkeypatch.setattr("os.scandir", refuse)
        page, closed = inputs(tmp_path)
        assert (page.id, closed.id) == (path, f"{tmp_path}/a")
        with pytest.raises(InputError, match=r"a cannot be listed \(Permission denied\)"):
            closed.read()

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
        with pytest.raises(InputError):
            item.read()

    def test_question_mark_in_url_is_no_pattern(self) -> None:
        assert ids("https://e.example/?a=[1]*") == ["https://e.example/?a=[1]*"]


class TestLists:
    def test_one_input_per_line(self, tmp_path: Path) -> None:
        paths = pages(tmp_path, "a.html", "folder/b.html")
        path = listed(
            tmp_path / "inputs.TXT", "# pages", "", f"  {paths[0]} ", "https://e.example/#x", tmp_path / "f*", "\r"
        )
        assert ids(path) == [paths[0], "https://e.example/#x", paths[1]]

    def test_reads_standard_input(self, tmp_path: Path, stdin) -> None:
        (path,) = pages(tmp_path, "a.html")
        stdin(f"\ufeff{path}\r\nhttps://e.example/".encode())
        items = inputs("-")
        assert [item.id for item in items] == [path, "https://e.example/"] == [item.id for item in items]

    def test_deletes_copy_of_standard_input(self, stdin) -> None:
        stdin(b"https://e.example/")
        items = inputs("-")
        assert items._stdin is not None
        copy = Path(items._stdin)
        assert copy.exists()
        del items
        gc.collect()
        assert not copy.exists()

    def test_does_not_read_standard_input_unless_named(self, tmp_path: Path, stdin) -> None:
        stdin(b"https://e.example/")
        (item,) = inputs(listed(tmp_path / "a.txt", "-"))
        assert item.id.endswith("/-")

    def test_names_that_are_not_utf8(self, tmp_path: Path, stdin) -> None:
        stdin(bytes(tmp_path) + b"/caf\xe9.html\n")
        Path(f"{tmp_path}/caf\udce9.html").write_bytes(b"<p>")
        (item,) = inputs("-")
        assert item.id == rf"{tmp_path}/caf\udce9.html"
        assert item.read().content == b"<p>"

    def test_nested_list_is_a_failure(self, tmp_path: Path) -> None:
        path = tmp_path / "a.txt"
        (item,) = inputs(listed(path, path))
        with pytest.raises(InputError, match="a list inside a list"):
            item.read()

    def test_missing_list_is_a_failure(self, tmp_path: Path) -> None:
        (item,) = inputs(tmp_path / "a.txt")
        assert item.id == str(tmp_path / "a.txt")
        with pytest.raises(InputError, match="does not exist"):
            item.read()

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


class TestUnits:
    def everything(self, tmp_path: Path) -> Inputs:
        names = pages(tmp_path, *(f"folder/{number:03}.html" for number in range(150)))
        table = parquet(tmp_path / "a.parquet", 10, 3)
        (tmp_path / "a.warc").write_bytes(PAGE + TWO)
        return inputs(names[0], tmp_path / "folder", table, tmp_path / "a.warc", "https://e.example/", tmp_path / "no*")

    def test_together_contain_all_pages(self, tmp_path: Path) -> None:
        items = self.everything(tmp_path)
        for rows in (0, 1, 4, 100):
            units = pickle.loads(pickle.dumps((items.reader, list(items.units(rows=rows)))))
            split = [item.id for unit in units[1] for item in units[0].items(unit)]
            assert split == [item.id for item in items]

    def test_groups_single_pages_and_separates_containers(self, tmp_path: Path) -> None:
        sizes = [len(unit.arguments) for unit in self.everything(tmp_path).units()]
        assert sizes == [64, 64, 23, 1, 1, 2]

    def test_divides_parquet_by_row_groups(self, tmp_path: Path) -> None:
        path = parquet(tmp_path / "a.parquet", 10, 3)
        units = list(inputs(path).units(rows=5))
        assert units == [InputUnit((str(path),), range(2)), InputUnit((str(path),), range(2, 4))]

    def test_does_not_divide_damaged_parquet(self, tmp_path: Path) -> None:
        (tmp_path / "a.parquet").write_bytes(b"words")
        assert list(inputs(tmp_path / "a.parquet").units(rows=5)) == [InputUnit((f"{tmp_path}/a.parquet",))]

    def test_are_created_lazily(self, tmp_path: Path) -> None:
        path = listed(tmp_path / "a.txt", *(f"https://e.example/{number}" for number in range(10_000)))
        units = inputs(path).units()
        assert len(next(units).arguments) == 64
        path.unlink()


class TestSelectedPages:
    def test_missing_pages_come_last(self, tmp_path: Path) -> None:
        (tmp_path / "a.warc").write_bytes(PAGE + TWO)
        (path,) = pages(tmp_path, "a.html")
        requested = listed(
            tmp_path / "pages.txt", "http://a.example/none", "http://a.example/two", "http://a.example/two"
        )
        items = list(inputs(tmp_path / "a.warc", path, pages=requested))
        assert [item.id for item in items] == ["http://a.example/two", path, "http://a.example/none"]
        with pytest.raises(InputError, match="in no archive"):
            items[-1].read()

    def test_page_in_two_archives_is_read_twice(self, tmp_path: Path) -> None:
        for name in ("a.warc", "b.warc"):
            (tmp_path / name).write_bytes(TWO)
        requested = listed(tmp_path / "pages.txt", "http://a.example/two")
        assert ids(tmp_path / "?.warc", pages=requested) == ["http://a.example/two"] * 2

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
        inside, outside = pages(tmp_path, "folder/sub/a.html", "folder2/a.html")
        items = inputs(tmp_path / "folder")
        assert items.covers(inside)
        assert not items.covers(outside)

    def test_not_deleted_files(self, tmp_path: Path) -> None:
        """Recognize a page after its file was renamed within a folder."""
        (path,) = pages(tmp_path, "a.html")
        items = inputs(tmp_path)
        assert items.covers(path)
        Path(path).unlink()
        assert not items.covers(path)

    def test_every_source_of_a_run(self, tmp_path: Path, stdin) -> None:
        paths = pages(tmp_path, "a.html", "folder/b.html", "folder/caf\udce9.html".replace("\udce9", "é"))
        Path(f"{tmp_path}/folder/caf\udce9.html").write_bytes(b"<p>")
        stdin(f"{paths[0]}\nhttps://e.example/é\n".encode())
        items = inputs("-", tmp_path / "folder", parquet(tmp_path / "a.parquet", 1, 1))
        sources = [item.source for item in items]
        assert len(sources) == 6
        assert all(map(items.covers, sources))

    def test_unpickled_copy(self, tmp_path: Path, stdin) -> None:
        """Work without lists and standard input, which may not exist on another machine."""
        stdin(b"https://e.example/1")
        path = listed(tmp_path / "a.txt", "https://e.example/2")
        items = pickle.loads(pickle.dumps(inputs("-", path)))
        path.unlink()
        gc.collect()
        assert items.covers("https://e.example/1")
        assert items.covers("https://e.example/2")
        assert not items.covers("https://e.example/3")

    def test_no_inputs(self) -> None:
        assert not inputs().covers("/a.html")
