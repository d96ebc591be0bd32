"""Kimatu, the system of Elhuyar at CleanEval 2007 (Saralegi and Leturia).

As published: a block is a run of neighbouring elements of the same kind; candidates are chosen by ratios of length,
mean length, punctuation and links (`vclean.features.kimatu`); functional blocks with repeating content ("posted by X")
go; quotations go, which a later small block repeats; blocks of low ratio near the candidates and akin to them come
back; headings are looked for right before candidates; types are told by tag, punctuation and size.

Chosen here: the ratio of a block is the mean of its three ratios of size, less its share of link text; the least ratio
of a candidate; functional is a short block that begins like several others and lies outside long ones; akin is of the
same tags and classes, and near within a few blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from rapidfuzz.distance import LCSseq

from vclean.classify.methods.verdict import HEADING_TAGS, decide, tag_labels
from vclean.features.groups import Groups
from vclean.features.kimatu import Runs
from vclean.features.text import STOP
from vclean.features.view import View
from vclean.labels import Label, Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import Blocks

_CANDIDATE: Final = 0.15
_LINKS: Final = 0.5
"""Share of link text from which a run is no candidate and does not come back."""
_NEAR: Final = 4
"""Runs within which one that is akin comes back."""
_SMALL: Final = 15
"""Words up to which a block is small."""
_REPEATS: Final = 3
_QUOTED: Final = 0.8
"""Share of a block's words that a later small one has to repeat in their order."""


def label(blocks: Blocks) -> Prediction:
    """Runs of high ratio, those akin to them nearby, and their headings."""
    view = View(blocks)
    visible = blocks.visibility != Visibility.HIDDEN
    runs = Runs(view, visible)
    chosen = _come_back(runs, _candidates(runs))
    kept = chosen[runs.number] & visible & ~_functional(view) & ~_quoted(view)
    headings = _headings(view, kept)
    return decide(blocks, kept | headings, _types(view, headings))


def _candidates(runs: Runs) -> NDArray[np.bool_]:
    size = (runs.length + runs.mean_length + runs.punctuation) / 3
    return np.asarray((size * (1 - runs.links) >= _CANDIDATE) & (runs.links < _LINKS))


def _come_back(runs: Runs, candidate: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The candidates, and runs near them that are akin to one or lie between two; bool (R,)."""
    at = np.arange(len(candidate))
    before = np.maximum.accumulate(np.where(candidate, at, -len(at)))
    after = np.minimum.accumulate(np.where(candidate, at, 2 * len(at))[::-1])[::-1]
    near = np.minimum(at - before, after - at) <= _NEAR
    between = after - before <= _NEAR
    akin = np.isin(runs.signature, runs.signature[candidate])
    return np.asarray(candidate | (near & (akin | between) & (runs.links < _LINKS)))


def _functional(view: View) -> NDArray[np.bool_]:
    """Small blocks of the same kind that begin with the same two words, `_REPEATS` of them; bool (B,)."""
    begins = [" ".join(text.lower().split()[:2]) for text in view.blocks.text]
    numbers: dict[str, int] = {}
    same = Groups.by(np.array([numbers.setdefault(text, len(numbers)) for text in begins], dtype=np.int64))
    two_words = np.array([" " in text for text in begins], dtype=bool)
    return np.asarray((same.size >= _REPEATS) & (view.tokens <= _SMALL) & two_words)


def _quoted(view: View) -> NDArray[np.bool_]:
    """Small blocks whose words another small one repeats further down, in their order; bool (B,)."""
    small = np.flatnonzero((view.tokens > 2) & (view.tokens <= _SMALL)).tolist()
    words = {at: view.blocks.text[at].split() for at in small}
    first: dict[str, list[int]] = {}
    quoted = np.zeros(len(view), dtype=bool)
    for at in reversed(small):
        later = first.setdefault(words[at][0], [])
        quoted[at] = any(
            LCSseq.similarity(words[at], words[other]) >= _QUOTED * len(words[at]) for other in later[:_NEAR]
        )
        later.append(at)
    return quoted


def _headings(view: View, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Blocks in heading tags right before what is kept, or before another heading there; bool (B,)."""
    tagged = view.within(HEADING_TAGS)[view.anchor] & (view.blocks.visibility != Visibility.HIDDEN)
    found = np.zeros(len(kept), dtype=bool)
    for at in np.flatnonzero(tagged)[::-1].tolist():
        following = slice(at + 1, at + 1 + _NEAR)
        found[at] = bool((kept[following] | found[following]).any())
    return found


def _types(view: View, headings: NDArray[np.bool_]) -> list[Label]:
    """Types by markup; a heading that ends as a sentence does and is not small is a paragraph."""
    sentence = np.array([bool(kind & STOP) for kind in _last_kinds(view)], dtype=bool)
    long_sentence = sentence & (view.tokens > _SMALL) & ~headings
    return [Label.PARAGRAPH if plain and kind is Label.HEADING else kind
            for kind, plain in zip(tag_labels(view.blocks), long_sentence.tolist(), strict=True)]  # fmt: skip


def _last_kinds(view: View) -> NDArray[np.uint32]:
    texts = view.texts
    return np.asarray(texts.kind[np.append(texts.start[1:], len(texts.code)) - 2])
