"""Titles that are links."""

from __future__ import annotations

import pytest
from helpers.pages import snapshot

from vclean.features.blocks import extract_blocks
from vclean.features.facts.labelled import linked_blocks, linked_starts
from vclean.features.matrix import page_context

TEXT = "It rained all of the day in the valley."
URL = "https://example.org/news"


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
