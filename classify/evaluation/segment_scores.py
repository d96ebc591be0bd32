"""Score segmenters on hand-marked pages, by extended BCubed."""

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
_LEFT_ALIGNED: Final = ("atoms", "method")


@dataclass(frozen=True, slots=True)
class ScoringCriteria:
    """Levels and kinds of elements to score by.

    Attributes:
        levels: levels of the marks, 1 or 2.
        kinds: kinds of atomic elements.
        marked_only: ignore elements in no true segment, which otherwise count against precision.
    """

    levels: Sequence[int]
    kinds: Sequence[AtomKind]
    marked_only: bool = False


class SegmentationTrial(NamedTuple):
    """Score of one segmentation of a page, and its number of segments."""

    score: BCubedScore
    segments: int


@dataclass(frozen=True, slots=True)
class PageTrials:
    """Results of all segmenters on one page, for marks of one level and elements of one kind.

    Attributes:
        id, site: the page, and its registered domain.
        level, kind: level of the marks, and kind of the elements.
        truth: number of true segments.
        trials: by name of the segmenter, one for each value of its parameter.
    """

    id: str
    site: str
    level: int
    kind: AtomKind
    truth: int
    trials: Mapping[str, Sequence[SegmentationTrial]]


@dataclass(frozen=True, slots=True)
class MethodSummary:
    """Scores of one method over all pages that have elements in true segments of the level.

    Attributes:
        level, kind, method: level of the marks, kind of elements, and name of the method.
        summary: its scores.
        segments, truth: mean numbers of predicted and of true segments per page.
        pages: by page: its id, the value of the parameter, and the trial.
    """

    level: int
    kind: AtomKind
    method: str
    summary: BCubedSummary
    segments: float
    truth: float
    pages: Sequence[tuple[str, int, SegmentationTrial]]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by name, ready for JSON; None means "undefined"."""
        pages = [
            {"id": name, "parameter": parameter, **_rounded(precision=trial.score.precision, recall=trial.score.recall),
             "f1": trial.score.f1, "segments": trial.segments}
            for name, parameter, trial in self.pages
        ]  # fmt: skip
        counts = _rounded(segments=self.segments, truth=self.truth)
        return {"level": self.level, "atoms": self.kind, "method": self.method, **_rounded(**self.summary._asdict()),
                **counts, "pages": pages}  # fmt: skip


def compare_segmenters(
    page: RenderedMarkedPage, segmenters: Sequence[TunableSegmenter], criteria: ScoringCriteria
) -> Iterator[PageTrials]:
    """Score each segmenter with each parameter value on one page. Levels without elements in true segments are skipped.

    If a segmenter returns no segment, the whole page counts as one segment.

    Raises:
        InputError: the screenshot cannot be read.
    """
    elements = PageAtoms(page.snapshot, page.screenshot)
    page_segment = whole_page(page.snapshot)
    segmentations = {
        each.name: [result if len(result) else page_segment for result in each.segment(page.id, page.snapshot)]
        for each in segmenters
    }
    for level in criteria.levels:
        truth = gold_segments(page.snapshot, page.marks, level)
        atoms_by_kind = elements.group(criteria.kinds, truth, truth)
        kinds = [kind for kind, atoms in atoms_by_kind.items() if _true_weights(atoms).any()]
        scored = {
            name: [_score(elements, kinds, result, truth, criteria) for result in results]
            for name, results in segmentations.items()
        }
        for kind in kinds:
            trials = {name: [trial[kind] for trial in results] for name, results in scored.items()}
            yield PageTrials(page.id, registered_domain(page.id), level, kind, len(truth), trials)


def _score(
    elements: PageAtoms,
    kinds: Sequence[AtomKind],
    predicted: Segmentation,
    truth: Segmentation,
    criteria: ScoringCriteria,
) -> dict[AtomKind, SegmentationTrial]:
    atoms_by_kind = elements.group(kinds, predicted, truth)
    if criteria.marked_only:
        atoms_by_kind = {kind: atoms._replace(weight=_true_weights(atoms)) for kind, atoms in atoms_by_kind.items()}
    return {kind: SegmentationTrial(bcubed.score(*atoms), len(predicted)) for kind, atoms in atoms_by_kind.items()}


def _true_weights(atoms: Atoms) -> NDArray[np.float64]:
    """Return the weights of the elements in true segments, 0 for others."""
    return np.where(atoms.truth.any(axis=1), atoms.weight, 0.0)


def summarize(
    pages: Sequence[PageTrials], methods: Sequence[ScoredSegmenter], criteria: ScoringCriteria
) -> list[MethodSummary]:
    """Return the scores of each method, by level, kind and method."""
    summaries = []
    for level in criteria.levels:
        for kind in criteria.kinds:
            part = [page for page in pages if (page.level, page.kind) == (level, kind)]
            summaries += [_summarize(level, kind, part, method) for method in methods]
    return summaries


def _summarize(level: int, kind: AtomKind, pages: Sequence[PageTrials], method: ScoredSegmenter) -> MethodSummary:
    rows = [page.trials[method.segmenter.name] for page in pages]
    f1 = np.array([[trial.score.f1 for trial in row] for row in rows]).reshape(
        -1, len(method.segmenter.parameter_values)
    )
    chosen = _parameter_indexes(method, f1, [page.site for page in pages])
    trials = [row[index] for row, index in zip(rows, chosen, strict=True)]
    results = zip(pages, chosen, trials, strict=True)
    return MethodSummary(
        level=level,
        kind=kind,
        method=method.name,
        summary=bcubed.summary(trial.score for trial in trials),
        segments=_mean([trial.segments for trial in trials]),
        truth=_mean([page.truth for page in pages]),
        pages=[(page.id, method.segmenter.parameter_values[index], trial) for page, index, trial in results],
    )


def _parameter_indexes(method: ScoredSegmenter, f1: NDArray[np.float64], sites: Sequence[str]) -> list[int]:
    """Return the index of the parameter value for each page, given the F1 of each page and value (P, K)."""
    if method.oracle:
        return [int(index) for index in f1.argmax(axis=1)]
    if method.parameter is not None:
        return [list(method.segmenter.parameter_values).index(method.parameter)] * len(sites)
    site_of = np.array(sites)
    default = list(method.segmenter.parameter_values).index(method.segmenter.default)
    return [int(other.sum(axis=0).argmax()) if len(other := f1[site_of != site]) else default for site in sites]


def table(summaries: Sequence[MethodSummary]) -> str:
    """Format the summaries as a table with one line each."""
    from tabulate import tabulate

    rows = [list(_COLUMNS)]
    for summary in summaries:
        shares = ["-" if np.isnan(value) else f"{value:.3f}" for value in summary.summary]
        counts = ["-" if np.isnan(value) else f"{value:.1f}" for value in (summary.segments, summary.truth)]
        rows.append([str(summary.level), summary.kind, summary.method, str(len(summary.pages)), *shares, *counts])
    aligned = ["left" if column in _LEFT_ALIGNED else "right" for column in _COLUMNS]
    return tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=aligned)


def _mean(values: Sequence[int]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _rounded(**figures: float) -> dict[str, float | None]:
    return {name: None if np.isnan(value) else round(value, 4) for name, value in figures.items()}
