"""Train methods, and cross-validate them by site."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from vclean.characters import format_count
from vclean.classify.corpora.corpora import assign_folds, site
from vclean.classify.methods.base import TrainingPage
from vclean.classify.methods.registry import CheckedMethod, method_info, pack_model, training_module
from vclean.errors import InputError, VcleanError
from vclean.features.blocks import extract_blocks

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.gold import GoldPage
    from vclean.classify.evaluation.evaluate import Predictor, Reader
    from vclean.classify.methods.base import Method
    from vclean.classify.prediction import Prediction
    from vclean.features.blocks import BlockColumns

FOLDS: Final = 5


@dataclass(frozen=True, slots=True, eq=False)
class TrainingExamples:
    """Training examples of methods, from P pages.

    Attributes:
        keys: corpus and id of each page.
        sites: site of each page.
        examples: by name of the method, its training example of each page.
    """

    keys: list[tuple[str, str]]
    sites: list[str]
    examples: Mapping[str, list[Any]]

    @classmethod
    def from_pages(cls, pages: Iterable[GoldPage], names: Sequence[str], read: Reader) -> TrainingExamples:
        """Make the training examples of the methods called `names`; pages without text or with an error are skipped.

        Raises:
            UsageError: a name is unknown, or the method is not trained.
            ExtraMissingError: a method needs a library that is not installed.
        """
        modules = {name: training_module(name) for name in names}
        result = cls([], [], {name: [] for name in names})
        for page in pages:
            blocks = _blocks(page, read)
            if blocks is None:
                continue
            training_page = TrainingPage(page, blocks)
            for name, module in modules.items():
                result.examples[name].append(module.make_example(training_page))
            result.keys.append((page.corpus, page.id))
            result.sites.append(site(page))
        return result

    def train(self, name: str) -> bytes:
        """Train the method `name` on all pages and return its file.

        Raises:
            InputError: there is no page to train on.
        """
        if not self.keys:
            raise InputError("no page of the corpora can be read: there is nothing to learn from")
        corpora = Counter(corpus for corpus, _ in self.keys)
        return pack_model(
            name, training_module(name).train(self.examples[name]), {"pages": len(self.keys), "corpora": corpora}
        )

    def cross_validated_predictor(self, name: str, k: int) -> Predictor:
        """Return a predictor that labels each page by a model of the method `name` trained without the page's fold.

        Raises:
            InputError: there are fewer sites than folds.
        """
        if len(set(self.sites)) < k:
            raise InputError(f"the pages come from {format_count(len(set(self.sites)), 'site')}: too few for {k} folds")
        fold = assign_folds(self.sites, k)
        methods = [self._without(name, fold, held_out) for held_out in range(k)]
        by_page = {key: methods[fold_of_page] for key, fold_of_page in zip(self.keys, fold.tolist(), strict=True)}

        def predict(page: GoldPage, blocks: BlockColumns) -> Prediction:
            method: Method = by_page.get((page.corpus, page.id), methods[0])
            return method(blocks)

        return predict

    def _without(self, name: str, fold: NDArray[Any], held_out: int) -> Method:
        module = training_module(name)
        examples = [
            example for example, number in zip(self.examples[name], fold.tolist(), strict=True) if number != held_out
        ]
        return CheckedMethod(method_info(name), module.load(module.train(examples)))


def _blocks(page: GoldPage, read: Reader) -> BlockColumns | None:
    try:
        blocks = extract_blocks(read(page.to_page()))
    except VcleanError:
        return None
    return blocks if len(blocks) else None
