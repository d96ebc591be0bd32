"""The language model of WCC (Amsterdam at CleanEval 2007).

As published: the words of a page's headings are a query, and the blocks whose language model diverges from that of the
query by less than a constant are content.

Left open and chosen: the title counts as a heading; a block's model is smoothed with that of the page
(`vclean.features.headings`); the share of smoothing and the constant are those that label most words of the training
pages rightly, by F1; a page without headings is content as a whole; types are those of the markup.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import expit

from vclean.classify.methods.verdict import decide
from vclean.classify.prediction import Prediction
from vclean.features import headings
from vclean.features.view import View
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.frame import Lesson, Method
    from vclean.features.blocks import Blocks

SMOOTHING: Final = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
"""Shares of the page's model that are tried."""
_CONSTANTS: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A page of B blocks: float32 (S, B) divergences by smoothing, bool (B,) the truth, float32 (B,) words."""

    divergence: NDArray[np.float32]
    content: NDArray[np.bool_]
    words: NDArray[np.float32]


def example(lesson: Lesson) -> Example:
    """The divergences and the truth of a page's blocks."""
    view = View(lesson.blocks)
    return Example(headings.divergence(view, SMOOTHING), lesson.truth.is_content, view.tokens)


def train(examples: Sequence[Example]) -> bytes:
    """The best share of smoothing and the best constant, in JSON."""
    divergence = np.concatenate([page.divergence for page in examples], axis=1)
    content = np.concatenate([page.content for page in examples])
    words = np.concatenate([page.words for page in examples])
    found = [best_constant(row, content, words) for row in divergence]
    best = int(np.argmax([score for _, score in found]))
    return json.dumps({"smoothing": SMOOTHING[best], "constant": found[best][0]}).encode()


def load(data: bytes) -> Method:
    """Keeps the blocks that diverge by less than the constant and that are not hidden."""
    found = json.loads(data)
    smoothing, constant = float(found["smoothing"]), float(found["constant"])

    def label(blocks: Blocks) -> Prediction:
        (divergence,) = headings.divergence(View(blocks), [smoothing])
        kept = (divergence <= constant) & (blocks.visibility != Visibility.HIDDEN)
        return Prediction(decide(blocks, kept).labels, expit(constant - divergence).astype(np.float32))

    return label


def best_constant(
    divergence: NDArray[np.float32], content: NDArray[np.bool_], weight: NDArray[np.float32]
) -> tuple[float, float]:
    """The constant by which `divergence` (R,) tells best what is `content` (R,), and the F1 it reaches, by `weight`.

    Tried are the percentiles of the divergences, and half of those; the constant is midway to the next divergence.
    """
    tried = np.unique(np.quantile(divergence, np.linspace(0, 1, _CONSTANTS + 1), method="higher"))
    order = np.argsort(divergence, kind="stable")
    upto = np.searchsorted(divergence[order], tried, side="right")
    kept, right = (
        np.concatenate([[0], np.cumsum(part[order], dtype=np.float64)]) for part in (weight, weight * content)
    )
    f1 = 2 * right[upto] / np.maximum(kept[upto] + float((weight * content).sum()), 1e-9)
    best = int(np.argmax(f1))
    following = divergence[order][upto[best] : upto[best] + 1]
    return float(np.mean([tried[best], *following])), float(f1[best])
