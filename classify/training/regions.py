"""Fit the region model, and one region model for each fold of sites for cross-validation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.corpora.corpora import assign_folds
from vclean.classify.regions.model import CLASSES, NONE
from vclean.classify.trees.boosting import REPRODUCIBLE, SEED, fit_forest
from vclean.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.regions.dataset import RegionRows
    from vclean.classify.trees.forest import Forest

FOLDS: Final = 5
_MIN_SITES: Final = 2
ROUNDS: Final = 45
PARAMETERS: dict[str, Any] = {
    "objective": "multiclass",
    "num_class": CLASSES,
    "num_leaves": 7,
    "learning_rate": 0.15,
    "feature_fraction": 0.3,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "min_data_in_leaf": 10,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "num_threads": 1,  # a second thread costs more than it saves in such short rounds
    "seed": SEED,
    **REPRODUCIBLE,
}
NONE_WEIGHT: Final = 0.3
"""Weight of a container that is not a region; these are ten times as frequent as regions."""
STYLED_WEIGHT: Final = 0.1
"""Weight of a region marked by a generator, relative to 1 for one marked by hand."""
SITE_REGIONS: Final = 40
"""Number of regions at which the weight of a site of generated pages stops growing: all its pages are alike."""


def fit(rows: Sequence[RegionRows]) -> Forest:
    """Fit the boosted model of container roles; the same rows give the same model."""
    x = np.vstack([page.x for page in rows])
    role = np.concatenate([page.role for page in rows])
    return fit_forest(PARAMETERS, ROUNDS, x, role, weight=_weights(rows))


def _weights(rows: Sequence[RegionRows]) -> NDArray[np.float32]:
    """Return the training weight of each row, float32 (R,)."""
    regions: dict[str, int] = {}
    for page in rows:
        regions[page.site] = regions.get(page.site, 0) + int((page.role != NONE).sum())
    page_weights = [
        1.0 if page.by_hand else STYLED_WEIGHT * min(1, SITE_REGIONS / max(regions[page.site], 1)) for page in rows
    ]
    class_weights = [np.where(page.role == NONE, NONE_WEIGHT, 1) for page in rows]
    return np.concatenate([scale * kind for scale, kind in zip(page_weights, class_weights, strict=True)]).astype(
        np.float32
    )


@dataclass(frozen=True, slots=True)
class RegionFits:
    """Region model of all pages, and for each fold of sites the model fitted without it.

    The segment model is trained on posteriors from models that did not see the page's site.

    Attributes:
        full: model of all pages.
        held_out: by site, the model fitted without it; no model saw other sites.
    """

    full: Forest
    held_out: dict[str, Forest]

    @classmethod
    def from_rows(cls, rows: Sequence[RegionRows]) -> RegionFits:
        """Fit the models of `rows`, with folds by site. Pages marked by a generator are in all training sets.

        Raises:
            InputError: fewer than two sites are marked by hand.
        """
        by_hand = sorted({page.site for page in rows if page.by_hand})
        if len(by_hand) < _MIN_SITES:
            raise InputError("too few marked pages to learn roles from: give an archive with pages of several sites")
        fold = dict(zip(by_hand, assign_folds(by_hand, FOLDS).tolist(), strict=True))
        models = {
            fold_out: fit([page for page in rows if fold.get(page.site) != fold_out]) for fold_out in set(fold.values())
        }
        return cls(fit(rows), {site: models[fold[site]] for site in by_hand})

    def for_site(self, site: str) -> Forest:
        """Return a model that saw no page of `site`."""
        return self.held_out.get(site, self.full)
