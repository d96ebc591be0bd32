"""Context columns: a block's neighbours, and the subtrees it stands in.

A block's subtrees are taken where they really grow: the k-th is the nearest ancestor with at least `GROWTH` times the
blocks of the one before. Their blocks are one run of the page, so that a mean over a subtree is a difference of
running sums. The verdicts of the two linear models are averaged over the same runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from vclean.features import tree
from vclean.features.columns import Column, ratio, rows
from vclean.features.structural import long_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.features.columns import Numbers, Values
    from vclean.features.view import View

LEVELS = 5
"""Larger subtrees per block."""
GROWTH = 1.5
"""How many times the blocks of a subtree the next one has at least."""
REACH = 3
"""Neighbours on each side."""
WINDOWS = (5, 15)
"""Blocks on each side over which the linear verdicts are averaged."""

_IMAGES = ("img", "svg", "video")
_INPUTS = ("input", "button", "select", "textarea")

_NEIGHBOURS = (
    "words", "link_share", "stop_words", "sentences", "tag", "heading_level", "capitalised_words", "visibility",
    "actions", "boilerplate", "dates", "ends_sentence", "class_blocks", "container_images", "text_nodes",
    "in_list_item", "font_size", "x", "width", "column_share",
)  # fmt: skip

_SUBTREE = (
    ("blocks", "blocks", "Blocks in it"),
    ("words", "words", "Words in it"),
    ("words_of_page", "share", "Its share of the page's words"),
    ("mean_words", "words", "Words per block in it"),
    ("link_share", "share", "Link share of its words"),
    ("stop_words", "share", "Share of stop words in it"),
    ("sentences", "marks per word", "Sentence ends per word in it"),
    ("long_of_page", "share", "Its share of the page's long text"),
    ("long_share", "share", "Share of its words that are long text"),
    ("headings", "blocks", "Headings in it"),
    ("place", "share", "Place of the block in it"),
    ("begin", "share", "Where on the page it begins, in blocks"),
    ("end", "share", "Where on the page it ends, in blocks"),
    ("depth", "elements", "How much deeper the block's container is"),
    ("alike", "elements", "Elements of the page with its chain of tags and classes"),
    ("images", "elements", "Images in it per block"),
    ("inputs", "elements", "Input fields and buttons in it per block"),
    ("x", "share", "Left edge of its box, in page widths"),
    ("y", "share", "Top edge of its box, in page heights"),
    ("width", "share", "Width of its box, in page widths"),
    ("height", "share", "Height of its box, in page heights"),
)

_STEPS = tuple(step for step in range(-REACH, REACH + 1) if step)


def _step_doc(step: int) -> str:
    return f"of the block {abs(step)} {'after' if step > 0 else 'before'}"


COLUMNS: tuple[Column, ...] = (
    *(Column(f"{name}{step:+d}", "as there", f"`{name}` {_step_doc(step)}; NaN beyond the page.")
      for name in _NEIGHBOURS for step in _STEPS),
    *(Column(f"up{level}_{name}", unit, f"{doc}: the {level}. larger subtree.")
      for level in range(1, LEVELS + 1) for name, unit, doc in _SUBTREE),
)  # fmt: skip

_SCORES = ("path", "word", "both")

SCORE_COLUMNS: tuple[Column, ...] = tuple(
    Column(f"{score}_{part}", "log odds", f"Verdict of the {score} linear model{'s' * (score == 'both')}: {doc}.")
    for score in _SCORES
    for part, doc in (
        ("score", "of the block itself"),
        *((f"up{level}", f"mean over the words of the {level}. larger subtree") for level in range(1, LEVELS + 1)),
        ("alike", "mean over the blocks with the same chain of tags and classes"),
        *((f"{step:+d}", _step_doc(step)) for step in _STEPS),
        *((f"window{reach}", f"mean over the words of the {reach} blocks on both sides") for reach in WINDOWS),
        ("page", "mean over the words of the page"),
        ("rank", "share of the page's words in blocks of a higher verdict"),
    )
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Layout:
    """Which blocks belong together; what averaging the linear verdicts needs.

    Attributes:
        begin, end: int32 (B, LEVELS), the run of blocks of each of a block's larger subtrees.
        alike: int32 (B,), a number for the chain of tags and classes.
        tokens: float32 (B,), words of every block.
    """

    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    alike: NDArray[np.int32]
    tokens: NDArray[np.float32]

    @property
    def blocks(self) -> NDArray[np.float32]:
        """float32 (B, LEVELS): how many blocks each of the subtrees has."""
        return (self.end - self.begin).astype(np.float32)


def subtrees(view: View) -> NDArray[np.int32]:
    """int32 (B, LEVELS): the elements that are a block's larger subtrees; the root where the tree ends."""
    count = view.block_count
    larger = np.maximum(view.snapshot.parent, 0)[view.container]
    here, found = view.blocks.node, np.empty((len(view), LEVELS), dtype=np.int32)
    for level in range(LEVELS):
        wanted = count[here] * GROWTH
        here = larger[here]
        while (short := (count[here] < wanted) & (here > 0)).any():
            here = np.where(short, larger[here], here)
        found[:, level] = here
    return found


def layout(view: View, elements: NDArray[np.int32]) -> Layout:
    """The runs of blocks of the subtrees `elements` (B, LEVELS), and the groups of blocks alike."""
    first, last = _block_runs(view)
    alike = view.blocks_alike.number.astype(np.int32)
    return Layout(first[elements].astype(np.int32), last[elements].astype(np.int32), alike, view.tokens)


def _block_runs(view: View) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First block of every element's subtree and one past the last, int64 (N,) each."""
    members = view.blocks.members
    before = np.zeros(len(view.snapshot.texts) + 1, dtype=np.int64)  # how many of them stand before each text
    before[members + 1] = 1
    owner = np.append(view.blocks.text_block[members], len(view))
    begin = owner[np.cumsum(before)][view.first_text].astype(np.int64)
    return begin, begin + view.block_count.astype(np.int64)


def compute(view: View, values: Values, where: Layout, elements: NDArray[np.int32]) -> NDArray[np.float32]:
    """float32 (len(COLUMNS), B): the context columns of a page, from the columns `values` of the other groups."""
    shifted = _shifted(rows(_NEIGHBOURS, values))
    numbers = _extent(view, where, elements) | _element_numbers(view, where, elements)
    numbers |= _text_numbers(view, values, where)
    subtree = np.empty((LEVELS, len(_SUBTREE), len(view)), dtype=np.float32)
    for place, (name, _, _) in enumerate(_SUBTREE):
        subtree[:, place] = numbers[name].T
    return np.concatenate([shifted.reshape(-1, len(view)), subtree.reshape(-1, len(view))])


def _shifted(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (K, len(_STEPS), B): `values` (K, B) of the blocks so many steps away; NaN beyond the page."""
    kinds, count = values.shape
    padded = np.full((kinds, count + 2 * REACH), np.nan, dtype=np.float32)
    padded[:, REACH : REACH + count] = values
    found = np.empty((kinds, len(_STEPS), count), dtype=np.float32)
    for place, step in enumerate(_STEPS):
        found[:, place] = padded[:, REACH + step : REACH + step + count]
    return found


def _text_numbers(view: View, values: Values, where: Layout) -> Values:
    """What the text of the subtrees is like, (B, LEVELS) each."""
    tokens, blocks = view.tokens, where.blocks
    large = np.where(long_text(view), tokens, 0)
    parts = (large, view.link_share * tokens, view.stop_words, values["sentences"])
    words, headings, *sums = _run_sums([tokens, values["heading_level"] > 0, *parts], where)
    long_share, link_share, stop_words, sentences = ratio(np.array(sums), words)
    return {
        "words": words,
        "words_of_page": ratio(words, float(tokens.sum())),
        "mean_words": ratio(words, blocks),
        "link_share": link_share,
        "stop_words": stop_words,
        "sentences": sentences,
        "long_of_page": ratio(sums[0], float(large.sum())),
        "long_share": long_share,
        "headings": headings,
    }


def _extent(view: View, where: Layout, elements: NDArray[np.int32]) -> Values:
    """Which stretch of the page the subtrees are, (B, LEVELS) each."""
    snapshot, count = view.snapshot, len(view)
    box = snapshot.box[elements] / np.array([snapshot.width, snapshot.height] * 2, dtype=np.float32)
    return {
        "blocks": where.blocks,
        "place": ratio(np.arange(count)[:, None] - where.begin, where.blocks),
        "begin": where.begin / count,
        "end": where.end / count,
        **{name: box[..., side] for side, name in enumerate(("x", "y", "width", "height"))},
    }


def _element_numbers(view: View, where: Layout, elements: NDArray[np.int32]) -> Values:
    """What the elements of the subtrees are, (B, LEVELS) each."""
    snapshot = view.snapshot
    images = tree.subtree_sum(snapshot.is_tag(_IMAGES), snapshot.end)
    inputs = tree.subtree_sum(snapshot.is_tag(_INPUTS), snapshot.end)
    return {
        "depth": snapshot.depth[view.blocks.node][:, None] - snapshot.depth[elements],
        "alike": view.alike.size[elements],
        "images": ratio(images[elements], where.blocks),
        "inputs": ratio(inputs[elements], where.blocks),
    }


def _run_sums(values: Sequence[Numbers], where: Layout) -> NDArray[np.float32]:
    """float32 (K, B, LEVELS): sums of K `values` (B,) over each run."""
    total = _running_sums(np.array(values))
    return _over_runs(total, where)


def _over_runs(total: NDArray[np.float64], where: Layout) -> NDArray[np.float32]:
    """float32 (K, B, LEVELS): of running sums, those over each run."""
    return (total.take(where.end, axis=1) - total.take(where.begin, axis=1)).astype(np.float32)


def _running_sums(values: NDArray[Any]) -> NDArray[np.float64]:
    """float64 (K, B + 1): sums of `values` (K, B) over the blocks before each, and over all."""
    total = np.zeros((values.shape[0], values.shape[1] + 1))
    np.cumsum(values, axis=1, out=total[:, 1:])
    return total


def score_columns(path: NDArray[np.float32], word: NDArray[np.float32], where: Layout) -> NDArray[np.float32]:
    """float32 (B, len(SCORE_COLUMNS)): the linear verdicts `path` and `word` (B,), averaged over the layout."""
    score, weight = np.array([path, word, path + word]), where.tokens + 1
    weighted = score * weight
    total = _running_sums(np.vstack([weighted, weight]))
    parts = [
        score[:, None],
        _subtree_means(total, where),
        _means_alike(weighted, weight, where.alike)[:, None],
        _shifted(score),
        *(_window(total, reach)[:, None] for reach in WINDOWS),
        np.broadcast_to((weighted.sum(axis=1) / weight.sum())[:, None, None], (len(score), 1, len(path))),
        np.array([_rank(each, weight) for each in score])[:, None],
    ]
    found = np.concatenate(parts, axis=1, dtype=np.float32, casting="same_kind")
    return np.ascontiguousarray(found.reshape(-1, len(path)).T)


def _subtree_means(total: NDArray[np.float64], where: Layout) -> NDArray[np.float32]:
    """float32 (K, LEVELS, B): weighted means over the larger subtrees; for `total` see `_window`."""
    sums = _over_runs(total, where)
    return np.asarray(sums[:-1] / np.maximum(sums[-1], 1)).transpose(0, 2, 1)


def _means_alike(
    weighted: NDArray[np.float32], weight: NDArray[np.float32], alike: NDArray[np.int32]
) -> NDArray[np.float64]:
    """float64 (K, B): means of values, `weighted` (K, B), over the blocks of the same number."""
    sums = np.array([np.bincount(alike, each) for each in weighted])
    return (sums / np.bincount(alike, weight)).take(alike, axis=1)


def _rank(score: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (B,): share of the weight in blocks of a higher score, the earlier of two equal ones first."""
    order = np.argsort(-np.round(score, 3), kind="stable")  # ties stay in order, however the sums were rounded
    ordered = weight[order]
    rank = np.empty(len(score), dtype=np.float32)
    rank[order] = (np.cumsum(ordered) - ordered) / weight.sum()
    return rank


def _window(total: NDArray[np.float64], reach: int) -> NDArray[np.float64]:
    """float64 (K, B): weighted means over the blocks from `reach` before to `reach` after.

    Args:
        total: float64 (K + 1, B + 1), running sums of K weighted values and, last, of their weights.
        reach: blocks.
    """
    index, count = np.arange(total.shape[1] - 1), total.shape[1] - 1
    high, low = np.minimum(index + reach + 1, count), np.maximum(index - reach, 0)
    sums = total.take(high, axis=1) - total.take(low, axis=1)
    return np.asarray(sums[:-1] / sums[-1])
