"""Measure the gain by rendering for roles and text: `python benchmarks/regions.py ARCHIVE [--styled ARCHIVE]`.

ARCHIVE contains hand-marked pages with their style sheets and images (see `vclean.classify.corpora.marked`). Pages are
read in three ways: rendered, rendered without style sheets and images, and parsed. There are two experiments, both
cross-validated by page with the same folds for all variants; 95 % intervals are by bootstrap over pages:

- roles: accuracy of the role of marked regions. Models are trained on pages read in one way or in all ways; with
  `--styled`, also on generated pages with known structure.
- text: word F1 of the block model, with and without the role probabilities of the regions around its blocks.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.corpora.corpora import assign_folds
from vclean.classify.corpora.marked import MarkedArchive, block_anchor, content_blocks, innermost_marks
from vclean.classify.evaluation.scores import word_score
from vclean.classify.regions.dataset import ROLE_CODES, RegionRows, marked_rows
from vclean.classify.regions.model import NONE, posterior
from vclean.classify.training.dataset import TrainingTable, page_rows
from vclean.classify.training.regions import RegionFits, fit
from vclean.classify.training.train import CrossValidation
from vclean.errors import VcleanError
from vclean.features.blocks import extract_blocks
from vclean.features.page_context import PageContext
from vclean.files import write_atomic
from vclean.labels import LABELS, Label, Visibility
from vclean.render.browser.renderer import Renderer
from vclean.render.static.parse import parse
from vclean.render.storage.cache import SnapshotCache
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from vclean.classify.corpora.corpora import GoldPage
    from vclean.classify.corpora.marked import MarkedPage
    from vclean.classify.prediction import Prediction
    from vclean.classify.training.dataset import PageRows
    from vclean.features.blocks import BlockColumns
    from vclean.page import Page
    from vclean.render.snapshot import Snapshot

    Figures = dict[str, dict[str, float | list[float]]]

WAYS = ("rendered", "unstyled", "parsed")
FOLDS = 5
SAMPLES = 2000


@dataclass(frozen=True, eq=False)
class ReadPage:
    """Marked page with its blocks, for each way of reading in `WAYS`."""

    marked: MarkedPage
    gold: GoldPage
    blocks: dict[str, BlockColumns]

    def rows(self, way: str, *, by_hand: bool = True) -> RegionRows:
        """Return the training rows of the page's containers, for one way of reading."""
        return marked_rows(PageContext(self.blocks[way]), self.marked.marks, site=self.marked.page.url, by_hand=by_hand)


def read(archive: Path, snapshots: Path | None, ways: Sequence[str]) -> list[ReadPage]:
    """Read the pages of an archive in several ways. Return those that have blocks in each way."""
    settings = RenderSettings()
    with Renderer(settings) as renderer:
        render: Callable[[Page], Snapshot] = lambda page: renderer.render(page).snapshot  # noqa: E731
        readers = {"rendered": render, "unstyled": lambda page: render(replace(page, resources=None)), "parsed": parse}
        if snapshots:
            for way in ("rendered", "unstyled"):
                readers[way] = SnapshotCache(snapshots / way, readers[way], settings, rendered=True)
        pages = []
        for marked in MarkedArchive(archive).marked_pages():
            try:
                blocks = {way: extract_blocks(readers[way](marked.page)) for way in ways}
            except VcleanError as error:
                print(f"{marked.page.url}: {error}", file=sys.stderr)
                continue
            if all(map(len, blocks.values())):
                pages.append(ReadPage(marked, marked.to_gold_page("marked"), blocks))
    return pages


# ---- roles ----


@dataclass(frozen=True, eq=False)
class RolePredictions:
    """Gold and predicted roles of M marked regions.

    Attributes:
        page: int64 (M,), index of the page.
        truth, predicted: int64 (M,), codes of `ROLE_CODES`.
    """

    page: NDArray[np.int64]
    truth: NDArray[np.int64]
    predicted: NDArray[np.int64]

    def accuracy(self, page_weight: NDArray[np.int64] | None = None) -> float:
        """Return the share of regions with the right role; each page counts `page_weight` times."""
        weight = self._weight(page_weight)
        return float(weight[self.truth == self.predicted].sum() / weight.sum())

    def macro_f1(self, page_weight: NDArray[np.int64] | None = None) -> float:
        """Return the mean F1 of the roles that occur; each page counts `page_weight` times."""
        weight = self._weight(page_weight)
        count = len(ROLE_CODES) + 1
        true, predicted = (np.bincount(codes, weight, minlength=count) for codes in (self.truth, self.predicted))
        right = self.truth == self.predicted
        hits = np.bincount(self.truth[right], weight[right], minlength=count)
        occurs = true > 0
        return float(np.mean(2 * hits[occurs] / (true + predicted)[occurs]))

    def _weight(self, page_weight: NDArray[np.int64] | None) -> NDArray[np.float64]:
        return np.ones(len(self.page)) if page_weight is None else page_weight[self.page].astype(np.float64)


def cross_validated_roles(
    pages: Sequence[dict[str, RegionRows]], train_ways: Sequence[str], styled: Sequence[RegionRows]
) -> dict[str, RolePredictions]:
    """Predict the roles of all marked regions by cross-validation, for each way of reading.

    Args:
        pages: rows of each page, by way of reading.
        train_ways: ways of reading of the pages that the models are trained on.
        styled: rows of generated pages, which all models are trained on.
    """
    fold = assign_folds([str(number) for number in range(len(pages))], FOLDS)
    parts: dict[str, list[tuple[NDArray[np.int64], ...]]] = {way: [] for way in WAYS}
    for held_out in range(FOLDS):
        train_pages = [page for page, number in zip(pages, fold, strict=True) if number != held_out]
        booster = fit([*(page[way] for page in train_pages for way in train_ways), *styled])
        for index in np.flatnonzero(fold == held_out).tolist():
            for way in WAYS:
                rows = pages[index][way]
                marked = rows.role != NONE
                codes = posterior(booster, rows.x[marked])[:, :NONE].argmax(axis=1)
                parts[way].append((np.full(marked.sum(), index), rows.role[marked].astype(np.int64), codes))
    return {way: RolePredictions(*map(np.concatenate, zip(*arrays, strict=True))) for way, arrays in parts.items()}


def interval(values: Sequence[float]) -> list[float]:
    """Return the 2.5th and 97.5th percentiles of bootstrap values."""
    return np.percentile(values, [2.5, 97.5]).round(4).tolist()


def draws(pages: int) -> Iterator[NDArray[np.int64]]:
    """Yield how often each page is drawn, for `SAMPLES` samples with replacement."""
    rng = np.random.default_rng(0)
    for _ in range(SAMPLES):
        yield np.bincount(rng.integers(0, pages, pages), minlength=pages)


def role_figures(results: dict[str, RolePredictions], pages: int) -> Figures:
    """Return accuracy and macro F1 of every result, with intervals."""
    samples = list(draws(pages))
    return {
        name: {
            "regions": len(predictions.truth),
            "accuracy": round(predictions.accuracy(), 4),
            "accuracy_interval": interval([predictions.accuracy(weight) for weight in samples]),
            "macro_f1": round(predictions.macro_f1(), 4),
            "macro_f1_interval": interval([predictions.macro_f1(weight) for weight in samples]),
        }
        for name, predictions in results.items()
    }


def role_difference(first: RolePredictions, second: RolePredictions, pages: int) -> dict[str, float | list[float]]:
    """Return the difference `first` minus `second` in accuracy and macro F1, with paired bootstrap intervals."""
    samples = list(draws(pages))
    return {
        "accuracy": round(first.accuracy() - second.accuracy(), 4),
        "accuracy_interval": interval([first.accuracy(weight) - second.accuracy(weight) for weight in samples]),
        "macro_f1": round(first.macro_f1() - second.macro_f1(), 4),
        "macro_f1_interval": interval([first.macro_f1(weight) - second.macro_f1(weight) for weight in samples]),
    }


def by_role(first: RolePredictions, second: RolePredictions) -> Figures:
    """Return the number of regions of every role, and its recall in two results."""
    return {
        role: {
            "regions": int((first.truth == code).sum()),
            "first": round(float((first.predicted == code)[first.truth == code].mean()), 3),
            "second": round(float((second.predicted == code)[second.truth == code].mean()), 3),
        }
        for role, code in ROLE_CODES.items()
        if (first.truth == code).any() and (second.truth == code).any()
    }


def measure_roles(pages: Sequence[ReadPage], styled: Sequence[ReadPage]) -> dict[str, object]:
    """Return all results on roles."""
    rows = [{way: page.rows(way) for way in WAYS} for page in pages]
    extra = [page.rows(way, by_hand=False) for page in styled for way in page.blocks]
    runs = {
        "rendered alone": cross_validated_roles(rows, ("rendered",), ()),
        "parsed alone": cross_validated_roles(rows, ("parsed",), ()),
        "all ways": cross_validated_roles(rows, WAYS, ()),
    }
    if extra:
        runs["all ways and styled pages"] = cross_validated_roles(rows, WAYS, extra)
    results = {f"{name}: {way}": run[way] for name, run in runs.items() for way in WAYS}
    best = runs[list(runs)[-1]]
    alone = runs["rendered alone"]["rendered"], runs["parsed alone"]["parsed"]
    count = len(pages)
    return {
        "roles": role_figures(results, count),
        "rendered minus parsed, each alone": role_difference(*alone, count),
        "rendered minus parsed, one model": role_difference(best["rendered"], best["parsed"], count),
        "rendered minus unstyled, one model": role_difference(best["rendered"], best["unstyled"], count),
        "recall by role, rendered and parsed, one model": by_role(best["rendered"], best["parsed"]),
    }


# ---- text ----


def measure_blocks(pages: Sequence[ReadPage], styled: Sequence[ReadPage]) -> dict[str, object]:
    """Return results on text: word F1 of the block model against the text of the blocks that are marked as content."""
    extra = [page.rows(way, by_hand=False) for page in styled for way in page.blocks]
    ways = ("rendered", "parsed")
    fits = RegionFits.from_rows([page.rows(way) for page in pages for way in ways] + extra)
    results: dict[str, NDArray[np.float64]] = {}
    groups: dict[str, dict[str, NDArray[np.float64]]] = {}
    for name, with_roles in (("with roles", True), ("without roles", False)):
        rows = [_block_rows(page, way, fits if with_roles else None) for page in pages for way in ways]
        predictions = CrossValidation.run(TrainingTable.from_pages(rows)).predictions()
        for index, way in enumerate(ways):
            way_predictions = predictions[index :: len(ways)]
            results[f"{way}, {name}"] = np.array(
                [_word_f1(page, way, prediction) for page, prediction in zip(pages, way_predictions, strict=True)]
            )
            groups[f"{way}, {name}"] = _by_group(pages, way, way_predictions)
    return {
        "word_f1": {name: _mean(values) for name, values in results.items()},
        "differences": {
            f"{first} minus {second}": _mean(results[first] - results[second])
            for first, second in (
                ("rendered, with roles", "parsed, with roles"),
                ("rendered, with roles", "parsed, without roles"),
                ("rendered, with roles", "rendered, without roles"),
                ("parsed, with roles", "parsed, without roles"),
                ("rendered, without roles", "parsed, without roles"),
            )
        },
        "right blocks by group, with roles, rendered minus parsed": {
            group: _mean(values - groups["parsed, with roles"][group])
            for group, values in groups["rendered, with roles"].items()
        },
    }


CODE_OF_CONTENT, CODE_OF_OTHER = (LABELS.index(label) for label in (Label.PARAGRAPH, Label.OTHER))


def _block_rows(page: ReadPage, way: str, fits: RegionFits | None) -> PageRows:
    """Return the training rows of a page. Marks decide which blocks are content; all content is labelled paragraph."""
    booster = fits.for_site(page.gold.url) if fits else None
    rows = page_rows(page.gold, page.gold.url, page.blocks[way], booster)
    content = content_blocks(page.blocks[way], page.marked.marks)
    label = np.where(content, CODE_OF_CONTENT, CODE_OF_OTHER).astype(np.int8)
    return replace(rows, content=content, label=label)


def _word_f1(page: ReadPage, way: str, prediction: Prediction) -> float:
    texts = page.blocks[way].text
    content = [text for text, label in zip(texts, prediction.labels, strict=True) if label.is_content]
    return word_score("\n".join(content), page.gold.text).f1


GROUPS = ("all", "headings", "hidden", "up to 4 words", "over 25 words", "one column", "several columns")


def _by_group(pages: Sequence[ReadPage], way: str, predictions: Sequence[Prediction]) -> dict[str, NDArray[np.float64]]:
    """Return the share of words in correctly labelled blocks, by group of blocks and page.

    The share is NaN if a page has no words in a group. Blocks outside all marks do not count.
    """
    shares = {group: np.full(len(pages), np.nan) for group in GROUPS}
    for index, (page, prediction) in enumerate(zip(pages, predictions, strict=True)):
        blocks, context = page.blocks[way], PageContext(page.blocks[way])
        marks = page.marked.marks
        marked = innermost_marks(blocks.snapshot, marks)[block_anchor(blocks)] >= 0
        content = np.array([label.is_content for label in prediction.labels])
        right = content == content_blocks(blocks, marks)
        masks = _masks(page, way, context)
        for group in GROUPS:
            words = np.where(masks[group] & marked, context.tokens, 0)
            if words.sum():
                shares[group][index] = float(words[right].sum() / words.sum())
    return shares


def _masks(page: ReadPage, way: str, context: PageContext) -> dict[str, NDArray[np.bool_]]:
    blocks = page.blocks[way]
    everything = np.ones(len(blocks), dtype=bool)
    columns = _columns(page.blocks["rendered"])
    return {
        "all": everything,
        "headings": blocks.snapshot.is_tag(("h1", "h2", "h3", "h4", "h5", "h6"))[blocks.node],
        "hidden": blocks.visibility != Visibility.SHOWN,
        "up to 4 words": context.tokens <= 4,
        "over 25 words": context.tokens > 25,
        "one column": everything & (columns == 1),
        "several columns": everything & (columns > 1),
    }


def _columns(blocks: BlockColumns) -> int:
    """Count the columns of a rendered page: left edges, rounded to 50 CSS px, with at least a tenth of the words."""
    words = np.bincount(column_edges(blocks.box), PageContext(blocks).tokens)
    return max(int((words >= words.sum() / 10).sum()), 1)


def column_edges(box: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return left edges of boxes in units of 50 CSS px, int64 (B,); 0 for blocks without a box."""
    return np.maximum(np.rint(np.nan_to_num(box[:, 0]) / 50), 0).astype(np.int64)


def _mean(values: NDArray[np.float64]) -> dict[str, float | list[float]]:
    known = values[~np.isnan(values)]
    if not len(known):
        return {"pages": 0}
    samples = [float(np.average(known, weights=weight)) for weight in draws(len(known))]
    return {"pages": len(known), "mean": round(float(known.mean()), 4), "interval": interval(samples)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the experiments, and print and write the results. Return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--styled", type=Path, help="archive of generated pages, from styled.py")
    parser.add_argument("--snapshots", type=Path, help="cache of rendered pages")
    parser.add_argument("--json", type=Path, help="write the results to this file")
    parser.add_argument("--only", choices=("roles", "blocks"), help="run one of the two experiments")
    options = parser.parse_args(arguments)
    pages = read(options.archive, options.snapshots, WAYS)
    styled = read(options.styled, options.snapshots, ("rendered", "parsed")) if options.styled else []
    figures: dict[str, object] = {"pages": len(pages), "styled_pages": len(styled)}
    if options.only != "blocks":
        figures |= measure_roles(pages, styled)
    if options.only != "roles":
        figures |= measure_blocks(pages, styled)
    text = json.dumps(figures, indent=1) + "\n"
    print(text, end="")
    if options.json:
        write_atomic(options.json, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
