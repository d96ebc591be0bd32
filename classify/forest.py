"""Evaluate boosted trees that LightGBM trained, with a small C extension.

LightGBM takes 22 to 26 us per row for the shipped trees, a quarter of the total time of an unrendered page, and a
quarter of a second to import. `_forest.c` gives bit-identical results in a fifth of the time.

Parsing all trees of the shipped model from LightGBM's text format takes 40 ms; half of them are parsed on use.
"""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import _forest
from vclean.errors import ModelError

if TYPE_CHECKING:
    from collections.abc import Mapping

    import lightgbm
    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

_CATEGORICAL, _DEFAULT_LEFT, _MISSING, _MISSING_IS_NAN = 1, 2, 12, 8
"""Bits of `decision_type`. Models of vclean have NaN or no missing values."""

END_OF_TREES: Final = "\nend of trees"
"""Line after the last tree; training parameters follow it."""
_FIELDS: Final = {
    **dict.fromkeys(("num_leaves", "split_feature", "decision_type", "left_child", "right_child"), np.int64),
    **dict.fromkeys(("threshold", "leaf_value"), np.float64),
}


class DamagedTreesError(ModelError, ValueError):
    """Text that is not in LightGBM's format."""

    def __init__(self) -> None:
        super().__init__("the model has damaged trees: train it again with `vclean train`, or install vclean again")


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """T trees of I splits and I + T leaves. Nodes are numbered: the splits from 0, then the leaves from I.

    Attributes:
        leaves: int64 (T,), number of leaves of each tree, one more than its splits.
        root: int64 (T,), root of each tree.
        feature: int64 (I,), column of each split.
        decision_type: int64 (I,), bits that describe the split: see `_CATEGORICAL`.
        threshold: float64 (I,); values up to it go left.
        child: int64 (I, 2), left and right child.
        leaf_value: float64 (I + T,), value of each leaf.
    """

    leaves: Integers
    root: Integers
    feature: Integers
    decision_type: Integers
    threshold: NDArray[np.float64]
    child: Integers
    leaf_value: NDArray[np.float64]

    @classmethod
    def parse(cls, text: str) -> Splits:
        """Parse the trees in `text`.

        Raises:
            DamagedTreesError: the text does not describe trees, or a node has no parent, or several.
        """
        leaves, feature, decision_type, left, right, threshold, value = _field_values(text, _FIELDS)
        count = len(feature)
        lengths = {len(decision_type), len(left), len(right), len(threshold), len(value) - len(leaves)}
        if lengths != {count} or not len(leaves) or leaves.min() < 1 or leaves.sum() != len(value):
            raise DamagedTreesError
        tree, in_tree = _tree_of_splits(leaves)[:, None], np.stack([left, right], axis=1)
        first_split, first_leaf = _starts(leaves - 1), count + _starts(leaves)
        child = np.where(in_tree < 0, first_leaf[tree] + ~in_tree, first_split[tree] + in_tree)
        root = np.where(leaves > 1, first_split, first_leaf)
        exists = np.where(in_tree < 0, ~in_tree < leaves[tree], in_tree < leaves[tree] - 1)
        if not exists.all() or (np.bincount(np.append(child, root), minlength=count + len(value)) != 1).any():
            raise DamagedTreesError
        return cls(leaves, root, feature, decision_type, threshold, child, value)

    @property
    def sends_nan_left(self) -> NDArray[np.bool_]:
        """Return a mask of the splits where NaN goes left, bool (I,).

        A split on a column without missing values in training treats NaN as 0.
        """
        return np.where(self.decision_type & _MISSING, self.decision_type & _DEFAULT_LEFT != 0, self.threshold >= 0)


def _field_values(text: str, types: Mapping[str, type[np.number[Any]]]) -> list[NDArray[Any]]:
    """Return the numbers of fields, each of all trees in the order of the trees, given their types by name.

    Raises:
        DamagedTreesError: a value is not a number.
    """
    lines: dict[str, list[str]] = {name: [] for name in types}
    for line in text.partition(END_OF_TREES)[0].split("\n"):
        name, _, value = line.partition("=")
        if value and name in lines:
            lines[name].append(value)
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # numpy warns about text that is not a number
        try:
            return [np.fromstring(" ".join(values), types[name], sep=" ") for name, values in lines.items()]
        except (DeprecationWarning, ValueError) as error:
            raise DamagedTreesError from error


def _starts(lengths: Integers) -> Integers:
    return np.cumsum(lengths) - lengths


def _tree_of_splits(leaves: Integers) -> Integers:
    return np.repeat(np.arange(len(leaves)), leaves - 1)


EARLY_STOP_ROUNDS: Final = 20
"""Boosting rounds between two checks for early stopping; their nodes fit into the first-level cache of a processor."""
EARLY_STOP_MARGIN: Final = 10.0
"""Twice the log odds beyond which a row stops early (probability under .007 or over .993). Evaluation takes a third of
the time, and none of 29,725 labels changed."""

_NODE: Final = np.dtype([("threshold", np.float32), ("feature", np.uint16), ("left", np.uint16)])
_NAN_LEFT: Final = 1 << 15


class Forest:
    """Boosted trees.

    Attributes:
        text: the trees in LightGBM's text format.
        columns: number of columns of the feature matrix.
        classes: number of predicted values per row: 1 for a binary model, else the number of classes.
    """

    def __init__(self, text: str, *, is_rare: bool = False) -> None:
        """Parse trees in LightGBM's text format.

        Args:
            text: the trees.
            is_rare: whether most pages do without them: they are parsed, and damage is found, on the first prediction.

        Raises:
            ModelError: the text is damaged.
        """
        self.text = text
        fields = ("max_feature_idx", "num_tree_per_iteration")
        last_column, classes = (re.search(rf"^{name}=(\d{{1,9}})$", text, re.MULTILINE) for name in fields)
        if not (last_column and classes and int(classes[1])):
            raise DamagedTreesError
        self.columns, self.classes = int(last_column[1]) + 1, int(classes[1])
        if not is_rare:
            _ = self._compiled  # parse now: this is slow, and must not delay the first page

    @cached_property
    def _compiled(self) -> tuple[NDArray[np.void], NDArray[np.float64], NDArray[np.int64]]:
        """Return `_nodes` for the C extension."""
        splits = self.splits()
        is_numerical = np.isin(splits.decision_type & (_MISSING | _CATEGORICAL), (0, _MISSING_IS_NAN)).all()
        if not is_numerical or max(self.columns, int(splits.leaves.max())) >= _NAN_LEFT:
            raise DamagedTreesError
        return _nodes(splits)

    def splits(self) -> Splits:
        """Return the splits if the trees are complete; LightGBM would end the process on incomplete trees.

        Raises:
            DamagedTreesError: the trees are damaged.
        """
        splits = Splits.parse(self.text)
        columns_exist = (splits.feature >= 0) & (splits.feature < self.columns)
        if END_OF_TREES not in self.text or len(splits.leaves) % self.classes or not columns_exist.all():
            raise DamagedTreesError
        return splits

    @cached_property
    def booster(self) -> lightgbm.Booster:
        """Return the trees as a LightGBM booster.

        Raises:
            ModelError: the trees are damaged.
        """
        import lightgbm

        self.splits()
        try:
            return lightgbm.Booster(model_str=self.text)
        except lightgbm.basic.LightGBMError as error:
            raise DamagedTreesError from error

    def predict(self, x: NDArray[np.float32], *, early_stop: bool = False) -> NDArray[np.float64]:
        """Predict probabilities of rows.

        Args:
            x: float32 (R, columns).
            early_stop: after every `EARLY_STOP_ROUNDS` rounds, skip the remaining trees for rows with absolute log
                odds above half of `EARLY_STOP_MARGIN`; for binary models only.

        Returns:
            Probabilities, float64 (R,), or (R, classes) for several classes.

        Raises:
            ValueError: `x` has another number of columns than the training rows.
        """
        if x.shape[1] != self.columns:
            raise ValueError(f"the trees were trained on {self.columns} columns, not {x.shape[1]}")
        values = np.zeros(len(x) * self.classes)
        margin = EARLY_STOP_MARGIN if early_stop and self.classes == 1 else np.inf
        rows, trees = np.ascontiguousarray(x, dtype=np.float32), (*self._compiled, self.columns, self.classes)
        _forest.predict(rows, values, *trees, EARLY_STOP_ROUNDS, margin)
        return values.reshape((-1, self.classes) if self.classes > 1 else -1)

    def contributions(self, x: NDArray[np.float32]) -> tuple[float, NDArray[np.float64]]:
        """Return the mean prediction and the SHAP values of the columns of `x` (B, F), in log odds; B is at least 1.

        LightGBM computes them (Lundberg et al. 2020, Algorithm 2).

        Returns:
            The mean prediction over the training rows, and float64 (B, F). The mean and the sum of a row's values add
            up to the prediction for the row.
        """
        values = np.asarray(self.booster.predict(x, pred_contrib=True, num_threads=1))
        return float(values[0, -1]), values[:, :-1]


def _nodes(splits: Splits) -> tuple[NDArray[np.void], NDArray[np.float64], NDArray[np.int64]]:
    """Return T trees with M nodes in the memory layout of `_forest.c`.

    In a tree, the root is node 0, and the children of split k are nodes 2k + 1 and 2k + 2.

    Returns:
        The nodes, `_NODE` (M,), of one tree after another; the values of leaves, 0 for splits, float64 (M,); and the
        first node of each tree, int64 (T,).
    """
    count, sizes, tree = len(splits.child), 2 * splits.leaves - 1, _tree_of_splits(splits.leaves)
    first = _starts(sizes)
    left = 2 * (np.arange(count) - _starts(splits.leaves - 1)[tree]) + 1
    index = np.empty(sizes.sum(), dtype=np.int64)
    index[splits.root] = first
    index[splits.child] = (first[tree] + left)[:, None] + (0, 1)
    inner, leaf = index[:count], index[count:]
    # A leaf is its own left child: all values, and NaN, go left.
    nodes, value = np.zeros(len(index), dtype=_NODE), np.zeros(len(index))
    nodes["threshold"], nodes["feature"] = np.inf, _NAN_LEFT
    nodes["left"] = np.arange(len(nodes)) - np.repeat(first, sizes)
    with np.errstate(over="ignore"):
        nearest = splits.threshold.astype(np.float32)
    # Rounded down: for each float32 x, `x <= threshold` keeps its truth value.
    rounded = np.where(nearest > splits.threshold, np.nextafter(nearest, np.float32(-np.inf)), nearest)
    nodes["threshold"][inner] = rounded
    nodes["feature"][inner] = splits.feature + _NAN_LEFT * splits.sends_nan_left
    nodes["left"][inner] = left
    value[leaf] = splits.leaf_value
    return nodes, value, first
