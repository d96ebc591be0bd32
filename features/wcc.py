"""The columns of WCC's decision tree (Amsterdam at CleanEval 2007)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vclean.features import linguistic, structural
from vclean.features.columns import ratio, table
from vclean.features.text import PUNCT

if TYPE_CHECKING:
    from vclean.features.columns import Values
    from vclean.features.view import View

COLUMNS = table(
    """
words | words | Number of words.
tag | code | The tag of the element round the text, by its place in `structural.TAG_CODES`.
capitalised_words | share | Words that begin with a capital, among those that could.
words_per_mark | words per mark | Words for each punctuation mark; all words where there is none.
"""
)


def compute(view: View) -> Values:
    """The columns of a page, each (B,)."""
    values = linguistic.compute(view)
    marks = view.texts.has(PUNCT)
    return {
        "words": values["words"],
        "tag": structural.tag_codes(view.snapshot)[view.anchor],
        "capitalised_words": values["capitalised_words"],
        "words_per_mark": ratio(view.tokens, marks.clip(1)),
    }
