"""Evaluate boosted trees that LightGBM trained, with a small C extension or with LightGBM.

LightGBM takes 22 to 26 us per row for the shipped trees, a quarter of the total time of an unrendered page, and a
quarter of a second to import. `_forest.c` gives bit-identical results in a fifth of the time. LightGBM predicts if the
extension was not built because no compiler was available, or if the trees have splits that the extension lacks.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.trees.lightgbm_text import (
    CATEGORICAL,
    END_OF_TREES,
    MISSING,
    MISSING_IS_NAN,
    DamagedTreesError,
    Splits,
    header_field,
)

try:
    from vclean.classify.trees import _forest
except ImportError:  # the package was installed without a compiler
    _forest = None  # type: ignore[assignment]

if TYPE_CHECKING:
    import lightgbm
    from numpy.typing import NDArray

COMPILED: Final = _forest is not None
"""True if the C extension is available."""

EARLY_STOP_ROUNDS: Final = 20
"""Boosting rounds between two checks for early stopping; their nodes fit into the first-level cache of a processor."""
EARLY_STOP_MARGIN: Final = 10.0
"""Twice the log odds beyond which a row stops early (probability under .007 or over .993). Evaluation takes a third of
the time, and none of 29,725 labels changed."""

_NODE: Final = np.dtype([("threshold", np.float32), ("feature", np.uint16), ("left", np.uint16)])
_NAN_LEFT: Final = 1 << 15
_LINKS: Final = {"regression": 0, "binary sigmoid:1": 1, "multiclass": 2}
_UNSUPPORTED: Final = ("average_output", "is_linear=1")
"""Lines of models that average trees, or have linear models in leaves; the extension supports neither."""


class Forest:
    """Boosted trees.

    Attributes:
        text: the trees in LightGBM's text format.
        columns: number of columns of the feature matrix.
        classes: number of predicted values per row: 1 for a binary model or a regression, else the number of classes.
    """

    def __init__(self, text: str) -> None:
        """Parse trees in LightGBM's text format.

        Raises:
            ValueError: the text is damaged.
        """
        self.text = text
        self.columns, self.classes = _shape(text)
        splits = self._checked()
        self._compiled = _Compiled.from_splits(self, splits) if COMPILED else None
        if self._compiled is None:
            _ = self.booster  # parse now: this is slow, and must not delay the first page

    def _checked(self) -> Splits:
        """Return the splits if the trees are complete; LightGBM would end the process on incomplete trees."""
        splits = Splits.parse(self.text)
        columns_exist = (splits.feature >= 0) & (splits.feature < self.columns)
        if END_OF_TREES not in self.text or len(splits.leaves) % self.classes or not columns_exist.all():
            raise DamagedTreesError
        return splits

    @classmethod
    def from_booster(cls, booster: lightgbm.Booster) -> Forest:
        """Return the trees of a trained booster."""
        return cls(booster.model_to_string())

    @cached_property
    def booster(self) -> lightgbm.Booster:
        """Return the trees as a LightGBM booster.

        Raises:
            ValueError: the trees are damaged.
        """
        import lightgbm

        try:
            return lightgbm.Booster(model_str=self.text)
        except lightgbm.basic.LightGBMError as error:
            raise DamagedTreesError from error

    def predict(self, x: NDArray[np.float32], *, early_stop: bool = False) -> NDArray[np.float64]:
        """Predict probabilities or values of rows.

        Args:
            x: float32 (R, columns).
            early_stop: after every `EARLY_STOP_ROUNDS` rounds, skip the remaining trees for rows with absolute log
                odds above half of `EARLY_STOP_MARGIN`; for binary models only.

        Returns:
            Probabilities, or predicted values of a regression: float64 (R,), or (R, classes) for several classes.

        Raises:
            ValueError: `x` has another number of columns than the training rows.
        """
        if x.shape[1] != self.columns:
            raise ValueError(f"the trees were trained on {self.columns} columns, not {x.shape[1]}")
        evaluate = self._compiled.predict if self._compiled else self._predict_with_lightgbm
        return evaluate(x, early_stop).reshape((-1, self.classes) if self.classes > 1 else -1)

    def _predict_with_lightgbm(self, x: NDArray[np.float32], early_stop: bool) -> NDArray[np.float64]:
        options: dict[str, Any] = {
            "pred_early_stop": early_stop,
            "pred_early_stop_freq": EARLY_STOP_ROUNDS,
            "pred_early_stop_margin": EARLY_STOP_MARGIN,
        }
        # One thread: waking a second one costs more than the few hundred rows of a page.
        return np.asarray(self.booster.predict(x, num_threads=1, **options), dtype=np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class _Compiled:
    """T trees with M nodes in the memory layout of `_forest.c`.

    Attributes:
        nodes: `_NODE` (M,), nodes of one tree after another; a right child follows its left sibling.
        value: float64 (M,), values of leaves; 0 for splits.
        first: int64 (T,), index of the first node of each tree.
        columns: number of columns of the feature matrix.
        classes: number of predicted values per row.
        link: value of `_LINKS`, the function from a sum of leaf values to a prediction.
    """

    nodes: NDArray[np.void]
    value: NDArray[np.float64]
    first: NDArray[np.int64]
    columns: int
    classes: int
    link: int

    @classmethod
    def from_splits(cls, forest: Forest, splits: Splits) -> _Compiled | None:
        """Convert the trees of a forest; return None if only LightGBM can evaluate them.

        Raises:
            ValueError: the trees are damaged.
        """
        objective = header_field(forest.text, "objective") or ""
        link = _LINKS.get(objective.removesuffix(f" num_class:{forest.classes}"))
        is_unsupported = any(f"\n{line}" in forest.text for line in _UNSUPPORTED)
        if link is None or is_unsupported or not _are_supported(splits, forest.columns):
            return None
        return cls(*_nodes(splits), forest.columns, forest.classes, link)

    def predict(self, x: NDArray[np.float32], early_stop: bool) -> NDArray[np.float64]:
        """Return the predictions of `Forest.predict` in one row, float64 (R * classes,)."""
        out = np.zeros(len(x) * self.classes)
        margin = EARLY_STOP_MARGIN if early_stop and self.classes == 1 else np.inf
        trees = (self.nodes, self.value, self.first, self.columns, self.classes)
        x = np.ascontiguousarray(x, dtype=np.float32)
        _forest.predict(x, out, *trees, EARLY_STOP_ROUNDS, margin, self.link)
        return out


def _are_supported(splits: Splits, columns: int) -> bool:
    """Return True if the C extension can evaluate all splits.

    Splits must be numerical, missing values NaN or absent, and indices of columns and leaves must fit into a node.
    """
    numerical = splits.decision_type & CATEGORICAL == 0
    supported = numerical & np.isin(splits.decision_type & MISSING, (0, MISSING_IS_NAN))
    return bool(supported.all()) and columns < _NAN_LEFT and int(splits.leaves.max()) < _NAN_LEFT


def _nodes(splits: Splits) -> tuple[NDArray[np.void], NDArray[np.float64], NDArray[np.int64]]:
    """Return `nodes`, `value` and `first` of `_Compiled`."""
    inner, leaf = splits.node_indices()
    sizes = 2 * splits.leaves - 1
    first = np.cumsum(sizes) - sizes
    # A leaf is its own left child: all values, and NaN, go left.
    nodes = np.zeros(int(sizes.sum()), dtype=_NODE)
    nodes["threshold"], nodes["feature"] = np.inf, _NAN_LEFT
    nodes["left"] = np.arange(len(nodes)) - np.repeat(first, sizes)
    nodes["threshold"][inner] = _round_down(splits.threshold)
    nodes["feature"][inner] = splits.feature + _NAN_LEFT * splits.sends_nan_left
    nodes["left"][inner] = 2 * splits.index_in_tree + 1
    value = np.zeros(len(nodes))
    value[leaf] = splits.leaf_value
    return nodes, value, first


def _round_down(threshold: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round thresholds down to float32; for each float32 x, `x <= threshold` keeps its truth value."""
    with np.errstate(over="ignore"):
        nearest = threshold.astype(np.float32)
    return np.where(nearest > threshold, np.nextafter(nearest, np.float32(-np.inf)), nearest)


def _shape(text: str) -> tuple[int, int]:
    """Return the numbers of columns and of classes."""
    last_column, classes = header_field(text, "max_feature_idx"), header_field(text, "num_tree_per_iteration")
    if not (last_column and classes and last_column.isdecimal() and classes.isdecimal() and int(classes)):
        raise DamagedTreesError
    return int(last_column) + 1, int(classes)
