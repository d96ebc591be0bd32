"""Find a segmentation method by name, and describe segments by the role and the content of the blocks in them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import numpy as np

from vclean.errors import UsageError
from vclean.features.segments import vips
from vclean.render import tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.segments.segments import Segments
    from vclean.labels import Role
    from vclean.render.snapshot import Snapshot


MODEL_SUFFIX: Final = ".vclean"
"""File name extension of trained segmenters."""


class SegmentMethod(Protocol):
    """Function that divides a rendered page into segments."""

    def __call__(self, snapshot: Snapshot) -> Segments:
        """Return all segments, divided as far as possible; equal snapshots give equal segments.

        Raises:
            UsageError: the page was not rendered.
        """


def _learned(snapshot: Snapshot) -> Segments:
    from vclean.classify.segments.model import load_default  # imported on use: loading takes a quarter of a second

    return load_default()(snapshot)


_METHODS: dict[str, SegmentMethod] = {"vips": vips.segment, "learned": _learned}


def get(name: str) -> SegmentMethod:
    """Return the method called `name`; a name that ends in `.vclean` is the file of a trained segmenter.

    Raises:
        UsageError: the method does not exist; the message lists the available methods.
        ModelError: the file is missing, damaged, or from another version of vclean.
    """
    if name.endswith(MODEL_SUFFIX):
        from vclean.classify.segments.model import load

        return load(Path(name))
    if name not in _METHODS:
        known = ", ".join(_METHODS)
        raise UsageError(f"no segmentation method {name!r}: choose one of {known}, or a model, FILE{MODEL_SUFFIX}")
    return _METHODS[name]


_LEAST_SHARE: Final = 0.5


def describe(segments: Segments, blocks: BlockColumns, prediction: Prediction) -> Segments:
    """Return the segments of a page with their roles and content shares.

    Args:
        segments: the segments.
        blocks: the blocks of the same snapshot.
        prediction: the labels and roles of the blocks.
    """
    block = blocks.text_block[blocks.members]
    words = np.array([len(blocks.snapshot.texts[text].split()) for text in blocks.members.tolist()], dtype=np.float64)
    is_content = np.array([label.is_content for label in prediction.labels], dtype=bool)[block]
    segment = segments.text[blocks.members]

    def total(weights: NDArray[np.float64]) -> NDArray[np.float64]:
        inside = segment >= 0
        own = np.bincount(segment[inside], weights=weights[inside], minlength=len(segments)).astype(np.float64)
        return tree.subtree_sum(own, segments.end)

    everything = total(words)
    share = np.full(len(segments), np.nan, dtype=np.float32)
    np.divide(total(words * is_content), everything, out=share, where=everything > 0, casting="same_kind")
    roles = [prediction.roles[row] for row in block.tolist()] if prediction.roles else [None] * len(block)
    by_role = {role: total(words * np.array([each is role for each in roles], dtype=bool)) for role in set(roles)}
    return replace(segments, roles=_largest(by_role, everything), content_share=share)


def _largest(
    by_role: dict[Role | None, NDArray[np.float64]], everything: NDArray[np.float64]
) -> tuple[Role | None, ...]:
    """Return the role of each segment with the most of its words, if it has the required share of them."""
    roles = sorted(filter(None, by_role))
    words = np.array([by_role[role] for role in roles]).reshape(-1, len(everything))
    most = words.max(axis=0, initial=0)
    has_role = (most >= _LEAST_SHARE * everything) & (most > 0)
    return tuple(roles[int(words[:, row].argmax())] if known else None for row, known in enumerate(has_role.tolist()))
