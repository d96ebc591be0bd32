"""Segmenters scored on hand-marked pages, by extended BCubed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vclean.classify import bcubed
from vclean.classify.atoms import Kind, PageAtoms
from vclean.classify.corpora import registered_domain
from vclean.classify.segment_baselines import whole_page
from vclean.classify.segment_gold import gold_segments

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.atoms import Atoms
    from vclean.classify.bcubed import Score, Summary
    from vclean.classify.marks import Mark
    from vclean.classify.segmentation import Segmentation
    from vclean.classify.segmenters import Method, Segmenter
    from vclean.render.snapshot import Snapshot

_COLUMNS: Final = ("level", "atoms", "method", "pages", "P", "R", "F_B3", "F*", "segments", "truth")
_LEFT: Final = ("atoms", "method")


@dataclass(frozen=True, slots=True, eq=False)
class SeenPage:
    """A marked page as it was rendered; `picture` is None where no edges are asked for."""

    id: str
    snapshot: Snapshot
    marks: Sequence[Mark]
    picture: bytes | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """What to compare by.

    Attributes:
        levels: of the marks, 1 or 2.
        kinds: of atomic elements.
        marked_only: whether elements in no true segment are left out, in place of counting against precision.
    """

    levels: Sequence[int]
    kinds: Sequence[Kind]
    marked_only: bool = False


class Trial(NamedTuple):
    """How one segmentation did on a page, and how many segments it has."""

    score: Score
    segments: int


@dataclass(frozen=True, slots=True)
class PageTrials:
    """All segmenters on one page, by marks of one level and elements of one kind.

    Attributes:
        id, site: the page, and the registered domain it is from.
        level, kind: what was compared by.
        truth: the number of true segments.
        trials: by name of the segmenter, one for every setting of its knob.
    """

    id: str
    site: str
    level: int
    kind: Kind
    truth: int
    trials: Mapping[str, Sequence[Trial]]


@dataclass(frozen=True, slots=True)
class Line:
    """One method over all pages that have elements in true segments of the level.

    Attributes:
        level, kind, method: what was compared by, and the method's name.
        summary: its scores.
        segments, truth: mean numbers of segments a page, found and true.
        pages: every page: its id, the setting of the knob, and the trial.
    """

    level: int
    kind: Kind
    method: str
    summary: Summary
    segments: float
    truth: float
    pages: Sequence[tuple[str, int, Trial]]

    def to_dict(self) -> dict[str, Any]:
        """The figures by name, ready for JSON; None stands for "not defined"."""
        pages = [
            {"id": name, "setting": setting, **_known(precision=trial.score.precision, recall=trial.score.recall),
             "f1": trial.score.f1, "segments": trial.segments}
            for name, setting, trial in self.pages
        ]  # fmt: skip
        counts = _known(segments=self.segments, truth=self.truth)
        return {"level": self.level, "atoms": self.kind, "method": self.method, **_known(**self.summary._asdict()),
                **counts, "pages": pages}  # fmt: skip


def try_page(page: SeenPage, segmenters: Sequence[Segmenter], question: Question) -> Iterator[PageTrials]:
    """Every segmenter at every setting on one page; nothing where a level has no element in a true segment.

    A segmenter that finds no segment is taken to say that the page is one.

    Raises:
        InputError: the picture cannot be read.
    """
    elements = PageAtoms(page.snapshot, page.picture)
    whole = whole_page(page.snapshot)
    cuts = {each.name: [cut if len(cut) else whole for cut in each.cut(page.id, page.snapshot)] for each in segmenters}
    for level in question.levels:
        truth = gold_segments(page.snapshot, page.marks, level)
        kinds = [kind for kind, atoms in elements.of(question.kinds, truth, truth).items() if _weigh(atoms).any()]
        tried = {name: [_try(elements, kinds, cut, truth, question) for cut in own] for name, own in cuts.items()}
        for kind in kinds:
            trials = {name: [trial[kind] for trial in own] for name, own in tried.items()}
            yield PageTrials(page.id, registered_domain(page.id), level, kind, len(truth), trials)


def _try(
    elements: PageAtoms, kinds: Sequence[Kind], cut: Segmentation, truth: Segmentation, question: Question
) -> dict[Kind, Trial]:
    atoms = elements.of(kinds, cut, truth)
    if question.marked_only:
        atoms = {kind: found._replace(weight=_weigh(found)) for kind, found in atoms.items()}
    return {kind: Trial(bcubed.score(*found), len(cut)) for kind, found in atoms.items()}


def _weigh(atoms: Atoms) -> NDArray[np.float64]:
    """The weights of the elements in true segments, 0 for others."""
    return np.where(atoms.truth.any(axis=1), atoms.weight, 0.0)


def lines(pages: Sequence[PageTrials], methods: Sequence[Method], question: Question) -> list[Line]:
    """The scores of every method, by level, kind and method."""
    found = []
    for level in question.levels:
        for kind in question.kinds:
            part = [page for page in pages if (page.level, page.kind) == (level, kind)]
            found += [_line(level, kind, part, method) for method in methods]
    return found


def _line(level: int, kind: Kind, pages: Sequence[PageTrials], method: Method) -> Line:
    rows = [page.trials[method.segmenter.name] for page in pages]
    f1 = np.array([[trial.score.f1 for trial in row] for row in rows]).reshape(-1, len(method.segmenter.settings))
    chosen = _settings(method, f1, [page.site for page in pages])
    trials = [row[number] for row, number in zip(rows, chosen, strict=True)]
    named = zip(pages, chosen, trials, strict=True)
    return Line(
        level=level,
        kind=kind,
        method=method.name,
        summary=bcubed.summary(trial.score for trial in trials),
        segments=_mean([trial.segments for trial in trials]),
        truth=_mean([page.truth for page in pages]),
        pages=[(page.id, method.segmenter.settings[number], trial) for page, number, trial in named],
    )


def _settings(method: Method, f1: NDArray[np.float64], sites: Sequence[str]) -> list[int]:
    """The number of the setting for every page, given F1 of every page and setting (P, K)."""
    if method.oracle:
        return [int(number) for number in f1.argmax(axis=1)]
    if method.setting is not None:
        return [list(method.segmenter.settings).index(method.setting)] * len(sites)
    place = np.array(sites)
    usual = list(method.segmenter.settings).index(method.segmenter.usual)
    return [int(other.sum(axis=0).argmax()) if len(other := f1[place != site]) else usual for site in sites]


def table(found: Sequence[Line]) -> str:
    """The lines as a table, one line each under a heading."""
    rows = [list(_COLUMNS)]
    for line in found:
        shares = [f"{value:.3f}" for value in line.summary]
        counts = [f"{line.segments:.1f}", f"{line.truth:.1f}"]
        rows.append([str(line.level), line.kind, line.method, str(len(line.pages)), *shares, *counts])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join("  ".join(map(_pad, row, widths, _COLUMNS)).rstrip() for row in rows)


def _pad(cell: str, width: int, column: str) -> str:
    return cell.ljust(width) if column in _LEFT else cell.replace("nan", "-").rjust(width)


def _mean(values: Sequence[int]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _known(**figures: float) -> dict[str, float | None]:
    return {name: None if np.isnan(value) else round(value, 4) for name, value in figures.items()}
