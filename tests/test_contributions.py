from __future__ import annotations

import numpy as np
import pytest
from helpers import snapshot

from vclean.classify import contributions as module
from vclean.classify.contributions import contributions
from vclean.classify.model import load_default
from vclean.features.blocks import cut
from vclean.features.matrix import COLUMNS


@pytest.fixture(scope="module")
def x():
    html = "<nav><a>Home</a><a>News</a></nav>" + "<p>It rained for a week, and nobody in town was surprised.</p>" * 3
    decision = load_default().label(cut(snapshot(html))).decision
    assert decision is not None
    return decision.x


class TestContributions:
    def test_base_and_row_add_up_to_what_the_trees_say(self, x) -> None:
        trees = load_default().content
        base, columns = contributions(trees, x)
        assert columns.shape == (len(x), len(COLUMNS))
        np.testing.assert_allclose(base + columns.sum(axis=1), trees.predict(x, raw_score=True), atol=1e-9)

    def test_piece_by_piece_is_the_same(self, x, monkeypatch: pytest.MonkeyPatch) -> None:
        """A deadline is looked at between two pieces."""
        base, whole = contributions(load_default().content, x)
        monkeypatch.setattr(module, "ROWS_AT_ONCE", 2)
        again, pieces = contributions(load_default().content, x)
        np.testing.assert_array_equal(pieces, whole)
        assert again == base

    def test_no_rows(self) -> None:
        base, columns = contributions(load_default().content, np.zeros((0, len(COLUMNS)), dtype=np.float32))
        assert (base, columns.shape) == (0.0, (0, len(COLUMNS)))
