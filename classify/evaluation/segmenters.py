"""Ways to cut a page into segments, by name, each with its one knob."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.classify.evaluation.segmentation import DEPTHS, Nodes, Segmentation, segment_at_depth, whole_page
from vclean.classify.segments.registry import TRAINED
from vclean.errors import UsageError
from vclean.features.segments.webis import read_webis

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from vclean.classify.corpora.rendering import RenderedMarkedPage
    from vclean.classify.segments.model import SegmentModel
    from vclean.features.segments.segments import Segments
    from vclean.features.segments.webis import WebisPage
    from vclean.render.snapshot import Snapshot

    Cut = Callable[[str, Snapshot], Sequence[Segmentation]]
    """Cuts the page of an id and a snapshot at every setting of a knob, in their order."""

    Teach = Callable[[Sequence[RenderedMarkedPage], Callable[[], None]], Cut]
    """Makes a `Cut` from marked pages, by models that have not seen the page they cut; calls back after each."""

ORACLE: Final = "oracle"
_STORED: Final = re.compile(r"(?P<file>.+\.jsonl?)(?::(?P<name>.+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TunableSegmenter:
    """A way to cut pages.

    Attributes:
        name: what it is called.
        settings: of its knob, at least one.
        cut: one segmentation of a page for every setting.
        usual: the setting where there is nothing to choose by.
        teach: where it has to learn from the pages that are scored before it can cut them; None elsewhere.
    """

    name: str
    settings: Sequence[int]
    cut: Cut
    usual: int
    teach: Teach | None = None

    def taught(self, pages: Sequence[RenderedMarkedPage], done: Callable[[], None]) -> TunableSegmenter:
        """This one, able to cut the pages; `done` is called after each fold of a cross-validation.

        Raises:
            InputError: there is too little to learn from.
        """
        return replace(self, cut=self.teach(pages, done)) if self.teach else self


@dataclass(frozen=True, slots=True)
class ScoredSegmenter:
    """A segmenter and how its knob is set.

    Attributes:
        name: as given.
        segmenter: what cuts.
        setting: of the knob; None for the one that scores best on the pages of other sites.
        oracle: whether the knob is set page by page as the truth likes it best, which no program can know.
    """

    name: str
    segmenter: TunableSegmenter
    setting: int | None = None
    oracle: bool = False


def find_method(name: str) -> ScoredSegmenter:
    """The method called `name`: `dom`, `dom@3`, `dom-oracle`, a file in the Webis format as `FILE` or `FILE:NAME`.

    Or a trained model as `FILE.vclean`, or `shipped`.

    Raises:
        UsageError: there is no such method; the text says what there is.
        InputError: the file cannot be read.
        ModelError: the model is missing, damaged, or of another version of vclean.
    """
    if stored := _STORED.fullmatch(name):
        return _stored(name, Path(stored["file"]), stored["name"])
    if name == _SHIPPED or name.endswith(TRAINED):
        return _trained(name, None if name == _SHIPPED else Path(name))
    first, _, number = name.partition("@")
    family, _, oracle = first.partition("-")
    if family not in _SEGMENTERS or oracle not in ("", ORACLE) or (oracle and number):
        raise UsageError(f"no segmenter {name!r}: {_HELP}")
    segmenter = _SEGMENTERS[family]
    if not number:
        only = segmenter.settings[0] if len(segmenter.settings) == 1 else None
        return ScoredSegmenter(name, segmenter, only, bool(oracle))
    return ScoredSegmenter(name, segmenter, _setting(name, segmenter, number))


def _setting(name: str, segmenter: TunableSegmenter, number: str) -> int:
    settings = {str(setting): setting for setting in segmenter.settings}
    if number in settings and len(settings) > 1:
        return settings[number]
    takes = f"takes {_spoken(segmenter.settings)}" if len(settings) > 1 else "takes no number"
    raise UsageError(f"no segmenter {name!r}: {segmenter.name} {takes}")


def _spoken(settings: Sequence[int]) -> str:
    return f"{settings[0]} {'to' if len(settings) > 2 else 'or'} {settings[-1]}"


def _stored(name: str, path: Path, wanted: str | None) -> ScoredSegmenter:
    """Segments from a file; those of a page that it does not have are none."""
    pages = {page.id: _chosen(path, page, wanted) for page in read_webis(path)}
    return ScoredSegmenter(name, TunableSegmenter(name, (0,), partial(_look_up, pages), 0), 0)


def _chosen(path: Path, page: WebisPage, wanted: str | None) -> Segmentation:
    names = list(page.segmentations) if wanted is None else [wanted]
    if len(names) != 1 or names[0] not in page.segmentations:
        there = ", ".join(page.segmentations) or "none"
        raise UsageError(f"{path} has these segmentations of {page.id}: {there}; name one as {path}:NAME")
    return Segmentation.of_shapes(page.segmentations[names[0]])


def _look_up(pages: Mapping[str, Segmentation], page_id: str, _: Snapshot) -> list[Segmentation]:
    return [pages.get(page_id) or Segmentation.of_shapes([])]


def _trained(name: str, path: Path | None) -> ScoredSegmenter:
    """A trained model, which cuts no page that it learned from."""
    from vclean.classify.segments.model import load

    model = load(path)

    def unseen(address: str) -> SegmentModel:
        if model.has_seen(address):
            raise UsageError(f"{name} learned from {address}: score it on other pages, or learned on these")
        return model

    return ScoredSegmenter(name, TunableSegmenter(name, _LEARNED, partial(_cut_by_model, unseen), _LEARNED[0]))


def _teach(pages: Sequence[RenderedMarkedPage], done: Callable[[], None]) -> Cut:
    from vclean.classify.training.segments import cross_validated, training_rows

    return partial(_cut_by_model, cross_validated(training_rows(pages), done=done))


def _cut_by_model(model: Callable[[str], SegmentModel], page_id: str, snapshot: Snapshot) -> list[Segmentation]:
    return _cuts(model(page_id)(snapshot), _LEARNED)


def _untaught(page_id: str, _: Snapshot) -> list[Segmentation]:
    raise ValueError(f"nothing has been learned yet to cut {page_id} by")


def _cut_by_depth(_: str, snapshot: Snapshot) -> list[Segmentation]:
    return [segment_at_depth(snapshot, depth) for depth in DEPTHS]


def _cut_by_vips(_: str, snapshot: Snapshot) -> list[Segmentation]:
    from vclean.features.segments.vips.algorithm import segment

    return _cuts(segment(snapshot), _PDOCS)


def _cuts(whole: Segments, pdocs: Sequence[int]) -> list[Segmentation]:
    """The flat cuts at some degrees of coherence."""
    nodes = Nodes(whole.snapshot)
    cuts = [whole.at(pdoc) for pdoc in pdocs]
    return [Segmentation.of_roots(nodes, [cut.roots[leaf] for leaf in cut.leaves]) for cut in cuts]


_PDOCS: Final = range(1, 12)
_LEARNED: Final = (6, 11)
"""Degrees at which the learned segmenter's cuts differ: the main segments, and their parts."""
_SHIPPED: Final = "shipped"
_SEGMENTERS: Final = {
    "page": TunableSegmenter("page", (0,), lambda _, snapshot: [whole_page(snapshot)], 0),
    "dom": TunableSegmenter("dom", DEPTHS, _cut_by_depth, 2),
    "vips": TunableSegmenter("vips", _PDOCS, _cut_by_vips, 5),
    "learned": TunableSegmenter("learned", _LEARNED, _untaught, _LEARNED[0], _teach),
}
_HELP: Final = (
    "choose page, dom, vips, learned, dom@DEPTH, vips@PDOC, learned@PDOC, dom-oracle, vips-oracle, shipped, a model"
    " that ends in .vclean, or a file of segmentations that ends in .json or .jsonl"
)
