"""FIASCO (Bauer et al. 2007, "FIASCO: filtering the internet by automatic subtree classification").

As published: the target nodes of a page, those that hold all of their text themselves, are told clean or dirty by a
support vector machine with a probability; dirty ones go, the others are tagged as headings, paragraphs or list items.
It reads linguistic, structural and visual columns, the solidity of the text's outline among them
(`vclean.features.fiasco`), and so it needs rendering.

Left open and chosen: a target node is a block; the kernel is Gaussian (`vclean.classify.methods.svm`); blocks weigh by
the root of their words, as for the main model; key words of clean and of dirty text are those with the highest odds
among words of at least ten pages; function words, names and numerals stand for the parts of speech, for which there is
no tagger in all languages; types are those of the markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.dataset import WEIGHT_CAP
from vclean.classify.methods import arrays, svm
from vclean.classify.methods.verdict import decide
from vclean.classify.prediction import Prediction
from vclean.features import fiasco
from vclean.features.columns import stack
from vclean.features.view import View
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.frame import Lesson, Method
    from vclean.features.blocks import Blocks

KEYWORDS: Final = 200
"""Key words of clean text at most, and of dirty text."""
PAGES: Final = 10
"""Pages that a key word has to be on."""
_HALF: Final = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class Example:
    """A page's B blocks of W words.

    Attributes:
        columns: float32 (B, C), without the key words.
        clean: bool (B,).
        words, owner: uint64 (W,) and int32 (W,), hashes of the words and the block of each.
    """

    columns: NDArray[np.float32]
    clean: NDArray[np.bool_]
    words: NDArray[np.uint64]
    owner: NDArray[np.int32]

    def share(self, keywords: NDArray[np.uint64]) -> NDArray[np.float32]:
        """float32 (B,): the share of key words in every block."""
        return fiasco.keyword_shares(self.words, self.owner, len(self.clean), keywords)


def example(lesson: Lesson) -> Example:
    """The columns, the words and the truth of a page's blocks."""
    view = View(lesson.blocks)
    return Example(_columns(view), lesson.truth.is_content, view.words.hash, view.words.owner)


def train(examples: Sequence[Example]) -> bytes:
    """The key words and the machine."""
    clean, dirty = keywords(examples)
    rows = np.concatenate([np.column_stack([page.columns, page.share(clean), page.share(dirty)]) for page in examples])
    count = np.concatenate([np.bincount(page.owner, minlength=len(page.clean)) for page in examples])
    weight = np.sqrt(count.clip(1, WEIGHT_CAP)).astype(np.float32)
    machine = svm.fit(rows, np.concatenate([page.clean for page in examples]), weight)
    return arrays.to_bytes({"clean": clean, "dirty": dirty, **machine.to_arrays()})


def load(data: bytes) -> Method:
    """Keeps the blocks that the machine takes for clean and that are not hidden."""
    found = arrays.from_bytes(data)
    machine = svm.Machine.from_arrays(found)

    def label(blocks: Blocks) -> Prediction:
        view = View(blocks)
        words, owner = view.words.hash, view.words.owner
        shares = [fiasco.keyword_shares(words, owner, len(view), found[kind]) for kind in ("clean", "dirty")]
        probability = machine.probability(np.column_stack([_columns(view), *shares]))
        kept = (probability >= _HALF) & (blocks.visibility != Visibility.HIDDEN)
        return Prediction(decide(blocks, kept).labels, probability)

    return label


def keywords(examples: Sequence[Example]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Hashes of the words of at least `PAGES` pages whose odds to be clean are highest, and lowest; ascending."""
    words = np.concatenate([page.words for page in examples])
    clean = np.concatenate([page.clean[page.owner] for page in examples])
    types, number = np.unique(words, return_inverse=True)
    pages = np.bincount(np.searchsorted(types, np.concatenate([np.unique(page.words) for page in examples])))
    inside = np.bincount(number, clean) + 1
    outside = np.bincount(number, ~clean) + 1
    odds = np.log(inside / clean.sum().clip(1)) - np.log(outside / (~clean).sum().clip(1))
    order = np.argsort(odds, kind="stable")
    order = order[pages[order] >= PAGES]
    dirty = order[odds[order] < 0][:KEYWORDS]
    return np.sort(types[order[odds[order] > 0][-KEYWORDS:]]), np.sort(types[dirty])


def _columns(view: View) -> NDArray[np.float32]:
    return stack(fiasco.COLUMNS, fiasco.compute(view))
