"""What decided about a block after the model: the cut of its page, what was asked for, its list or table as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.features.wording_forms import percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Decision, Prediction
    from vclean.features.blocks import Blocks

_EVEN: Final = 0.5
_CLEARLY: Final = 0.5
"""Probability from which on a block counts as one among readers' comments."""
_KINDS: Final = {"ul": "list", "ol": "list", "dl": "list of definitions", "pre": "code", "table": "table"}


class Rules:
    """The rules that decided about the blocks of a page after the trees had spoken.

    Attributes:
        threshold: the lowest probability that the page's cut kept, among the blocks it did not decide on otherwise; NaN
            where it kept nothing.
    """

    def __init__(self, blocks: Blocks, prediction: Prediction, decision: Decision, words: NDArray[np.float32]) -> None:
        self._blocks = blocks
        self._prediction = prediction
        self._decision = decision
        self._words = np.maximum(words, 1)
        self._among = decision.comments > _CLEARLY
        alone = decision.cut & ~self._among
        chosen = prediction.probability[alone if alone.any() else decision.cut]
        self.threshold = float(chosen.min()) if len(chosen) else float("nan")

    def tell(self, block: int) -> list[str]:
        """What decided about a block, the last word first; nothing where the trees alone did."""
        said = [self._whole(block), self._wanted(block), self._cut(block)]
        return [text for text in said if text]

    def _whole(self, block: int) -> str:
        decision = self._decision
        if decision.kept[block] == decision.cut[block]:
            return ""
        members = decision.group == decision.group[block]
        share = self._words[members & decision.cut].sum() / self._words[members].sum()
        snapshot = self._blocks.snapshot
        kind = _KINDS[snapshot.tags[snapshot.tag[decision.group[block]]]]
        did = "kept" if decision.kept[block] else "dropped"
        return f"{did} with the whole {kind}, of which {percent(share)} of the words were content on their own"

    def _wanted(self, block: int) -> str:
        wanted = self._decision.policy.comments
        if wanted is None or not self._among[block]:
            return ""
        return f"among readers' comments, which {'count as content' if wanted else 'are left out'} as you asked"

    def _cut(self, block: int) -> str:
        probability, cut = float(self._prediction.probability[block]), bool(self._decision.cut[block])
        if cut == (probability >= _EVEN):
            return ""
        did = "kept" if cut else "dropped"
        if cut != (probability >= self.threshold) and self._among[block]:
            return f"{did} at {probability:.2f} with the page's comments, all of which the page's cut {did}"
        side = "under" if cut else "over"
        return f"{did} at {probability:.2f}, {side} one half: {self._asked()}this page is cut at {self.threshold:.2f}"

    def _asked(self) -> str:
        beta = self._decision.policy.beta
        return "" if beta == 1 else f"you asked for {'precision' if beta < 1 else 'recall'}, and "
