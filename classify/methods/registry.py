"""List the methods by name. The module of a method is imported when it is requested."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from vclean.classify.methods import storage
from vclean.classify.methods.base import MethodInfo
from vclean.classify.prediction import Prediction
from vclean.errors import UsageError
from vclean.imports import import_optional

if TYPE_CHECKING:
    from pathlib import Path

    from vclean.classify.methods.base import Method, Trainable
    from vclean.features.blocks import BlockColumns

DEFAULT: Final = "vclean"
"""Name of the method with its own kind of model, which supports confidence, policies and site evidence."""
_PACKAGE: Final = "vclean.classify.methods"


@dataclass(frozen=True, slots=True)
class _CheckedMethod:
    """Method that raises an error on unsuitable pages, and is not called for pages without text."""

    info: MethodInfo
    method: Method

    def __call__(self, blocks: BlockColumns) -> Prediction:
        if self.info.rendered and not blocks.snapshot.rendered:
            raise UsageError(f"the method {self.info.name} needs the rendered page: add --render")
        if not len(blocks):
            return Prediction([], np.zeros(0, dtype=np.float32))
        return self.method(blocks)


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
    return with_page_checks(info, _load(info, model))


def with_page_checks(info: MethodInfo, method: Method) -> Method:
    """Return a method that raises UsageError on an unrendered page if `method` needs rendering.

    A page without blocks gets an empty prediction without a call of `method`.
    """
    return _CheckedMethod(info, method)


def method_info(name: str) -> MethodInfo:
    """Return the description of the method called `name`.

    Raises:
        UsageError: the name is unknown; the message lists the known ones.
    """
    for info in _METHODS:
        if info.name == name:
            return info
    raise UsageError(f"no method {name!r}: choose one of {', '.join(names())}")


def all_method_infos() -> tuple[MethodInfo, ...]:
    """Return the descriptions of all methods: the trained model first, then the systems by family."""
    return _METHODS


def names() -> list[str]:
    """Return the names of all methods."""
    return [info.name for info in _METHODS]


def is_shipped(info: MethodInfo) -> bool:
    """Return whether the package contains a model of a trained method."""
    return info.name == DEFAULT or storage.is_shipped(info.name)


def training_module(name: str) -> Trainable:
    """Return the module of the trained method called `name`.

    Raises:
        UsageError: the name is unknown, or the method is not trained.
        ExtraMissingError: the method needs a library that is not installed.
    """
    info = method_info(name)
    if not info.trained:
        trained = ", ".join(other.name for other in _METHODS if other.trained)
        raise UsageError(f"the method {name} is not trained: choose one of {trained}")
    _require_library(info)
    return cast("Trainable", import_module(f"{_PACKAGE}.{info.entry_point}"))


def _load(info: MethodInfo, path: Path | None) -> Method:
    if path and not (info.trained or info.templated):
        raise UsageError(f"the method {info.name} works without a model: leave {path} out")
    if info.trained:
        return storage.load_trained(info.name, training_module(info.name), path)
    _require_library(info)
    module, _, function = info.entry_point.partition(":")
    method = getattr(import_module(f"{_PACKAGE}.{module}"), function or "label")
    return cast("Method", method(path) if info.templated else method)


def _require_library(info: MethodInfo) -> None:
    if info.library:
        import_optional(info.library, info.library, info.extra)


_METHODS: Final = (
    MethodInfo(
        name=DEFAULT,
        summary="the model of this package: visual, structural and linguistic features",
        entry_point="",
        trained=True,
    ),
    MethodInfo(name="text", summary="all visible text", entry_point="base:label_all_shown"),
    MethodInfo(
        name="bte",
        summary="body text extraction: most words inside, most tags outside (Finn et al. 2001)",
        entry_point="bte",
    ),
    MethodInfo(
        name="cetd",
        summary="composite text density: characters per tag, reduced by links (Sun et al. 2011)",
        entry_point="density:composite",
    ),
    MethodInfo(
        name="cetd-text",
        summary="text density: characters per tag (Sun et al. 2011)",
        entry_point="density:text_density",
    ),
    MethodInfo(
        name="point-density",
        summary="punctuation marks per tag, by the algorithm of CETD (Yang and Yang 2015)",
        entry_point="density:point_density",
    ),
    MethodInfo(
        name="vips",
        summary="VIPS segments with most plain text, near the middle of the page (Cai et al. 2003)",
        entry_point="vips",
        rendered=True,
    ),
    MethodInfo(
        name="wcc-baseline",
        summary="every block is a paragraph (Amsterdam at CleanEval 2007)",
        entry_point="wcc.heuristic:baseline",
    ),
    MethodInfo(
        name="wcc-heuristic",
        summary="long lines of long words, and titles before them (Amsterdam at CleanEval 2007)",
        entry_point="wcc.heuristic:heuristic",
    ),
    MethodInfo(
        name="wcc-tree",
        summary="a decision tree on words, tag, capitals and punctuation (Amsterdam at CleanEval 2007)",
        entry_point="wcc.decision_tree",
        trained=True,
    ),
    MethodInfo(
        name="genieknows",
        summary="semantic blocks by a weighted sum of their features (GenieKnows at CleanEval 2007)",
        entry_point="genieknows",
    ),
    MethodInfo(
        name="kimatu",
        summary="runs of similar elements, by length, punctuation and links (Elhuyar at CleanEval 2007)",
        entry_point="kimatu",
    ),
    MethodInfo(
        name="htmlcleaner",
        summary="the best sequence of blocks between good sentences (Girardi 2007)",
        entry_point="htmlcleaner",
    ),
    MethodInfo(
        name="fiasco",
        summary="a support vector machine on text, tree and the outlines of blocks (Bauer et al. 2007)",
        entry_point="fiasco",
        rendered=True,
        trained=True,
    ),
    MethodInfo(
        name="stupidos",
        summary="word trigrams of clean and of dirty text (Osnabrück at CleanEval 2007)",
        entry_point="stupidos",
        trained=True,
    ),
    MethodInfo(
        name="wcc-lm",
        summary="blocks whose words resemble those of the headings (Amsterdam at CleanEval 2007)",
        entry_point="wcc.language_model",
        trained=True,
    ),
    MethodInfo(
        name="bakic-segment",
        summary="segments of the page, by their tags and texts (Bakic 2012)",
        entry_point="bakic.segment_extractor",
        trained=True,
    ),
    MethodInfo(
        name="victor",
        summary="a conditional random field over the blocks (Marek, Pecina and Spousta 2007)",
        entry_point="victor",
        trained=True,
    ),
    MethodInfo(
        name="web2text",
        summary="two convolutional networks on the collapsed document tree, and Viterbi (Vogels et al. 2018)",
        entry_point="web2text.method",
        trained=True,
    ),
    MethodInfo(
        name="wcc-genetic",
        summary="regular expressions bred on gold text (Amsterdam at CleanEval 2007)",
        entry_point="wcc.genetic",
        trained=True,
    ),
    MethodInfo(
        name="bakic-b",
        summary="segments of the page, by the words that four extractors keep of them (Bakic 2012)",
        entry_point="bakic.variant_b",
        trained=True,
        library="boilerpy3",
        extra="methods",
    ),
    MethodInfo(
        name="bakic-a",
        summary="the extractor that fits the page: BTE, Readability or boilerpipe (Bakic 2012)",
        entry_point="bakic.variant_a",
        trained=True,
        library="boilerpy3",
        extra="methods",
    ),
    MethodInfo(
        name="readability",
        summary="Readability, the reader view of browsers (Arc90 2009), by readability-lxml",
        entry_point="libraries:readability",
        library="readability",
        extra="methods",
    ),
    MethodInfo(
        name="boilerpipe-default",
        summary="boilerpipe's default extractor (Kohlschütter et al. 2010), by boilerpy3",
        entry_point="libraries:boilerpipe_default",
        library="boilerpy3",
        extra="methods",
    ),
    MethodInfo(
        name="boilerpipe-article",
        summary="boilerpipe's article extractor (Kohlschütter et al. 2010), by boilerpy3",
        entry_point="libraries:boilerpipe_article",
        library="boilerpy3",
        extra="methods",
    ),
    MethodInfo(
        name="justext",
        summary="jusText: stop words, length and links of paragraphs (Pomikálek 2011)",
        entry_point="libraries:justext",
        library="justext",
        extra="methods",
    ),
    MethodInfo(
        name="trafilatura",
        summary="trafilatura: rules, with Readability and jusText to fall back on (Barbaresi 2021)",
        entry_point="libraries:trafilatura",
        library="trafilatura",
        extra="methods",
    ),
    MethodInfo(
        name="resiliparse",
        summary="Resiliparse's main content extraction (Bevendorff et al. 2018)",
        entry_point="libraries:resiliparse",
    ),
    MethodInfo(
        name="template",
        summary="elements that the selectors in a file select: tags, attributes, CSS, XPath (Bakic 2012)",
        entry_point="template:read",
        templated=True,
    ),
)
