"""The columns of FIASCO (Bauer et al. 2007, "FIASCO: filtering the internet by automatic subtree classification").

Linguistic, structural and visual, by the paper's groups. Two more, the shares of key words of clean and of dirty text,
need the key words that were found in training: `keyword_shares`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.features import linguistic, structural, visual
from vclean.features.columns import ratio, table

if TYPE_CHECKING:
    from numpy.typing import NDArray

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
_AS_THEY_ARE = tuple(column.name for column in COLUMNS if column.name not in ("heading", "paragraph", "images"))


def compute(view: View) -> Values:
    """The columns of a page, each (B,)."""
    values = {**linguistic.compute(view), **structural.compute(view), **visual.compute(view)}
    return {
        **{name: values[name] for name in _AS_THEY_ARE},
        "heading": values["heading_level"] > 0,
        "paragraph": values["in_paragraph"] > 0,
        "images": values["container_images"],
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
