"""Training the methods that are trained, and cross-validating them by site."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from vclean.classify.corpora.corpora import folds, site
from vclean.classify.methods.base import TrainingPage
from vclean.classify.methods.registry import checked, facts, trainable
from vclean.classify.methods.storage import pack
from vclean.errors import InputError, VcleanError
from vclean.features.blocks import extract_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.corpora import GoldPage
    from vclean.classify.evaluation.evaluate import Predictor, Reader
    from vclean.classify.methods.base import Method
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

FOLDS: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class TrainingExamples:
    """What methods learn from P pages.

    Attributes:
        keys: the corpus and the id of every page.
        sites: the site of every page.
        examples: for every method, by name, what it learns from each page.
    """

    keys: list[tuple[str, str]]
    sites: list[str]
    examples: Mapping[str, list[Any]]

    @classmethod
    def of(cls, pages: Iterable[GoldPage], names: Sequence[str], read: Reader) -> TrainingExamples:
        """What the methods called `names` learn from `pages`; those that cannot be read, or have no text, are left out.

        Raises:
            UsageError: one of the methods is not trained, or there is none of that name.
            ExtraMissingError: one needs a library that is not installed.
        """
        modules = {name: trainable(name) for name in names}
        lessons = cls([], [], {name: [] for name in names})
        for page in pages:
            blocks = _blocks(page, read)
            if blocks is None:
                continue
            lesson = TrainingPage(page, blocks)
            for name, module in modules.items():
                lessons.examples[name].append(module.example(lesson))
            lessons.keys.append((page.corpus, page.id))
            lessons.sites.append(site(page))
        return lessons

    def train(self, name: str) -> bytes:
        """The file of the method `name` that learned from all pages.

        Raises:
            InputError: there is no page to learn from.
        """
        if not self.keys:
            raise InputError("no page of the corpora can be read: there is nothing to learn from")
        corpora = Counter(corpus for corpus, _ in self.keys)
        return pack(name, trainable(name).train(self.examples[name]), {"pages": len(self.keys), "corpora": corpora})

    def cross_validated(self, name: str, k: int) -> Predictor:
        """The method `name` as it does on sites that it has never seen: each fold by a model of the other folds.

        Raises:
            InputError: there are fewer sites than folds.
        """
        if len(set(self.sites)) < k:
            raise InputError(f"the pages are of {len(set(self.sites))} sites: too few for {k} folds")
        fold = folds(self.sites, k)
        methods = [self._without(name, fold, held_out) for held_out in range(k)]
        by_page = {key: methods[number] for key, number in zip(self.keys, fold.tolist(), strict=True)}

        def predict(page: GoldPage, blocks: BlockColumns) -> Prediction:
            method: Method = by_page.get((page.corpus, page.id), methods[0])
            return method(blocks)

        return predict

    def _without(self, name: str, fold: NDArray[Any], held_out: int) -> Method:
        module = trainable(name)
        seen = [
            example for example, number in zip(self.examples[name], fold.tolist(), strict=True) if number != held_out
        ]
        return checked(facts(name), module.load(module.train(seen)))


def _blocks(page: GoldPage, read: Reader) -> BlockColumns | None:
    try:
        blocks = extract_blocks(read(page.page()))
    except VcleanError:
        return None
    return blocks if len(blocks) else None
