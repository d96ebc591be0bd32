"""LightGBM's text format of boosted trees, read as arrays: all trees at once, in 60 ms for the model that ships."""

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
"""Bits of `decision_type`; other kinds of missing values than NaN and none are not trained here."""

LAST: Final = "\nend of trees"
"""What follows tells of the training."""
_WHOLE: Final = ("num_leaves", "split_feature", "decision_type", "left_child", "right_child")
_REAL: Final = ("threshold", "leaf_value")
_Number = TypeVar("_Number", np.int64, np.float64)


class DamagedTreesError(ValueError):
    """The text is not what LightGBM wrote."""

    def __init__(self) -> None:
        super().__init__("damaged trees")


@dataclass(frozen=True, slots=True, eq=False)
class Splits:
    """T trees of I splits and I + T leaves, in LightGBM's order.

    Attributes:
        leaves: int64 (T,), leaves of every tree, one more than its splits.
        feature: int64 (I,), the column that is split.
        kind: int64 (I,), `decision_type`.
        threshold: float64 (I,); what is not above it goes left.
        child: int64 (I, 2), left and right: the number of a split of the same tree, or the complement of a leaf's.
        value: float64 (I + T,), of every leaf.
    """

    leaves: Integers
    feature: Integers
    kind: Integers
    threshold: NDArray[np.float64]
    child: Integers
    value: NDArray[np.float64]

    @classmethod
    def of(cls, text: str) -> Splits:
        """The splits that a text tells of.

        Raises:
            DamagedTreesError: its numbers make no trees.
        """
        lines = _lines(text)
        leaves, feature, kind, left, right = (_numbers(lines[name], np.int64) for name in _WHOLE)
        threshold, value = (_numbers(lines[name], np.float64) for name in _REAL)
        if len({len(feature), len(kind), len(left), len(right), len(threshold), len(value) - len(leaves)}) > 1:
            raise DamagedTreesError
        found = cls(leaves, feature, kind, threshold, np.stack([left, right], axis=1), value)
        if not (len(leaves) and leaves.min() > 0 and leaves.sum() == len(value) and found._children_exist()):
            raise DamagedTreesError
        return found

    @property
    def tree(self) -> Integers:
        """int64 (I,): the tree of a split."""
        return np.repeat(np.arange(len(self.leaves)), self.leaves - 1)

    @property
    def number(self) -> Integers:
        """int64 (I,): the number of a split in its tree."""
        return np.arange(len(self.child)) - (_starts(self.leaves - 1))[self.tree]

    def _children_exist(self) -> bool:
        """Splits come after their parents, so that every way down ends."""
        splits, number = (self.leaves - 1)[self.tree][:, None], self.number[:, None]
        is_split = (self.child > number) & (self.child < splits)
        is_leaf = (self.child < 0) & (~self.child <= splits)
        return bool((is_split | is_leaf).all())

    def places(self) -> tuple[Integers, Integers]:
        """Where splits (I,) and leaves (I + T,) stand when the trees' nodes follow each other, and siblings each other.

        The children of a tree's split number k are its nodes 2k + 1 and 2k + 2; node 0 is the root.

        Raises:
            DamagedTreesError: a node has no parent, or several.
        """
        splits, nodes = len(self.child), _starts(2 * self.leaves - 1)
        first_split, first_leaf = _starts(self.leaves - 1), splits + _starts(self.leaves)
        tree = self.tree[:, None]
        child = np.where(self.child < 0, first_leaf[tree] + ~self.child, first_split[tree] + self.child)
        roots = np.where(self.leaves > 1, first_split, first_leaf)
        if not (np.bincount(np.append(child, roots), minlength=splits + len(self.value)) == 1).all():
            raise DamagedTreesError
        place = np.empty(splits + len(self.value), dtype=np.int64)
        place[roots] = nodes
        place[child] = nodes[tree] + 2 * self.number[:, None] + (1, 2)
        return place[:splits], place[splits:]

    @property
    def sends_nan_left(self) -> NDArray[np.bool_]:
        """Where missing values go left, bool (I,); a column that had none in training takes them for 0."""
        return np.where(self.kind & MISSING, self.kind & DEFAULT_LEFT != 0, self.threshold >= 0)


def field(text: str, name: str) -> str | None:
    """What the first line `name=...` of a text has; None where there is none."""
    _, found, rest = text.partition(f"\n{name}=")
    return rest.partition("\n")[0] if found else None


def _lines(text: str) -> dict[str, list[str]]:
    """What the lines of the trees have after a name and an equals sign, in the order of the trees, by name."""
    found: dict[str, list[str]] = {name: [] for name in (*_WHOLE, *_REAL)}
    for line in text.partition(LAST)[0].split("\n"):
        name, _, rest = line.partition("=")
        if name in found:
            found[name].append(rest)
    return found


def _numbers(lines: Sequence[str], kind: type[_Number]) -> NDArray[_Number]:
    with warnings.catch_warnings():
        warnings.simplefilter("error", DeprecationWarning)  # is how numpy says that something is no number
        try:
            return np.fromstring(" ".join(filter(None, lines)), dtype=kind, sep=" ")
        except (DeprecationWarning, ValueError) as error:
            raise DamagedTreesError from error


def _starts(lengths: Integers) -> Integers:
    return np.cumsum(lengths) - lengths
