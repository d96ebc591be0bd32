from __future__ import annotations

import numpy as np
from helpers.pages import snapshot

from vclean.classify.methods import get
from vclean.classify.methods.base import label_all_shown as label
from vclean.features.blocks import extract_blocks


class TestLabel:
    def test_keeps_each_visible_block(self):
        prediction = label(extract_blocks(snapshot("<h1>Cats</h1><p>sleep</p><p hidden>secret</p>")))
        assert "".join(prediction.labels) == "hpo"
        assert prediction.probability.tolist() == [1, 1, 0]
        assert prediction.probability.dtype == "float32"
        assert np.isnan(prediction.confidence)

    def test_page_without_text(self):
        assert get("text")(extract_blocks(snapshot("<p></p>"))).labels == []
