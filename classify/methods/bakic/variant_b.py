"""Variant B of the hybrid extractors of Bakic 2012: classify segments, with the output of four extractors as features.

As published: the segment extractor (`vclean.classify.methods.bakic.segment_extractor`) with four more features, the
shares of a segment's words that BTE, Readability and boilerpipe's default and article extractors kept.

Choice of vclean: these shares are computed from the blocks that an extractor kept. The paper uses the longest common
subsequence of its text and the segment's. All four extractors run on each page, which takes their time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.methods.bakic.segment_extractor import segment_example, segment_method, train
from vclean.classify.methods.bakic.variant_a import extractor_masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.methods.bakic.document_vector import Parts
    from vclean.classify.methods.bakic.segment_extractor import SegmentExample
    from vclean.classify.methods.base import Method, TrainingPage

__all__ = ["load", "make_example", "train"]


def make_example(training_page: TrainingPage) -> SegmentExample:
    """Make the training example of a page."""
    return segment_example(training_page, columns)


def load(data: bytes) -> Method:
    """Return the method that keeps the visible blocks in interesting segments."""
    return segment_method(data, columns)


def columns(parts: Parts) -> NDArray[np.float32]:
    """Return document vectors, and the share of words that each extractor kept, float32 (P, C + 4)."""
    return np.column_stack([parts.vectors(), *map(parts.share, extractor_masks(parts.blocks))])
