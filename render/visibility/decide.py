"""Decide which texts of a rendered page a reader sees, and which ones only pixels can tell."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from vclean.render.snapshot import Hidden
from vclean.render.visibility.geometry import CandidateTexts, out_of_reach, unreadable, without_lines
from vclean.render.visibility.overlays import find_overlays
from vclean.render.visibility.painted_texts import PaintedTexts

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot

_LEAST_CHARACTERS: Final = 8
"""Fewest characters of doubtful texts for which a page is painted: an instruction has more, a label fewer."""


class Decision(NamedTuple):
    """Decision on the T texts of a page.

    Attributes:
        hidden: uint8 (T,), `Hidden`, what hides each text; 0 for those that are shown or doubtful.
        overlays: int32 (O,), the elements that float above the page, ascending.
        doubts: the texts that pixels decide on, with the `Hidden` code of those that prove to be unseen.
    """

    hidden: NDArray[np.uint8]
    overlays: NDArray[np.int32]
    doubts: dict[int, int]


def decide(snapshot: Snapshot) -> Decision:
    """Decide on the texts of a rendered page by layout and styles.

    Overlays are no content, and a word or two is not worth a screenshot: their doubtful texts count as shown.
    """
    hidden, overlays = snapshot.text_hidden.copy(), find_overlays(snapshot)
    decision = Decision(hidden, overlays, {})
    if not math.isfinite(snapshot.width):
        return decision
    texts = CandidateTexts(snapshot)
    hidden[texts.without_lines] = without_lines(texts)
    if not len(texts):
        return decision
    overlay = snapshot.inside(overlays)
    painted, doubts = PaintedTexts(texts, overlay).judge()
    for codes in (unreadable(texts), out_of_reach(texts), painted):
        shown = hidden[texts.index] == Hidden.NO
        hidden[texts.index[shown]] = codes[shown]
    is_doubtful = (doubts > 0) & (hidden[texts.index] == Hidden.NO) & (overlay[texts.parent] < 0)
    if texts.length[is_doubtful].sum() >= _LEAST_CHARACTERS:
        index = texts.index[is_doubtful].tolist()
        decision.doubts.update(zip(index, doubts[is_doubtful].tolist(), strict=True))
    return decision
