"""List the methods by name, train and cross-validate them, and store trained ones in files.

The module of a method is imported when it is requested.

A file has one line with the method and its metadata, then the compressed model.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from importlib import import_module, resources
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import numpy as np

from vclean.characters import format_count
from vclean.classify import model_file
from vclean.classify.corpora.corpora import assign_folds, site
from vclean.classify.methods.base import MethodInfo, TrainingPage
from vclean.classify.prediction import Prediction
from vclean.errors import InputError, ModelError, UsageError, VcleanError
from vclean.features.blocks import extract_blocks
from vclean.files import read_table
from vclean.imports import import_optional

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from vclean.classify.corpora.gold import GoldPage
    from vclean.classify.evaluation.evaluate import Predictor, Reader
    from vclean.classify.methods.base import Method, Trainable
    from vclean.features.blocks import BlockColumns

DEFAULT: Final = "vclean"
"""Name of the method with its own kind of model, which supports confidence, policies and site evidence."""


def checked(info: MethodInfo, method: Method) -> Method:
    """Return a method that raises UsageError on unsuitable pages, and does not call `method` on pages without text."""

    def label(blocks: BlockColumns) -> Prediction:
        if info.rendered and not blocks.snapshot.rendered:
            raise UsageError(f"the method {info.name} needs the rendered page: add --render")
        return method(blocks) if len(blocks) else Prediction([], np.zeros(0, dtype=np.float32))

    return label


def get(name: str, model: Path | None = None) -> Method:
    """Return the method called `name`; `model` replaces its shipped model, or is its template.

    Raises:
        UsageError: the name is unknown (the message lists the known ones), or the method needs a template.
        ExtraMissingError: the method needs a library that is not installed.
        ModelError: the model file is missing, damaged, or of another method or version.
        InputError: the template is missing or wrong.
    """
    info = method_info(name)
    if name == DEFAULT:
        from vclean.classify.content.model import load  # Loads LightGBM, which the other methods do without.

        return load(model).label
    if model and not (info.trained or info.templated):
        raise UsageError(f"the method {name} works without a model: leave {model} out")
    entry = _entry(info)
    if info.trained:
        entry = load_trained(name, entry, model)
    return checked(info, entry(model) if info.templated else entry)


def method_info(name: str) -> MethodInfo:
    """Return the description of the method called `name`.

    Raises:
        UsageError: the name is unknown; the message lists the known ones.
    """
    if name not in _METHODS:
        raise UsageError(f"no method {name!r}: choose one of {', '.join(names())}")
    return _METHODS[name]


def all_method_infos() -> tuple[MethodInfo, ...]:
    """Return the descriptions of all methods: the trained model first, then the systems by family."""
    return tuple(_METHODS.values())


def names() -> list[str]:
    """Return the names of all methods."""
    return list(_METHODS)


def is_shipped(info: MethodInfo) -> bool:
    """Return whether the package contains a model of a trained method."""
    return info.name == DEFAULT or _shipped(info.name).exists()


def training_module(name: str) -> Trainable:
    """Return the module of the trained method called `name`.

    Raises:
        UsageError: the name is unknown, or the method is not trained.
        ExtraMissingError: the method needs a library that is not installed.
    """
    info = method_info(name)
    if not info.trained:
        trained = ", ".join(other.name for other in _METHODS.values() if other.trained)
        raise UsageError(f"the method {name} is not trained: choose one of {trained}")
    return cast("Trainable", _entry(info))


def _entry(info: MethodInfo) -> Any:  # noqa: ANN401 - a `Trainable`, a method, or a function that returns a method
    """Return what the entry point of a method names. Raise ExtraMissingError if its library is not installed."""
    if info.library:
        import_optional(info.library, info.library, "methods")
    module, _, name = info.entry_point.partition(":")
    entry = import_module(f"vclean.classify.methods.{module}")
    return entry if info.trained and not name else getattr(entry, name or "label")


FORMAT: Final = 1
"""Version of the file format."""


def pack_model(name: str, model: bytes, card_fields: Mapping[str, Any]) -> bytes:
    """Return the file of a model of the method `name`; `card_fields` describe its training data."""
    card = {"method": name, "format": FORMAT, **card_fields}
    return json.dumps(card, ensure_ascii=False).encode() + b"\n" + zlib.compress(model, 9)


def load_trained(name: str, module: Trainable, path: Path | None) -> Method:
    """Return the trained method `name` by the model in the file `path`, or by the shipped model.

    Raises:
        ModelError: the file is missing, damaged, or of another method or version; or no model is shipped.
    """
    if not path and not _shipped(name).exists():
        raise ModelError(f"no model of the method {name} is in the package: {_remedy(name)}")
    source = str(path) if path else f"the shipped model of {name}"
    line, _, packed = model_file.read(path or _shipped(name)).partition(b"\n")
    try:
        card = json.loads(line)
        of, version = card["method"], card["format"]
        if (of, version) == (name, FORMAT):
            return module.load(zlib.decompress(packed))
    except Exception as error:  # each library's parser has its own exceptions; users see one error for all
        raise ModelError(f"{source} is damaged, or not a model of the method {name}: {_remedy(name)}") from error
    raise ModelError(f"{source} is a model of the method {of}, version {version}: {_remedy(name)}")


def _shipped(name: str) -> Path:
    return Path(str(resources.files("vclean.classify"))) / "data" / "methods" / f"{name}.model"


def _remedy(name: str) -> str:
    return f"create one with `vclean train CORPUS... --method {name} -o FILE`, and use it with --model FILE"


def _info(name: str, entry_point: str, needs: str, summary: str) -> MethodInfo:
    flags = {flag: flag in needs.split() for flag in ("rendered", "trained", "templated")}
    library = " ".join(set(needs.split()) - set(flags))
    return MethodInfo(name=name, summary=summary, entry_point=entry_point, **flags, library=library)


_METHODS: Final = {row[0]: _info(*row) for row in read_table(__file__, "methods.tsv")}


FOLDS: Final = 5


class TrainingExamples:
    """Training examples of the methods called `names`, from P pages; pages without text or with an error are left out.

    Raises:
        UsageError: a name is unknown, or the method is not trained.
        ExtraMissingError: a method needs a library that is not installed.

    Attributes:
        keys: corpus and id of each page.
        sites: site of each page.
        examples: by name of the method, its training example of each page.
    """

    def __init__(self, pages: Iterable[GoldPage], names: Sequence[str], read: Reader) -> None:
        modules = {name: training_module(name) for name in names}
        self.keys, self.sites = list[tuple[str, str]](), list[str]()
        self.examples: dict[str, list[Any]] = {name: [] for name in names}
        for page in pages:
            try:
                training_page = TrainingPage(page, extract_blocks(read(page.to_page())))
            except VcleanError:
                continue
            if not len(training_page.blocks):
                continue
            for name, module in modules.items():
                self.examples[name].append(module.make_example(training_page))
            self.keys.append((page.corpus, page.id))
            self.sites.append(site(page))

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
        folds = assign_folds(self.sites, k).tolist()
        module, methods = training_module(name), []
        for held_out in range(k):
            others = [each for each, fold in zip(self.examples[name], folds, strict=True) if fold != held_out]
            methods.append(checked(method_info(name), module.load(module.train(others))))
        fold_of = dict(zip(self.keys, folds, strict=True))
        return lambda page, blocks: methods[fold_of.get((page.corpus, page.id), 0)](blocks)
