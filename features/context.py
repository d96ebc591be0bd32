"""Context columns: a block's neighbours, and the subtrees it stands in.

A block's subtrees are taken where they really grow: the k-th is the nearest ancestor with at least `GROWTH` times the
blocks of the one before. Their blocks are one run of the page, so that a mean over a subtree is a difference of
running sums. The verdicts of the two linear models are averaged over the same runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import tree
from vclean.features.columns import Column, ratio, stack
from vclean.features.groups import Groups
from vclean.features.structural import long_text

if TYPE_CHECKING:
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
    count, larger = view.block_count, _larger(view)
    here, found = view.blocks.node, np.empty((len(view), LEVELS), dtype=np.int32)
    for level in range(LEVELS):
        wanted = count[here] * GROWTH
        here = larger[here]
        while (short := (count[here] < wanted) & (here > 0)).any():
            here = np.where(short, larger[here], here)
        found[:, level] = here
    return found


def _larger(view: View) -> NDArray[np.int32]:
    """int32 (N,): the nearest ancestor with more blocks than the element; the root where there is none."""
    parent, count = view.snapshot.parent, view.block_count
    outgrown = np.ones(len(parent), dtype=bool)
    outgrown[1:] = count[parent[1:]] > count[1:]
    return np.maximum(parent, 0)[tree.nearest(outgrown, parent)]


def layout(view: View, elements: NDArray[np.int32]) -> Layout:
    """The runs of blocks of the subtrees `elements` (B, LEVELS), and the groups of blocks alike."""
    first, last = _block_runs(view)
    alike = Groups.by(view.class_path[view.anchor]).number
    return Layout(
        first[elements].astype(np.int32), last[elements].astype(np.int32), alike.astype(np.int32), view.tokens
    )


def _block_runs(view: View) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First block of every element's subtree and one past the last, int64 (N,) each."""
    end = view.block_count.astype(np.int64)
    text_first = np.searchsorted(view.blocks.members, _first_text(view))
    owner = np.append(view.blocks.text_block[view.blocks.members], len(view))
    begin = owner[text_first].astype(np.int64)
    return begin, begin + end


def _first_text(view: View) -> NDArray[np.int64]:
    """int64 (N,): the first text node after an element starts; the number of text nodes when none follows."""
    return np.searchsorted(view.snapshot.text_after, np.arange(len(view.snapshot)))


def compute(view: View, values: Values, where: Layout, elements: NDArray[np.int32]) -> Values:
    """The context columns of a page, each (B,), from the columns `values` of the other groups."""
    found: Values = {}
    for name in _NEIGHBOURS:
        found.update({f"{name}{step}": column for step, column in _shifted(values[name]).items()})
    numbers = _extent(view, where, elements) | _element_numbers(view, where, elements)
    numbers |= _text_numbers(view, values, where)
    for name, columns in numbers.items():
        found.update({f"up{level + 1}_{name}": columns[:, level] for level in range(LEVELS)})
    return found


def _shifted(values: Numbers) -> Values:
    """`values` (B,) of the blocks up to `REACH` before and after, by the signed distance."""
    edge = np.full(REACH, np.nan, dtype=np.float32)
    padded = np.concatenate([edge, values.astype(np.float32), edge])
    return {f"{step:+d}": padded[REACH + step : REACH + step + len(values)] for step in _STEPS}


def _text_numbers(view: View, values: Values, where: Layout) -> Values:
    """What the text of the subtrees is like, (B, LEVELS) each."""
    tokens, blocks = view.tokens, where.blocks
    large = np.where(long_text(view), tokens, 0)
    words, long_words = _run_sum(tokens, where), _run_sum(large, where)
    return {
        "words": words,
        "words_of_page": ratio(words, float(tokens.sum())),
        "mean_words": ratio(words, blocks),
        "link_share": ratio(_run_sum(view.link_share * tokens, where), words),
        "stop_words": ratio(_run_sum(view.stop_words, where), words),
        "sentences": ratio(_run_sum(values["sentences"], where), words),
        "long_of_page": ratio(long_words, float(large.sum())),
        "long_share": ratio(long_words, words),
        "headings": _run_sum(values["heading_level"] > 0, where),
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
        "alike": Groups.by(view.class_path).size[elements],
        "images": ratio(images[elements], where.blocks),
        "inputs": ratio(inputs[elements], where.blocks),
    }


def _run_sum(values: Numbers, where: Layout) -> NDArray[np.float32]:
    """float32 (B, LEVELS): sum of `values` (B,) over each run."""
    total = _running_sum(values)
    return (total[where.end] - total[where.begin]).astype(np.float32)


def _running_sum(values: Numbers) -> NDArray[np.float64]:
    total = np.zeros(len(values) + 1)
    np.cumsum(values, out=total[1:])
    return total


def score_columns(path: NDArray[np.float32], word: NDArray[np.float32], where: Layout) -> NDArray[np.float32]:
    """float32 (B, len(SCORE_COLUMNS)): the linear verdicts `path` and `word` (B,), averaged over the layout."""
    found: Values = {}
    for name, score in zip(_SCORES, (path, word, path + word), strict=True):
        found.update({f"{name}_{part}": values for part, values in _averages(score, where).items()})
    return stack(SCORE_COLUMNS, found)


def _averages(score: NDArray[np.float32], where: Layout) -> Values:
    weight = where.tokens + 1
    weighted = score * weight
    ups = _run_sum(weighted, where) / np.maximum(_run_sum(weight, where), 1)
    alike = (np.bincount(where.alike, weighted) / np.bincount(where.alike, weight))[where.alike]
    return {
        "score": score,
        **{f"up{level + 1}": ups[:, level] for level in range(LEVELS)},
        "alike": alike,
        **_shifted(score),
        **{f"window{reach}": _window(weighted, weight, reach) for reach in WINDOWS},
        "page": np.full(len(score), weighted.sum() / weight.sum()),
        "rank": _rank(score, weight),
    }


def _rank(score: NDArray[np.float32], weight: NDArray[np.float32]) -> NDArray[np.float32]:
    """float32 (B,): share of the weight in blocks of a higher score, the earlier of two equal ones first."""
    order = np.argsort(-np.round(score, 3), kind="stable")  # ties stay in order, however the sums were rounded
    rank = np.empty(len(score), dtype=np.float32)
    rank[order] = (np.cumsum(weight[order]) - weight[order]) / weight.sum()
    return rank


def _window(weighted: NDArray[np.float32], weight: NDArray[np.float32], reach: int) -> NDArray[np.float64]:
    """float64 (B,): weighted mean over the blocks from `reach` before to `reach` after."""
    index, count = np.arange(len(weight)), len(weight)
    low, high = np.maximum(index - reach, 0), np.minimum(index + reach + 1, count)
    sums, weights = _running_sum(weighted), _running_sum(weight)
    return (sums[high] - sums[low]) / (weights[high] - weights[low])
