from __future__ import annotations

import os
from pathlib import Path

import pytest
from helpers.mhtml import SAVED, SAVED_FROM_FILE

from vclean.errors import InputError
from vclean.features.blocks import extract_blocks
from vclean.page import Resources
from vclean.render.addresses import BASE_URL
from vclean.render.archive import saved_page as module
from vclean.render.archive.saved_page import FolderResources, find_folder_resources, is_mhtml, read_mhtml
from vclean.render.browser.renderer import Renderer


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

    def test_refuses_large_files(self, saved_page: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_MAX_FILE", 3)
        assert FolderResources(saved_page).get(BASE_URL + "page_files/style.css") is None

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


def parts_of(saved: bytes) -> tuple[str, bytes, Resources]:
    """Return the URL, the document and the resources of a saved page."""
    page = read_mhtml(saved, "page.mhtml")
    assert isinstance(page.content, bytes)
    assert page.resources is not None
    return page.url, page.content, page.resources


class TestIsMhtml:
    def test_recognizes_saved_pages(self) -> None:
        assert is_mhtml(SAVED)
        assert is_mhtml(b"\r\n" + SAVED_FROM_FILE.replace(b"\n", b"\r\n"))


class TestFileLocations:
    def test_serves_parts_at_the_urls_of_the_links(self) -> None:
        url, content, resources = parts_of(SAVED_FROM_FILE)
        assert url == "file:///C:/docs/page.html"
        assert b'href="http://page.invalid/page_files/a&b.css"' in content
        for path in ("page_files/a&b.css", "page_files/c.css", "d.css"):
            assert resources.get(f"http://page.invalid/{path}") is not None

    def test_part_with_an_invalid_location(self) -> None:
        content = SAVED_FROM_FILE.replace(b"Content-Location: file:///C:/d.css", b"Content-Location: file://[d.css")
        assert content != SAVED_FROM_FILE
        assert read_mhtml(content, "page.mhtml").url == "file:///C:/docs/page.html"

    @pytest.mark.browser
    def test_style_sheets_are_used(self, renderer: Renderer) -> None:
        blocks = extract_blocks(renderer.render(read_mhtml(SAVED_FROM_FILE, "page.mhtml")).snapshot)
        shown = [text for text, seen in zip(blocks.text, blocks.visibility.tolist(), strict=True) if not seen]
        assert shown == ["The ferry runs again."]


class TestReadMhtml:
    def test_serves_parts_by_content_id_at_http_urls(self) -> None:
        _, content, resources = parts_of(SAVED)
        assert b'href="http://cid.invalid/css-1%40mhtml.blink"' in content
        style = resources.get("http://cid.invalid/css-1%40mhtml.blink")
        assert style is not None
        assert b"http://cid.invalid/picture%40x" in style.body
        assert resources.get("http://cid.invalid/picture%40x") is not None

    def test_falls_back_to_snapshot_location(self) -> None:
        part = b"Content-ID: <frame-1@mhtml.blink>\n"
        location = b"Content-Location: https://example.org/news/page.html\n"
        page = read_mhtml(SAVED.replace(b"\n" + location, b"\n", 1).replace(part, b""), "x.mhtml")
        assert page.url == "https://example.org/news/page.html"

    @pytest.mark.parametrize(
        ("location", "url"),
        [
            (b"http://[i.png", "http://[i.png"),
            # encoded words, for non-ASCII and for long lines (RFC 2557, section 4.4.2)
            (b"=?utf-8?Q?i.png?=", "https://example.org/news/i.png"),
        ],
    )
    def test_accepts_any_location(self, location: bytes, url: str) -> None:
        _, _, resources = parts_of(SAVED.replace(b"Location: i.png", b"Location: " + location))
        assert resources.get(url) is not None

    @pytest.mark.parametrize("content", [b"", b"plain words", SAVED[:200], b"\x00\xff" * 50])
    def test_rejects_file_without_html(self, content: bytes) -> None:
        with pytest.raises(InputError, match="no HTML part"):
            read_mhtml(content, "x.mhtml")

    def test_skips_parts_over_the_limit(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "_MAX_BYTES", 20)
        _, _, resources = parts_of(SAVED)
        assert resources.get("http://cid.invalid/css-1%40mhtml.blink") is None
        assert resources.get("https://example.org/news/i.png") is not None

    def test_rejects_deep_nesting(self) -> None:
        deep = b"".join(b"Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n" % (i, i) for i in range(3000))
        with pytest.raises(InputError, match="nested too deeply"):
            read_mhtml(b"MIME-Version: 1.0\n" + deep, "x.mhtml")

    def test_keeps_unknown_content_id(self) -> None:
        _, content, _ = parts_of(SAVED.replace(b'cid:css-1@mhtml.blink"><p>', b'cid:other"><p>'))
        assert b'href="cid:other"' in content
