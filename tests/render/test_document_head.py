from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from vclean.page import Page
from vclean.render.document_head import MAX_ENTRIES, MAX_JSON_LD, MAX_SCRIPTS, MAX_VALUE, DocumentHead
from vclean.render.static.parse import parse

HEAD = """<link rel="Canonical" href="/rain"><link rel=stylesheet href=a.css><meta property="og:title" content=" Rain ">
<meta name=AUTHOR content="Ann Lee"><meta itemprop=image content=i.png><meta name=empty content=""><meta charset=utf-8>
<script type="application/ld+json">{"@type": "Article"}</script><script>var a</script>"""


def head_of(html: str, url: str = "https://example.org/a") -> DocumentHead:
    return parse(Page(content=html, url=url)).head


class TestDocumentHead:
    def test_limits_numbers_and_lengths(self) -> None:
        head = head_of("".join(f"<meta name=n{n} content={'x' * 3000}>" for n in range(MAX_ENTRIES + 9)) + "<p>x")
        assert len(head.meta) == MAX_ENTRIES
        assert len(head.meta[0][1]) == MAX_VALUE

    def test_leaves_out_huge_scripts(self) -> None:
        scripts = ["x" * (MAX_JSON_LD + 1), *["{}"] * (MAX_SCRIPTS + 1)]
        head = head_of("".join(f"<script type=application/ld+json>{text}</script>" for text in scripts) + "<p>x")
        assert head.json_ld == ("{}",) * MAX_SCRIPTS

    def test_converts_to_json_and_back(self) -> None:
        head = head_of(f"{HEAD}<p>x")
        assert DocumentHead.collect(**json.loads(json.dumps(asdict(head)))) == head


class TestCanonicalUrl:
    @pytest.mark.parametrize(
        ("html", "expected"),
        [
            ("<link rel=canonical href=https://example.org/a>", "https://example.org/a"),
            ("<meta property=og:url content=https://example.org/b>", "https://example.org/b"),
            ("<meta property=og:url content=http://b.org/b><link rel=canonical href=http://a.org/a>", "http://a.org/a"),
            ("<link rel=canonical href=/a>", ""),
            ("<link rel=canonical href=javascript:alert(1)>", ""),
            ("<link rel=canonical href='https://example.org/a b'>", ""),
        ],
    )
    def test_is_absolute(self, html: str, expected: str) -> None:
        assert head_of(f"{html}<p>x", "").canonical_url == expected

    def test_is_the_url_of_a_page_without_one(self) -> None:
        page = parse(Page(content="<link rel=canonical href=https://example.org/a/b><a href=c>x</a>"))
        assert page.url == "https://example.org/a/b"
        assert list(page.attributes("href").values()) == ["https://example.org/a/c"]
