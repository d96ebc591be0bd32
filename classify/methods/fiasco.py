"""FIASCO (Bauer et al. 2007, "FIASCO: filtering the internet by automatic subtree classification").

As published: the target nodes of a page, those that hold all of their text themselves, are told clean or dirty by a
support vector machine with a probability; dirty ones go, the others are tagged as headings, paragraphs or list items.
It reads linguistic, structural and visual columns, the solidity of the text's outline among them
(`vclean.classify.methods.fiasco`), and so it needs rendering.

Left open and chosen: a target node is a block; the kernel is Gaussian (`vclean.classify.methods.models.svm`); blocks
weigh by the root of their words, as for the main model; key words of clean and of dirty text are those with the highest
odds among words of at least ten pages; function words, names and numerals stand for the parts of speech, for which
there is no tagger in all languages; types are those of the markup.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.classify.methods import storage
from vclean.classify.methods.base import decide
from vclean.classify.methods.models import svm
from vclean.classify.prediction import Prediction
from vclean.classify.training.dataset import WEIGHT_CAP
from vclean.features import tree
from vclean.features.block import linguistic, structural, visual
from vclean.features.columns import parse_columns, ratio, stack_columns
from vclean.features.page_context import PageContext
from vclean.labels import Visibility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Method, TrainingPage
    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import Values


COLUMNS = parse_columns(
    """
chars | characters | Length of the text.
words | words | Number of words.
word_types | share | Distinct words over the words.
sentences | sentences | Number of sentences.
sentence_length | words | Mean length of a sentence.
stop_words | share | Function words.
capitalised_words | share | Words that begin with a capital: names.
digit_words | share | Words that begin with a digit: numerals.
depth | elements | Depth in the tree.
heading | flag | It is a heading.
paragraph | flag | It is a paragraph.
links | elements | Number of `a` in it.
images | elements | Number of `img` in it.
solidity1 | share | Area of the outline over the area of its bounding rectangle.
solidity2 | vertices | Vertices of the outline.
solidity3 | half diagonals | Mean distance of the outline's vertices from its centre.
relative_width | share | Width over the widest block's.
relative_height | share | Height over the tallest block's.
"""
)
_WORDING = tuple(column.name for column in COLUMNS[:8])


def compute(context: PageContext) -> Values:
    """The columns of a page, each (B,)."""
    wording = linguistic.compute(context)
    return {**{name: wording[name] for name in _WORDING}, **_structure(context), **_looks(context.blocks)}


def _structure(context: PageContext) -> Values:
    snapshot, node = context.snapshot, context.blocks.node
    images = tree.subtree_sum(snapshot.is_tag(structural.IMAGES), snapshot.end)
    return {
        "depth": snapshot.depth[node],
        "heading": structural.heading_level(context) > 0,
        "paragraph": context.within(("p",))[context.anchor],
        "links": structural.links(context),
        "images": images[node],
    }


def _looks(blocks: BlockColumns) -> Values:
    shape = visual.solidity(blocks)
    width, height = blocks.box[:, 2], blocks.box[:, 3]
    return {
        "solidity1": shape.area_share,
        "solidity2": shape.vertices,
        "solidity3": shape.spread,
        "relative_width": ratio(width, float(np.fmax.reduce(width, initial=np.nan))),
        "relative_height": ratio(height, float(np.fmax.reduce(height, initial=np.nan))),
    }


def keyword_shares(
    words: NDArray[np.uint64], owner: NDArray[np.int32], blocks: int, keywords: NDArray[np.uint64]
) -> NDArray[np.float32]:
    """float32 (blocks,): the share of the words of every block that are among `keywords`.

    Args:
        words: (W,), hashes of the words of a page.
        owner: (W,), the block of each.
        blocks: how many there are.
        keywords: hashes of words.
    """
    found = np.bincount(owner, np.isin(words, keywords), minlength=blocks)
    return ratio(found, np.bincount(owner, minlength=blocks))


KEYWORDS: Final = 200
"""Key words of clean text at most, and of dirty text."""
PAGES: Final = 10
"""Pages that a key word has to be on."""
_HALF: Final = 0.5


@dataclass(frozen=True, slots=True, eq=False)
class FiascoExample:
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
        return keyword_shares(self.words, self.owner, len(self.clean), keywords)


def example(lesson: TrainingPage) -> FiascoExample:
    """The columns, the words and the truth of a page's blocks."""
    context = PageContext(lesson.blocks)
    return FiascoExample(_columns(context), lesson.truth.is_content, context.words.hash, context.words.owner)


def train(examples: Sequence[FiascoExample]) -> bytes:
    """The key words and the machine."""
    clean, dirty = keywords(examples)
    rows = np.concatenate([np.column_stack([page.columns, page.share(clean), page.share(dirty)]) for page in examples])
    count = np.concatenate([np.bincount(page.owner, minlength=len(page.clean)) for page in examples])
    weight = np.sqrt(count.clip(1, WEIGHT_CAP)).astype(np.float32)
    machine = svm.fit(rows, np.concatenate([page.clean for page in examples]), weight)
    return storage.to_bytes({"clean": clean, "dirty": dirty, **machine.to_arrays()})


def load(data: bytes) -> Method:
    """Keeps the blocks that the machine takes for clean and that are not hidden."""
    found = storage.from_bytes(data)
    machine = svm.SupportVectorMachine.from_arrays(found)

    def label(blocks: BlockColumns) -> Prediction:
        context = PageContext(blocks)
        words, owner = context.words.hash, context.words.owner
        shares = [keyword_shares(words, owner, len(context), found[kind]) for kind in ("clean", "dirty")]
        probability = machine.probability(np.column_stack([_columns(context), *shares]))
        kept = (probability >= _HALF) & (blocks.visibility != Visibility.HIDDEN)
        return Prediction(decide(blocks, kept).labels, probability)

    return label


def keywords(examples: Sequence[FiascoExample]) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
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


def _columns(context: PageContext) -> NDArray[np.float32]:
    return stack_columns(COLUMNS, compute(context))
