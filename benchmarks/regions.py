"""What seeing a page is worth: `python benchmarks/regions.py ARCHIVE [--styled ARCHIVE] [--json OUT]`.

ARCHIVE holds hand-marked pages with their style sheets and images (see `vclean.classify.corpora.marked`). Two
questions, each cross-validated by page with the same folds for all answers, intervals of 95 % by bootstrap over pages:

- the role of a region that is given, from the page read in three ways (rendered; rendered without style sheets and
  images; parsed only), by models that learned from one way of reading or from all; with `--styled`, also from pages
  whose structure is known;
- the text: word F1 of the block model, which is told the roles of the regions round its blocks or is not.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from vclean.classify.corpora.corpora import folds
from vclean.classify.corpora.marked import MarkedArchive, block_anchor, content_blocks, innermost
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
    """A marked page, cut into blocks in each of `WAYS`."""

    marked: MarkedPage
    gold: GoldPage
    blocks: dict[str, BlockColumns]

    def rows(self, way: str, *, by_hand: bool = True) -> RegionRows:
        """Its containers, one way."""
        return marked_rows(PageContext(self.blocks[way]), self.marked.marks, site=self.marked.page.url, by_hand=by_hand)


def read(archive: Path, snapshots: Path | None, ways: Sequence[str]) -> list[ReadPage]:
    """The pages of an archive that have text, read in several ways."""
    settings = RenderSettings()
    with Renderer(settings) as renderer:
        render: Callable[[Page], Snapshot] = lambda page: renderer.render(page).snapshot  # noqa: E731
        readers = {"rendered": render, "unstyled": lambda page: render(replace(page, resources=None)), "parsed": parse}
        if snapshots:
            for way in ("rendered", "unstyled"):
                readers[way] = SnapshotCache(snapshots / way, readers[way], settings, rendered=True)
        pages = []
        for marked in MarkedArchive(archive).marked():
            try:
                blocks = {way: extract_blocks(readers[way](marked.page)) for way in ways}
            except VcleanError as error:
                print(f"{marked.page.url}: {error}", file=sys.stderr)
                continue
            if all(map(len, blocks.values())):
                pages.append(ReadPage(marked, marked.gold("marked"), blocks))
    return pages


# ---- roles ----


@dataclass(frozen=True, eq=False)
class Verdicts:
    """Roles of M given regions.

    Attributes:
        page: int64 (M,), the number of the page.
        truth, found: int64 (M,), codes of `CODES`.
    """

    page: NDArray[np.int64]
    truth: NDArray[np.int64]
    found: NDArray[np.int64]

    def accuracy(self, page_weight: NDArray[np.int64] | None = None) -> float:
        """Share of the regions whose role is right, each page counted `page_weight` times."""
        weight = self._weight(page_weight)
        return float(weight[self.truth == self.found].sum() / weight.sum())

    def macro_f1(self, page_weight: NDArray[np.int64] | None = None) -> float:
        """Mean F1 of the roles that occur."""
        weight = self._weight(page_weight)
        count = len(ROLE_CODES) + 1
        true, found = (np.bincount(codes, weight, minlength=count) for codes in (self.truth, self.found))
        right = self.truth == self.found
        hit = np.bincount(self.truth[right], weight[right], minlength=count)
        occurs = true > 0
        return float(np.mean(2 * hit[occurs] / (true + found)[occurs]))

    def _weight(self, page_weight: NDArray[np.int64] | None) -> NDArray[np.float64]:
        return np.ones(len(self.page)) if page_weight is None else page_weight[self.page].astype(np.float64)


def cross_validated_roles(
    pages: Sequence[dict[str, RegionRows]], learn: Sequence[str], styled: Sequence[RegionRows]
) -> dict[str, Verdicts]:
    """Verdicts on all given regions, by way of reading, of models that learned from the ways `learn`."""
    fold = folds([str(number) for number in range(len(pages))], FOLDS)
    found: dict[str, list[tuple[NDArray[np.int64], ...]]] = {way: [] for way in WAYS}
    for held_out in range(FOLDS):
        taught = [page[way] for page, own in zip(pages, fold, strict=True) if own != held_out for way in learn]
        booster = fit([*taught, *styled])
        for number in np.flatnonzero(fold == held_out).tolist():
            for way in WAYS:
                rows = pages[number][way]
                given = rows.role != NONE
                codes = posterior(booster, rows.x[given])[:, :NONE].argmax(axis=1)
                found[way].append((np.full(given.sum(), number), rows.role[given].astype(np.int64), codes))
    return {way: Verdicts(*map(np.concatenate, zip(*parts, strict=True))) for way, parts in found.items()}


def interval(values: Sequence[float]) -> list[float]:
    """The middle 95 % of bootstrap values."""
    return np.percentile(values, [2.5, 97.5]).round(4).tolist()


def draws(pages: int) -> Iterator[NDArray[np.int64]]:
    """How often each page is drawn, in `SAMPLES` samples with replacement."""
    rng = np.random.default_rng(0)
    for _ in range(SAMPLES):
        yield np.bincount(rng.integers(0, pages, pages), minlength=pages)


def role_figures(results: dict[str, Verdicts], pages: int) -> Figures:
    """Accuracy and macro F1 of every result, with intervals."""
    samples = list(draws(pages))
    return {
        name: {
            "regions": len(verdicts.truth),
            "accuracy": round(verdicts.accuracy(), 4),
            "accuracy_interval": interval([verdicts.accuracy(weight) for weight in samples]),
            "macro_f1": round(verdicts.macro_f1(), 4),
            "macro_f1_interval": interval([verdicts.macro_f1(weight) for weight in samples]),
        }
        for name, verdicts in results.items()
    }


def role_difference(first: Verdicts, second: Verdicts, pages: int) -> dict[str, float | list[float]]:
    """`first` less `second`, on the same drawn pages."""
    samples = list(draws(pages))
    return {
        "accuracy": round(first.accuracy() - second.accuracy(), 4),
        "accuracy_interval": interval([first.accuracy(weight) - second.accuracy(weight) for weight in samples]),
        "macro_f1": round(first.macro_f1() - second.macro_f1(), 4),
        "macro_f1_interval": interval([first.macro_f1(weight) - second.macro_f1(weight) for weight in samples]),
    }


def by_role(first: Verdicts, second: Verdicts) -> Figures:
    """Recall of every role in two results, and how many regions have it."""
    return {
        role: {
            "regions": int((first.truth == code).sum()),
            "first": round(float((first.found == code)[first.truth == code].mean()), 3),
            "second": round(float((second.found == code)[second.truth == code].mean()), 3),
        }
        for role, code in ROLE_CODES.items()
        if (first.truth == code).any() and (second.truth == code).any()
    }


def measure_roles(pages: Sequence[ReadPage], styled: Sequence[ReadPage]) -> dict[str, object]:
    """All figures on roles."""
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
        "rendered less parsed, each alone": role_difference(*alone, count),
        "rendered less parsed, one model": role_difference(best["rendered"], best["parsed"], count),
        "rendered less unstyled, one model": role_difference(best["rendered"], best["unstyled"], count),
        "recall by role, rendered and parsed, one model": by_role(best["rendered"], best["parsed"]),
    }


# ---- text ----


def measure_blocks(pages: Sequence[ReadPage], styled: Sequence[ReadPage]) -> dict[str, object]:
    """Word F1 of the block model against the text of the blocks that are content by their marks."""
    extra = [page.rows(way, by_hand=False) for page in styled for way in page.blocks]
    ways = ("rendered", "parsed")
    fits = RegionFits.of([page.rows(way) for page in pages for way in ways] + extra)
    results: dict[str, NDArray[np.float64]] = {}
    groups: dict[str, dict[str, NDArray[np.float64]]] = {}
    for name, told in (("told roles", True), ("not told", False)):
        table = TrainingTable.of([_block_rows(page, way, fits if told else None) for page in pages for way in ways])
        predictions = CrossValidation.of(table).predictions()
        for at, way in enumerate(ways):
            own = predictions[at :: len(ways)]
            results[f"{way}, {name}"] = np.array(
                [_word_f1(page, way, prediction) for page, prediction in zip(pages, own, strict=True)]
            )
            groups[f"{way}, {name}"] = _by_group(pages, way, own)
    return {
        "word_f1": {name: _mean(values) for name, values in results.items()},
        "differences": {
            f"{first} less {second}": _mean(results[first] - results[second])
            for first, second in (
                ("rendered, told roles", "parsed, told roles"),
                ("rendered, told roles", "parsed, not told"),
                ("rendered, told roles", "rendered, not told"),
                ("parsed, told roles", "parsed, not told"),
                ("rendered, not told", "parsed, not told"),
            )
        },
        "right blocks by group, told roles, rendered less parsed": {
            group: _mean(values - groups["parsed, told roles"][group])
            for group, values in groups["rendered, told roles"].items()
        },
    }


CODE_OF_CONTENT, CODE_OF_OTHER = (LABELS.index(label) for label in (Label.PARAGRAPH, Label.OTHER))


def _block_rows(page: ReadPage, way: str, fits: RegionFits | None) -> PageRows:
    """The training rows of a page, its gold told by the marks alone; marks tell no types."""
    booster = fits.for_site(page.gold.url) if fits else None
    rows = page_rows(page.gold, page.gold.url, page.blocks[way], booster)
    content = content_blocks(page.blocks[way], page.marked.marks)
    label = np.where(content, CODE_OF_CONTENT, CODE_OF_OTHER).astype(np.int8)
    return replace(rows, content=content, label=label)


def _word_f1(page: ReadPage, way: str, prediction: Prediction) -> float:
    texts = page.blocks[way].text
    kept = [text for text, label in zip(texts, prediction.labels, strict=True) if label.is_content]
    return word_score("\n".join(kept), page.gold.text).f1


GROUPS = ("all", "headings", "hidden", "up to 4 words", "over 25 words", "one column", "several columns")


def _by_group(pages: Sequence[ReadPage], way: str, predictions: Sequence[Prediction]) -> dict[str, NDArray[np.float64]]:
    """Share of the words in rightly judged blocks, by group of blocks and page; NaN where a page has none."""
    found = {group: np.full(len(pages), np.nan) for group in GROUPS}
    for number, (page, prediction) in enumerate(zip(pages, predictions, strict=True)):
        blocks, context = page.blocks[way], PageContext(page.blocks[way])
        marks = page.marked.marks
        known = innermost(blocks.snapshot, marks)[block_anchor(blocks)] >= 0
        kept = np.array([label.is_content for label in prediction.labels])
        right = kept == content_blocks(blocks, marks)
        masks = _masks(page, way, context)
        for group in GROUPS:
            words = np.where(masks[group] & known, context.tokens, 0)
            if words.sum():
                found[group][number] = float(words[right].sum() / words.sum())
    return found


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
    """Columns of a rendered page: distinct left edges, to 50 px, that hold a tenth of the words each."""
    words = np.bincount(column_edges(blocks.box), PageContext(blocks).tokens)
    return max(int((words >= words.sum() / 10).sum()), 1)


def column_edges(box: NDArray[np.float32]) -> NDArray[np.int64]:
    """int64 (B,): left edges in steps of 50 px; what has no box is at the left."""
    return np.maximum(np.rint(np.nan_to_num(box[:, 0]) / 50), 0).astype(np.int64)


def _mean(values: NDArray[np.float64]) -> dict[str, float | list[float]]:
    known = values[~np.isnan(values)]
    if not len(known):
        return {"pages": 0}
    samples = [float(np.average(known, weights=weight)) for weight in draws(len(known))]
    return {"pages": len(known), "mean": round(float(known.mean()), 4), "interval": interval(samples)}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print and write; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("archive", type=Path)
    parser.add_argument("--styled", type=Path, help="archive of pages that a generator marked")
    parser.add_argument("--snapshots", type=Path, help="folder that keeps what was rendered")
    parser.add_argument("--json", type=Path, help="file for the figures")
    parser.add_argument("--only", choices=("roles", "blocks"), help="one of the two questions")
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
