from __future__ import annotations

import time

import pytest

from vclean.render.archive import index_builder
from vclean.render.archive.index_builder import frame_urls, subresource_urls

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
