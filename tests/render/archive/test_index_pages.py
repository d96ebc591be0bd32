from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from helpers.archives import record, response

from vclean.render.archive import index
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


def names(archive: Archive) -> list[str]:
    """The last parts of the URLs of its pages."""
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
    def test_what_a_page_frames_is_served_but_no_page(self, archive, html: str) -> None:
        found = archive(page(html), FRAME)
        assert (names(found), found.excluded_documents) == (["page"], 1)
        assert found.has_resources
        resource = found.get("http://a.example/frame")
        assert resource is not None
        assert resource.body == b"<p>framed"

    def test_the_frame_may_come_first(self, archive) -> None:
        assert names(archive(FRAME, page("<iframe src=frame></iframe>"))) == ["page"]

    def test_by_way_of_redirects(self, archive) -> None:
        moved = [record(f"http://a.example/{i}", response(b"", status="302 Found", extra=f"Location: {to}\r\n"))
                 for i, to in ((1, "/2"), (2, "/frame"))]  # fmt: skip
        assert names(archive(page("<iframe src=1></iframe>"), *moved, FRAME)) == ["page"]

    @pytest.mark.parametrize(
        "html", ["<a href=frame>", "<!-- <iframe src=frame> -->", "<iframe data-src=frame>", "<img src=frame>"]
    )
    def test_other_references_make_no_frame(self, archive, html: str) -> None:
        found = archive(page(html), FRAME)
        assert (names(found), found.excluded_documents) == (["page", "frame"], 0)

    def test_pages_that_frame_themselves_or_each_other_stay(self, archive) -> None:
        """Each of them would be left out for the other, and nothing be left."""
        one, two = page("<iframe src=two><iframe src=page>"), page("<iframe src=page>", "http://a.example/two")
        assert names(archive(one, two)) == ["page", "two"]

    def test_frames_in_frames(self, archive) -> None:
        inner = page("<p>", "http://a.example/inner")
        middle = page("<iframe src=inner>", "http://a.example/middle")
        assert names(archive(inner, middle, page("<iframe src=middle>"))) == ["page"]

    def test_in_a_page_that_is_encoded(self, archive) -> None:
        body = b"1b\r\n<iframe src=frame></iframe>\r\n0\r\n\r\n"
        head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
        assert names(archive(record("http://a.example/page", head + body), FRAME)) == ["page"]

    def test_a_page_with_a_false_encoding_does_not_end_the_reading(self, archive) -> None:
        false = response(b"<iframe src=frame></iframe>", extra="Content-Encoding: gzip\r\n")
        found = archive(record("http://a.example/page", false), FRAME)
        assert (names(found), found.damage) == (["page"], "")


class TestRequests:
    def test_what_the_browser_wrote_down_decides(self, archive) -> None:
        html = "<iframe src=frame></iframe>"
        unlinked = "http://a.example/unlinked"
        asked = [request(f"http://a.example/{name}", "document") for name in ("page", "frame")]
        found = archive(page(html), FRAME, *asked, page("<p>", unlinked), request(unlinked, "iframe"))
        assert names(found) == ["page", "frame"]

    def test_a_frame_that_was_visited_too_is_a_page(self, archive) -> None:
        asked = [request("http://a.example/frame", kind) for kind in ("iframe", "document", "iframe")]
        assert names(archive(page("<iframe src=frame>"), FRAME, *asked)) == ["page", "frame"]

    def test_a_request_that_says_nothing(self, archive) -> None:
        found = archive(request("http://a.example/page", ""), page("<iframe src=frame>"), FRAME)
        assert names(found) == ["page"]

    @pytest.mark.parametrize("kind", ["xhr", "Fetch", "script"])
    def test_html_that_scripts_loaded(self, archive, kind: str) -> None:
        part = page("<p>", "http://a.example/part", f"WARC-Resource-Type: {kind}\r\n")
        found = archive(page("<p>", extra="WARC-Resource-Type: document\r\n"), part)
        assert (names(found), found.excluded_documents) == (["page"], 1)

    def test_a_document_may_be_a_frame(self, archive) -> None:
        framed = page("<p>", "http://a.example/frame", "WARC-Resource-Type: document\r\n")
        assert names(archive(page("<iframe src=frame>"), framed)) == ["page"]

    def test_scripts_sent_as_html_stay(self, archive) -> None:
        assert names(archive(page("var a = 1"), page("", "http://a.example/empty"))) == ["page", "empty"]


class TestLists:
    @pytest.fixture
    def wacz(self, tmp_path: Path):
        def make(pages: str | None, extra: str | None = None) -> Archive:
            path = tmp_path / "a.wacz"
            moved = record("http://a.example/old", response(b"", status="301 Moved", extra="Location: /frame\r\n"))
            with zipfile.ZipFile(path, "w") as file:
                other = page("<p>", "http://a.example/other")
                file.writestr("archive/a.warc", b"".join([page("<iframe src=frame>"), FRAME, other, moved]))
                if pages is not None:
                    file.writestr("pages/pages.jsonl", pages)
                if extra is not None:
                    file.writestr("pages/extraPages.jsonl", extra)
            return Archive(path)

        return make

    @staticmethod
    def lines(*urls: str) -> str:
        entries = [{"format": "json-pages-1.0", "id": "pages"}, *({"url": f"http://a.example/{url}"} for url in urls)]
        return "\n".join(map(json.dumps, entries))

    def test_no_list(self, wacz) -> None:
        assert names(wacz(None)) == ["page", "other"]

    def test_both_lists_count(self, wacz) -> None:
        assert names(wacz(self.lines("page"), self.lines("other"))) == ["page", "other"]

    def test_a_listed_frame_is_a_page(self, wacz) -> None:
        found = wacz(self.lines("frame"))
        assert (names(found), found.excluded_documents) == (["frame"], 2)

    def test_a_listed_address_that_redirects(self, wacz) -> None:
        assert names(wacz(self.lines("old", "missing"))) == ["frame"]

    @pytest.mark.parametrize("pages", ["", "{}", 'no json\n[1]\n{"url": 1}\n' + "[" * 100_000, "\xff\x00"])
    def test_a_list_that_says_nothing(self, wacz, pages: str) -> None:
        assert names(wacz(pages)) == ["page", "other"]

    def test_a_list_of_what_is_not_there(self, wacz) -> None:
        assert names(wacz(self.lines("missing"))) == ["page", "other"]

    def test_long_lines_are_read_in_pieces(self, wacz, monkeypatch: pytest.MonkeyPatch) -> None:
        """Pages come with their whole text in some lists; what does not fit is not taken into memory."""
        monkeypatch.setattr(index, "_MAX_LINE", 100)
        long = json.dumps({"url": "http://a.example/page", "text": "x" * 1000})
        assert names(wacz(f"{long}\n{self.lines('other')}")) == ["other"]
