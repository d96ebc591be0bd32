from __future__ import annotations

import doctest
import gzip
import io
import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.archives import PAGE
from helpers.mhtml import SAVED

from vclean.errors import InputError, LimitError
from vclean.input import sources
from vclean.input.sources import find_sources, html_files, is_container, read_file, with_url
from vclean.settings import RenderSettings

SETTINGS = RenderSettings(max_bytes=1000)


def test_docstrings() -> None:
    assert doctest.testmod(sources).failed == 0


def give_stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))


class TestLimit:
    @pytest.mark.parametrize("size", [0, 3, 1000, 1001, 2000])
    def test_is_in_bytes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
        """Read a file or standard input of any length up to the limit."""
        path, content = tmp_path / "page.html", b"a" * size
        path.write_bytes(content)
        for argument, name in ((str(path), "page.html"), ("-", "standard input")):
            give_stdin(monkeypatch, content)
            (source,) = find_sources(argument, SETTINGS)
            if size <= 1000:
                assert source.read().content == content
                continue
            with pytest.raises(LimitError, match=f"{name} is over the limit of 1,000 bytes"):
                source.read()


class TestFile:
    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
    def test_no_permission(self, tmp_path: Path) -> None:
        (tmp_path / "page.html").touch(mode=0)
        with pytest.raises(InputError, match="cannot be read"):
            read_file(tmp_path / "page.html", 10)

    def test_rejects_folder(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="is a folder"):
            read_file(tmp_path, 10)


class TestMissingFile:
    @pytest.mark.parametrize(
        ("argument", "message"),
        [
            ("none.html", "does not exist: check the name, or begin a web address with https://"),
            ("www.a.cz", "does not exist: check the name, or begin a web address with https://"),
            ("ftp://a.example/b", "is not fetched, only http and https are: save the page, and name its file"),
            ("file:///tmp/a.html", "is not fetched, only http and https are: save the page, and name its file"),
        ],
    )
    def test_message_suggests_fix(self, argument: str, message: str) -> None:
        with pytest.raises(InputError) as failure:
            next(find_sources(argument, RenderSettings()))
        assert str(failure.value) == f"{argument} {message}"

    def test_no_permission_for_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        # The error is not about a missing file.

        def refuse(_: Path) -> bool:
            raise PermissionError(13, "Permission denied")

        monkeypatch.setattr(Path, "exists", refuse)
        (source,) = find_sources(str(tmp_path / "locked.html"), SETTINGS)
        monkeypatch.setattr(Path, "is_dir", refuse)
        with pytest.raises(InputError, match=r"locked.html cannot be read \(Permission denied\)"):
            source.read()


class TestWithUrl:
    def test_folder_corresponds_to_directory_of_url(self, tmp_path: Path) -> None:
        (tmp_path / "page.html").write_bytes(b"<p>Hello")
        (tmp_path / "style.css").write_bytes(b"p {}")
        page = with_url(read_file(tmp_path / "page.html", 1000), "https://example.org/a/b.html")
        assert page.url == "https://example.org/a/b.html"
        assert page.resources is not None
        assert page.resources.get("https://example.org/a/style.css") is not None

    def test_a_page_without_a_file(self) -> None:
        page = with_url(sources.Page(content="<p>"), "https://example.org/")
        assert (page.url, page.resources) == ("https://example.org/", None)


class TestStdin:
    def test_closed(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Run with `<&-`."""
        monkeypatch.setattr("sys.stdin", None)
        (source,) = find_sources("-", SETTINGS)
        with pytest.raises(InputError, match="standard input is closed"):
            source.read()

    @pytest.mark.parametrize("content", [gzip.compress(PAGE, mtime=0), PAGE, b"PK\x03\x04", b"PAR1"])
    def test_an_archive(self, monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
        # The archive is detected before the size limit, because that error suggests another fix.
        give_stdin(monkeypatch, content + bytes(2000))
        (source,) = find_sources("-", SETTINGS)
        with pytest.raises(InputError, match="is an archive or a Parquet file, not a page: give it as a file"):
            source.read()

    @pytest.mark.parametrize("name", ["-", "a.mht", "a.eml"])
    def test_mhtml_is_recognized_by_its_content(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
    ) -> None:
        give_stdin(monkeypatch, SAVED)
        argument = name if name == "-" else str(tmp_path / name)
        (tmp_path / name).write_bytes(SAVED)
        (page,) = (source.read() for source in find_sources(argument, RenderSettings()))
        assert (page.id, page.url) == (argument, "https://example.org/news/page.html")
        assert page.resources is not None


class TestFolder:
    def test_unlistable_folder_is_failing_page(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "closed").mkdir()
        (tmp_path / "page.html").write_bytes(b"<p>")
        listing = os.scandir

        def refuse(folder):
            if str(folder).endswith("closed"):
                raise PermissionError(13, "Permission denied", str(folder))
            return listing(folder)

        monkeypatch.setattr("os.scandir", refuse)
        page, closed = find_sources(str(tmp_path), SETTINGS)
        assert page.read().content == b"<p>"
        with pytest.raises(InputError, match="closed cannot be listed"):
            closed.read()

    def labelling_project(self, folder: Path) -> None:
        (folder / "pages").mkdir(parents=True)
        for name in (f"{'5a' * 16}.html", f"{'5a' * 16}.page.json"):
            (folder / "pages" / name).touch()

    def test_skips_files_of_a_labelling_project(self, tmp_path: Path) -> None:
        """Read the pages beside a project, and pages that only look like its files."""
        self.labelling_project(tmp_path / "project")
        names = [f"{'7b' * 16}.html", "home.html", "home.page.json"]
        for name in names:
            (tmp_path / name).write_bytes(b"<p>")
        found = [Path(source.id).name for source in find_sources(str(tmp_path), SETTINGS)]
        assert found == names[:2]

    @pytest.mark.parametrize("name", [".", "project", "project/pages"])
    def test_only_a_labelling_project_in_it(self, tmp_path: Path, name: str) -> None:
        self.labelling_project(tmp_path / "project")
        with pytest.raises(InputError, match="is a folder without HTML files"):
            list(find_sources(str(tmp_path / name), SETTINGS))


class TestTables:
    def test_a_null_is_an_empty_page(self, tmp_path: Path) -> None:
        pq.write_table(pa.table({"html": [None, b"<p>"]}), tmp_path / "a.parquet")
        sources = find_sources(str(tmp_path / "a.parquet"), SETTINGS)
        assert [source.read().content for source in sources] == [b"", b"<p>"]

    @pytest.mark.parametrize("name", ["a.jsonl", "a.NDJSON"])
    def test_lines_are_pages(self, tmp_path: Path, name: str) -> None:
        (tmp_path / name).write_text('{"html": "<p>1", "url": "http://a/"}\n{"html": "<p>2"}\n')
        found = [(source.id, source.read().content) for source in find_sources(str(tmp_path / name), SETTINGS)]
        assert found == [("http://a/", "<p>1"), (f"{tmp_path / name}#2", "<p>2")]


class TestHtmlFiles:
    def test_are_what_is_found(self, tmp_path: Path) -> None:
        for name in ("a.html", "sub/b.htm", "sub/b_files/frame.html", "c.txt"):
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text("<p>")
        found = [source.id for source in find_sources(str(tmp_path), SETTINGS)]
        assert found == list(map(str, html_files(tmp_path)))
        assert len(found) == 2


@pytest.mark.parametrize(
    "argument", ["-", "a.html", "a.mhtml", "https://example.org/a.warc", "missing", "a" * 5000, "nul\0.html"]
)
def test_no_container(argument: str) -> None:
    assert not is_container(argument)
