"""The learned segmenter: which containers of a page hold several of its main segments, which several parts of these.

A model file is a zip archive: `card.json` (what it was trained on, versions, the columns it reads), and boosted trees
in LightGBM's own text format: `regions.txt`, the roles of containers, and for each level of the marks a few models that
differ by seed, of whose probabilities the mean counts.
"""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify import model_file, region_model
from vclean.classify.forest import Forest
from vclean.classify.model_file import DAMAGE, pack
from vclean.classify.segment_cut import best_states
from vclean.classify.segment_rows import LEVELS, SegmentPage
from vclean.classify.segment_states import State
from vclean.classify.segment_tree import METHOD, build
from vclean.errors import InputError, ModelError
from vclean.features import vips
from vclean.features.segment_columns import COLUMNS, REGIONAL, role_matrix, words_of_page

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from vclean.classify.segment_rows import SegmentRows
    from vclean.features.segments import Segments
    from vclean.render.snapshot import Snapshot

FORMAT: Final = 1
"""Version of the file's layout."""
SEEDS: Final = (20071, 20072, 20073)
ROUNDS: Final = 120
PARAMETERS: dict[str, Any] = {
    "objective": "binary",
    "num_leaves": 7,
    "learning_rate": 0.06,
    "feature_fraction": 0.2,
    "bagging_fraction": 0.8,
    "bagging_freq": 1,
    "min_data_in_leaf": 8,
    "lambda_l2": 5.0,
    "max_bin": 63,
    "num_threads": 1,
    "deterministic": True,
    "force_col_wise": True,
    "verbosity": -1,
}
_UNTOLD: Final = 0.3
"""Weight of a container whose state no mark tells."""
_LEAST, _WORDS = 0.2, 2.0
"""The weight of a container grows with the root of its share of the page's words: scores count characters."""
_SHIPPED: Final = "segments.vclean"
_REGIONS: Final = "regions.txt"
_MEMBERS: Final = tuple(tuple(f"level{level}-{number}.txt" for number in range(len(SEEDS))) for level in LEVELS)
_REMEDY: Final = "train it with `vclean train-segments`"


@dataclass(frozen=True, slots=True, eq=False)
class SegmentModel:
    """A trained segmenter.

    Attributes:
        regions: boosted trees, the role of a container (`vclean.classify.region_model`).
        levels: for each level of the marks, boosted trees: the probability that a container is divided.
        card: what the model is: archive, pages, seeds, versions, columns.
    """

    regions: Forest
    levels: tuple[tuple[Forest, ...], ...]
    card: dict[str, Any]

    def __call__(self, snapshot: Snapshot) -> Segments:
        """The main segments of a rendered page, and their parts.

        Raises:
            UsageError: the page was not rendered.
        """
        page = SegmentPage.of(snapshot)
        if page is None:
            return vips.whole(snapshot, METHOD)
        x = with_roles(page.x, page.regions.parent, self.regions)
        main, parts = (_mean(trees, x) for trees in self.levels)
        states = best_states(main, page.sizes)
        finer = best_states(np.where(states == State.ABOVE, 1.0, parts), page.sizes)
        return build(page.painted, page.regions, states, finer)

    def has_seen(self, address: str) -> bool:
        """Whether it learned from the page at this address."""
        return address in self.card.get("pages", ())

    def to_bytes(self) -> bytes:
        """The model's file; the same model gives the same bytes."""
        card = json.dumps(self.card, indent=1, ensure_ascii=False)
        trees = zip(chain(*_MEMBERS), chain(*self.levels), strict=True)
        texts = {"card.json": card, _REGIONS: self.regions.text}
        texts |= {name: forest.text for name, forest in trees}
        return pack({name: text.encode() for name, text in texts.items()})


def with_roles(x: NDArray[np.float32], parent: NDArray[np.int32], regions: Forest) -> NDArray[np.float32]:
    """float32 (C, len(COLUMNS)): `x` (C, len(SEEN_COLUMNS)) and what the region model says."""
    posterior = region_model.posterior(regions, x[:, :REGIONAL])
    return np.hstack([x, role_matrix(posterior, parent)])


def fit(rows: Sequence[SegmentRows], facts: dict[str, Any] | None = None) -> SegmentModel:
    """A model of the rows; the same rows give the same model.

    The region model that a page's rows are given is one that has not seen its site.

    Args:
        rows: of pages of several sites.
        facts: what its card is to say beside pages, versions and columns.

    Raises:
        InputError: there are fewer than two sites, or a level has no marks.
    """
    roles = region_model.RegionFits.of([page.roles for page in rows])
    told = [with_roles(page.x, page.parent, roles.for_site(page.site)) for page in rows]
    levels = tuple(_fit(rows, told, level) for level in LEVELS)
    versions = {name: metadata.version(name) for name in ("vclean", "lightgbm")}
    columns = [column.name for column in COLUMNS]
    pages = [page.address for page in rows]
    card = {"format": FORMAT, **(facts or {}), "versions": versions, "seeds": SEEDS, "pages": pages, "columns": columns}
    return SegmentModel(roles.full, levels, card)


def load(path: Path | None = None) -> SegmentModel:
    """The model in the file `path`, or the one that ships with the package.

    Raises:
        ModelError: the file is missing, damaged, no model, or of another version of vclean.
    """
    return from_bytes(model_file.read(path), str(path)) if path else load_default()


@cache
def load_default() -> SegmentModel:
    """The model that ships with the package.

    Raises:
        ModelError: it is not there or damaged.
    """
    return from_bytes(model_file.shipped(_SHIPPED), "the shipped segment model")


def from_bytes(data: bytes, name: str) -> SegmentModel:
    """The model in `data`; `name` is what messages call it.

    Raises:
        ModelError: it is damaged, no model, or of another version of vclean.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            card = json.loads(archive.read("card.json"))
            same = card["format"] == FORMAT and card["columns"] == [column.name for column in COLUMNS]
            regions = Forest(archive.read(_REGIONS).decode())
            levels = tuple(tuple(Forest(archive.read(member).decode()) for member in level) for level in _MEMBERS)
    except DAMAGE as error:
        raise ModelError(f"{name} is no segment model of vclean, or a damaged one: {_REMEDY}") from error
    if not same:
        raise ModelError(f"{name} is of another version of vclean: {_REMEDY}")
    return SegmentModel(regions, levels, card)


def _fit(rows: Sequence[SegmentRows], told: Sequence[NDArray[np.float32]], level: int) -> tuple[Forest, ...]:
    """Boosted trees of the containers that hold others and lie in no segment: whether they are divided."""
    parts = [_teaching(page, x, level) for page, x in zip(rows, told, strict=True) if level in page.state]
    if not parts:
        raise InputError(f"no page has marks of level {level} to learn from: give an archive whose pages have both")
    x, divided, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    return tuple(_boosted(x, divided, weight, seed) for seed in SEEDS)


def _teaching(
    page: SegmentRows, x: NDArray[np.float32], level: int
) -> tuple[NDArray[np.float32], NDArray[np.int8], NDArray[np.float64]]:
    """Features, whether it is divided, and weight of each container that could be."""
    state, told = page.state[level], page.told[level]
    divisible = np.isin(np.arange(len(x)), page.parent)
    taught = divisible & (state != State.BELOW)
    weight = np.where(told, 1, _UNTOLD) * (_LEAST + _WORDS * np.sqrt(words_of_page(x)))
    return x[taught], (state == State.ABOVE)[taught].astype(np.int8), weight[taught]


def _boosted(x: NDArray[np.float32], divided: NDArray[np.int8], weight: NDArray[np.float64], seed: int) -> Forest:
    import lightgbm

    parameters = PARAMETERS | {"seed": seed}
    data = lightgbm.Dataset(x, divided, weight=weight, params=parameters)
    return Forest.of(lightgbm.train(parameters, data, ROUNDS))


def _mean(trees: Sequence[Forest], x: NDArray[np.float32]) -> NDArray[np.float64]:
    """float64 (C,): the probability that every container is divided."""
    found = [forest.predict(x) for forest in trees]
    return np.asarray(np.mean(found, axis=0))
