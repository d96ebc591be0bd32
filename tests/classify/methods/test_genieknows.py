from __future__ import annotations

import numpy as np
import pytest
from helpers.pages import context_of, laid_out

from vclean.classify.methods.genieknows import SHORTEST, SemanticBlocks, importance, with_neighbors
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext

WORDS = " ".join(["word"] * SHORTEST)


def semantic(html):
    return SemanticBlocks(context_of(html))


class TestSemanticBlocks:
    def test_boxes_of_semantic_blocks(self):
        page = laid_out(f"<p>{'word ' * 130}</p><p>{WORDS}</p>")
        box = SemanticBlocks(PageContext(extract_blocks(page))).box()
        assert box.shape == (2, 4)
        assert (box[:, 2] > box[:, 0]).all()
        assert np.isnan(semantic("<p>a</p>").box()).all()


class TestImportance:
    def test_agrees_with_manual_computation(self):
        """Compute by hand: blocks of 130 and 63 words; the second has a sentence, a link of 4 characters, a form."""
        page = f"<p>{'word ' * 130}</p><form><p>{'word ' * 61}<a href=/>link</a>.</p><p>Yes.</p><input></form>"
        blocks = semantic(page)
        assert blocks.number.tolist() == [0, 1, 1]
        first = 0.6 + 0.2 * (1 - abs(2 * 65 / 193 - 1))
        second = 0.6 * 63 / 130 + 0.4 + 0.2 * (1 - abs(2 * 161.5 / 193 - 1)) - 0.8 * 4 / 314 - 0.1
        assert importance(blocks).tolist() == pytest.approx([first, second], abs=1e-3)

    def test_aligned_neighbors_raise_importance(self):
        blocks = semantic("".join(f"<p>{'word ' * 100}</p>" for _ in range(3)))
        assert blocks.aligned().tolist() == [False, True, True]
        assert with_neighbors(blocks, np.array([1.0, 0.0, 0.0])).tolist() == [1, 0.5, 0]
