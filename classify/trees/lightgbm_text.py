"""Parse LightGBM's text format of boosted trees into arrays; all trees of the shipped model take 60 ms."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Integers = NDArray[np.int64]

CATEGORICAL, DEFAULT_LEFT, MISSING, MISSING_IS_NAN = 1, 2, 12, 8
"""Bits of `decision_type`. Models of vclean have NaN or no missing values."""

END_OF_TREES: Final = "\nend of trees"
"""Line after the last tree; training parameters follow it."""
_INTEGER_FIELDS: Final = ("num_leaves", "split_feature", "decision_type", "left_child", "right_child")
_FLOAT_FIELDS: Final = ("threshold", "leaf_value")
_Number = TypeVar("_Number", np.int64, np.float64)


class DamagedTreesError(ValueError):
    """Text that is not in LightGBM's format."""

    def __init__(self) -> None:
        super().__init__("damaged trees")


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """T trees of I splits and I + T leaves, in LightGBM's order.

    Attributes:
        leaves: int64 (T,), number of leaves of each tree, one more than its splits.
        feature: int64 (I,), column of each split.
        decision_type: int64 (I,), bits that describe the split: see `CATEGORICAL`.
        threshold: float64 (I,); values up to it go left.
        children: int64 (I, 2), left and right child: index of a split of the same tree, or bitwise complement of the
            index of a leaf.
        leaf_value: float64 (I + T,), value of each leaf.
    """

    leaves: Integers
    feature: Integers
    decision_type: Integers
    threshold: NDArray[np.float64]
    children: Integers
    leaf_value: NDArray[np.float64]

    @classmethod
    def parse(cls, text: str) -> Splits:
        """Parse the trees in `text`.

        Raises:
            DamagedTreesError: the text does not describe trees.
        """
        lines = _field_values(text)
        leaves, feature, decision_type, left, right = (_numbers(lines[name], np.int64) for name in _INTEGER_FIELDS)
        threshold, value = (_numbers(lines[name], np.float64) for name in _FLOAT_FIELDS)
        if len({len(feature), len(decision_type), len(left), len(right), len(threshold), len(value) - len(leaves)}) > 1:
            raise DamagedTreesError
        splits = cls(leaves, feature, decision_type, threshold, np.stack([left, right], axis=1), value)
        if not (len(leaves) and leaves.min() > 0 and leaves.sum() == len(value) and splits._children_exist()):
            raise DamagedTreesError
        return splits

    @property
    def tree(self) -> Integers:
        """Return the index of each split's tree, int64 (I,)."""
        return np.repeat(np.arange(len(self.leaves)), self.leaves - 1)

    @property
    def index_in_tree(self) -> Integers:
        """Return the index of each split in its tree, int64 (I,)."""
        return np.arange(len(self.children)) - (_starts(self.leaves - 1))[self.tree]

    def _children_exist(self) -> bool:
        """Return True if all children exist, and come after their parents: then each path ends at a leaf."""
        splits, index = (self.leaves - 1)[self.tree][:, None], self.index_in_tree[:, None]
        is_split = (self.children > index) & (self.children < splits)
        is_leaf = (self.children < 0) & (~self.children <= splits)
        return bool((is_split | is_leaf).all())

    def node_indices(self) -> tuple[Integers, Integers]:
        """Return the node indices of splits (I,) and leaves (I + T,), in one array of all nodes of all trees.

        The trees follow each other. In a tree, the root is node 0, and the children of split k are nodes 2k + 1 and
        2k + 2.

        Raises:
            DamagedTreesError: a node has no parent, or several.
        """
        splits, first_node = len(self.children), _starts(2 * self.leaves - 1)
        first_split, first_leaf = _starts(self.leaves - 1), splits + _starts(self.leaves)
        tree = self.tree[:, None]
        child = np.where(self.children < 0, first_leaf[tree] + ~self.children, first_split[tree] + self.children)
        roots = np.where(self.leaves > 1, first_split, first_leaf)
        if not (np.bincount(np.append(child, roots), minlength=splits + len(self.leaf_value)) == 1).all():
            raise DamagedTreesError
        index = np.empty(splits + len(self.leaf_value), dtype=np.int64)
        index[roots] = first_node
        index[child] = first_node[tree] + 2 * self.index_in_tree[:, None] + (1, 2)
        return index[:splits], index[splits:]

    @property
    def sends_nan_left(self) -> NDArray[np.bool_]:
        """Return a mask of the splits where NaN goes left, bool (I,).

        A split on a column without missing values in training treats NaN as 0.
        """
        return np.where(self.decision_type & MISSING, self.decision_type & DEFAULT_LEFT != 0, self.threshold >= 0)


def header_field(text: str, name: str) -> str | None:
    """Return the value of the first line `name=value`, or None."""
    _, separator, rest = text.partition(f"\n{name}=")
    return rest.partition("\n")[0] if separator else None


def _field_values(text: str) -> dict[str, list[str]]:
    """Return the values of the fields of all trees, in the order of the trees, by field name."""
    values: dict[str, list[str]] = {name: [] for name in (*_INTEGER_FIELDS, *_FLOAT_FIELDS)}
    for line in text.partition(END_OF_TREES)[0].split("\n"):
        name, _, value = line.partition("=")
        if name in values:
            values[name].append(value)
    return values


def _numbers(lines: Sequence[str], dtype: type[_Number]) -> NDArray[_Number]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # numpy warns about text that is not a number
        try:
            return np.fromstring(" ".join(filter(None, lines)), dtype=dtype, sep=" ")
        except (DeprecationWarning, ValueError) as error:
            raise DamagedTreesError from error


def _starts(lengths: Integers) -> Integers:
    return np.cumsum(lengths) - lengths
