"""Score segmenters on hand-marked pages by extended BCubed: the agreement of two segmentations, element by element.

The measure is that of Amigó et al. 2009 for overlapping clusters, as Kiesel et al. 2020 (CIKM) use it for web pages.
Take two elements that share segments of the method. Their precision is min(m, t) / m, where m and t are the numbers of
segments of the method and of true segments that they share. The precision of an element is the mean over all elements
with which it shares a segment of the method, itself included. The precision of a page is the mean over the elements in
segments of the method. Recall is the same with the sides swapped.

So elements in no segment of either side do not count. An element in a segment of the method only lowers precision, and
one in a true segment only lowers recall.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vclean.classify.corpora.corpora import registered_domain
from vclean.classify.evaluation.atoms import AtomKind, PageAtoms
from vclean.classify.evaluation.segmentation import gold_segments, whole_page

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.marked import RenderedMarkedPage
    from vclean.classify.evaluation.segmentation import Segmenter


_CELLS: Final = 2**23
"""Number of pairs of groups compared at a time: 32 MB per matrix."""


@dataclass(frozen=True, slots=True)
class BCubedScore:
    """Precision and recall of a page; NaN if no element is in a segment of the method, or in a true segment.

    Attributes:
        precision, recall: in 0..1.
        segments: number of segments of the method.
    """

    precision: float
    recall: float
    segments: int

    @property
    def f1(self) -> float:
        """Return the harmonic mean of precision and recall; 0 if one is undefined."""
        return harmonic(self.precision, self.recall)


def harmonic(precision: float, recall: float) -> float:
    """Return the harmonic mean; 0 where it is undefined."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def score(weight: NDArray[Any], predicted: NDArray[np.bool_], truth: NDArray[np.bool_]) -> BCubedScore:
    """Return extended BCubed over K groups of elements.

    Args:
        weight: (K,), size of each group; groups of size 0 do not count.
        predicted: bool (K, F), whether a group is in each segment of the method.
        truth: bool (K, G), whether a group is in each true segment.
    """
    size, predicted, truth = _merged(np.asarray(weight, dtype=np.float64), predicted, truth)
    by_method, by_truth = predicted.astype(np.float32), truth.astype(np.float32)
    shares = np.full((2, len(size)), np.nan)
    step = max(1, _CELLS // max(len(size), 1))
    for begin in range(0, len(size), step):
        rows = slice(begin, begin + step)
        shared = (by_method[rows] @ by_method.T, by_truth[rows] @ by_truth.T)
        shares[:, rows] = [_mean_share(np.minimum(*shared), each, size) for each in shared]
    precision, recall = (
        float(np.average(share[known], weights=size[known])) if known.any() else float("nan")
        for share, known in zip(shares, ~np.isnan(shares), strict=True)
    )
    return BCubedScore(precision, recall, predicted.shape[1])


def _merged(
    weight: NDArray[np.float64], predicted: NDArray[np.bool_], truth: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_]]:
    """Merge groups that are in the same segments on both sides: the measure is the same, with far fewer pairs."""
    counts = (weight > 0) & (predicted.any(axis=1) | truth.any(axis=1))
    rows = np.hstack([predicted, truth])[counts]
    if not len(rows):
        return weight[counts], predicted[counts], truth[counts]
    _, first, group = np.unique(np.packbits(rows, axis=1), axis=0, return_index=True, return_inverse=True)
    merged = rows[first]
    size = np.bincount(group.ravel(), weight[counts]).astype(np.float64)
    return size, merged[:, : predicted.shape[1]], merged[:, predicted.shape[1] :]


def _mean_share(least: NDArray[np.float32], shared: NDArray[np.float32], size: NDArray[np.float64]) -> NDArray[Any]:
    """Return by row the mean of `least / shared` over the pairs that share a segment; NaN in rows without one."""
    share = np.divide(least, shared, out=np.zeros_like(least), where=shared > 0)
    partners = (shared > 0) @ size
    return np.asarray(np.divide(share @ size, partners, out=np.full(len(partners), np.nan), where=partners > 0))


_COLUMNS: Final = ("level", "atoms", "method", "pages", "P", "R", "F_B3", "F*", "segments", "truth")


@dataclass(frozen=True, slots=True)
class PageTrials:
    """Results of all segmenters on one page, for marks of one level and elements of one kind.

    Attributes:
        id, site: the page, and its registered domain.
        level, kind: level of the marks, and kind of the elements.
        truth: number of true segments.
        scores: by name of the segmenter, one for each value of its parameter.
    """

    id: str
    site: str
    level: int
    kind: AtomKind
    truth: int
    scores: Mapping[str, Sequence[BCubedScore]]


class MethodSummary(NamedTuple):
    """Scores of one method over all pages that have elements in true segments of the level; NaN without pages.

    An undefined precision or recall of a page counts as 0.

    Attributes:
        level, atoms, method: level of the marks, kind of elements, and name of the method.
        precision, recall, f_b3: means over the pages, of F1 for the last.
        f_star: F of the mean precision and recall.
        segments, truth: mean numbers of predicted and of true segments per page.
        pages: by page: its id, the value of the parameter, and its score.
    """

    level: int
    atoms: AtomKind
    method: str
    precision: float
    recall: float
    f_b3: float
    f_star: float
    segments: float
    truth: float
    pages: Sequence[tuple[str, int, BCubedScore]]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures by name, ready for JSON; None means "undefined"."""
        pages = [
            {"id": name, "parameter": parameter, "precision": _rounded(score.precision),
             "recall": _rounded(score.recall), "f1": score.f1, "segments": score.segments}
            for name, parameter, score in self.pages
        ]  # fmt: skip
        figures = {
            name: _rounded(value) if isinstance(value, float) else value for name, value in self._asdict().items()
        }
        return figures | {"pages": pages}


def compare_segmenters(
    page: RenderedMarkedPage,
    segmenters: Sequence[Segmenter],
    levels: Sequence[int],
    kinds: Sequence[AtomKind],
    *,
    marked_only: bool = False,
) -> Iterator[PageTrials]:
    """Score each segmenter with each parameter value on one page. Levels without elements in true segments are skipped.

    If a segmenter returns no segment, the whole page counts as one segment.

    Args:
        page: the page.
        segmenters: the segmenters.
        levels: levels of the marks, 1 or 2.
        kinds: kinds of atomic elements.
        marked_only: ignore elements in no true segment, which otherwise count against precision.

    Raises:
        InputError: the screenshot cannot be read.
    """
    elements = PageAtoms(page.snapshot, kinds, page.screenshot)
    page_segment = whole_page(page.snapshot)
    segmentations = {
        each.family: [result if len(result) else page_segment for result in each.segment(page.id, page.snapshot)]
        for each in segmenters
    }

    for level in levels:
        truth = gold_segments(page.snapshot, page.marks, level)
        scores: defaultdict[AtomKind, dict[str, list[BCubedScore]]] = defaultdict(lambda: defaultdict(list))
        for name, result in ((name, result) for name, results in segmentations.items() for result in results):
            for kind, (weight, predicted, true) in elements.group(result, truth).items():
                true_weight = np.where(true.any(axis=1), weight, 0.0)
                if true_weight.any():
                    scores[kind][name].append(score(true_weight if marked_only else weight, predicted, true))
        for kind, of_kind in scores.items():
            yield PageTrials(page.id, registered_domain(page.id), level, kind, len(truth), of_kind)


def summarize(
    pages: Sequence[PageTrials], methods: Sequence[Segmenter], levels: Sequence[int], kinds: Sequence[AtomKind]
) -> list[MethodSummary]:
    """Return the scores of each method, by level, kind and method."""
    return [
        _summarize(level, kind, [page for page in pages if (page.level, page.kind) == (level, kind)], method)
        for level, kind, method in product(levels, kinds, methods)
    ]


def _summarize(level: int, kind: AtomKind, pages: Sequence[PageTrials], method: Segmenter) -> MethodSummary:
    rows = [page.scores[method.family] for page in pages]
    f1 = np.array([[each.f1 for each in row] for row in rows]).reshape(-1, len(method.values))
    chosen = _parameter_indexes(method, f1, [page.site for page in pages])
    results = [(page, method.values[index], row[index]) for page, row, index in zip(pages, rows, chosen, strict=True)]
    figures = [(each.precision, each.recall, each.f1, each.segments, page.truth) for page, _, each in results]
    means = np.nan_to_num(np.array(figures)).mean(axis=0) if figures else np.full(5, np.nan)
    precision, recall, f_b3, segments, truth = means.tolist()
    f_star = harmonic(precision, recall) if figures else float("nan")
    details = [(page.id, value, each) for page, value, each in results]
    return MethodSummary(level, kind, method.name, precision, recall, f_b3, f_star, segments, truth, details)


def _parameter_indexes(method: Segmenter, f1: NDArray[np.float64], sites: Sequence[str]) -> list[int]:
    """Return the index of the parameter value for each page, given the F1 of each page and value (P, K)."""
    if method.oracle:
        return [int(index) for index in f1.argmax(axis=1)]
    values = list(method.values)
    if method.parameter is not None:
        return [values.index(method.parameter)] * len(sites)
    site_of, default = np.array(sites), values.index(method.default)
    return [int(other.sum(axis=0).argmax()) if len(other := f1[site_of != site]) else default for site in sites]


def table(summaries: Sequence[MethodSummary]) -> str:
    """Format the summaries as a table with one line each."""
    from tabulate import tabulate

    rows = [list(_COLUMNS)]
    for line in summaries:
        shares = ["-" if np.isnan(value) else f"{value:.3f}" for value in line[3:7]]
        counts = ["-" if np.isnan(value) else f"{value:.1f}" for value in (line.segments, line.truth)]
        rows.append([str(line.level), line.atoms, line.method, str(len(line.pages)), *shares, *counts])
    aligned = ["right", "left", "left", *["right"] * (len(_COLUMNS) - 3)]
    return tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=aligned)


def _rounded(value: float) -> float | None:
    return None if np.isnan(value) else round(value, 4)
