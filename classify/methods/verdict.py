"""From the blocks that a method keeps to its prediction."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.prediction import Prediction
from vclean.features import tree
from vclean.labels import Label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks

HEADING_TAGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
ITEM_TAGS = frozenset(("li", "dt", "dd"))


def decide(blocks: Blocks, is_content: NDArray[np.bool_], labels: Sequence[Label] | None = None) -> Prediction:
    """What keeps the blocks of `is_content` (B,), with `labels` as their types, those of their markup by default."""
    types = tag_labels(blocks) if labels is None else labels
    kept = [label if keep else Label.OTHER for label, keep in zip(types, is_content.tolist(), strict=True)]
    return Prediction(kept, is_content.astype(np.float32))


def tag_labels(blocks: Blocks) -> list[Label]:
    """The type of every block by its markup: heading, first block of a list item, continuation of it, paragraph."""
    snapshot = blocks.snapshot
    heading = snapshot.is_tag(HEADING_TAGS)
    item = snapshot.is_tag(ITEM_TAGS)
    is_heading = heading[tree.nearest(heading, snapshot.parent)[blocks.node]]
    nearest_item = tree.nearest(item, snapshot.parent)[blocks.node]
    in_item = item[nearest_item]
    first = np.zeros(len(blocks), dtype=bool)
    first[np.unique(nearest_item, return_index=True)[1]] = True
    codes = np.select([is_heading, in_item & first, in_item], [0, 2, 3], 1)
    kinds = tuple(Label)
    return [kinds[code] for code in codes]
