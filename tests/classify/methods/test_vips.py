from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import laid_out, snapshot

from vclean.classify.methods import get
from vclean.classify.methods.vips import importance
from vclean.errors import UsageError
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.features.segments.vips import algorithm

TEXT = "<p>It rained all day in the valley, and nobody minded it at all.</p>"
MENU = "<div>" + "<a href=/>Link</a> " * 6 + "</div>"


class TestLabel:
    def test_segments_of_links_are_not_content(self):
        blocks = extract_blocks(laid_out(f"{MENU}<hr><div>{TEXT * 3}</div><hr>{MENU}"))
        assert "".join(get("vips")(blocks).labels) == "opppo"

    def test_unrendered_page(self):
        with pytest.raises(UsageError, match="add --render"):
            get("vips")(extract_blocks(snapshot(TEXT)))

    def test_page_that_paints_nothing(self):
        blocks = extract_blocks(laid_out("<p hidden>One</p>"))
        assert "".join(get("vips")(blocks).labels) == "o"


class TestImportance:
    def test_importance_is_plain_text_by_distance_from_the_middle(self):
        blocks = extract_blocks(laid_out(f"<div>{TEXT}</div><div><a href=/>Link</a></div>"))
        segments = algorithm.segment(blocks.snapshot).at(11)
        home = segments.text[blocks.members[blocks.first]]
        value = importance(PageContext(blocks), segments, home)
        middle = segments.box[home[0], 0] + segments.box[home[0], 2] / 2
        assert value[home[0]] == pytest.approx(len(blocks.text[0]) * (1 - abs(middle / 400 - 1)))
        assert value[home[1]] == 0
        assert np.isfinite(value).all()
