"""Fit the model that predicts the type of a page."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.trees.boosting import REPRODUCIBLE, SEED, fit_forest
from vclean.features.facts.page_type import without_address
from vclean.labels import PAGE_TYPES, PageType

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.trees.forest import Forest

ROUNDS: Final = 60
PARAMETERS: Final[Mapping[str, Any]] = {
    "objective": "multiclass",
    "num_class": len(PAGE_TYPES),
    "num_leaves": 8,
    "learning_rate": 0.1,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "min_data_in_leaf": 8,
    "lambda_l2": 3.0,
    "max_bin": 63,
    "num_threads": 1,
    "seed": SEED,
    **REPRODUCIBLE,
}
_BALANCE: Final = 0.5
"""Exponent of the balance of types: 0 counts every page the same, 1 every type. Half of the pages are articles."""


@dataclass(frozen=True, slots=True, eq=False)
class PageTypeExample:
    """Page of known type.

    Attributes:
        x: float32 (F,), its features, see `vclean.features.facts.page_type`.
        page_type: its type.
        weight: how much it counts.
    """

    x: NDArray[np.float32]
    page_type: PageType
    weight: float = 1.0


def add_unknown_addresses(examples: Sequence[PageTypeExample]) -> list[PageTypeExample]:
    """Return the examples, and each of them again as a page without URL, with half the weight each.

    Without the copies, a page without URL is taken for an article: the others of the corpora have a URL.
    """
    half = [replace(example, weight=example.weight / 2) for example in examples]
    return [*half, *(replace(example, x=without_address(example.x)) for example in half)]


def fit_page_types(examples: Sequence[PageTypeExample]) -> Forest:
    """Fit the model; the same examples give the same trees."""
    x = np.stack([example.x for example in examples])
    y = np.array([PAGE_TYPES.index(example.page_type) for example in examples])
    own = np.array([example.weight for example in examples])
    weight = own * np.bincount(y, own)[y] ** -_BALANCE
    return fit_forest(PARAMETERS, ROUNDS, x, y, weight=weight / weight.mean())
