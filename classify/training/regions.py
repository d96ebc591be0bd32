"""Fit the region model, and for cross-validation one for each fold of sites."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.corpora.corpora import folds
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
    "num_threads": 1,  # a round is too short to be worth a second thread
    "seed": SEED,
    **REPRODUCIBLE,
}
NONE_WEIGHT: Final = 0.3
"""Weight of a container that is no region; there are ten of them to a region."""
STYLED_WEIGHT: Final = 0.1
"""Weight of a region that a generator marked, against one marked by hand."""
SITE_REGIONS: Final = 40
"""Regions from which on a site of generated pages weighs no more: all its pages are made alike."""


def fit(rows: Sequence[RegionRows]) -> Forest:
    """Fit the boosted model of the role of a container; the same rows give the same model."""
    x = np.vstack([page.x for page in rows])
    role = np.concatenate([page.role for page in rows])
    return fit_forest(PARAMETERS, ROUNDS, x, role, weight=_weights(rows))


def _weights(rows: Sequence[RegionRows]) -> NDArray[np.float32]:
    """Return the training weight of every row, float32 (R,)."""
    regions: dict[str, int] = {}
    for page in rows:
        regions[page.site] = regions.get(page.site, 0) + int((page.role != NONE).sum())
    of_page = [
        1.0 if page.by_hand else STYLED_WEIGHT * min(1, SITE_REGIONS / max(regions[page.site], 1)) for page in rows
    ]
    kinds = [np.where(page.role == NONE, NONE_WEIGHT, 1) for page in rows]
    return np.concatenate([scale * kind for scale, kind in zip(of_page, kinds, strict=True)]).astype(np.float32)


@dataclass(frozen=True, slots=True)
class RegionFits:
    """The region model of some pages, and for each fold of their sites the one that saw no page of it.

    The block model learns from posteriors out of fold. Its own held-out fold need not be left out as well, as it is
    for the linear models: these learn content and so the answer, the region model learns roles.

    Attributes:
        full: the model of all pages.
        unseen: by site, the model that did not see it; other sites no model saw.
    """

    full: Forest
    unseen: dict[str, Forest]

    @classmethod
    def of(cls, rows: Sequence[RegionRows]) -> RegionFits:
        """Fit the models of `rows`, whose sites decide the folds; pages marked by a generator are in all of them.

        Raises:
            InputError: fewer than two sites are marked by hand.
        """
        by_hand = sorted({page.site for page in rows if page.by_hand})
        if len(by_hand) < _MIN_SITES:
            raise InputError("too few marked pages to learn roles from: give an archive with pages of several sites")
        fold = dict(zip(by_hand, folds(by_hand, FOLDS).tolist(), strict=True))
        models = {out: fit([page for page in rows if fold.get(page.site) != out]) for out in set(fold.values())}
        return cls(fit(rows), {site: models[fold[site]] for site in by_hand})

    def for_site(self, site: str) -> Forest:
        """Return a model that has seen no page of `site`."""
        return self.unseen.get(site, self.full)
