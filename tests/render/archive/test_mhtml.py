from __future__ import annotations

import pytest
from helpers.mhtml import SAVED, SAVED_FROM_FILE

from vclean.errors import InputError
from vclean.features.blocks import extract_blocks
from vclean.page import Resources
from vclean.render.archive import mhtml
from vclean.render.archive.mhtml import is_mhtml, read_mhtml
from vclean.render.browser.renderer import Renderer


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
        monkeypatch.setattr(mhtml, "_MAX_BYTES", 20)
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
