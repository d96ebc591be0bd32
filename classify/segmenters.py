"""Ways to cut a page into segments, by name, each with its one knob."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vclean.classify.segment_baselines import DEPTHS, depth_cut, whole_page
from vclean.classify.segmentation import Nodes, Segmentation
from vclean.errors import UsageError
from vclean.features.webis import read_webis

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from vclean.features.webis import WebisPage
    from vclean.render.snapshot import Snapshot

    Cut = Callable[[str, Snapshot], Sequence[Segmentation]]
    """Cuts the page of an id and a snapshot at every setting of a knob, in their order."""

ORACLE: Final = "oracle"
_STORED: Final = re.compile(r"(?P<file>.+\.jsonl?)(?::(?P<name>.+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Segmenter:
    """A way to cut pages.

    Attributes:
        name: what it is called.
        settings: of its knob, at least one.
        cut: one segmentation of a page for every setting.
        usual: the setting where there is nothing to choose by.
    """

    name: str
    settings: Sequence[int]
    cut: Cut
    usual: int


@dataclass(frozen=True, slots=True)
class Method:
    """A segmenter and how its knob is set.

    Attributes:
        name: as given.
        segmenter: what cuts.
        setting: of the knob; None for the one that scores best on the pages of other sites.
        oracle: whether the knob is set page by page as the truth likes it best, which no program can know.
    """

    name: str
    segmenter: Segmenter
    setting: int | None = None
    oracle: bool = False


def find_method(name: str) -> Method:
    """The method called `name`: `dom`, `dom@3`, `dom-oracle`, or a file in the Webis format as `FILE` or `FILE:NAME`.

    Raises:
        UsageError: there is no such method; the text says what there is.
        InputError: the file cannot be read.
    """
    if stored := _STORED.fullmatch(name):
        return _stored(name, Path(stored["file"]), stored["name"])
    first, _, number = name.partition("@")
    family, _, oracle = first.partition("-")
    if family not in _SEGMENTERS or oracle not in ("", ORACLE) or (oracle and number):
        raise UsageError(f"no segmenter {name!r}: {_HELP}")
    segmenter = _SEGMENTERS[family]
    if not number:
        only = segmenter.settings[0] if len(segmenter.settings) == 1 else None
        return Method(name, segmenter, only, bool(oracle))
    return Method(name, segmenter, _setting(name, segmenter, number))


def _setting(name: str, segmenter: Segmenter, number: str) -> int:
    settings = {str(setting): setting for setting in segmenter.settings}
    if number in settings and len(settings) > 1:
        return settings[number]
    takes = f"takes {min(segmenter.settings)} to {max(segmenter.settings)}" if len(settings) > 1 else "takes no number"
    raise UsageError(f"no segmenter {name!r}: {segmenter.name} {takes}")


def _stored(name: str, path: Path, wanted: str | None) -> Method:
    """Segments from a file; those of a page that it does not have are none."""
    pages = {page.id: _chosen(path, page, wanted) for page in read_webis(path)}
    return Method(name, Segmenter(name, (0,), partial(_look_up, pages), 0), 0)


def _chosen(path: Path, page: WebisPage, wanted: str | None) -> Segmentation:
    names = list(page.segmentations) if wanted is None else [wanted]
    if len(names) != 1 or names[0] not in page.segmentations:
        there = ", ".join(page.segmentations) or "none"
        raise UsageError(f"{path} has these segmentations of {page.id}: {there}; name one as {path}:NAME")
    return Segmentation.of_shapes(page.segmentations[names[0]])


def _look_up(pages: Mapping[str, Segmentation], page_id: str, _: Snapshot) -> list[Segmentation]:
    return [pages.get(page_id) or Segmentation.of_shapes([])]


def _cut_by_depth(_: str, snapshot: Snapshot) -> list[Segmentation]:
    return [depth_cut(snapshot, depth) for depth in DEPTHS]


def _cut_by_vips(_: str, snapshot: Snapshot) -> list[Segmentation]:
    from vclean.features.vips import segment

    nodes, whole = Nodes(snapshot), segment(snapshot)
    cuts = [whole.at(pdoc) for pdoc in _PDOCS]
    return [Segmentation.of_roots(nodes, [cut.roots[leaf] for leaf in cut.leaves]) for cut in cuts]


_PDOCS: Final = range(1, 12)
_SEGMENTERS: Final = {
    "page": Segmenter("page", (0,), lambda _, snapshot: [whole_page(snapshot)], 0),
    "dom": Segmenter("dom", DEPTHS, _cut_by_depth, 2),
    "vips": Segmenter("vips", _PDOCS, _cut_by_vips, 5),
}
_HELP: Final = (
    "choose page, dom, vips, dom@DEPTH, vips@PDOC, dom-oracle, vips-oracle, or a file of segmentations that ends in"
    " .json or .jsonl"
)
