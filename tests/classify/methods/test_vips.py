from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import laid_out

from vclean.classify.methods.vips import importance
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.features.segments import vips


class TestImportance:
    def test_importance_is_plain_text_by_distance_from_the_middle(self):
        blocks = extract_blocks(laid_out("<p>It rained all day in the valley.</p><div><a href=/>Link</a></div>"))
        segments = vips.segment(blocks.snapshot).at(11)
        home = segments.text[blocks.members[blocks.first]]
        value = importance(PageContext(blocks), segments, home)
        middle = segments.box[home[0], 0] + segments.box[home[0], 2] / 2
        assert value[home[0]] == pytest.approx(len(blocks.text[0]) * (1 - abs(middle / 400 - 1)))
        assert value[home[1]] == 0
        assert np.isfinite(value).all()
