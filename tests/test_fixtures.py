"""Check the pages in fixtures/: gold text, size and hosts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lxml import html

from vclean.render.decode import decode

FIXTURES = Path(__file__).parents[1] / "fixtures"
PAGES = sorted(FIXTURES.glob("*/page.html"))
NO_TEXT = {"frameset"}
"""Pages without text in the main document; their gold is empty."""
BY_SCRIPTS = {"scripts-only"}
"""Pages whose text scripts write."""

RESERVED_HOSTS = re.compile(r"(\w+\.)*example\.(org|com)$")
ADDRESS = re.compile(r"https?://([^/\"'\s)>]+)")


def name(page: Path) -> str:
    return page.parent.name


def text_of(page: Path) -> str:
    return html.fromstring(decode(page.read_bytes()).encode(), parser=html.HTMLParser(encoding="utf-8")).text_content()


def squeeze(text: str) -> str:
    return "".join(text.split())


def test_pages_of_every_kind_exist() -> None:
    assert {name(page) for page in PAGES} == {
        "accordion", "arabic", "blog-czech", "chinese", "docs", "forum", "frameset", "hindi", "japanese",
        "listing", "news", "noscript", "product", "russian", "scripts-only", "utf16", "windows-1250",
    }  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=name)
class TestPages:
    def test_units_of_gold_have_a_tag_and_are_in_the_page_in_order(self, page: Path) -> None:
        """Find each unit after the end of the unit before it; gold is never the whole page."""
        lines = (page.parent / "gold.txt").read_text(encoding="utf-8").splitlines()
        assert (not lines) == (name(page) in NO_TEXT)
        assert all(re.fullmatch(r"<[hpl]>\S(.*\S)?", line) for line in lines)
        units, text, position = [squeeze(line[3:]) for line in lines], squeeze(text_of(page)), 0
        for unit in units:
            position = text.find(unit, position)
            assert position >= 0 or name(page) in BY_SCRIPTS, unit
            position += len(unit)
        assert len("".join(units)) < len(text)

    def test_page_is_small(self, page: Path) -> None:
        assert sum(path.stat().st_size for path in page.parent.rglob("*") if path.is_file()) < 40_000

    def test_hosts_are_reserved_names(self, page: Path) -> None:
        """Allow only hosts that RFC 2606 reserves for examples, and the DTD of HTML 4."""
        hosts = {host for host in ADDRESS.findall(decode(page.read_bytes())) if host != "www.w3.org"}
        assert all(RESERVED_HOSTS.fullmatch(host) for host in hosts), hosts

    def test_relative_sources_exist(self, page: Path) -> None:
        tree = html.fromstring(decode(page.read_bytes()).encode())
        sources = tree.xpath("//img/@src | //link[@rel='stylesheet']/@href | //frame/@src")
        assert all((page.parent / source).is_file() for source in sources), sources


class TestEncodings:
    def test_windows_1250_is_not_declared(self) -> None:
        content = (FIXTURES / "windows-1250" / "page.html").read_bytes()
        assert b"charset" not in content
        with pytest.raises(UnicodeDecodeError):
            content.decode("utf-8")
        assert "Žluťoučký kůň" in content.decode("windows-1250")

    def test_utf_16_begins_with_a_byte_order_mark(self) -> None:
        assert (FIXTURES / "utf16" / "page.html").read_bytes()[:2] == b"\xff\xfe"
