"""Provide segmenters by name, each with at most one parameter."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.classify.evaluation.segmentation import DEPTHS, Nodes, Segmentation, segment_at_depth, whole_page
from vclean.classify.segments.registry import MODEL_SUFFIX
from vclean.errors import UsageError
from vclean.features.segments.webis import read_webis

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from vclean.classify.corpora.rendering import RenderedMarkedPage
    from vclean.classify.segments.model import SegmentModel
    from vclean.features.segments.segments import Segments
    from vclean.features.segments.webis import WebisPage
    from vclean.render.snapshot import Snapshot

    SegmentFunction = Callable[[str, Snapshot], Sequence[Segmentation]]
    """Function that segments the page of an id and a snapshot, once for each value of a parameter, in their order."""

    Trainer = Callable[[Sequence[RenderedMarkedPage], Callable[[], None]], SegmentFunction]
    """Function that trains a `SegmentFunction` on marked pages, which uses models that have not seen the page."""

ORACLE: Final = "oracle"
_STORED: Final = re.compile(r"(?P<file>.+\.jsonl?)(?::(?P<name>.+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TunableSegmenter:
    """Segmenter with one integer parameter.

    Attributes:
        name: name of the segmenter.
        parameter_values: values of its parameter, at least one.
        segment: returns one segmentation of a page for each value.
        default: value to use if there are no pages to choose it by.
        trainer: trains the segmenter on the scored pages, by cross-validation; None if it needs no training.
    """

    name: str
    parameter_values: Sequence[int]
    segment: SegmentFunction
    default: int
    trainer: Trainer | None = None

    def trained(self, pages: Sequence[RenderedMarkedPage], done: Callable[[], None]) -> TunableSegmenter:
        """Return this segmenter, trained on `pages` if it has to be; `done` is called after each fold.

        Raises:
            InputError: there are too few pages to train on.
        """
        return replace(self, segment=self.trainer(pages, done)) if self.trainer else self


@dataclass(frozen=True, slots=True)
class ScoredSegmenter:
    """Segmenter with the choice of its parameter value.

    Attributes:
        name: name that the user gave.
        segmenter: the segmenter.
        parameter: value of the parameter; None to use the value that scores best on the pages of other sites.
        oracle: use for each page the value that scores best on it, an upper bound that no program reaches.
    """

    name: str
    segmenter: TunableSegmenter
    parameter: int | None = None
    oracle: bool = False


def find_segmenter(name: str) -> ScoredSegmenter:
    """Return the segmenter of a name, such as `dom`, `dom@3`, `dom-oracle`, `FILE` or `FILE:NAME` in the Webis format.

    A trained model is named as `FILE.vclean`, or `shipped`.

    Raises:
        UsageError: the name is unknown; the message lists the known ones.
        InputError: the file cannot be read.
        ModelError: the model is missing, damaged, or of another version of vclean.
    """
    if stored := _STORED.fullmatch(name):
        return _stored(name, Path(stored["file"]), stored["name"])
    if name == _SHIPPED or name.endswith(MODEL_SUFFIX):
        return _trained(name, None if name == _SHIPPED else Path(name))
    first, _, number = name.partition("@")
    family, _, oracle = first.partition("-")
    if family not in _SEGMENTERS or oracle not in ("", ORACLE) or (oracle and number):
        raise UsageError(f"no segmenter {name!r}: {_HELP}")
    segmenter = _SEGMENTERS[family]
    if not number:
        only = segmenter.parameter_values[0] if len(segmenter.parameter_values) == 1 else None
        return ScoredSegmenter(name, segmenter, only, bool(oracle))
    return ScoredSegmenter(name, segmenter, _parameter(name, segmenter, number))


def _parameter(name: str, segmenter: TunableSegmenter, number: str) -> int:
    values = {str(value): value for value in segmenter.parameter_values}
    if number in values and len(values) > 1:
        return values[number]
    takes = f"takes {_range(segmenter.parameter_values)}" if len(values) > 1 else "takes no number"
    raise UsageError(f"no segmenter {name!r}: {segmenter.name} {takes}")


def _range(values: Sequence[int]) -> str:
    return f"{values[0]} {'to' if len(values) > 2 else 'or'} {values[-1]}"


def _stored(name: str, path: Path, segmentation: str | None) -> ScoredSegmenter:
    """Return a segmenter that reads segments from a file; pages that the file lacks have no segments."""
    pages = {page.id: _chosen(path, page, segmentation) for page in read_webis(path)}
    return ScoredSegmenter(name, TunableSegmenter(name, (0,), partial(_look_up, pages), 0), 0)


def _chosen(path: Path, page: WebisPage, name: str | None) -> Segmentation:
    names = list(page.segmentations) if name is None else [name]
    if len(names) != 1 or names[0] not in page.segmentations:
        available = ", ".join(page.segmentations) or "none"
        raise UsageError(f"{path} has these segmentations of {page.id}: {available}; name one as {path}:NAME")
    return Segmentation.from_shapes(page.segmentations[names[0]])


def _look_up(pages: Mapping[str, Segmentation], page_id: str, _: Snapshot) -> list[Segmentation]:
    return [pages.get(page_id) or Segmentation.from_shapes([])]


def _trained(name: str, path: Path | None) -> ScoredSegmenter:
    """Return a segmenter by a trained model, which rejects the pages that it was trained on."""
    from vclean.classify.segments.model import load

    model = load(path)

    def check_unseen(address: str) -> SegmentModel:
        if model.was_trained_on(address):
            raise UsageError(f"{name} was trained on {address}: score it on other pages, or train `learned` on these")
        return model

    return ScoredSegmenter(
        name, TunableSegmenter(name, _LEARNED, partial(_segment_by_model, check_unseen), _LEARNED[0])
    )


def _train(pages: Sequence[RenderedMarkedPage], done: Callable[[], None]) -> SegmentFunction:
    from vclean.classify.training.segments import cross_validate, training_rows

    return partial(_segment_by_model, cross_validate(training_rows(pages), done=done))


def _segment_by_model(model: Callable[[str], SegmentModel], page_id: str, snapshot: Snapshot) -> list[Segmentation]:
    return _flat_segmentations(model(page_id)(snapshot), _LEARNED)


def _untrained(page_id: str, _: Snapshot) -> list[Segmentation]:
    raise ValueError(f"cannot segment {page_id}: train the segmenter first")


def _segment_by_depth(_: str, snapshot: Snapshot) -> list[Segmentation]:
    return [segment_at_depth(snapshot, depth) for depth in DEPTHS]


def _segment_by_vips(_: str, snapshot: Snapshot) -> list[Segmentation]:
    from vclean.features.segments.vips.algorithm import segment

    return _flat_segmentations(segment(snapshot), _PDOCS)


def _flat_segmentations(hierarchy: Segments, pdocs: Sequence[int]) -> list[Segmentation]:
    """Return the flat segmentations of a segment tree at some degrees of coherence."""
    nodes = Nodes(hierarchy.snapshot)
    levels = [hierarchy.at(pdoc) for pdoc in pdocs]
    return [Segmentation.from_roots(nodes, [level.roots[leaf] for leaf in level.leaves]) for level in levels]


_PDOCS: Final = range(1, 12)
_LEARNED: Final = (6, 11)
"""Degrees of coherence at which the trained segmenter's results differ: the main segments, and their parts."""
_SHIPPED: Final = "shipped"
_SEGMENTERS: Final = {
    "page": TunableSegmenter("page", (0,), lambda _, snapshot: [whole_page(snapshot)], 0),
    "dom": TunableSegmenter("dom", DEPTHS, _segment_by_depth, 2),
    "vips": TunableSegmenter("vips", _PDOCS, _segment_by_vips, 5),
    "learned": TunableSegmenter("learned", _LEARNED, _untrained, _LEARNED[0], _train),
}
_HELP: Final = (
    "choose page, dom, vips, learned, dom@DEPTH, vips@PDOC, learned@PDOC, dom-oracle, vips-oracle, shipped, a model"
    " that ends in .vclean, or a file of segmentations that ends in .json or .jsonl"
)
