"""Titles that are links, and the flat lists that they begin."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.features.blocks import extract_blocks
from vclean.features.facts.labelled import find_flat_list, leads_to_site, linked_blocks, linked_starts
from vclean.features.matrix import page_context

TEXT = "It rained all of the day in the valley."
URL = "https://example.org/news"


def flat(entry, count=4):
    """Return the numbers of elements in each item of the flat list of a page."""
    blocks = extract_blocks(snapshot("<h1>News</h1>" + "".join(entry.format(number) for number in range(count)), URL))
    words = np.array([float(len(text.split())) for text in blocks.text])
    first, end = find_flat_list(blocks, linked_blocks(blocks, page_context(blocks).link_share), words)
    return (end - first).tolist()


class TestLinkedBlocks:
    @pytest.mark.parametrize(
        ("html", "is_linked"),
        [
            ("<p><a href=/a>Rain in June</a>", True),
            ("<a href=/a><p>Rain in June</p></a>", True),
            ("<p><a href=#a>Rain in June</a>", False),
            ("<p><a href=/news#a>Rain in June</a>", False),
            (f"<p><a href=/a>Rain</a> {TEXT}", False),
            ("<p>Rain", False),
        ],
    )
    def test_linked(self, html, is_linked):
        blocks = extract_blocks(snapshot(html, URL))
        assert linked_blocks(blocks, page_context(blocks).link_share).tolist() == [is_linked]

    @pytest.mark.parametrize(
        ("html", "is_linked"),
        [
            (f"<ul><li><a href=/a>Rain</a> {TEXT}", True),
            (f"<ul><li>{TEXT} <a href=/a>Rain</a>", False),
            (f"<p><a href=/a>Rain</a> {TEXT}", False),
        ],
    )
    def test_starts(self, html, is_linked):
        assert linked_starts(extract_blocks(snapshot(html, URL))).tolist() == [is_linked]


class TestFlatList:
    @pytest.mark.parametrize(
        "entry",
        [
            "<h3><a href=/{0}>Story {0}</a></h3><p>" + TEXT,
            "<h3><a href=http://www.example.org/{0}>Story {0}</a></h3><p>" + TEXT,
            "<dt><a href=https://other.org/{0}>Story {0}</a><dd>" + TEXT,
        ],
    )
    def test_found(self, entry):
        assert flat(entry) == [3] * 4

    @pytest.mark.parametrize(
        "entry",
        [
            "<h3>Story {0}</h3><p>" + TEXT,
            "<h3><a href=/{0}>Story {0}</a></h3>",
            "<h3><a href=https://other.org/{0}>Story {0}</a></h3><p>" + TEXT,
            "<h3><a href=/{0}>Story {0}</a></h3>" + f"<p>{TEXT}" * 6,
            "<h3><a href=/{0}>Story {0}</a></h3><p>" + TEXT * 12,
            "<div><h3><a href=/{0}>Story {0}</a></h3><p>" + TEXT + "</div>",
        ],
    )
    def test_sections_are_none(self, entry):
        assert flat(entry) == []


@pytest.mark.parametrize(
    ("url", "links", "is_local"),
    [
        (URL, ["/a", "/b", "https://x.org/"], True),
        (URL, ["/a", "https://y.org/", "https://x.org/"], False),
        ("", ["https://y.org/", "https://x.org/"], True),
        (URL, ["http://[", "/a"], True),
        (URL, [], False),
    ],
)
def test_leads_to_site(url, links, is_local):
    page = snapshot("".join(f"<a href='{link}'>a</a>" for link in links) or "<p>a", url)
    elements = np.flatnonzero(page.is_tag(("a", "p")))
    assert leads_to_site(page, elements) is (is_local or not links)
