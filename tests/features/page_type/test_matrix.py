from __future__ import annotations

import numpy as np
from helpers.forum import thread
from helpers.pages import context_of, laid_out

from vclean.features.blocks import extract_blocks
from vclean.features.matrix import page_context
from vclean.features.facts.matrix import COLUMNS, page_features


class TestPageFeatures:
    def test_columns_have_different_names(self) -> None:
        assert len(set(COLUMNS)) == len(COLUMNS) == len(page_features(context_of("<p>x")))

    def test_are_equal_with_and_without_layout(self) -> None:
        rendered = page_context(extract_blocks(laid_out(thread())))
        assert np.array_equal(page_features(rendered), page_features(context_of(thread())), equal_nan=True)
