from __future__ import annotations

import pytest
from helpers.pages import context_of

from vclean.classify.methods.kimatu import MarkupRuns


class TestRuns:
    def test_ratios_agree_with_manual_computation(self):
        context = context_of("<p>ab.</p><p>c.</p><div><a href=/>defg</a>h!</div><ul><li hidden>hidden text</ul>")
        result = MarkupRuns(context, context.blocks.visibility == 0)
        assert result.size.tolist() == pytest.approx([(5 / 6 + 2.5 / 6 + 1) / 3, (1 + 1 + 0.5) / 3, 0])
        assert result.links.tolist() == pytest.approx([0, 4 / 6, 0])
