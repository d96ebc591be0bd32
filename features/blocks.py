"""Blocks (contract; being written)."""
from __future__ import annotations
from dataclasses import dataclass
import numpy as np
from numpy.typing import NDArray
from vclean.render.snapshot import Snapshot


@dataclass(frozen=True, kw_only=True, eq=False)
class Blocks:
    """The text blocks of a page, one row each, in document order: B blocks over K kept text nodes.

    Attributes:
        snapshot: the page they were cut from.
        text: B strings, white space collapsed (kept inside `<pre>`), a space where two inline elements meet.
        node: int32 (B,), the block container: the innermost element of block level round the whole run.
        text_block: int32 (T,), the block of every text node of the snapshot, -1 for those in no block.
        box: float32 (B, 4), x, y, width, height of the union of the block's line boxes, CSS px; NaN if not rendered or nothing painted.
        visibility: uint8 (B,), `vclean.labels.Visibility`.
    """

    snapshot: Snapshot
    text: list[str]
    node: NDArray[np.int32]
    text_block: NDArray[np.int32]
    box: NDArray[np.float32]
    visibility: NDArray[np.uint8]

    def __len__(self) -> int:
        return len(self.text)


def cut(snapshot: Snapshot) -> Blocks:
    """Cut a page into its text blocks."""
    raise NotImplementedError
