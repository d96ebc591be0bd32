"""Web2Text (Vogels, Ganea and Eickhoff 2018, "Web2Text: Deep structured boilerplate removal").

As published: the collapsed document tree (section 2.1) drops elements without text, and merges a node with a single
child. The remaining nodes are forks, with two or more children, and leaves. From it come 128 features of a block and 25
of a pair of neighbors (section 2.2). Two networks of five convolutions along the page (section 2.3) predict the
probability of content for each block, and of each pair of labels for each two neighbors. Viterbi finds the sequence
with the highest sum of logarithms, in which the pairs are weighted by `PAIR_WEIGHT`. Each network is trained separately
by cross-entropy, all blocks alike, with dropout and L2 regularization. Details that the paper omits are as in the
authors' program, dalab/web2text: counts, their limits and the tags with a feature (`features/extractor`), excerpts of
nine blocks, 128 of them per step, Adam, dropout of weights.

Choices of vclean: 1000 steps and `PAIR_WEIGHT`, by validation on other sites. Numbers are standardized by their mean
and standard deviation on the training pages, instead of the program's constants. Flags are -1 and 1 as in the program,
and missing values are 0. A block of vclean is content by the share of its words in the gold. Probabilities are
marginals over all sequences. Hidden blocks are left out.

Leaves are blocks, not text nodes, so a word in bold does not split a sentence. A block belongs to the innermost element
that contains all of its text. Elements that contain less than a block are dropped as well. Stop words are those of the
page's language. Punctuation marks are those of all scripts. Lengths and positions are in characters of text, not of
source. Years, web addresses and mail addresses are those of `vclean.features.block.linguistic`. There is a block break
if a block-level element begins between two blocks, or if they have different containers. The tags of a parent have `th`
where the program has `ul` twice. Undefined values (a ratio to 0, a parent of the root) are NaN.

PyTorch trains the networks, and NumPy evaluates them. All random choices (first weights, excerpts, dropout) come from
NumPy with a fixed seed, and PyTorch runs on one thread. So the same sequences give the same network, and the state of
global random generators does not change.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.methods.base import (
    marginals,
    pack_arrays,
    prediction_of_visible,
    stack_named,
    unpack_arrays,
    viterbi,
)
from vclean.classify.svm import mean_and_scale, standardized
from vclean.features.block import linguistic
from vclean.features.block.structural import count_opened_before
from vclean.features.columns import Groups, ratio
from vclean.features.page_context import PageContext
from vclean.features.text.characters import COLON, COMMA, DIGIT, SENTENCE_END, SPACE, UPPER
from vclean.imports import import_optional
from vclean.render import tree
from vclean.render.static import styles

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import ModuleType

    from numpy.typing import NDArray

    from vclean.classify.methods.base import Example, Method, TrainingPage
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns
    from vclean.features.columns import Numbers, Values

    Tensor = Any
    """Tensor of PyTorch, which may not be installed."""

NONE = -1
"""Index that means "no element". The last value of arrays over elements that it can select is that of no element."""


class CollapsedTree:
    """Collapsed tree: the forks and the B leaves of a page with N elements and at least one block.

    A node is identified by its innermost element: a fork by itself, a leaf by its `container`. The elements merged with
    a node are its ancestors up to the next fork.

    Attributes:
        snapshot: the page.
        container: int32 (B,), innermost element that contains all text of each block.
        is_fork: bool (N,), whether an element has two or more children that are blocks or contain blocks.
        parent: int32 (B,), parent fork of each leaf; `NONE` on a page of one block.
        fork_parent: int32 (N + 1,), parent fork of each fork; `NONE` for the root and for `NONE`.
        root: outermost fork, which contains all blocks; `NONE` on a page of one block.
        common_fork: int32 (B - 1,), innermost fork that contains each leaf and the next.
    """

    def __init__(self, blocks: BlockColumns) -> None:
        self.snapshot = snapshot = blocks.snapshot
        parent = snapshot.text_parent[blocks.members]
        outer, inner = (reduce.reduceat(parent, blocks.first) for reduce in (np.minimum, np.maximum))
        self.container = tree.lowest_common_ancestor(outer, inner, snapshot.parent, snapshot.end)
        direct = np.bincount(self.container, minlength=len(snapshot))
        index_sum = np.bincount(self.container, np.arange(len(blocks)), len(snapshot)).astype(np.int64)
        # Of the blocks that an element contains completely.
        self._count, self._index_sum = (
            np.append(tree.subtree_sum(each, snapshot.end), 0) for each in (direct, index_sum)
        )
        above = snapshot.parent[1:][self._count[1:-1] > 0]
        self.is_fork = direct + np.bincount(above, minlength=len(snapshot)) > 1
        nearest = tree.nearest_ancestor(self.is_fork, snapshot.parent)
        fork = np.append(np.where(self.is_fork[nearest], nearest, NONE), NONE).astype(np.int32)
        self.fork_parent = np.append(fork[snapshot.parent], np.int32(NONE))
        self.parent = fork[self.container]
        self.root = int(np.argmax(self.is_fork)) if self.is_fork.any() else NONE
        self.common_fork = tree.lowest_common_ancestor(
            self.container[:-1], self.container[1:], snapshot.parent, snapshot.end
        )

    def runs(self, forks: NDArray[np.int32]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the first block in each of `forks`, and the index after its last; 0 and 0 for `NONE`.

        The blocks that an element contains completely are consecutive, so the sum of their indexes determines the
        first.
        """
        count = self._count[forks]
        first = (self._index_sum[forks] - count * (count - 1) // 2) // np.maximum(count, 1)
        return first, first + count

    def tags_between(
        self, inner: NDArray[np.int32], outer: NDArray[np.int32], tags: Sequence[str]
    ) -> dict[str, NDArray[np.bool_]]:
        """Return by tag whether it is among the elements from `inner` (M,) up to `outer` (M,), without `outer`.

        The elements between a node and its parent are merged with the node. The results are bool (M,).
        """
        masks: list[NDArray[Any]] = [self.snapshot.is_tag((tag,)) for tag in tags]
        above = np.pad(tree.path_sum(np.stack(masks, axis=1), self.snapshot.end), ((0, 1), (0, 0)))
        return dict(zip(tags, (above[inner] > above[outer]).T, strict=True))


LEAF_TAGS = ("a", "p", "td", "b", "li", "span", "i", "tr", "div", "strong", "em", "h3", "h2", "table", "h4", "small",
             "sup", "h1", "blockquote")  # fmt: skip
FORK_TAGS = ("td", "div", "p", "tr", "table", "body", "ul", "span", "li", "blockquote", "b", "small", "a", "ol", "th",
             "i", "form", "dl", "strong", "pre")  # fmt: skip
DISTANCES = (2, 3, 4)
"""Steps in the collapsed tree with their own column; one more column is for larger distances."""

_PUNCTUATION = COMMA | SENTENCE_END | COLON


_FLAG = re.compile(r"(\w+_)?((has|ends|tag|distance)_\w+|block_break|copyright|email|url|year)")
"""Names of the columns that are flags."""


def compute(context: PageContext) -> tuple[Values, Values]:
    """Return the 128 features of a page's B blocks, (B,) each, and the 25 of its neighbor pairs, (B - 1,) each."""
    page = _PageFeatures(context)
    return page.blocks(), page.pairs()


class _PageFeatures:
    """Features of a page; the order of the columns is that of the dictionaries.

    Attributes:
        totals: counts of each block, float64 (B,) each; stop words are 0 for languages without a list of them.
        cumulative: their running sums from 0, float64 (B + 1,) each.
    """

    def __init__(self, context: PageContext) -> None:
        self.context, self.tree = context, CollapsedTree(context.blocks)
        texts, words, values = context.texts, context.words, linguistic.compute(context)
        counts = {
            "characters": values["chars"],
            "words": values["words"],
            "word_characters": words.per_text((words.end - words.start).astype(np.float32)),
            "stop_words": np.nan_to_num(values["stop_word_count"]),
            "capitals": texts.count_class(UPPER, of="words"),
            "punctuation": texts.count_class(COMMA, SENTENCE_END, COLON),
            "digits": texts.count_class(DIGIT),
            "sentences": self._sentences(),
            "link_characters": context.link_share * values["chars"],
            "copyrights": texts.count(np.flatnonzero(texts.code == ord("©"))),
            **{name: values[name] for name in ("emails", "urls", "years", "duplicates")},
        }
        self.totals = {name: np.asarray(count, dtype=np.float64) for name, count in counts.items()}
        self.cumulative = {name: np.concatenate([[0], np.cumsum(values)]) for name, values in self.totals.items()}

    def blocks(self) -> Values:
        """Return the features of the blocks, each (B,): of the block, the two forks around it, the outermost fork."""
        parent = self.tree.parent
        grandparent = self.tree.fork_parent[parent]
        root = np.full(len(self.context), self.tree.root, dtype=np.int32)
        parent_tags = self.tree.tags_between(parent, grandparent, FORK_TAGS)
        leaf_tags = self.tree.tags_between(self.tree.container, parent, LEAF_TAGS)
        duplicates = self.totals["duplicates"]
        same_path = Groups(self.context.class_path[self.tree.container]).size
        return {
            "has_duplicate": duplicates > 0,
            "has_10_duplicates": duplicates >= 10,
            "same_class_path": same_path / len(self.context),
            **self._leaf(),
            "has_parent": parent != NONE,
            **self._fork("parent_", parent),
            **{f"parent_tag_{tag}": _or_nan(values, parent) for tag, values in parent_tags.items()},
            "has_grandparent": grandparent != NONE,
            **self._fork("grandparent_", grandparent),
            **self._fork("root_", root),
            **{f"tag_{tag}": values for tag, values in leaf_tags.items()},
        }

    def pairs(self) -> Values:
        """Return the features of the pairs, each (B - 1,): the steps between them, a break, the fork around both."""
        forks_to = tree.path_sum(self.tree.is_fork, self.context.snapshot.end)
        depth, node = forks_to[self.tree.container] + 1, self.context.blocks.node
        distance = depth[:-1] + depth[1:] - 2 * forks_to[self.tree.common_fork]
        is_block = self.context.snapshot.is_tag(styles.BLOCK_TAGS)
        opened = count_opened_before(self.context, is_block[None])[0, 1:]
        return {
            **{f"distance_{steps}": distance == steps for steps in DISTANCES},
            "distance_more": distance > DISTANCES[-1],
            "block_break": (opened > 0) | (node[1:] != node[:-1]),
            **self._fork("common_", self.tree.common_fork),
        }

    def _leaf(self) -> Values:
        count, end = self.totals, np.cumsum(self.totals["characters"])
        position = (end - count["characters"] / 2) / end[-1]
        return {
            **self._text(count, np.arange(len(self.context)), 5.5),
            "has_word": count["words"] > 0,
            "log_words": _log(count["words"], 0, 3.5),
            "has_punctuation": count["punctuation"] > 0,
            "punctuation": count["punctuation"].clip(0, 10),
            "has_sentences": count["sentences"] > 1,
            "position": position,
            "position_2": position**2,
        }

    def _fork(self, prefix: str, forks: NDArray[np.int32]) -> Values:
        """Return the features of `forks` (M,), NaN for `NONE`."""
        first, end = self.tree.runs(forks)
        has_form = tree.subtree_sum(self.context.snapshot.is_tag(("input",)), self.context.snapshot.end) > 0
        count = {name: total[end] - total[first] for name, total in self.cumulative.items()}
        columns = {
            **self._text(count, np.maximum(end - 1, 0), 10),
            "body_share": count["characters"] / self.cumulative["characters"][-1],
            "link_density": ratio(count["link_characters"], count["characters"]),
            "has_form": np.append(has_form, False)[forks],
        }
        return {prefix + name: _or_nan(values, forks) for name, values in columns.items()}

    def _text(self, count: dict[str, NDArray[np.float64]], last_block: NDArray[np.int64], max_log: float) -> Values:
        """Return the features that leaves and forks share, from the counts and the last blocks of M runs.

        `max_log` limits the logarithm of the characters.
        """
        texts, characters, words = self.context.texts, count["characters"], count["words"]
        last = (np.append(texts.start[1:], len(texts.code)) - 2)[last_block]
        capitals = _share(count["capitals"], words)
        return {
            "word_length": _share(count["word_characters"], words).clip(3, 15),
            "has_stop_word": count["stop_words"] > 0,
            "stop_word_ratio": _share(count["stop_words"], words),
            "log_characters": _log(characters, 2.5, max_log),
            "log_punctuation_ratio": _log(_share(count["punctuation"], characters), -4, -2.5),
            "has_numeric": count["digits"] > 0,
            "numeric_ratio": _share(count["digits"], characters),
            "log_sentence_length": _log(_share(characters, count["sentences"]), 2, 5),
            "ends_punctuation": (texts.kind[last] & _PUNCTUATION) > 0,
            "ends_question": np.isin(texts.code[last], [ord(mark) for mark in "?？؟"]),
            "copyright": count["copyrights"] > 0,
            "email": count["emails"] > 0,
            "url": count["urls"] > 0,
            "year": count["years"] > 0,
            **{f"capitals_{power}": capitals**power for power in (1, 2, 3)},
        }

    def _sentences(self) -> NDArray[np.float32]:
        """Return one more than the number of sentence ends before white space and a capital, float32 (B,)."""
        texts, kind = self.context.texts, self.context.texts.kind
        ends = ((kind & SENTENCE_END) > 0) | (texts.code == ord(";"))
        ends[:-2] &= ((kind[1:-1] & SPACE) > 0) & ((kind[2:] & UPPER) > 0)
        return texts.count(np.flatnonzero(ends[:-2])) + 1


def _share(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return `part / whole`, NaN where `whole` is 0."""
    return part / np.where(whole == 0, np.nan, whole)


def _log(values: NDArray[np.float64], low: float, high: float) -> NDArray[np.float64]:
    """Return the logarithm, limited to `low`..`high`; NaN for 0."""
    return np.log(np.where(values == 0, np.nan, values)).clip(low, high)


def _or_nan(values: Numbers, forks: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the `values` (M,) of `forks` (M,), NaN for `NONE`."""
    return np.where(forks == NONE, np.float32(np.nan), values.astype(np.float32))


_ONE_THREAD: Final = 1 << 18
"""Number of multiplications up to which OpenBLAS computes a product on one thread (its `SMP_THRESHOLD_MIN` times four).
For such small products, threads wait for each other longer than they compute."""


@dataclass(frozen=True, slots=True, eq=False)
class Network:
    """Convolutional network over standardized columns; all layers but the last end with a rectifier (ReLU).

    Attributes:
        mean, scale: float32 (C,), mean and standard deviation of the columns.
        weights: float32 (out, in, width) for each layer, of odd width.
        biases: float32 (out,) for each layer.
    """

    mean: NDArray[np.float32]
    scale: NDArray[np.float32]
    weights: Sequence[NDArray[np.float32]]
    biases: Sequence[NDArray[np.float32]]

    def __call__(self, columns: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the log probability of each class for the rows `columns` (R, C), float32 (R, classes)."""
        logits = self.logits(standardized(columns, self.mean, self.scale))
        high = logits.max(axis=1, keepdims=True)
        return np.asarray(logits - high - np.log(np.exp(logits - high).sum(axis=1, keepdims=True)))

    def logits(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Return the output of the last layer for standardized `rows` (R, C), with zero padding."""
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            rows = convolve(np.maximum(rows, 0) if layer else rows, weight, bias)
        return rows

    def to_arrays(self, prefix: str) -> dict[str, NDArray[Any]]:
        """Return the arrays of the network by name; each name begins with `prefix`."""
        arrays = {f"{prefix}mean": self.mean, f"{prefix}scale": self.scale}
        for layer, (weight, bias) in enumerate(zip(self.weights, self.biases, strict=True)):
            arrays |= {f"{prefix}layer_{layer}_w": weight, f"{prefix}layer_{layer}_b": bias}
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], prefix: str) -> Network:
        """Build the network from the result of `to_arrays`."""
        mean, scale, *layers = (values for name, values in arrays.items() if name.startswith(prefix))
        return cls(mean, scale, layers[::2], layers[1::2])


def convolve(
    columns: NDArray[np.float32], weight: NDArray[np.float32], bias: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Convolve the rows `columns` (R, in) with `weight` (out, in, width), float32 (R, out)."""
    reach = weight.shape[2] // 2
    padded = np.pad(columns, ((reach, reach), (0, 0)))
    matrices = np.ascontiguousarray(weight.transpose(2, 1, 0))
    batch = max(_ONE_THREAD // matrices[0].size, 1)
    result = np.tile(bias, (len(columns), 1))
    for begin in range(0, len(columns), batch):
        end = min(begin + batch, len(columns))
        for step, matrix in enumerate(matrices):
            result[begin:end] += padded[begin + step : end + step] @ matrix
    return result


_FILTERS: Final = (50, 50, 50, 10)
"""Number of filters of the inner layers; the last layer has one filter per class."""
_WIDTHS: Final = (1, 1, 3, 3, 3)
_SPREAD: Final = 0.1
_DROPOUT: Final = 0.2
"""Share of the weights dropped in a step."""
_DECAY: Final = 1e-4
"""L2 penalty; half of it, times the sum of squared weights, is added to the loss."""
_EXCERPT: Final = 9
_BATCH: Final = 128
"""Number of excerpts per step, each from a sequence drawn uniformly, whatever its length."""
_STEPS: Final = 1000
_LEARNING_RATE: Final = 1e-3
_SEED: Final = 7
_PADDING: Final = -1
"""Target of rows beyond the end of a sequence, which do not count."""


def fit_network(
    columns: Sequence[NDArray[np.float32]],
    targets: Sequence[NDArray[np.int64]],
    classes: int,
    is_flag: NDArray[np.bool_],
) -> Network:
    """Train a network that predicts the `targets` (R,), of 0 to `classes`, of the rows of `columns` (R, C).

    Both have one array per sequence. At least one sequence has a row. The flags among the columns, `is_flag` (C,),
    become -1 and 1; numbers are standardized. The loss is cross-entropy.

    The weights are trained by Adam. They start at random, normal within two standard deviations; biases start at 0.

    Raises:
        ExtraMissingError: PyTorch is not installed.
    """
    torch = import_optional("torch", "PyTorch", "web2text")
    mean, scale = (np.where(is_flag, np.float32(0.5), part) for part in mean_and_scale(np.concatenate(columns)))
    random, filters = np.random.default_rng(_SEED), (*_FILTERS, classes)
    excerpts = _excerpts([standardized(rows, mean, scale) for rows in columns], targets, random)
    with _deterministic(torch):
        shapes = zip(filters, (len(mean), *_FILTERS), _WIDTHS, strict=True)
        parameter = partial(torch.tensor, dtype=torch.float32, requires_grad=True)
        weights = [parameter(_SPREAD * random.normal(size=shape).clip(-2, 2)) for shape in shapes]
        biases = [parameter(np.zeros(count)) for count in filters]
        adam = torch.optim.Adam([*weights, *biases], lr=_LEARNING_RATE)
        for excerpt in excerpts:
            rows, truth = map(torch.from_numpy, excerpt)
            dropped = [_drop(torch, weight, random) for weight in weights]
            logits = forward(torch, rows.transpose(1, 2), dropped, biases, (truth != _PADDING)[:, None])
            loss = torch.nn.functional.cross_entropy(logits, truth, ignore_index=_PADDING)
            size = sum((weight**2).sum() for weight in weights)
            adam.zero_grad()
            (loss + _DECAY / 2 * size).backward()
            adam.step()
    return Network(mean, scale, *([part.detach().numpy() for part in parts] for parts in (weights, biases)))


def _excerpts(
    columns: Sequence[NDArray[np.float32]], targets: Sequence[NDArray[np.int64]], random: np.random.Generator
) -> Iterator[tuple[NDArray[np.float32], NDArray[np.int64]]]:
    """Yield for each step excerpts of sequences: columns (batch, excerpt, C) and targets (batch, excerpt).

    All sequences are in one array, each followed by padding for an excerpt.
    """
    used = [index for index, classes in enumerate(targets) if len(classes)]
    length = np.array([len(targets[index]) for index in used])
    start = np.cumsum(length + _EXCERPT) - length - _EXCERPT
    padded = np.concatenate([np.pad(columns[index], ((0, _EXCERPT), (0, 0))) for index in used])
    classes = np.concatenate([np.pad(targets[index], (0, _EXCERPT), constant_values=_PADDING) for index in used])
    for _ in range(_STEPS):
        sequence = random.integers(len(start), size=_BATCH)
        positions = np.maximum(length[sequence] - _EXCERPT, 0) + 1
        begin = start[sequence] + (random.random(_BATCH) * positions).astype(np.int64)
        rows = begin[:, None] + np.arange(_EXCERPT)
        yield padded[rows], classes[rows]


def _drop(torch: ModuleType, weight: Tensor, random: np.random.Generator) -> Tensor:
    """Return a weight tensor after dropout, with the remaining weights scaled up."""
    share = np.float32(1 - _DROPOUT)
    mask = random.random(tuple(weight.shape), dtype=np.float32) < share
    return weight * torch.from_numpy(mask / share)


def forward(
    torch: ModuleType, columns: Tensor, weights: Sequence[Tensor], biases: Sequence[Tensor], inside: Tensor
) -> Tensor:
    """Return the output (S, out, R) of the network for `columns` (S, C, R); rows not `inside` (S, 1, R) are zeros."""
    for layer, (weight, bias) in enumerate(zip(weights, biases, strict=True)):
        rows = torch.relu(columns) if layer else columns
        columns = torch.nn.functional.conv1d(rows * inside, weight, bias, padding="same")
    return columns


@contextmanager
def _deterministic(torch: ModuleType) -> Iterator[None]:
    """Run PyTorch on one thread and with deterministic operations only in this block."""
    threads, strict = torch.get_num_threads(), torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    try:
        yield
    finally:
        torch.set_num_threads(threads)
        torch.use_deterministic_algorithms(strict)


PAIR_WEIGHT: Final = 0.5
"""Weight of the pairs relative to the blocks: 0.5 and 1 were the best of 0 to 1.5."""


def make_example(training_page: TrainingPage) -> Example:
    """Make the training example of a page.

    Returns:
        float32 (B, 128) and (B - 1, 25), features of blocks and pairs; bool (128,) and (25,), which of them are flags;
        bool (B,), whether a block is content.
    """
    features = compute(PageContext(training_page.blocks))
    flags = [np.array([_FLAG.fullmatch(name) is not None for name in values]) for values in features]
    return (*map(stack_named, features), *flags, training_page.truth.is_content)


def train(examples: Sequence[Example]) -> bytes:
    """Train the two networks and the standardization of their columns.

    Raises:
        ExtraMissingError: PyTorch is not installed.
    """
    blocks, pairs, (block_flags, *_), (pair_flags, *_), content = zip(*examples, strict=True)
    classes = [is_content.astype(np.int64) for is_content in content]
    pair_classes = [2 * labels[:-1] + labels[1:] for labels in classes]
    block_network = fit_network(blocks, classes, 2, block_flags)
    pair_network = fit_network(pairs, pair_classes, 4, pair_flags)
    return pack_arrays(block_network.to_arrays("block_") | pair_network.to_arrays("pair_"))


def load(data: bytes) -> Method:
    """Return the method that keeps the visible blocks that are content in the best sequence."""
    arrays = unpack_arrays(data)
    block, pair = Network.from_arrays(arrays, "block_"), Network.from_arrays(arrays, "pair_")

    def label(blocks: BlockColumns) -> Prediction:
        columns, pair_columns = map(stack_named, compute(PageContext(blocks)))
        states, transitions = block(columns), PAIR_WEIGHT * pair(pair_columns).reshape(-1, 2, 2)
        is_content = viterbi(states, transitions) > 0
        probability = marginals(states, transitions)[:, 1]
        return prediction_of_visible(blocks, is_content, probability=probability)

    return label
