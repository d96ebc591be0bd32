"""Define methods, and the functions that the module of a method provides.

A method without training is a function from blocks to a prediction, in its own module, with a line in
`data/methods.tsv`. `prediction_from_mask` and `prediction_of_visible` turn a mask of blocks into a prediction.

A trained method is a module, or an object in one, with the three functions of `Trainable`. With its line in the table
it works in `vclean --method NAME`, `vclean train --method NAME` and, cross-validated by site, `vclean evaluate
--folds K`. The output of `train` ships as `classify/data/methods/NAME.model` if it is small. Without this file, the
method needs `--model`.

Selectors, and libraries that need a document, get one from `to_elements` and `to_html`. It has the elements, attributes
and texts of the snapshot, without scripts and comments. After rendering it includes the changes that scripts made.

`viterbi` and `marginals` decode linear chains. Scores are logarithms, which add up. The states of B positions with K
labels have scores (B, K). The transitions between two neighbors have scores (K, K), the same for all, or (B - 1, K, K).
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np
from lxml import etree

from vclean.characters import replace_illegal
from vclean.classify.corpora.gold import align
from vclean.classify.prediction import Prediction
from vclean.features.columns import stack_rows
from vclean.features.page_context import PageContext
from vclean.labels import Label, Visibility
from vclean.render import tree
from vclean.render.snapshot import ATTRIBUTES, HEADING_TAGS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.gold import BlockGold, GoldPage
    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import Values
    from vclean.render.snapshot import Snapshot

    Example = tuple[NDArray[Any], ...]
    """Training example of a page: arrays, equally many of each page. `make_example` of a method has their shapes.

    The examples of all pages are in memory at once, so they should be small."""


Method = Callable[["BlockColumns"], Prediction]
"""Function that returns one label per block of a page; the same blocks give the same labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodInfo:
    """Description of a method, available without loading it.

    Attributes:
        name: name for `--method`.
        summary: description and source, in one line.
        entry_point: `MODULE` or `MODULE:NAME`, relative to this package. Of a trained method, the module or the object
            NAME is the `Trainable`; of others, the function NAME is the method, `label` by default.
        rendered: whether it needs rendered pages.
        trained: whether it needs a model.
        templated: whether it needs a file of selectors.
        library: module of the extra `methods` that it needs, or empty.
    """

    name: str
    summary: str
    entry_point: str
    rendered: bool = False
    trained: bool = False
    templated: bool = False
    library: str = ""

    @property
    def needs(self) -> list[str]:
        """Return the requirements, in a word or two each: rendering, a model, a template, an extra."""
        needs = {"rendering": self.rendered, "a model": self.trained, "a template": self.templated}
        return [name for name, needed in {**needs, "the extra methods": self.library}.items() if needed]


@dataclass(frozen=True, eq=False)
class TrainingPage:
    """Training page: its gold, and its blocks."""

    gold_page: GoldPage
    blocks: BlockColumns

    @cached_property
    def truth(self) -> BlockGold:
        """Return the gold of each block."""
        return align(self.blocks.text, self.gold_page)


def concatenated(examples: Sequence[Example]) -> list[NDArray[Any]]:
    """Return each array of the examples, of all pages together."""
    return [np.concatenate(arrays) for arrays in zip(*examples, strict=True)]


class Trainable(Protocol):
    """Trained method."""

    def make_example(self, training_page: TrainingPage) -> Example:
        """Return the training example of a page with at least one block."""

    def train(self, examples: Sequence[Example]) -> bytes:
        """Return a model trained on the examples; the same examples give the same bytes."""

    def load(self, data: bytes) -> Method:
        """Return the method by a model that `train` returned; any exception means that `data` is damaged."""


HALF: Final = 0.5
"""Share or probability from which a block is content."""
ITEM_TAGS = frozenset(("li", "dt", "dd"))


def prediction_from_mask(
    blocks: BlockColumns, is_content: NDArray[np.bool_], labels: Sequence[Label] | None = None
) -> Prediction:
    """Return a prediction that selects the blocks of `is_content` (B,), with `labels` or else labels by markup."""
    types = tag_labels(blocks) if labels is None else labels
    selected = [label if keep else Label.OTHER for label, keep in zip(types, is_content.tolist(), strict=True)]
    return Prediction(selected, is_content.astype(np.float32))


def prediction_of_visible(
    blocks: BlockColumns,
    is_content: NDArray[np.bool_],
    labels: Sequence[Label] | None = None,
    *,
    probability: NDArray[Any] | None = None,
) -> Prediction:
    """Return a prediction that selects the blocks of `is_content` (B,) that are not hidden.

    Args:
        blocks: the blocks.
        is_content: which blocks to select.
        labels: their labels; by markup if None.
        probability: (B,), probability that a block is content; 0 or 1 if None.
    """
    prediction = prediction_from_mask(blocks, is_content & (blocks.visibility != Visibility.HIDDEN), labels)
    return prediction if probability is None else Prediction(prediction.labels, probability.astype(np.float32))


def prediction_of_elements(blocks: BlockColumns, elements: NDArray[np.bool_]) -> Prediction:
    """Return a prediction that selects the blocks not hidden with half of their characters in `elements` (N,)."""
    return prediction_of_visible(blocks, PageContext(blocks).char_mean(elements) >= HALF)


def tag_labels(blocks: BlockColumns) -> list[Label]:
    """Return labels by markup: heading, list item (its first block), continuation (its other blocks), paragraph."""
    snapshot = blocks.snapshot
    heading = snapshot.is_tag(HEADING_TAGS)
    item = snapshot.is_tag(ITEM_TAGS)
    is_heading = heading[tree.nearest_ancestor(heading, snapshot.parent)[blocks.node]]
    nearest_item = tree.nearest_ancestor(item, snapshot.parent)[blocks.node]
    in_item = item[nearest_item]
    first = np.zeros(len(blocks), dtype=bool)
    first[np.unique(nearest_item, return_index=True)[1]] = True
    codes = np.select([is_heading, in_item & first, in_item], [0, 2, 3], 1)
    labels = tuple(Label)
    return [labels[code] for code in codes]


def label_all_shown(blocks: BlockColumns) -> Prediction:
    """Label every visible block as content."""
    return prediction_from_mask(blocks, blocks.visibility == Visibility.SHOWN)


def stack_named(values: Values) -> NDArray[np.float32]:
    """Return the columns `values` (R,) as a matrix in their order, float32 (R, len(values))."""
    return np.ascontiguousarray(stack_rows(list(values), values).T)


def pack_arrays(arrays: Mapping[str, NDArray[Any]]) -> bytes:
    """Serialize arrays: a line with their names, then the arrays in NumPy's format."""
    file = io.BytesIO()
    for values in arrays.values():
        np.save(file, values, allow_pickle=False)
    return json.dumps(list(arrays)).encode() + b"\n" + file.getvalue()


def unpack_arrays(data: bytes) -> dict[str, NDArray[Any]]:
    """Return the arrays that `pack_arrays` serialized, by name.

    Raises:
        ValueError: `data` has another format.
    """
    line, _, rest = data.partition(b"\n")
    file = io.BytesIO(rest)
    return {str(name): np.load(file, allow_pickle=False) for name in json.loads(line)}


_NAME = re.compile(r"[a-z_][\w.-]*", re.IGNORECASE)
"""Element names that lxml accepts; the HTML parser accepts more."""


def to_elements(snapshot: Snapshot) -> list[etree._Element]:
    """Return the elements of the document in document order; the first is the root.

    Elements with illegal names become `x-other`.
    """
    names = [tag if _NAME.fullmatch(tag) else "x-other" for tag in snapshot.tags]
    elements: list[etree._Element] = []
    for tag, parent in zip(snapshot.tag.tolist(), snapshot.parent.tolist(), strict=True):
        name = names[tag]
        elements.append(etree.SubElement(elements[parent], name) if parent >= 0 else etree.Element(name))
    for node, name, value in zip(
        snapshot.attr_node.tolist(), snapshot.attr_name.tolist(), snapshot.attr_value, strict=True
    ):
        elements[node].set(ATTRIBUTES[name], replace_illegal(value))
    _write_texts(snapshot, elements)
    return elements


def to_html(snapshot: Snapshot) -> str:
    """Return the document as HTML; its head contains the title of the page."""
    root = to_elements(snapshot)[0]
    head = etree.Element("head")
    etree.SubElement(head, "meta", charset="utf-8")
    etree.SubElement(head, "title").text = replace_illegal(snapshot.title)
    root.insert(0, head)
    return f"<!DOCTYPE html>\n{etree.tostring(root, method='html', encoding='unicode')}"


def _write_texts(snapshot: Snapshot, elements: list[etree._Element]) -> None:
    """Insert every text at its position: at the start of its parent, or after the preceding child."""
    parents = snapshot.parent.tolist()
    positions = zip(snapshot.texts, snapshot.text_parent.tolist(), snapshot.text_after.tolist(), strict=True)
    for text, parent, after in positions:
        child = after
        while child != parent and parents[child] != parent:
            child = parents[child]
        if child == parent:
            elements[parent].text = (elements[parent].text or "") + replace_illegal(text)
        else:
            elements[child].tail = (elements[child].tail or "") + replace_illegal(text)


def viterbi(states: NDArray[np.floating[Any]], transitions: NDArray[np.floating[Any]]) -> NDArray[np.int64]:
    """Return the labels of the sequence with the highest score, int64 (B,), for B of at least 1."""
    count, labels = states.shape
    steps = np.broadcast_to(transitions, (count - 1, labels, labels))
    best, back = states[0].astype(np.float64), np.empty((count - 1, labels), dtype=np.int64)
    for position in range(count - 1):
        scores = best[:, None] + steps[position]
        back[position] = scores.argmax(axis=0)
        best = scores.max(axis=0) + states[position + 1]
    path = [int(best.argmax())]
    for row in back[::-1]:
        path.append(int(row[path[-1]]))
    return np.array(path[::-1], dtype=np.int64)


def marginals(states: NDArray[np.floating[Any]], transitions: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return the marginal probability of each label at each position, float64 (B, K), for B of at least 1."""
    count, labels = states.shape
    steps = np.exp(np.broadcast_to(transitions, (count - 1, labels, labels)).astype(np.float64))
    state = np.exp(states - states.max(axis=1, keepdims=True)).astype(np.float64)
    forward, backward = state / state.sum(axis=1, keepdims=True), np.ones((count, labels))
    for position in range(1, count):
        message = (forward[position - 1] @ steps[position - 1]) * state[position]
        forward[position] = message / message.sum()
    for position in range(count - 2, -1, -1):
        message = steps[position] @ (state[position + 1] * backward[position + 1])
        backward[position] = message / message.sum()
    both = forward * backward
    return np.asarray(both / both.sum(axis=1, keepdims=True))
