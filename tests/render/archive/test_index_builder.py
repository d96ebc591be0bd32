from __future__ import annotations

import json
import time
import zipfile
from pathlib import Path

import pytest
from helpers.archives import record, response

from vclean.render.archive import index_builder
from vclean.render.archive.index_builder import frame_urls, normalize_url, subresource_urls, url_key
from vclean.render.archive.pages import Archive

FRAME = record("http://a.example/frame", response(b"<p>framed"))


def page(html: str, url: str = "http://a.example/page", extra: str = "") -> bytes:
    return record(url, response(html.encode()), extra=extra)


def request(url: str, destination: str) -> bytes:
    lines = f"Sec-Fetch-Dest: {destination}\r\n" if destination else ""
    return record(url, f"GET / HTTP/1.1\r\nHost: a.example\r\n{lines}\r\n".encode(), kind="request")


@pytest.fixture
def archive(tmp_path: Path):
    def make(*records: bytes) -> Archive:
        path = tmp_path / "a.warc"
        path.write_bytes(b"".join(records))
        return Archive(path)

    return make


def page_names(archive: Archive) -> list[str]:
    """Return the last path segments of the URLs of the pages."""
    return [record.url.rpartition("/")[2] for record in archive.pages]


class TestFrames:
    @pytest.mark.parametrize(
        "html",
        [
            "<iframe src=frame></iframe>",
            '<IFRAME class="x"\n SRC = "/frame#top">',
            "<frameset><frame src='https://A.example/frame'></frameset>",
            "<base href=http://a.example/x/><iframe src=../frame></iframe>",
        ],
    )
    def test_serves_frames_but_excludes_them_from_pages(self, archive, html: str) -> None:
        opened = archive(page(html), FRAME)
        assert (page_names(opened), opened.excluded_documents) == (["page"], 1)
        assert opened.pages.facts["has_resources"]
        resource = opened.get("http://a.example/frame")
        assert resource is not None
        assert resource.body == b"<p>framed"

    def test_excludes_frame_behind_redirects(self, archive) -> None:
        moved = [record(f"http://a.example/{i}", response(b"", status="302 Found", extra=f"Location: {to}\r\n"))
                 for i, to in ((1, "/2"), (2, "/frame"))]  # fmt: skip
        assert page_names(archive(page("<iframe src=1></iframe>"), *moved, FRAME)) == ["page"]

    def test_continues_after_page_with_false_encoding(self, archive) -> None:
        false = response(b"<iframe src=frame></iframe>", extra="Content-Encoding: gzip\r\n")
        opened = archive(record("http://a.example/page", false), FRAME)
        assert (page_names(opened), opened.damage) == (["page"], "")


class TestRequests:
    def test_keeps_frame_that_was_also_requested_as_document(self, archive) -> None:
        requests = [request("http://a.example/frame", kind) for kind in ("iframe", "document", "iframe")]
        assert page_names(archive(page("<iframe src=frame>"), FRAME, *requests)) == ["page", "frame"]

    def test_ignores_request_without_destination(self, archive) -> None:
        opened = archive(request("http://a.example/page", ""), page("<iframe src=frame>"), FRAME)
        assert page_names(opened) == ["page"]

    @pytest.mark.parametrize("kind", ["xhr", "Fetch", "script"])
    def test_excludes_html_loaded_by_scripts(self, archive, kind: str) -> None:
        part = page("<p>", "http://a.example/part", f"WARC-Resource-Type: {kind}\r\n")
        opened = archive(page("<p>", extra="WARC-Resource-Type: document\r\n"), part)
        assert (page_names(opened), opened.excluded_documents) == (["page"], 1)


class TestPageLists:
    @pytest.fixture
    def wacz(self, tmp_path: Path):
        def make(pages: str) -> Archive:
            path = tmp_path / "a.wacz"
            moved = record("http://a.example/old", response(b"", status="301 Moved", extra="Location: /frame\r\n"))
            with zipfile.ZipFile(path, "w") as file:
                other = page("<p>", "http://a.example/other")
                file.writestr("archive/a.warc", b"".join([page("<iframe src=frame>"), FRAME, other, moved]))
                file.writestr("pages/pages.jsonl", pages)
            return Archive(path)

        return make

    @staticmethod
    def lines(*urls: str) -> str:
        entries = [{"format": "json-pages-1.0", "id": "pages"}, *({"url": f"http://a.example/{url}"} for url in urls)]
        return "\n".join(map(json.dumps, entries))

    def test_follows_redirect_of_listed_url(self, wacz) -> None:
        assert page_names(wacz(self.lines("old", "missing"))) == ["frame"]

    @pytest.mark.parametrize("pages", ["", "{}", 'no json\n[1]\n{"url": 1}\n' + "[" * 100_000, "\xff\x00"])
    def test_ignores_invalid_list(self, wacz, pages: str) -> None:
        assert page_names(wacz(pages)) == ["page", "other"]

    @pytest.mark.parametrize(
        ("old", "new"), [(b'e/page"}', b'e/pagX"}'), (b"pages/pages.jsonl{", b"pages/pages.jsonX{")]
    )
    def test_damaged_list_leaves_all_pages(self, wacz, tmp_path: Path, old: bytes, new: bytes) -> None:
        path = tmp_path / "b.wacz"
        wacz(self.lines("page"))
        content = (tmp_path / "a.wacz").read_bytes()
        assert content.count(old) == 1
        path.write_bytes(content.replace(old, new))
        opened = Archive(path)
        assert page_names(opened) == ["page", "other"]
        assert "list of pages" in opened.damage

    def test_skips_long_lines(self, wacz, monkeypatch: pytest.MonkeyPatch) -> None:
        """Check that lines longer than the limit, with the text of a page, are not read into memory."""
        monkeypatch.setattr(index_builder, "_MAX_LINE", 100)
        long = json.dumps({"url": "http://a.example/page", "text": "x" * 1000})
        assert page_names(wacz(f"{long}\n{self.lines('other')}")) == ["other"]


URL = "http://a.example/dir/page"


class TestFrameUrls:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<iframe src=a>", ["http://a.example/dir/a"]),
            ("<iframe name=data data=x src='//b.example/c d'>", ["http://b.example/c d"]),
            ('<frame longdesc=l src="a"/><frame src="b">', ["http://a.example/dir/a", "http://a.example/dir/b"]),
            ("<base href=/other/><iframe src=a>", ["http://a.example/other/a"]),
            ("<base target=_top><iframe src=a>", ["http://a.example/dir/a"]),
            ("<base href='http://['><iframe src=a>", ["http://a.example/dir/a"]),
            ("<iframe src='http://['>", []),
            ("<iframe srcdoc='<p>'>", []),
            ("<iframe src=''>", []),
            ("<iframes src=a>", []),
            ("<!-- <iframe src=a> --><iframe src=b>", ["http://a.example/dir/b"]),
            ("<!-- <iframe src=a>", []),
        ],
    )
    def test_finds_urls(self, html: str, expected: list[str]) -> None:
        assert list(frame_urls(html.encode(), URL)) == expected


class TestSubresourceUrls:
    @pytest.mark.parametrize(
        ("html", "name"),
        [
            ("<link rel=stylesheet href=x>", "x"),
            ("<LINK\nREL=stylesheet\nHREF = 'x'>", "x"),
            ("<img alt='a b' src=x>", "x"),
            ("<img srcset='x 1x, y 2x'>", "x"),
            ("<script src=x></script>", "x"),
            ("<body background=x>", "x"),
            ("<object data=x>", "x"),
            ("<video poster=x>", "x"),
            ("<svg><use xlink:href=x>", "x"),
            ("<style>@import 'x';</style>", "x"),
            ("<style>p { background: url( \"x\" ) }</style>", "x"),
        ],
    )  # fmt: skip
    def test_finds_subresources(self, html: str, name: str) -> None:
        assert f"http://a.example/dir/{name}" in subresource_urls(html.encode(), URL)


@pytest.mark.parametrize("part", [b"<iframe ", b"<!--", b"<img src=", b"url(", b"@import ", b"<img src='", b" src="])
def test_hostile_document_takes_limited_time(part: bytes) -> None:
    # Every pattern is bounded; without bounds, a megabyte would take hours.
    started = time.process_time()
    document = part * (index_builder.SCANNED_BYTES // len(part))
    assert len(list(frame_urls(document, URL))) <= index_builder.MAX_REFERENCES
    assert len(list(subresource_urls(document, URL))) <= index_builder.MAX_REFERENCES
    assert time.process_time() - started < 30


def test_key_of_any_text() -> None:
    assert len({len(url_key(text)) for text in ("", "http://[", "\udcff", "\0")}) == 1
    assert normalize_url("http://[") == "http://["
