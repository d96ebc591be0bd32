"""FIASCO (Bauer et al. 2007, "FIASCO: filtering the internet by automatic subtree classification").

As published: target nodes are the elements that contain all of their text directly. A support vector machine classifies
them as clean or dirty, with a probability. Dirty nodes are dropped, the others are tagged as headings, paragraphs or
list items. The features are linguistic, structural and visual, among them the solidity of the text's outline, so pages
have to be rendered.

Choices where the paper is silent: a target node is a block. The kernel is Gaussian
(`vclean.classify.svm`). Blocks weigh by the root of their words, as for the main model. Key words of
clean and of dirty text are those with the highest odds among words of at least ten pages. Function words, names and
numerals replace the parts of speech, for which no tagger covers all languages. Labels are those of the markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify import svm
from vclean.classify.methods.base import HALF, pack_arrays, prediction_of_visible, stack_named, unpack_arrays
from vclean.classify.training.dataset import WEIGHT_CAP
from vclean.features.block import linguistic, structural, visual
from vclean.features.columns import ratio
from vclean.features.page_context import PageContext
from vclean.render import tree

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Example, Method, TrainingPage
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import Values


def compute(context: PageContext) -> Values:
    """Return the features of a page, each (B,), in the order of the columns.

    Those of solidity are the area of the outline over that of its bounding rectangle, its number of vertices, and their
    mean distance from its center in half diagonals.
    """
    values, snapshot, blocks = linguistic.compute(context), context.snapshot, context.blocks
    names = ("chars", "words", "word_types", "sentences", "sentence_length", "stop_words", "capitalised_words")
    images = tree.subtree_sum(snapshot.is_tag(structural.IMAGES), snapshot.end)
    width, height = blocks.box[:, 2], blocks.box[:, 3]
    return {
        **{name: values[name] for name in names},
        "digit_words": ratio(context.digit_words, context.tokens),
        "depth": snapshot.depth[blocks.node],
        "heading": structural.heading_level(context) > 0,
        "paragraph": context.within(("p",))[blocks.main_element],
        "links": structural.links(context),
        "images": images[blocks.node],
        **dict(zip(("solidity1", "solidity2", "solidity3"), visual.solidity(blocks), strict=True)),
        "relative_width": ratio(width, float(np.fmax.reduce(width, initial=np.nan))),
        "relative_height": ratio(height, float(np.fmax.reduce(height, initial=np.nan))),
    }


KEYWORDS: Final = 200
"""Maximum number of key words of clean text, and of dirty text."""
PAGES: Final = 10
"""Minimum number of pages of a key word."""


def make_example(training_page: TrainingPage) -> Example:
    """Make the training example of a page with B blocks and W words.

    Returns:
        float32 (B, C), the features without the key words; bool (B,), whether a block is content; uint64 (W,) and
        int32 (W,), hash and block of each word.
    """
    context = PageContext(training_page.blocks)
    return stack_named(compute(context)), training_page.truth.is_content, context.words.hash, context.words.owner


def train(examples: Sequence[Example]) -> bytes:
    """Choose the key words and train the support vector machine."""
    kinds = keywords(examples)
    rows = np.concatenate([_rows(columns, words, owner, kinds) for columns, _, words, owner in examples])
    count = np.concatenate([np.bincount(owner, minlength=len(clean)) for _, clean, _, owner in examples])
    weight = np.sqrt(count.clip(1, WEIGHT_CAP)).astype(np.float32)
    machine = svm.fit(rows, np.concatenate([clean for _, clean, _, _ in examples]), weight)
    return pack_arrays({**dict(zip(("clean", "dirty"), kinds, strict=True)), **machine.to_arrays()})


def load(data: bytes) -> Method:
    """Return the method that keeps the blocks that a trained support vector machine classifies as clean."""
    arrays = unpack_arrays(data)
    machine = svm.SupportVectorMachine.from_arrays(arrays)

    def label(blocks: BlockColumns) -> Prediction:
        context = PageContext(blocks)
        kinds = arrays["clean"], arrays["dirty"]
        rows = _rows(stack_named(compute(context)), context.words.hash, context.words.owner, kinds)
        probability = machine.probability(rows)
        return prediction_of_visible(blocks, probability >= HALF, probability=probability)

    return label


def keywords(examples: Sequence[Example]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return hashes, ascending, of the words with the highest odds to be clean and dirty, on at least `PAGES` pages."""
    words = np.concatenate([words for _, _, words, _ in examples])
    clean = np.concatenate([clean[owner] for _, clean, _, owner in examples])
    types, index = np.unique(words, return_inverse=True)
    pages = np.bincount(np.searchsorted(types, np.concatenate([np.unique(words) for _, _, words, _ in examples])))
    in_clean = np.bincount(index, clean) + 1
    in_dirty = np.bincount(index, ~clean) + 1
    odds = np.log(in_clean / clean.sum().clip(1)) - np.log(in_dirty / (~clean).sum().clip(1))
    order = np.argsort(odds, kind="stable")
    order = order[pages[order] >= PAGES]
    dirty = order[odds[order] < 0][:KEYWORDS]
    return np.sort(types[order[odds[order] > 0][-KEYWORDS:]]), np.sort(types[dirty])


def _rows(
    columns: NDArray[np.float32],
    words: NDArray[np.uint64],
    owner: NDArray[np.int32],
    kinds: Sequence[NDArray[np.uint64]],
) -> NDArray[np.float32]:
    """Return the `columns` (B, C) with the share of each block's words that are key words of each kind."""
    total = np.bincount(owner, minlength=len(columns))
    shares = [ratio(np.bincount(owner, np.isin(words, kind), len(columns)), total) for kind in kinds]
    return np.column_stack([columns, *shares])
