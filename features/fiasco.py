"""The columns of FIASCO (Bauer et al. 2007, "FIASCO: filtering the internet by automatic subtree classification").

Linguistic, structural and visual, by the paper's groups. Two more, the shares of key words of clean and of dirty text,
need the key words that were found in training: `keyword_shares`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.features import linguistic, outline, structural, tree
from vclean.features.columns import ratio, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.features.blocks import Blocks
    from vclean.features.columns import Values
    from vclean.features.view import View

COLUMNS = table(
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


def compute(view: View) -> Values:
    """The columns of a page, each (B,)."""
    wording = linguistic.compute(view)
    return {**{name: wording[name] for name in _WORDING}, **_structure(view), **_looks(view.blocks)}


def _structure(view: View) -> Values:
    snapshot, node = view.snapshot, view.blocks.node
    images = tree.subtree_sum(snapshot.is_tag(structural.IMAGES), snapshot.end)
    return {
        "depth": snapshot.depth[node],
        "heading": structural.heading_level(view) > 0,
        "paragraph": view.within(("p",))[view.anchor],
        "links": structural.links(view),
        "images": images[node],
    }


def _looks(blocks: Blocks) -> Values:
    shape = outline.solidity(blocks)
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
