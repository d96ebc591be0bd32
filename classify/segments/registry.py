"""Find a segmentation method by name, and describe segments by the role and the content of the blocks in them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.errors import UsageError
from vclean.features.segments import vips
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Callable

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.segments.segments import Segments
    from vclean.render.snapshot import Snapshot


MODEL_SUFFIX: Final = ".vclean"
"""File name extension of trained segmenters."""


def get(name: str) -> Callable[[Snapshot], Segments]:
    """Return the method called `name`; a name that ends in `.vclean` is the file of a trained segmenter.

    A method divides a rendered page as far as possible; equal snapshots give equal segments. It raises a `UsageError`
    for a page that was not rendered.

    Raises:
        UsageError: the method does not exist; the message lists the available methods.
        ModelError: the file is missing, damaged, or from another version of vclean.
    """
    if name == "vips":
        return vips.segment
    if name != "learned" and not name.endswith(MODEL_SUFFIX):
        known = "choose one of vips, learned, or a model"
        raise UsageError(f"no segmentation method {name!r}: {known}, FILE{MODEL_SUFFIX}")
    from vclean.classify.segments.model import load  # imported on use: loading takes a quarter of a second

    return load(None if name == "learned" else Path(name))


_LEAST_SHARE: Final = 0.5


def describe(segments: Segments, blocks: BlockColumns, prediction: Prediction) -> Segments:
    """Return the segments of a page with their roles and content shares.

    Args:
        segments: the segments.
        blocks: the blocks of the same snapshot.
        prediction: the labels and roles of the blocks.
    """
    block, segment = blocks.text_block[blocks.members], segments.text[blocks.members]
    words = np.array([len(blocks.snapshot.texts[text].split()) for text in blocks.members.tolist()], dtype=np.float64)
    is_content = np.array([label.is_content for label in prediction.labels], dtype=bool)[block]
    roles = sorted({role for role in prediction.roles if role})
    by_block = prediction.roles or [None] * len(blocks)
    role = np.array([roles.index(each) if each else -1 for each in by_block], dtype=np.int64)[block]
    inside = segment >= 0
    own = [
        np.bincount(segment[inside], weights[inside], len(segments)).astype(np.float64)
        for weights in (words, words * is_content, *(words * (role == row) for row in range(len(roles))))
    ]
    total, content, *of_roles = tree.subtree_sum(np.stack(own, axis=1), segments.end).T
    share = np.full(len(segments), np.nan, dtype=np.float32)
    np.divide(content, total, out=share, where=total > 0, casting="same_kind")
    most = np.max([*of_roles, np.zeros(len(segments))], axis=0)
    has_role = (most >= _LEAST_SHARE * total) & (most > 0)
    largest = np.argmax(of_roles, axis=0).tolist() if roles else []
    described = tuple(roles[largest[row]] if known else None for row, known in enumerate(has_role.tolist()))
    return replace(segments, roles=described, content_share=share)
