"""Context columns: a block's neighbours, and the subtrees it stands in.

A block's subtrees are taken where they really grow: the k-th is the nearest ancestor with at least `GROWTH` times the
blocks of the one before. Their blocks are one run of the page, so that a mean over a subtree is a difference of
running sums. The verdicts of the two linear models are averaged over the same runs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features import signatures, tree
from vclean.features.columns import Column, ratio
from vclean.features.structural import long_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from vclean.features.view import View

LEVELS = 5
GROWTH = 1.5
REACH = 3
WINDOWS = (5, 15)

_NEIGHBOURS = (
    "words", "link_share", "stop_words", "sentences", "tag", "heading_level", "capitalised_words", "visibility",
    "actions", "boilerplate", "dates", "ends_sentence", "class_blocks", "container_images", "text_nodes", "in_list_item",
    "font_size", "x", "width", "column_share",
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

COLUMNS: tuple[Column, ...] = (
    *(Column(f"{name}{step:+d}", "as there", f"`{name}` of the block {abs(step)} {'after' if step > 0 else 'before'}; NaN beyond the page.")
      for name in _NEIGHBOURS for step in range(-REACH, REACH + 1) if step),
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
        *((f"{step:+d}", f"of the block {abs(step)} {'after' if step > 0 else 'before'}")
          for step in range(-REACH, REACH + 1) if step),
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


def subtrees(view: View) -> NDArray[np.int32]:
    """int32 (B, LEVELS): the elements that are a block's larger subtrees; the root where the tree ends."""
    parent, count = view.snapshot.parent, view.block_count
    grows = np.ones(len(parent), dtype=bool)
    grows[1:] = count[parent[1:]] > count[1:]
    larger = np.maximum(parent, 0)[tree.nearest(grows, parent)]
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
    snapshot = view.snapshot
    signature = signatures.path_signature(snapshot, signatures.class_hashes(snapshot))[view.anchor]
    alike = np.unique(signature, return_inverse=True)[1]
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


def compute(view: View, values: Mapping[str, NDArray[np.generic]], where: Layout, elements: NDArray[np.int32]) -> dict[str, NDArray[np.generic]]:
    """The context columns of a page, each (B,), from the columns `values` of the other groups."""
    found: dict[str, NDArray[np.generic]] = {}
    for name in _NEIGHBOURS:
        found.update(_shifted(name, np.asarray(values[name], dtype=np.float32)))
    numbers = _subtree_numbers(view, values, where, elements)
    for name, columns in numbers.items():
        for level in range(LEVELS):
            found[f"up{level + 1}_{name}"] = columns[:, level]
    return found


def _shifted(name: str, values: NDArray[np.float32]) -> dict[str, NDArray[np.generic]]:
    """`values` of the blocks up to `REACH` before and after."""
    edge = np.full(REACH, np.nan, dtype=np.float32)
    padded = np.concatenate([edge, values, edge])
    steps = [step for step in range(-REACH, REACH + 1) if step]
    return {f"{name}{step:+d}": padded[REACH + step : REACH + step + len(values)] for step in steps}


def _subtree_numbers(
    view: View, values: Mapping[str, NDArray[np.generic]], where: Layout, elements: NDArray[np.int32]
) -> dict[str, NDArray[np.generic]]:
    """The `_SUBTREE` columns, each (B, LEVELS)."""
    tokens, count = view.tokens, len(view)
    large = np.where(long_text(view), tokens, 0)
    blocks = (where.end - where.begin).astype(np.float32)
    words, long_words = _run_sum(tokens, where), _run_sum(large, where)
    index = np.arange(count)[:, None]
    headings = np.asarray(values["heading_level"]) > 0
    return {
        "blocks": blocks,
        "words": words,
        "words_of_page": ratio(words, float(tokens.sum())),
        "mean_words": ratio(words, blocks),
        "link_share": ratio(_run_sum(view.link_share * tokens, where), words),
        "stop_words": ratio(_run_sum(view.stop_words, where), words),
        "sentences": ratio(_run_sum(np.asarray(values["sentences"], dtype=np.float32), where), words),
        "long_of_page": ratio(long_words, float(large.sum())),
        "long_share": ratio(long_words, words),
        "headings": _run_sum(headings.astype(np.float32), where),
        "place": ratio(index - where.begin, blocks),
        "begin": where.begin / count,
        "end": where.end / count,
        **_element_numbers(view, elements, blocks),
    }


def _element_numbers(
    view: View, elements: NDArray[np.int32], blocks: NDArray[np.float32]
) -> dict[str, NDArray[np.generic]]:
    snapshot = view.snapshot
    signature = signatures.path_signature(snapshot, signatures.class_hashes(snapshot))
    _, group, size = np.unique(signature, return_inverse=True, return_counts=True)
    masks = np.stack(
        [snapshot.is_tag(("img", "svg", "video")), snapshot.is_tag(("input", "button", "select", "textarea"))], axis=1
    )
    inside = tree.subtree_sum(masks.astype(np.int32), snapshot.end)[elements]
    box = snapshot.box[elements] / np.array([snapshot.width, snapshot.height] * 2, dtype=np.float32)
    return {
        "depth": snapshot.depth[view.blocks.node][:, None] - snapshot.depth[elements],
        "alike": size[group][elements],
        "images": ratio(inside[..., 0], blocks),
        "inputs": ratio(inside[..., 1], blocks),
        "x": box[..., 0],
        "y": box[..., 1],
        "width": box[..., 2],
        "height": box[..., 3],
    }


def _run_sum(values: NDArray[np.float32], where: Layout) -> NDArray[np.float32]:
    """float32 (B, LEVELS): sum of `values` (B,) over each run."""
    total = np.zeros(len(values) + 1)
    np.cumsum(values, out=total[1:])
    return (total[where.end] - total[where.begin]).astype(np.float32)


def score_columns(path: NDArray[np.float32], word: NDArray[np.float32], where: Layout) -> NDArray[np.float32]:
    """float32 (B, len(SCORE_COLUMNS)): the linear verdicts `path` and `word` (B,), averaged over the layout."""
    found: dict[str, NDArray[np.generic]] = {}
    for name, score in zip(_SCORES, (path, word, path + word), strict=True):
        found.update({f"{name}_{part}": values for part, values in _averages(score, where).items()})
    matrix = np.empty((len(path), len(SCORE_COLUMNS)), dtype=np.float32)
    for index, column in enumerate(SCORE_COLUMNS):
        matrix[:, index] = found[column.name]
    return matrix


def _averages(score: NDArray[np.float32], where: Layout) -> dict[str, NDArray[np.generic]]:
    weight = where.tokens + 1
    weighted = score * weight
    ups = _run_sum(weighted, where) / np.maximum(_run_sum(weight, where), 1)
    alike = (np.bincount(where.alike, weighted) / np.bincount(where.alike, weight))[where.alike]
    order = np.argsort(-score, kind="stable")
    rank = np.empty(len(score), dtype=np.float32)
    rank[order] = (np.cumsum(weight[order]) - weight[order]) / weight.sum()
    return {
        "score": score,
        **{f"up{level + 1}": ups[:, level] for level in range(LEVELS)},
        "alike": alike,
        **_shifted("", score),
        **{f"window{reach}": _window(weighted, weight, reach) for reach in WINDOWS},
        "page": np.full(len(score), weighted.sum() / weight.sum()),
        "rank": rank,
    }


def _window(weighted: NDArray[np.float32], weight: NDArray[np.float32], reach: int) -> NDArray[np.float64]:
    """Weighted mean over the blocks from `reach` before to `reach` after."""
    index, count = np.arange(len(weight)), len(weight)
    low, high = np.maximum(index - reach, 0), np.minimum(index + reach + 1, count)
    sums = []
    for values in (weighted, weight):
        total = np.zeros(count + 1)
        np.cumsum(values, out=total[1:])
        sums.append(total[high] - total[low])
    return np.asarray(sums[0] / sums[1])
