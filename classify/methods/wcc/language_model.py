"""Language model of WCC (Amsterdam at CleanEval 2007).

As published: the words of a page's headings are a query. The blocks whose language model diverges from that of the
query by less than a constant are content.

Choices where the paper is silent: the title counts as a heading. The model of a block is smoothed with that of the
page. The smoothing share and the constant maximize the F1 of the words of the training pages. A page without headings
is content as a whole. Labels are those of the markup.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from scipy.special import expit

from vclean.classify.methods.base import prediction_from_mask
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


def heading_query(context: PageContext) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Return the words of the title and headings that occur in the blocks: hashes (Q,), ascending, and shares (Q,).

    The shares sum to 1. Without such words, both are empty.
    """
    words = context.words
    of_headings = words.hash[(heading_level(context) > 0)[words.owner]]
    of_title = EncodedTexts.from_texts([context.snapshot.title]).words.hash
    hashes = np.concatenate([of_headings, of_title[np.isin(of_title, words.hash)]])
    types, count = np.unique(hashes, return_counts=True)
    return types, count / max(len(hashes), 1)


def heading_divergence(context: PageContext, smoothing: Sequence[float]) -> NDArray[np.float32]:
    """Return the Kullback-Leibler divergence of each block's words from the query, in nats, float32 (S, B).

    The model of a block is the distribution of its words, mixed with that of the page at the share `smoothing` (S
    values). So no word of the query has probability 0. Without a query the divergence is 0.
    """
    types, share = heading_query(context)
    index = np.searchsorted(types, context.words.hash).clip(0, max(len(types) - 1, 0))
    known = np.flatnonzero(types[index] == context.words.hash) if len(types) else np.zeros(0, dtype=np.int64)
    cell = context.words.owner[known] * len(types) + index[known]
    count = np.bincount(cell, minlength=len(context) * len(types)).reshape(len(context), len(types))
    of_block, of_page = ratio(count, context.tokens[:, None]), ratio(count.sum(axis=0), float(len(context.words)))
    mixed = [(1 - part) * of_block + part * of_page for part in smoothing]
    return np.array([(share * np.log(share / model)).sum(axis=1) for model in mixed], dtype=np.float32)


SMOOTHING: Final = (0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9)
"""Candidates for the share of the page's model."""
_CONSTANTS: Final = 200


@dataclass(frozen=True, slots=True, eq=False)
class LanguageModelExample:
    """Training example of a page: float32 (S, B) divergences by smoothing, bool (B,) content, float32 (B,) words."""

    divergence: NDArray[np.float32]
    content: NDArray[np.bool_]
    words: NDArray[np.float32]


def make_example(training_page: TrainingPage) -> LanguageModelExample:
    """Make the training example of a page."""
    context = PageContext(training_page.blocks)
    return LanguageModelExample(heading_divergence(context, SMOOTHING), training_page.truth.is_content, context.tokens)


def train(examples: Sequence[LanguageModelExample]) -> bytes:
    """Choose the best smoothing share and constant, and return them in JSON."""
    divergence = np.concatenate([page.divergence for page in examples], axis=1)
    content = np.concatenate([page.content for page in examples])
    words = np.concatenate([page.words for page in examples])
    candidates = [best_constant(row, content, words) for row in divergence]
    best = int(np.argmax([score for _, score in candidates]))
    return json.dumps({"smoothing": SMOOTHING[best], "constant": candidates[best][0]}).encode()


def load(data: bytes) -> Method:
    """Return the method that keeps the visible blocks that diverge by at most the constant."""
    parameters = json.loads(data)
    smoothing, constant = float(parameters["smoothing"]), float(parameters["constant"])

    def label(blocks: BlockColumns) -> Prediction:
        (divergence,) = heading_divergence(PageContext(blocks), [smoothing])
        is_content = (divergence <= constant) & (blocks.visibility != Visibility.HIDDEN)
        probability = expit(constant - divergence).astype(np.float32)
        return Prediction(prediction_from_mask(blocks, is_content).labels, probability)

    return label


def best_constant(
    divergence: NDArray[np.float32], content: NDArray[np.bool_], weight: NDArray[np.float32]
) -> tuple[float, float]:
    """Return the threshold on `divergence` (R,) with the best F1 for `content` (R,), and its F1, by `weight` (R,).

    The candidates are the percentiles and half percentiles of the divergences. The threshold is midway to the next
    divergence.
    """
    candidates = np.unique(np.quantile(divergence, np.linspace(0, 1, _CONSTANTS + 1), method="higher"))
    order = np.argsort(divergence, kind="stable")
    count = np.searchsorted(divergence[order], candidates, side="right")
    selected_weight, correct_weight = (
        np.concatenate([[0], np.cumsum(part[order], dtype=np.float64)]) for part in (weight, weight * content)
    )
    f1 = 2 * correct_weight[count] / np.maximum(selected_weight[count] + float((weight * content).sum()), 1e-9)
    best = int(np.argmax(f1))
    following = divergence[order][count[best] : count[best] + 1]
    return float(np.mean([candidates[best], *following])), float(f1[best])
