"""Select blocks of highest importance in VIPS segments (Cai, Yu, Wen and Ma 2003, MSR-TR-2003-79).

As published: the page is segmented by visual cues (`vclean.features.segments.vips`), down to a permitted
degree of coherence. The report does not define importance. Song, Liu, Wen and Ma 2004 ("Learning block importance
models for web pages") predict it from the position and size of a segment and its share of link text.

Choices of vclean, without training: the importance of a segment is its number of characters outside links, times its
nearness to the middle of the page's width. Segments with a fraction of the largest importance are content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods.base import prediction_from_mask
from vclean.features.page_context import PageContext
from vclean.features.segments import vips
from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.segments.segments import Segments

PDOC: Final = 9
"""Permitted degree of coherence."""
_MIN_SHARE: Final = 0.1
"""Minimum importance of a content segment, as a share of the largest importance."""


def label(blocks: BlockColumns) -> Prediction:
    """Keep the blocks in important segments."""
    segments = vips.segment(blocks.snapshot).at(PDOC)
    segment_of = segments.text[blocks.members[blocks.first]]
    value = importance(PageContext(blocks), segments, segment_of)
    is_important = (value[segment_of] >= _MIN_SHARE * value.max(initial=0)) & (value[segment_of] > 0)
    is_content = (segment_of >= 0) & is_important
    return prediction_from_mask(blocks, is_content & (blocks.visibility == Visibility.SHOWN))


def importance(context: PageContext, segments: Segments, segment_of: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return the importance of the segments, float64 (S,); `segment_of` (B,) is the segment of each block, or -1."""
    plain = context.chars * (1 - context.link_share)
    inside = segment_of >= 0
    text = np.bincount(segment_of[inside], plain[inside], minlength=len(segments))
    middle = segments.box[:, 0] + segments.box[:, 2] / 2
    half = max(float(segments.snapshot.width), 1.0) / 2
    return np.asarray(text * np.nan_to_num(1 - np.abs(middle / half - 1)).clip(0), dtype=np.float64)
