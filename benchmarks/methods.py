"""Every method on every corpus, over the same blocks, beside the figures that were published.

`python benchmarks/methods.py CORPUS.parquet... --json figures.json --write docs/reference/tables/methods.md`

Trained methods are cross-validated by site (`--folds`); the main model has the cross-validated scores of its card.
Methods that need a rendered page get it from `--snapshots`, where pages are rendered as they are missed. Figures of
other corpora and methods that are in the JSON file already stay, so that a long run can be done in parts; without a
corpus, the tables are written from the file alone.

A page on which a method fails counts as empty output. Time is CPU time from blocks to labels, in one process;
`OPENBLAS_NUM_THREADS=1` keeps it to one thread, or those that wait count as well.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from contextlib import ExitStack
from operator import attrgetter
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import numpy as np
from documents import table
from figures import read_figures, renew
from published import PUBLISHED, Published
from speed import Spread
from tqdm import tqdm

from vclean.classify.content.model import load_default
from vclean.classify.corpora.corpora import read_corpus
from vclean.classify.evaluation import scores
from vclean.classify.evaluation.evaluate import score_page
from vclean.classify.methods import all_facts, facts, get
from vclean.classify.methods.registry import DEFAULT
from vclean.classify.methods.training import FOLDS, TrainingExamples
from vclean.errors import ExtraMissingError, InputError, VcleanError
from vclean.features.blocks import extract_blocks
from vclean.files import check_writable, write_atomic
from vclean.output.text import to_cleaneval, to_text
from vclean.render.static.parse import parse
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vclean.classify.corpora.corpora import GoldPage
    from vclean.classify.evaluation.evaluate import Predictor, Reader
    from vclean.classify.evaluation.scores import PageScore
    from vclean.features.blocks import BlockColumns

    Figures = dict[str, dict[str, dict[str, Any]]]
    """Scores, milliseconds and failures by corpus and method."""

HEADING = "## Results\n"
"""What stands below it in the document is made by this program."""
SCORES = ("word_f1", "lcs_f1_micro", "cleaneval", "cleaneval_markup")
POINTS = 3.0
"""The difference to a published figure from which it has to be explained."""


class Tally:
    """What one method made of the pages of a corpus, read rendered or not."""

    def __init__(self, name: str, predict: Predictor, *, rendered: bool) -> None:
        self.name, self.rendered = name, rendered
        self._predict = predict
        self._scores: list[PageScore] = []
        self._seconds: list[float] = []
        self._failed = 0

    def take(self, page: GoldPage, blocks: BlockColumns | None) -> None:
        """Run the method on a page, given its blocks; None where it could not be read."""
        texts = "", ""
        try:
            if blocks is None:
                raise InputError("the page could not be read")
            start = time.process_time()
            labels = self._predict(page, blocks).labels
            self._seconds.append(time.process_time() - start)
            texts = to_text(blocks.text, labels), to_cleaneval(blocks.text, labels)
        except Exception:  # One page must not end a long run; it is counted.
            self._failed += 1
        self._scores.append(score_page(page, *texts))

    def figures(self) -> dict[str, Any]:
        """The scores over all pages, the standard error of the word F1, the median time, the number of failures."""
        total = scores.total(self._scores).to_dict()
        spread = Spread.of(self._seconds) if self._seconds else None
        kept = {name: total[name] for name in SCORES}
        f1 = np.array([score.word.f1 for score in self._scores])
        kept["word_f1_error"] = float(f1.std(ddof=1) / np.sqrt(len(f1))) if len(f1) > 1 else None
        return {**kept, "pages": len(self._scores), "ms": spread and spread.median, "failed": self._failed}


def evenly(pages: Sequence[GoldPage], count: int) -> list[GoldPage]:
    """So many of the pages, taken evenly; all of them where that is 0 or more than there are."""
    if not 0 < count < len(pages):
        return list(pages)
    return [pages[at] for at in np.linspace(0, len(pages) - 1, count, dtype=int).tolist()]


def measure(pages: Sequence[GoldPage], names: Sequence[str], readers: Mapping[bool, Reader], folds: int) -> list[Tally]:
    """Run the methods on the pages of a corpus; trained ones on the folds that they have not seen."""
    lessons = _lessons(pages, names, readers)
    tallies = [_tally(name, lessons, folds) for name in names]
    for page in tqdm(pages, unit="page", disable=None):
        blocks = {way: _blocks(page, readers[way]) for way in {tally.rendered for tally in tallies}}
        for tally in tallies:
            tally.take(page, blocks[tally.rendered])
    return tallies


def _lessons(
    pages: Sequence[GoldPage], names: Sequence[str], readers: Mapping[bool, Reader]
) -> dict[bool, TrainingExamples]:
    """What the trained methods learn from, for those that look at rendered pages and for the others."""
    trained: dict[bool, list[str]] = {}
    for found in filter(attrgetter("trained"), map(facts, names)):
        trained.setdefault(found.rendered, []).append(found.name)
    return {way: TrainingExamples.of(pages, chosen, readers[way]) for way, chosen in trained.items()}


def _tally(name: str, lessons: Mapping[bool, TrainingExamples], folds: int) -> Tally:
    found = facts(name)
    predict = lessons[found.rendered].cross_validated(name, folds) if found.trained else _untrained(name)
    return Tally(name, predict, rendered=found.rendered)


def _blocks(page: GoldPage, read: Reader) -> BlockColumns | None:
    try:
        return extract_blocks(read(page.page()))
    except VcleanError:
        return None


def _untrained(name: str) -> Predictor:
    method = get(name)
    return lambda _, blocks: method(blocks)


def available(names: Sequence[str], *, render: bool) -> list[str]:
    """The methods that work here: no templates, no missing extra; those that look at pages only with `render`."""
    chosen = names or [each.name for each in all_facts() if each.name != DEFAULT and not each.templated]
    return [name for name in chosen if (render or not facts(name).rendered) and _works(name)]


def _works(name: str) -> bool:
    try:
        if not facts(name).trained:
            get(name)
    except ExtraMissingError as error:
        print(f"{name} was left out: {error}", file=sys.stderr)
        return False
    return True


def own_figures(corpus: str) -> dict[str, Any] | None:
    """The cross-validated scores of the main model on a corpus, by its card; None where it did not learn from it."""
    found = load_default().card["scores"].get(corpus, {}).get("vclean, unrendered")
    if found is None:
        return None
    total = found["scores"]["all"]
    return {**{name: total[name] for name in SCORES}, "pages": total["pages"], "ms": None, "failed": 0}


def document(figures: Figures) -> str:
    """The figures as Markdown tables: one for each corpus, and one beside the published figures."""
    parts = [_corpus(corpus, methods) for corpus, methods in figures.items()]
    beside = f"### Beside the published figures\n\n{_comparison(figures)}"
    return "\n".join(["", *parts, f"### Ahead of the main model\n\n{_ahead(figures)}", beside])


def _ahead(figures: Figures) -> str:
    """The methods that are ahead of the main model in word F1, where they saw as many pages."""
    lines = [
        _lead(corpus, name, found, found["word_f1"] - own["word_f1"])
        for corpus, methods in figures.items()
        if (own := methods.get(DEFAULT)) is not None
        for name, found in methods.items()
        if found["word_f1"] > own["word_f1"] and found["pages"] == own["pages"]
    ]
    return "".join(lines) or "None, on any corpus that was scored whole.\n"


def _lead(corpus: str, name: str, found: Mapping[str, Any], points: float) -> str:
    error = found["word_f1_error"]
    line = f"- {corpus}: `{name}`, by {points:.3f} on {found['pages']} pages; the standard error of its mean is"
    line = f"{line} {error:.3f}"
    return f"{line}, so that which of the two is ahead here is chance\n" if points < error else f"{line}\n"


def _corpus(corpus: str, methods: Mapping[str, Mapping[str, Any]]) -> str:
    head = ("method", "word F1", "LCS F1 micro", "CleanEval text", "text+markup", "pages", "ms", "failed")
    ranked = sorted(methods.items(), key=lambda item: -item[1]["word_f1"])
    return f"### {corpus}\n\n{table(head, (_row(name, found) for name, found in ranked))}"


def _row(name: str, found: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"`{name}`", f"{found['word_f1']:.3f}", f"{found['lcs_f1_micro']:.3f}", f"{found['cleaneval']:.1f}",
        "" if found["cleaneval_markup"] is None else f"{found['cleaneval_markup']:.1f}",
        f"{found['pages']:,}", "" if found["ms"] is None else f"{found['ms']:.1f}", str(found["failed"]),
    )  # fmt: skip


def _comparison(figures: Figures) -> str:
    """A table of the published figures that there are ours of, and below it why some differ."""
    head = ("method", "corpus", "score", "published", "here", "difference", "why")
    notes: dict[str, int] = {}
    rows = [_beside(each, ours, notes) for each in PUBLISHED if (ours := _ours(each, figures)) is not None]
    reasons = "".join(f"{number}. {why}\n" for why, number in notes.items())
    return f"{table(head, rows)}\n{reasons}"


def _ours(each: Published, figures: Figures) -> float | None:
    """The figure here in points, 0..100; None where it was not measured."""
    found = figures.get(each.corpus, {}).get(each.method)
    if found is None:
        return None
    if each.score == "average":
        return fmean((found["cleaneval"], found["cleaneval_markup"]))
    return float(found[each.score]) * (1 if each.score.startswith("cleaneval") else 100)


def _beside(each: Published, ours: float, notes: dict[str, int]) -> tuple[str, ...]:
    """The row of a figure; the reason for a difference that asks for one is a number in `notes`."""
    difference = ours - each.value
    why = notes.setdefault(each.why, len(notes) + 1) if abs(difference) > POINTS else ""
    return (
        f"`{each.method}`", each.corpus, each.label, f"{each.value:.1f}", f"{ours:.1f}", f"{difference:+.1f}", str(why),
    )  # fmt: skip


def run(options: argparse.Namespace) -> None:
    """Measure, merge with what was measured before, print and write the tables.

    Raises:
        VcleanError: a corpus or the figures cannot be read, or a file cannot be written.
    """
    for path in filter(None, (options.json, options.write)):
        check_writable(path)
    figures = read_figures(options.json, document)
    with ExitStack() as stack:
        readers = _readers(options.snapshots, stack)
        names = available(options.method, render=options.snapshots is not None)
        for path in options.corpora:
            corpus = read_corpus(path)
            pages = evenly(list(corpus), options.pages)
            for tally in measure(pages, names, readers, options.folds):
                figures.setdefault(corpus.name, {})[tally.name] = tally.figures()
            own = own_figures(corpus.name)
            figures[corpus.name] |= {DEFAULT: own} if own else {}
            if options.json:
                write_atomic(options.json, json.dumps(figures, indent=1) + "\n")
    print(document(figures))
    if options.write:
        renew(options.write, HEADING, document(figures))


def _readers(snapshots: Path | None, stack: ExitStack) -> dict[bool, Reader]:
    if snapshots is None:
        return {False: parse}
    from vclean.render.browser.renderer import Renderer
    from vclean.render.storage.cache import SnapshotCache

    settings = RenderSettings()
    renderer = stack.enter_context(Renderer(settings))
    return {
        False: parse,
        True: SnapshotCache(snapshots, lambda page: renderer.render(page).snapshot, settings, rendered=True),
    }


def parse_args(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("corpora", nargs="*", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    add("--method", action="append", metavar="NAME", help="may be repeated (all that work here)")
    add("--pages", type=int, default=0, metavar="N", help="so many pages of each corpus, evenly (all)")
    add("--folds", type=int, default=FOLDS, metavar="K", help="by site, for trained methods (%(default)d)")
    add("--snapshots", type=Path, metavar="FOLDER", help="rendered pages, for the methods that need them")
    add("--json", type=Path, metavar="FILE", help="the figures: read first, where it is there, and written")
    add("--write", type=Path, metavar="DOCUMENT", help="renew the tables in this document")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison; the exit code."""
    try:
        run(parse_args(arguments))
    except VcleanError as error:
        print(f"methods.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
