"""The language model of WCC (Amsterdam at CleanEval 2007).

As published: the words of a page's headings are a query, and the blocks whose language model diverges from that of the
query by less than a constant are content.

Left open and chosen: the title counts as a heading; a block's model is smoothed with that of the page
(`vclean.classify.methods.wcc.language_model`); the share of smoothing and the constant are those that label most words
of the training pages rightly, by F1; a page without headings is content as a whole; types are those of the markup.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import expit

from vclean.classify.methods.base import decide
from vclean.classify.prediction import Prediction
from vclean.features.block.structural import heading_level
from vclean.features.columns import ratio
from vclean.features.page_context import PageContext
from vclean.features.text.characters import EncodedTexts
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Method, TrainingPage
    from vclean.features.blocks import BlockColumns


def query(context: PageContext) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Hashes (Q,) of the words of the page's title and headings that its blocks have, ascending, and their shares (Q,).

    The shares sum to 1; without such words, both are empty.
    """
    words = context.words
    of_headings = words.hash[(heading_level(context) > 0)[words.owner]]
    of_title = EncodedTexts.from_texts([context.snapshot.title]).words.hash
    found = np.concatenate([of_headings, of_title[np.isin(of_title, words.hash)]])
    types, count = np.unique(found, return_counts=True)
    return types, count / max(len(found), 1)


def heading_divergence(context: PageContext, smoothing: Sequence[float]) -> NDArray[np.float32]:
    """float32 (S, B): the Kullback-Leibler heading_divergence of every block's words from the query, in nats.

    The model of a block is that of its words, mixed with that of the page's at the share `smoothing` (S values), by
    which every word of the query is possible. On a page without a query it is 0.
    """
    types, share = query(context)
    at = np.searchsorted(types, context.words.hash).clip(0, max(len(types) - 1, 0))
    known = np.flatnonzero(types[at] == context.words.hash) if len(types) else np.zeros(0, dtype=np.int64)
    cell = context.words.owner[known] * len(types) + at[known]
    count = np.bincount(cell, minlength=len(context) * len(types)).reshape(len(context), len(types))
    of_block, of_page = ratio(count, context.tokens[:, None]), ratio(count.sum(axis=0), float(len(context.words)))
    mixed = [(1 - part) * of_block + part * of_page for part in smoothing]
    return np.array([(share * np.log(share / model)).sum(axis=1) for model in mixed], dtype=np.float32)


SMOOTHING: Final = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
"""Shares of the page's model that are tried."""
_CONSTANTS: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class LanguageModelExample:
    """A page of B blocks: float32 (S, B) divergences by smoothing, bool (B,) the truth, float32 (B,) words."""

    divergence: NDArray[np.float32]
    content: NDArray[np.bool_]
    words: NDArray[np.float32]


def example(lesson: TrainingPage) -> LanguageModelExample:
    """The divergences and the truth of a page's blocks."""
    context = PageContext(lesson.blocks)
    return LanguageModelExample(heading_divergence(context, SMOOTHING), lesson.truth.is_content, context.tokens)


def train(examples: Sequence[LanguageModelExample]) -> bytes:
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

    def label(blocks: BlockColumns) -> Prediction:
        (divergence,) = heading_divergence(PageContext(blocks), [smoothing])
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
