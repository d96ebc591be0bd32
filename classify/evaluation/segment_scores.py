"""Segmenters scored on hand-marked pages, by extended BCubed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vclean.classify.corpora.corpora import registered_domain
from vclean.classify.evaluation import bcubed
from vclean.classify.evaluation.atoms import AtomKind, PageAtoms
from vclean.classify.evaluation.segmentation import gold_segments, whole_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.rendering import RenderedMarkedPage
    from vclean.classify.evaluation.atoms import Atoms
    from vclean.classify.evaluation.bcubed import BCubedScore, BCubedSummary
    from vclean.classify.evaluation.segmentation import Segmentation
    from vclean.classify.evaluation.segmenters import ScoredSegmenter, TunableSegmenter

_COLUMNS: Final = ("level", "atoms", "method", "pages", "P", "R", "F_B3", "F*", "segments", "truth")
_LEFT: Final = ("atoms", "method")


@dataclass(frozen=True, slots=True)
class ScoringCriteria:
    """What to compare by.

    Attributes:
        levels: of the marks, 1 or 2.
        kinds: of atomic elements.
        marked_only: whether elements in no true segment are left out, in place of counting against precision.
    """

    levels: Sequence[int]
    kinds: Sequence[AtomKind]
    marked_only: bool = False


class SegmentationTrial(NamedTuple):
    """How one segmentation did on a page, and how many segments it has."""

    score: BCubedScore
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
    kind: AtomKind
    truth: int
    trials: Mapping[str, Sequence[SegmentationTrial]]


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """One method over all pages that have elements in true segments of the level.

    Attributes:
        level, kind, method: what was compared by, and the method's name.
        summary: its scores.
        segments, truth: mean numbers of segments a page, found and true.
        pages: every page: its id, the setting of the knob, and the trial.
    """

    level: int
    kind: AtomKind
    method: str
    summary: BCubedSummary
    segments: float
    truth: float
    pages: Sequence[tuple[str, int, SegmentationTrial]]

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


def compare_segmenters(
    page: RenderedMarkedPage, segmenters: Sequence[TunableSegmenter], question: ScoringCriteria
) -> Iterator[PageTrials]:
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
    elements: PageAtoms, kinds: Sequence[AtomKind], cut: Segmentation, truth: Segmentation, question: ScoringCriteria
) -> dict[AtomKind, SegmentationTrial]:
    atoms = elements.of(kinds, cut, truth)
    if question.marked_only:
        atoms = {kind: found._replace(weight=_weigh(found)) for kind, found in atoms.items()}
    return {kind: SegmentationTrial(bcubed.score(*found), len(cut)) for kind, found in atoms.items()}


def _weigh(atoms: Atoms) -> NDArray[np.float64]:
    """The weights of the elements in true segments, 0 for others."""
    return np.where(atoms.truth.any(axis=1), atoms.weight, 0.0)


def summarize(
    pages: Sequence[PageTrials], methods: Sequence[ScoredSegmenter], question: ScoringCriteria
) -> list[MethodSummary]:
    """The scores of every method, by level, kind and method."""
    found = []
    for level in question.levels:
        for kind in question.kinds:
            part = [page for page in pages if (page.level, page.kind) == (level, kind)]
            found += [_line(level, kind, part, method) for method in methods]
    return found


def _line(level: int, kind: AtomKind, pages: Sequence[PageTrials], method: ScoredSegmenter) -> MethodSummary:
    rows = [page.trials[method.segmenter.name] for page in pages]
    f1 = np.array([[trial.score.f1 for trial in row] for row in rows]).reshape(-1, len(method.segmenter.settings))
    chosen = _settings(method, f1, [page.site for page in pages])
    trials = [row[number] for row, number in zip(rows, chosen, strict=True)]
    named = zip(pages, chosen, trials, strict=True)
    return MethodSummary(
        level=level,
        kind=kind,
        method=method.name,
        summary=bcubed.summary(trial.score for trial in trials),
        segments=_mean([trial.segments for trial in trials]),
        truth=_mean([page.truth for page in pages]),
        pages=[(page.id, method.segmenter.settings[number], trial) for page, number, trial in named],
    )


def _settings(method: ScoredSegmenter, f1: NDArray[np.float64], sites: Sequence[str]) -> list[int]:
    """The number of the setting for every page, given F1 of every page and setting (P, K)."""
    if method.oracle:
        return [int(number) for number in f1.argmax(axis=1)]
    if method.setting is not None:
        return [list(method.segmenter.settings).index(method.setting)] * len(sites)
    place = np.array(sites)
    usual = list(method.segmenter.settings).index(method.segmenter.usual)
    return [int(other.sum(axis=0).argmax()) if len(other := f1[place != site]) else usual for site in sites]


def table(found: Sequence[MethodSummary]) -> str:
    """The lines as a table, one line each under a heading."""
    from tabulate import tabulate

    rows = [list(_COLUMNS)]
    for line in found:
        shares = ["-" if np.isnan(value) else f"{value:.3f}" for value in line.summary]
        counts = ["-" if np.isnan(value) else f"{value:.1f}" for value in (line.segments, line.truth)]
        rows.append([str(line.level), line.kind, line.method, str(len(line.pages)), *shares, *counts])
    aligned = ["left" if column in _LEFT else "right" for column in _COLUMNS]
    return tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=aligned)


def _mean(values: Sequence[int]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _known(**figures: float) -> dict[str, float | None]:
    return {name: None if np.isnan(value) else round(value, 4) for name, value in figures.items()}
