from __future__ import annotations

import numpy as np
from helpers import snapshot

from vclean.classify.methods import get
from vclean.classify.methods.text import label
from vclean.features.blocks import cut


class TestLabel:
    def test_every_block_that_is_shown(self):
        prediction = label(cut(snapshot("<h1>Cats</h1><p>sleep</p><p hidden>secret</p>")))
        assert "".join(prediction.labels) == "hpo"
        assert prediction.probability.tolist() == [1, 1, 0]
        assert prediction.probability.dtype == "float32"
        assert np.isnan(prediction.confidence)

    def test_a_page_without_text(self):
        assert get("text")(cut(snapshot("<p></p>"))).labels == []
