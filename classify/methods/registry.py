"""Every method by its name; a method's module is imported when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Final, cast

import numpy as np

from vclean.classify.methods import storage
from vclean.classify.methods.base import MethodInfo
from vclean.classify.prediction import Prediction
from vclean.errors import UsageError
from vclean.imports import need

if TYPE_CHECKING:
    from pathlib import Path

    from vclean.classify.methods.base import Method, Trainable
    from vclean.features.blocks import BlockColumns

DEFAULT: Final = "vclean"
"""The method that has a model of its own kind, and knows confidence, policies and sites."""
_PACKAGE: Final = "vclean.classify.methods"


@dataclass(frozen=True, slots=True)
class _Checked:
    """A method that says what it misses, and that has nothing to decide on a page without text."""

    facts: MethodInfo
    run: Method

    def __call__(self, blocks: BlockColumns) -> Prediction:
        if self.facts.rendered and not blocks.snapshot.rendered:
            raise UsageError(f"the method {self.facts.name} looks at the rendered page: add --render")
        if not len(blocks):
            return Prediction([], np.zeros(0, dtype=np.float32))
        return self.run(blocks)


def get(name: str, model: Path | None = None) -> Method:
    """The method called `name`; `model` is the model, or the template, that it works by in place of the shipped one.

    Raises:
        UsageError: there is no such method, the text lists those there are; or it needs a template.
        ExtraMissingError: it needs a library that is not installed.
        ModelError: the model file is missing, damaged, of another method or of another version.
        InputError: the template is missing or wrong.
    """
    found = facts(name)
    if name == DEFAULT:
        from vclean.classify.content.model import load  # Loads LightGBM, which the other methods do without.

        return load(model).label
    return checked(found, _load(found, model))


def checked(found: MethodInfo, run: Method) -> Method:
    """The method `run` that raises UsageError on a page that is not rendered if it needs one that is.

    A page without blocks gets the empty prediction without a call.
    """
    return _Checked(found, run)


def facts(name: str) -> MethodInfo:
    """What is to be known of the method called `name`.

    Raises:
        UsageError: there is no such method; the text lists those there are.
    """
    for found in _METHODS:
        if found.name == name:
            return found
    raise UsageError(f"no method {name!r}: choose one of {', '.join(names())}")


def all_facts() -> tuple[MethodInfo, ...]:
    """What is to be known of every method: the trained model first, then the systems by family."""
    return _METHODS


def names() -> list[str]:
    """The names of all methods."""
    return [found.name for found in _METHODS]


def ships(found: MethodInfo) -> bool:
    """Whether a trained method has a model in the package, so that it works at once."""
    return found.name == DEFAULT or storage.ships(found.name)


def trainable(name: str) -> Trainable:
    """The module of the trained method called `name`.

    Raises:
        UsageError: there is no such method, or it is not trained.
        ExtraMissingError: it needs a library that is not installed.
    """
    found = facts(name)
    if not found.trained:
        trained = ", ".join(other.name for other in _METHODS if other.trained)
        raise UsageError(f"the method {name} is not trained: choose one of {trained}")
    _need_library(found)
    return cast("Trainable", import_module(f"{_PACKAGE}.{found.place}"))


def _load(found: MethodInfo, path: Path | None) -> Method:
    if path and not (found.trained or found.templated):
        raise UsageError(f"the method {found.name} works without a model: leave {path} out")
    if found.trained:
        return storage.load_trained(found.name, trainable(found.name), path)
    _need_library(found)
    stem, _, function = found.place.partition(":")
    method = getattr(import_module(f"{_PACKAGE}.{stem}"), function or "label")
    return cast("Method", method(path) if found.templated else method)


def _need_library(found: MethodInfo) -> None:
    if found.library:
        need(found.library, found.library, found.extra)


_METHODS: Final = (
    MethodInfo(
        name=DEFAULT,
        line="the model of this package: visual, structural and linguistic features",
        place="",
        trained=True,
    ),
    MethodInfo(name="text", line="all text that is shown", place="base:label_all_shown"),
    MethodInfo(
        name="bte", line="body text extraction: most words inside, most tags outside (Finn et al. 2001)", place="bte"
    ),
    MethodInfo(
        name="cetd",
        line="composite text density: characters per tag, less where there are links (Sun et al. 2011)",
        place="density:composite",
    ),
    MethodInfo(
        name="cetd-text", line="text density: characters per tag (Sun et al. 2011)", place="density:text_density"
    ),
    MethodInfo(
        name="point-density",
        line="punctuation marks per tag, as CETD (Yang and Yang 2015)",
        place="density:point_density",
    ),
    MethodInfo(
        name="vips",
        line="the segments of most plain text in the middle of the page, cut by VIPS (Cai et al. 2003)",
        place="vips",
        rendered=True,
    ),
    MethodInfo(
        name="wcc-baseline",
        line="every block is a paragraph (Amsterdam at CleanEval 2007)",
        place="wcc.heuristic:baseline",
    ),
    MethodInfo(
        name="wcc-heuristic",
        line="long lines of long words, and titles before them (Amsterdam at CleanEval 2007)",
        place="wcc.heuristic:heuristic",
    ),
    MethodInfo(
        name="wcc-tree",
        line="a decision tree on words, tag, capitals and punctuation (Amsterdam at CleanEval 2007)",
        place="wcc.decision_tree",
        trained=True,
    ),
    MethodInfo(
        name="genieknows",
        line="semantic blocks by a weighted sum of what they look like (GenieKnows at CleanEval 2007)",
        place="genieknows",
    ),
    MethodInfo(
        name="kimatu",
        line="runs of like elements by their length, punctuation and links (Elhuyar at CleanEval 2007)",
        place="kimatu",
    ),
    MethodInfo(
        name="htmlcleaner",
        line="the best sequence from one good sentence to another (Girardi 2007)",
        place="htmlcleaner",
    ),
    MethodInfo(
        name="fiasco",
        line="a support vector machine on text, tree and the outlines of blocks (Bauer et al. 2007)",
        place="fiasco",
        rendered=True,
        trained=True,
    ),
    MethodInfo(
        name="stupidos",
        line="word trigrams of clean and of dirty text (Osnabrück at CleanEval 2007)",
        place="stupidos",
        trained=True,
    ),
    MethodInfo(
        name="wcc-lm",
        line="blocks that speak of what the headings speak of (Amsterdam at CleanEval 2007)",
        place="wcc.language_model",
        trained=True,
    ),
    MethodInfo(
        name="bakic-segment",
        line="segments of the page, by their tags and texts (Bakic 2012)",
        place="bakic.segment_extractor",
        trained=True,
    ),
    MethodInfo(
        name="victor",
        line="a conditional random field over the blocks (Marek, Pecina and Spousta 2007)",
        place="victor",
        trained=True,
    ),
    MethodInfo(
        name="web2text",
        line="two convolutional networks on the collapsed document tree, and Viterbi (Vogels et al. 2018)",
        place="web2text.method",
        trained=True,
    ),
    MethodInfo(
        name="wcc-genetic",
        line="regular expressions bred on gold text (Amsterdam at CleanEval 2007)",
        place="wcc.genetic",
        trained=True,
    ),
    MethodInfo(
        name="bakic-b",
        line="segments of the page, by the words that four extractors keep of them (Bakic 2012)",
        place="bakic.variant_b",
        trained=True,
        library="boilerpy3",
        extra="methods",
    ),
    MethodInfo(
        name="bakic-a",
        line="the extractor that fits the page: BTE, Readability or boilerpipe (Bakic 2012)",
        place="bakic.variant_a",
        trained=True,
        library="boilerpy3",
        extra="methods",
    ),
    MethodInfo(
        name="readability",
        line="Readability, the reader view of browsers (Arc90 2009), by readability-lxml",
        place="libraries:readability",
        library="readability",
        extra="methods",
    ),
    MethodInfo(
        name="boilerpipe-default",
        line="boilerpipe's default extractor (Kohlschütter et al. 2010), by boilerpy3",
        place="libraries:boilerpipe_default",
        library="boilerpy3",
        extra="methods",
    ),
    MethodInfo(
        name="boilerpipe-article",
        line="boilerpipe's article extractor (Kohlschütter et al. 2010), by boilerpy3",
        place="libraries:boilerpipe_article",
        library="boilerpy3",
        extra="methods",
    ),
    MethodInfo(
        name="justext",
        line="jusText: stop words, length and links of paragraphs (Pomikálek 2011)",
        place="libraries:justext",
        library="justext",
        extra="methods",
    ),
    MethodInfo(
        name="trafilatura",
        line="trafilatura: rules, with Readability and jusText to fall back on (Barbaresi 2021)",
        place="libraries:trafilatura",
        library="trafilatura",
        extra="methods",
    ),
    MethodInfo(
        name="resiliparse",
        line="Resiliparse's main content extraction (Bevendorff et al. 2018)",
        place="libraries:resiliparse",
    ),
    MethodInfo(
        name="template",
        line="what the selectors of a file name: elements, attributes, CSS, XPath (Bakic 2012)",
        place="template:read",
        templated=True,
    ),
)
