"""Boosted trees: LightGBM trains them and writes them down, a small extension of ours evaluates them.

LightGBM takes 22 to 26 us for a row of the trees that ship, a quarter of what an unrendered page costs in all, and a
quarter of a second to be imported. `_forest.c` gives the same numbers, to the bit, in a fifth of the time. Where it was
not built, for want of a compiler, or where trees split in ways that it does not know, LightGBM predicts.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.trees.lightgbm_text import (
    CATEGORICAL,
    LAST,
    MISSING,
    MISSING_IS_NAN,
    DamagedTreesError,
    Splits,
    field,
)

try:
    from vclean.classify.trees import _forest
except ImportError:  # there was no compiler where the package was installed
    _forest = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import lightgbm
    from numpy.typing import NDArray

COMPILED: Final = _forest is not None
"""Whether trees are evaluated without LightGBM."""

EVERY: Final = 20
"""Rounds of trees between two looks at who needs no more of them; their nodes fit into a processor's first cache."""
MARGIN: Final = 10.0
"""A block under .007 or over .993 after some trees needs no more: a third of the time; no label of 29,725 changed."""

_NODE: Final = np.dtype([("threshold", np.float32), ("feature", np.uint16), ("left", np.uint16)])
_NAN_LEFT: Final = 1 << 15
_LINKS: Final = {"regression": 0, "binary sigmoid:1": 1, "multiclass": 2}
_OTHER: Final = ("average_output", "is_linear=1")
"""Lines of trees of which not the sum counts, or not the leaves."""


class Forest:
    """Boosted trees.

    Attributes:
        text: they, in LightGBM's own text format.
        columns: the number of columns of a row.
        classes: the number of values that a row is given: 1 for a probability or a number, else one for each class.
    """

    def __init__(self, text: str) -> None:
        """Read trees.

        Raises:
            ValueError: the text is damaged.
        """
        self.text = text
        self.columns, self.classes = _shape(text)
        splits = self._checked()
        self._compiled = _Compiled.of(self, splits) if COMPILED else None
        if self._compiled is None:
            _ = self.booster  # what is slow is done before the first page

    def _checked(self) -> Splits:
        """The splits of trees that are whole: of others, LightGBM ends the process."""
        splits = Splits.of(self.text)
        columns_exist = (splits.feature >= 0) & (splits.feature < self.columns)
        if LAST not in self.text or len(splits.leaves) % self.classes or not columns_exist.all():
            raise DamagedTreesError
        return splits

    @classmethod
    def of(cls, booster: lightgbm.Booster) -> Forest:
        """The trees of a booster that was trained."""
        return cls(booster.model_to_string())

    @cached_property
    def booster(self) -> lightgbm.Booster:
        """The trees as LightGBM has them.

        Raises:
            ValueError: they are damaged.
        """
        import lightgbm

        try:
            return lightgbm.Booster(model_str=self.text)
        except lightgbm.basic.LightGBMError as error:
            raise DamagedTreesError from error

    def predict(self, x: NDArray[np.float32], *, early_stop: bool = False) -> NDArray[np.float64]:
        """What the trees say of rows.

        Args:
            x: float32 (R, columns).
            early_stop: take no more trees for rows whose log odds are beyond half of `MARGIN` after `EVERY` rounds, or
                twice as many, and so on.

        Returns:
            float64 (R,), or (R, classes) where there are several: probabilities, or the number that is predicted.

        Raises:
            ValueError: `x` has another number of columns.
        """
        if x.shape[1] != self.columns:
            raise ValueError(f"the trees were trained on {self.columns} columns, not {x.shape[1]}")
        evaluate = self._compiled.predict if self._compiled else self._by_lightgbm
        return evaluate(x, early_stop).reshape((-1, self.classes) if self.classes > 1 else -1)

    def _by_lightgbm(self, x: NDArray[np.float32], early_stop: bool) -> NDArray[np.float64]:
        options: dict[str, Any] = {
            "pred_early_stop": early_stop,
            "pred_early_stop_freq": EVERY,
            "pred_early_stop_margin": MARGIN,
        }
        # One thread: waking a second one costs more than the few hundred rows of a page.
        return np.asarray(self.booster.predict(x, num_threads=1, **options), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Compiled:
    """T trees with M nodes as `_forest.c` takes them.

    Attributes:
        nodes: `_NODE` (M,), the trees one after another; the right child follows the left one.
        value: float64 (M,), of leaves.
        first: int64 (T,), the first node of every tree.
        columns, classes: of a row, and the values that it is given.
        link: which of `_LINKS` makes a prediction of a sum of leaves.
    """

    nodes: NDArray[np.void]
    value: NDArray[np.float64]
    first: NDArray[np.int64]
    columns: int
    classes: int
    link: int

    @classmethod
    def of(cls, forest: Forest, splits: Splits) -> _Compiled | None:
        """The trees of a forest; None where LightGBM alone can evaluate them.

        Raises:
            ValueError: they are damaged.
        """
        objective = field(forest.text, "objective") or ""
        link = _LINKS.get(objective.removesuffix(f" num_class:{forest.classes}"))
        is_other = any(f"\n{line}" in forest.text for line in _OTHER)
        if link is None or is_other or not _is_known(splits, forest.columns):
            return None
        return cls(*_nodes(splits), forest.columns, forest.classes, link)

    def predict(self, x: NDArray[np.float32], early_stop: bool) -> NDArray[np.float64]:
        """float64 (R * classes,), see `Forest.predict`."""
        found = np.zeros(len(x) * self.classes)
        margin = MARGIN if early_stop and self.classes == 1 else np.inf
        trees = (self.nodes, self.value, self.first, self.columns, self.classes)
        _forest.predict(np.ascontiguousarray(x, dtype=np.float32), found, *trees, EVERY, margin, self.link)
        return found


def _is_known(splits: Splits, columns: int) -> bool:
    """Whether all splits are of columns that fit into a node, by value, with NaN or nothing for what is missing."""
    usual = (splits.kind & CATEGORICAL == 0) & np.isin(splits.kind & MISSING, (0, MISSING_IS_NAN))
    return bool(usual.all()) and columns < _NAN_LEFT and int(splits.leaves.max()) < _NAN_LEFT


def _nodes(splits: Splits) -> tuple[NDArray[np.void], NDArray[np.float64], NDArray[np.int64]]:
    """`nodes`, `value` and `first` of `_Compiled`."""
    inner, leaf = splits.places()
    sizes = 2 * splits.leaves - 1
    first = np.cumsum(sizes) - sizes
    # A leaf is a node that nothing leaves: all values, and NaN, go left, which is the leaf itself.
    nodes = np.zeros(int(sizes.sum()), dtype=_NODE)
    nodes["threshold"], nodes["feature"] = np.inf, _NAN_LEFT
    nodes["left"] = np.arange(len(nodes)) - np.repeat(first, sizes)
    nodes["threshold"][inner] = _not_above(splits.threshold)
    nodes["feature"][inner] = splits.feature + _NAN_LEFT * splits.sends_nan_left
    nodes["left"][inner] = 2 * splits.number + 1
    value = np.zeros(len(nodes))
    value[leaf] = splits.value
    return nodes, value, first


def _not_above(threshold: NDArray[np.float64]) -> NDArray[np.float32]:
    """The largest float32 that is not above: a float32 is not above it if and only if it is not above `threshold`."""
    with np.errstate(over="ignore"):
        nearest = threshold.astype(np.float32)
    return np.where(nearest > threshold, np.nextafter(nearest, np.float32(-np.inf)), nearest)


def _shape(text: str) -> tuple[int, int]:
    """The numbers of columns and of classes."""
    last, classes = field(text, "max_feature_idx"), field(text, "num_tree_per_iteration")
    if not (last and classes and last.isdecimal() and classes.isdecimal() and int(classes)):
        raise DamagedTreesError
    return int(last) + 1, int(classes)
