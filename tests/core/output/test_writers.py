from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vclean.api import clean
from vclean.errors import OutputError, UsageError
from vclean.output.writers import ResultWriter, UniqueNames
from vclean.page import Page
from vclean.result import Result

PAGE = Page(content="<h1>Head</h1><p>Žluť.", id="dir/page.html")


@pytest.fixture(scope="module")
def result() -> Result:
    return clean(PAGE, method="text")


class TestPlaces:
    @pytest.mark.parametrize(
        ("folder", "file", "name", "many"),
        [
            ("folder", "dir_page.json", "json", False),
            ("folder.txt", "dir_page.txt", "text", True),
            ("new/folder", "dir_page.html", "html", True),
            ("", "new.json", "text", False),
            ("", "new.json", "json", True),
        ],
    )
    def test_places(self, tmp_path: Path, folder: str, file: str, name: str, many: bool) -> None:
        """Try folders that are there, also with the name of a file, a new folder, and files."""
        (tmp_path / "folder").mkdir()
        (tmp_path / "folder.txt").mkdir()
        with ResultWriter(tmp_path / (folder or file), name, many=many) as writer:
            writer.write(clean(PAGE, method="text"))
        assert [path for path in tmp_path.rglob("*") if path.is_file()] == [tmp_path / folder / file]

    @pytest.mark.parametrize("name", ["t.txt", "t.MD", "t.html", "t.json", "t.xml", "there"])
    def test_several_pages_to_a_file(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "there").touch()
        with pytest.raises(UsageError, match="several pages need a folder"):
            ResultWriter(tmp_path / name, "text", many=True)
        assert [path.name for path in tmp_path.iterdir()] == ["there"]

    @pytest.mark.parametrize(
        ("out", "name", "many", "message"),
        [
            ("none/a.json", "json", True, "create the folder"),
            ("a.txt/b", "text", True, "not a folder"),
        ],
    )
    def test_fails_early(self, tmp_path: Path, out: str, name: str, many: bool, message: str) -> None:
        (tmp_path / "a.txt").touch()
        with pytest.raises(OutputError, match=message):
            ResultWriter(tmp_path / out, name, many=many)


def test_name_on_standard_output_cannot_end_its_comment(result: Result, capsys: pytest.CaptureFixture[str]) -> None:
    ResultWriter(None, "html", many=True).write(replace(result, id="x--><script>"))
    assert capsys.readouterr().out.startswith("<!-- x- -><script> -->\n")


class TestFiles:
    def test_a_file_a_page(self, result: Result, tmp_path: Path) -> None:
        with ResultWriter(tmp_path, "markdown", many=True) as writer:
            writer.write(result)
            writer.write(result)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["dir_page-2.md", "dir_page.md"]

    def test_one_file_is_complete_at_the_end(self, result: Result, tmp_path: Path) -> None:
        with ResultWriter(tmp_path / "a.txt", "text", many=False) as writer:
            writer.write(result)
            writer.write(result)
            assert not (tmp_path / "a.txt").exists()
        assert (tmp_path / "a.txt").read_bytes() == "Head\n\nŽluť.\n".encode() * 2

    @pytest.mark.parametrize("error", [None, KeyboardInterrupt])
    def test_older_file_stays_without_a_result(
        self, result: Result, tmp_path: Path, error: type[BaseException] | None
    ) -> None:
        (tmp_path / "a.jsonl").write_text("older")
        with (
            suppress(KeyboardInterrupt),
            ResultWriter(tmp_path / "a.jsonl", "json", many=True) as writer,
            ResultWriter(tmp_path / "b.jsonl", "json", many=True),
        ):
            if error:
                writer.write(result)
                raise error
        assert [path.name for path in tmp_path.iterdir()] == ["a.jsonl"]
        assert (tmp_path / "a.jsonl").read_text() == "older"


class TestUniqueNames:
    @pytest.mark.parametrize(
        ("argument", "page_id", "name"),
        [
            ("folder", "folder/sub/a.html", "sub_a"),
            ("folder/", "folder/a.html", "a"),
            (".", "folder/a.html", "folder_a"),
            ("folder/sub/a.html", "folder/sub/a.html", "a"),
            ("folder/t.parquet", "folder/t.parquet#3", "t.parquet_3"),
            ("folder/c.warc.gz", "https://example.org/a", "example.org_a"),
            ("https://example.org/", "https://example.org/a", "example.org_a"),
        ],
    )
    def test_leaves_out_the_folders_of_the_input(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, argument: str, page_id: str, name: str
    ) -> None:
        (tmp_path / "folder" / "sub").mkdir(parents=True)
        monkeypatch.chdir(tmp_path)
        names = UniqueNames([argument])
        assert [names.name(page_id), names.name(page_id)] == [name, f"{name}-2"]

    def test_equal_names_of_two_folders_get_numbers(self, tmp_path: Path) -> None:
        folders = [tmp_path / "one", tmp_path / "two"]
        for folder in folders:
            folder.mkdir()
        names = UniqueNames(list(map(str, folders)))
        assert [names.name(str(folder / "a.html")) for folder in folders] == ["a", "a-2"]

    def test_long_name_is_truncated_and_has_hash(self) -> None:
        names = [UniqueNames().name(f"https://example.org/{'a' * 200}{tail}") for tail in "xy"]
        assert all(name.startswith("example.org_aaaa") for name in names)
        assert names[0] != names[1]

    @given(st.text(max_size=400))
    def test_any_id_gives_a_harmless_name(self, page_id: str) -> None:
        name = UniqueNames().name(page_id)
        assert 0 < len(name.encode()) <= 120
        assert not name.startswith(".")
        assert not set(name) & set('/\\:*?"<>|\0\n ')
