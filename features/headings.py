"""The words of a page's headings, and how far from them the words of every block are.

The query model of WCC (Amsterdam at CleanEval 2007): what a page is about is what its headings say.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from vclean.features.columns import ratio
from vclean.features.structural import heading_level
from vclean.features.text import Texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.view import View


def query(view: View) -> tuple[NDArray[np.uint64], NDArray[np.float64]]:
    """Hashes (Q,) of the words of the page's title and headings that its blocks have, ascending, and their shares (Q,).

    The shares sum to 1; without such words, both are empty.
    """
    words = view.words
    of_headings = words.hash[(heading_level(view) > 0)[words.owner]]
    of_title = Texts.of([view.snapshot.title]).words.hash
    found = np.concatenate([of_headings, of_title[np.isin(of_title, words.hash)]])
    types, count = np.unique(found, return_counts=True)
    return types, count / max(len(found), 1)


def divergence(view: View, smoothing: Sequence[float]) -> NDArray[np.float32]:
    """float32 (S, B): the Kullback-Leibler divergence of every block's words from the query, in nats.

    The model of a block is that of its words, mixed with that of the page's at the share `smoothing` (S values), by
    which every word of the query is possible. On a page without a query it is 0.
    """
    types, share = query(view)
    at = np.searchsorted(types, view.words.hash).clip(0, max(len(types) - 1, 0))
    known = np.flatnonzero(types[at] == view.words.hash) if len(types) else np.zeros(0, dtype=np.int64)
    cell = view.words.owner[known] * len(types) + at[known]
    count = np.bincount(cell, minlength=len(view) * len(types)).reshape(len(view), len(types))
    of_block, of_page = ratio(count, view.tokens[:, None]), ratio(count.sum(axis=0), float(len(view.words)))
    mixed = [(1 - part) * of_block + part * of_page for part in smoothing]
    return np.array([(share * np.log(share / model)).sum(axis=1) for model in mixed], dtype=np.float32)
