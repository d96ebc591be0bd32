"""Titles that are links."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import snapshot

from vclean.features.blocks import extract_blocks
from vclean.features.facts.labelled import LabelledBlocks
from vclean.features.matrix import page_context
from vclean.settings import Policy

TEXT = "It rained all of the day in the valley."
URL = "https://example.org/news"


class TestIsLinked:
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
        page = LabelledBlocks(
            blocks=blocks, context=page_context(blocks), labels=[], probability=np.zeros(1), policy=Policy()
        )
        assert page.is_linked.tolist() == [is_linked]
