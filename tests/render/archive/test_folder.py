from __future__ import annotations

import os
from pathlib import Path

import pytest

from vclean.page import Resource
from vclean.render.archive.folder import BASE_URL, FolderResources, find_folder_resources


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A page as browsers save it, with things beside it that are nobody's business."""
    folder = tmp_path / "saved"
    (folder / "page_files").mkdir(parents=True)
    (folder / ".ssh").mkdir()
    (folder / "page.html").write_text("<p>page")
    (folder / "page_files" / "style.css").write_text("p { color: red }")
    (folder / "page_files" / "a picture.PNG").write_bytes(b"\x89PNG")
    (folder / "late.css?v=1").write_text("p { color: blue }")
    (folder / "secret.txt").write_text("secret")
    (folder / ".ssh" / "key.css").write_text("secret")
    (tmp_path / "outside.css").write_text("outside")
    return folder


class TestGet:
    def test_a_file_below_the_page(self, saved: Path) -> None:
        found = FolderResources(saved).get(BASE_URL + "page_files/style.css")
        assert found == Resource(b"p { color: red }", "text/css", 200)

    def test_percent_encoding_query_fragment_and_suffix_case(self, saved: Path) -> None:
        found = FolderResources(saved).get(BASE_URL + "page_files/a%20picture.PNG?x=1#top")
        assert found == Resource(b"\x89PNG", "image/png")

    @pytest.mark.parametrize("name", ["late.css?v=1", "late.css%3Fv=1"])
    def test_a_file_named_with_its_query(self, saved: Path, name: str) -> None:
        found = FolderResources(saved).get(BASE_URL + name)
        assert found is not None
        assert found.content_type == "text/css"

    def test_the_page_itself(self, saved: Path) -> None:
        found = FolderResources(saved).get(BASE_URL + "page.html")
        assert found is not None
        assert found.content_type == "text/html"

    def test_the_folder_stands_for_the_directory_of_the_base_url(self, saved: Path) -> None:
        resources = FolderResources(saved, "https://example.org/2026/page.html")
        assert resources.get("https://example.org/2026/page_files/style.css") is not None
        assert resources.get("https://example.org/page_files/style.css") is None
        assert resources.get("http://example.org/2026/page_files/style.css") is None

    @pytest.mark.parametrize(
        "path",
        [
            "",
            "missing.css",
            "page_files",
            "page_files/",
            "secret.txt",
            ".ssh/key.css",
            "../outside.css",
            "..%2Foutside.css",
            "page_files/../../outside.css",
            "%2e%2e/outside.css",
            "..%5Coutside.css",
            "/etc/hosts",
            "%2Fetc%2Fhosts.css",
            "C:%5Coutside.css",
            "page.html:stream.css",
            "../[",
            "a%00.css",
        ],
    )
    def test_nothing_else(self, saved: Path, path: str) -> None:
        assert FolderResources(saved).get(BASE_URL + path) is None

    def test_other_hosts_are_not_in_the_folder(self, saved: Path) -> None:
        assert FolderResources(saved).get("http://example.org/page_files/style.css") is None
        assert FolderResources(saved).get("file:///etc/hosts") is None
        assert FolderResources(saved).get("http://[broken/style.css") is None

    def test_links_that_lead_outside(self, saved: Path) -> None:
        (saved / "link.css").symlink_to(saved.parent / "outside.css")
        (saved / "up").symlink_to(saved.parent)
        assert FolderResources(saved).get(BASE_URL + "link.css") is None
        assert FolderResources(saved).get(BASE_URL + "up/outside.css") is None

    def test_links_to_other_types(self, saved: Path) -> None:
        """A link named like a style sheet must not make a private file servable."""
        (saved / "fake.css").symlink_to(saved / "secret.txt")
        assert FolderResources(saved).get(BASE_URL + "fake.css") is None

    def test_links_that_stay_inside(self, saved: Path) -> None:
        (saved / "link.css").symlink_to(saved / "page_files" / "style.css")
        assert FolderResources(saved).get(BASE_URL + "link.css") is not None

    def test_a_folder_reached_by_a_link(self, saved: Path) -> None:
        (saved.parent / "alias").symlink_to(saved)
        assert FolderResources(saved.parent / "alias").get(BASE_URL + "page_files/style.css") is not None

    def test_files_over_the_cap(self, saved: Path) -> None:
        assert FolderResources(saved, max_bytes=3).get(BASE_URL + "page_files/style.css") is None

    def test_files_that_vanish(self, tmp_path: Path) -> None:
        assert FolderResources(tmp_path / "gone").get(BASE_URL + "style.css") is None


class TestBeside:
    def test_a_saved_page_has_its_folder(self, saved: Path) -> None:
        assert find_folder_resources(saved / "page.html") == FolderResources(saved, BASE_URL)
        assert find_folder_resources(saved / "page.html", "https://example.org/a") == FolderResources(
            saved, "https://example.org/a"
        )

    @pytest.mark.parametrize("name", ["b.html", "notes.txt", ".hidden.css", "data.json"])
    def test_a_page_among_pages_has_none(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "a.html").touch()
        (tmp_path / name).touch()
        assert find_folder_resources(tmp_path / "a.html") is None

    def test_a_file_that_comes_later_is_seen(self, tmp_path: Path) -> None:
        (tmp_path / "a.html").touch()
        assert find_folder_resources(tmp_path / "a.html") is None
        (tmp_path / "style.css").touch()
        os.utime(tmp_path, ns=(0, tmp_path.stat().st_mtime_ns + 1))  # clocks may be coarse
        assert find_folder_resources(tmp_path / "a.html") is not None

    def test_a_folder_that_is_gone(self, tmp_path: Path) -> None:
        assert find_folder_resources(tmp_path / "gone" / "a.html") is None
