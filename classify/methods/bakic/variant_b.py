"""Variant B of the hybrid extractors of Bakic 2012: segments of the page, and what four extractors say of them.

As published: the segment extractor (`vclean.classify.methods.bakic.segment_extractor`) with four columns more, the
share of a segment's words that each of BTE, Readability and boilerpipe's default and article extractors kept.

Left open and chosen: what an extractor kept is told block by block, where the paper has the longest common subsequence
of its text and the segment's; else as there. It runs all four extractors, and takes their time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.methods.bakic.segment_extractor import by_segments, segment_example, train
from vclean.classify.methods.bakic.variant_a import extractor_masks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.methods.bakic.document_vector import Parts
    from vclean.classify.methods.bakic.segment_extractor import SegmentExample
    from vclean.classify.methods.base import Method, TrainingPage

__all__ = ["example", "load", "train"]


def example(lesson: TrainingPage) -> SegmentExample:
    """The columns and the truth of a page's segments."""
    return segment_example(lesson, columns)


def load(data: bytes) -> Method:
    """Keeps what is in interesting segments and not hidden."""
    return by_segments(data, columns)


def columns(parts: Parts) -> NDArray[np.float32]:
    """float32 (P, C + 4): document vectors, and the share of words that each extractor kept."""
    return np.column_stack([parts.vectors(), *map(parts.share, extractor_masks(parts.blocks))])
