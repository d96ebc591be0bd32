from __future__ import annotations

import os
from pathlib import Path

import pytest

from vclean.render.archive.folder import BASE_URL, FolderResources, find_folder_resources


@pytest.fixture
def saved_page(tmp_path: Path) -> Path:
    """Write a page as browsers save it, with other files in its folder that must not be served."""
    folder = tmp_path / "saved_page"
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
    @pytest.mark.parametrize("name", ["late.css?v=1", "late.css%3Fv=1"])
    def test_serves_file_named_with_its_query(self, saved_page: Path, name: str) -> None:
        resource = FolderResources(saved_page).get(BASE_URL + name)
        assert resource is not None
        assert resource.content_type == "text/css"

    def test_maps_directory_of_base_url_to_folder(self, saved_page: Path) -> None:
        resources = FolderResources(saved_page, "https://example.org/2026/page.html")
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
    def test_refuses_all_other_paths(self, saved_page: Path, path: str) -> None:
        assert FolderResources(saved_page).get(BASE_URL + path) is None

    @pytest.mark.parametrize(
        "url", ["http://example.org/page_files/style.css", "file:///etc/hosts", "http://[broken/style.css"]
    )
    def test_refuses_other_hosts(self, saved_page: Path, url: str) -> None:
        assert FolderResources(saved_page).get(url) is None

    @pytest.mark.parametrize(
        ("link", "target", "path"),
        [
            ("link.css", "../outside.css", "link.css"),
            ("up", "..", "up/outside.css"),
            ("fake.css", "secret.txt", "fake.css"),  # named like a style sheet
        ],
    )
    def test_refuses_links_to_other_files(self, saved_page: Path, link: str, target: str, path: str) -> None:
        (saved_page / link).symlink_to(target)
        assert FolderResources(saved_page).get(BASE_URL + path) is None

    def test_serves_folder_behind_a_link(self, saved_page: Path) -> None:
        (saved_page.parent / "alias").symlink_to(saved_page)
        assert FolderResources(saved_page.parent / "alias").get(BASE_URL + "page_files/style.css") is not None

    def test_refuses_large_files(self, saved_page: Path) -> None:
        assert FolderResources(saved_page, max_bytes=3).get(BASE_URL + "page_files/style.css") is None

    def test_refuses_deleted_files(self, tmp_path: Path) -> None:
        assert FolderResources(tmp_path / "gone").get(BASE_URL + "style.css") is None


class TestFindFolderResources:
    def test_finds_folder_of_saved_page(self, saved_page: Path) -> None:
        assert find_folder_resources(saved_page / "page.html") == FolderResources(saved_page, BASE_URL)
        assert find_folder_resources(saved_page / "page.html", "https://example.org/a") == FolderResources(
            saved_page, "https://example.org/a"
        )

    @pytest.mark.parametrize("name", ["b.html", "notes.txt", ".hidden.css", "data.json"])
    def test_ignores_folder_of_other_pages(self, tmp_path: Path, name: str) -> None:
        (tmp_path / "a.html").touch()
        (tmp_path / name).touch()
        assert find_folder_resources(tmp_path / "a.html") is None

    def test_notices_new_file(self, tmp_path: Path) -> None:
        (tmp_path / "a.html").touch()
        assert find_folder_resources(tmp_path / "a.html") is None
        (tmp_path / "style.css").touch()
        os.utime(tmp_path, ns=(0, tmp_path.stat().st_mtime_ns + 1))  # clocks may be coarse
        assert find_folder_resources(tmp_path / "a.html") is not None

    def test_ignores_deleted_folder(self, tmp_path: Path) -> None:
        assert find_folder_resources(tmp_path / "gone" / "a.html") is None
