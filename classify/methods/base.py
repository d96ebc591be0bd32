"""What a method is, and what its module has to offer.

A method without training is a function from blocks to a prediction, in a module of its own, and a line in
`vclean.classify.methods.registry`. Features that it shares with others are in `vclean.features`, and so are those that
its paper defines, under their published names. `verdict` turns the blocks it keeps into a prediction.

A method that is trained is a module with the three functions of `Trainable`. With its line in the registry it works in
`vclean --method NAME`, `vclean train --method NAME` and, cross-validated by site, `vclean evaluate --folds K`. What
`train` gives ships as `classify/data/methods/NAME.model` if it is small; without such a file, the method asks for one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from vclean.classify.corpora.gold import align
from vclean.classify.prediction import Prediction
from vclean.features import tree
from vclean.labels import Label, Visibility

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.corpora import GoldPage
    from vclean.classify.corpora.gold import BlockGold
    from vclean.features.blocks import BlockColumns


class Method(Protocol):
    """Labels the blocks of a page."""

    def __call__(self, blocks: BlockColumns) -> Prediction:
        """One label per block; the same blocks give the same labels."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodInfo:
    """What is to be known of a method without loading it.

    Attributes:
        name: as `--method` takes it.
        line: what it does and whose it is, in one line.
        place: the module below this package, and in it, behind a colon, the function, `label` where none is named.
        rendered: whether it needs rendered pages.
        trained: whether it works by a model.
        templated: whether it works by a file of selectors.
        library: a module that it needs and that comes with an extra, or empty.
        extra: that extra, or empty.
    """

    name: str
    line: str
    place: str
    rendered: bool = False
    trained: bool = False
    templated: bool = False
    library: str = ""
    extra: str = ""

    @property
    def needs(self) -> list[str]:
        """What it cannot do without, each in a word or two: rendering, a model, a template, an extra."""
        needs = {"rendering": self.rendered, "a model": self.trained, "a template": self.templated}
        extra = [f"the extra {self.extra}"] if self.extra else []
        return [name for name, needed in needs.items() if needed] + extra


@dataclass(frozen=True, eq=False)
class TrainingPage:
    """A page to learn from: its gold, and its blocks as they were read."""

    page: GoldPage
    blocks: BlockColumns

    @cached_property
    def truth(self) -> BlockGold:
        """The gold, block by block."""
        return align(self.blocks.text, self.page)


class Trainable(Protocol):
    """The module of a method that is trained."""

    def example(self, lesson: TrainingPage) -> Any:  # noqa: ANN401 - its own business
        """What the method learns from a page, of at least one block; small, for those of all pages are kept."""

    def train(self, examples: Sequence[Any]) -> bytes:
        """A model learned from the examples; the same examples give the same bytes."""

    def load(self, data: bytes) -> Method:
        """The method by the model in `data`, which `train` gave; any error says that it is damaged."""


HEADING_TAGS = frozenset(("h1", "h2", "h3", "h4", "h5", "h6"))
ITEM_TAGS = frozenset(("li", "dt", "dd"))


def decide(blocks: BlockColumns, is_content: NDArray[np.bool_], labels: Sequence[Label] | None = None) -> Prediction:
    """What keeps the blocks of `is_content` (B,), with `labels` as their types, those of their markup by default."""
    types = tag_labels(blocks) if labels is None else labels
    kept = [label if keep else Label.OTHER for label, keep in zip(types, is_content.tolist(), strict=True)]
    return Prediction(kept, is_content.astype(np.float32))


def tag_labels(blocks: BlockColumns) -> list[Label]:
    """The type of every block by its markup: heading, first block of a list item, continuation of it, paragraph."""
    snapshot = blocks.snapshot
    heading = snapshot.is_tag(HEADING_TAGS)
    item = snapshot.is_tag(ITEM_TAGS)
    is_heading = heading[tree.nearest_ancestor(heading, snapshot.parent)[blocks.node]]
    nearest_item = tree.nearest_ancestor(item, snapshot.parent)[blocks.node]
    in_item = item[nearest_item]
    first = np.zeros(len(blocks), dtype=bool)
    first[np.unique(nearest_item, return_index=True)[1]] = True
    codes = np.select([is_heading, in_item & first, in_item], [0, 2, 3], 1)
    kinds = tuple(Label)
    return [kinds[code] for code in codes]


def label_all_shown(blocks: BlockColumns) -> Prediction:
    """Every block that is shown at once is content."""
    return decide(blocks, blocks.visibility == Visibility.SHOWN)
