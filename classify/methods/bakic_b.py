"""Variant B of the hybrid extractors of Bakic 2012: segments of the page, and what four extractors say of them.

As published: the segment extractor (`vclean.classify.methods.bakic_segment`) with four columns more, the share of a
segment's words that each of BTE, Readability and boilerpipe's default and article extractors kept.

Left open and chosen: what an extractor kept is told block by block, where the paper has the longest common subsequence
of its text and the segment's; else as there. It runs all four extractors, and takes their time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.methods.bakic_a import kept
from vclean.classify.methods.bakic_segment import by_segments, segment_example, train

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.methods.bakic_segment import Example
    from vclean.classify.methods.frame import Lesson, Method
    from vclean.features.bakic import Parts

__all__ = ["example", "load", "train"]


def example(lesson: Lesson) -> Example:
    """The columns and the truth of a page's segments."""
    return segment_example(lesson, columns)


def load(data: bytes) -> Method:
    """Keeps what is in interesting segments and not hidden."""
    return by_segments(data, columns)


def columns(parts: Parts) -> NDArray[np.float32]:
    """float32 (P, C + 4): document vectors, and the share of words that each extractor kept."""
    return np.column_stack([parts.vectors(), *map(parts.share, kept(parts.blocks))])
