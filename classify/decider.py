"""From what a model says of a page's blocks to what is kept, and how sure that is.

The decider is fitted last, on what models say of pages whose sites they never saw: it learns what their probabilities
are worth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify import cuts
from vclean.classify.calibration import CalibrationMap, fit_map

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.cuts import Candidates
    from vclean.classify.dataset import PageRows
    from vclean.classify.forest import Forest


@dataclass(frozen=True, slots=True, eq=False)
class Unseen:
    """What a model that never saw a page's site says of its B blocks.

    Attributes:
        probability: float32 (B,), that a block is content, as the trees have it.
        types: float32 (B, 4), the probabilities of h, p, l and c, were it content.
        cuts: the candidates; None for a page without blocks.
    """

    probability: NDArray[np.float32]
    types: NDArray[np.float32]
    cuts: Candidates | None


@dataclass(frozen=True, slots=True)
class Decider:
    """Chooses what to keep of a page.

    Attributes:
        cuts: boosted trees, the word F1 of a cut.
        calibration: from the trees' probabilities to what came of them.
    """

    cuts: Forest
    calibration: CalibrationMap

    def keep(self, candidates: Candidates) -> tuple[NDArray[np.bool_], float]:
        """The blocks to keep, bool (B,), and the page's confidence: the word F1 predicted of that."""
        return cuts.choose(self.cuts, candidates)


def fit(pages: Sequence[PageRows], unseen: Sequence[Unseen]) -> Decider:
    """The decider for what is said of `pages`; at least one of them has blocks."""
    chosen = [(page, said.cuts) for page, said in zip(pages, unseen, strict=True) if said.cuts]
    rows = np.vstack([found.rows for _, found in chosen])
    scores = [cuts.word_f1(found.keeps, page.share, page.layout.tokens, page.gold_words) for page, found in chosen]
    return Decider(cuts.fit(rows, np.concatenate(scores)), _calibration(pages, unseen))


def _calibration(pages: Sequence[PageRows], unseen: Sequence[Unseen]) -> CalibrationMap:
    """What the blocks' probabilities mean; a block counts as in training, between one each and its words."""
    said = np.concatenate([page.probability for page in unseen])
    content = np.concatenate([page.content for page in pages])
    return fit_map(said, content, np.concatenate([page.weight for page in pages]))
