"""Score every method on every corpus over the same blocks, and compare the scores with published scores.

`python benchmarks/methods.py CORPUS.parquet... --json results.json --write docs/reference/tables/methods.md`

Trained methods are cross-validated by site (`--folds`). The scores of the main model are the cross-validated scores in
its model card. Methods that need rendered pages read them from the cache `--snapshots`; missing pages are rendered.
Results of other corpora and methods in the JSON file are kept, so a long run can be done in parts. Without a corpus,
the tables are written from the file alone.

If a method fails on a page, its output counts as empty. Time is CPU time from blocks to labels, in one process. Set
`OPENBLAS_NUM_THREADS=1`, because waiting threads count as CPU time.
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
from published import PUBLISHED, PublishedScore
from results_file import read_results, replace_last_section
from speed import Spread
from tqdm import tqdm

from vclean.classify.content.model import load_default
from vclean.classify.corpora.corpora import read_corpus
from vclean.classify.evaluation import scores
from vclean.classify.evaluation.evaluate import score_page
from vclean.classify.methods import all_method_infos, get, method_info
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
    """Scores, times in milliseconds, and numbers of failures, by corpus and method."""

HEADING = "## Results\n"
"""Last heading of the document; this program writes the text below it."""
SCORES = ("word_f1", "lcs_f1_micro", "cleaneval", "cleaneval_markup")
POINTS = 3.0
"""Differences to a published score above this get an explanation, in points."""


class MethodRun:
    """Scores and times of one method on the pages of a corpus."""

    def __init__(self, name: str, predict: Predictor, *, rendered: bool) -> None:
        self.name, self.rendered = name, rendered
        self._predict = predict
        self._scores: list[PageScore] = []
        self._seconds: list[float] = []
        self._failed = 0

    def add(self, page: GoldPage, blocks: BlockColumns | None) -> None:
        """Run the method on the blocks of a page; `blocks` is None if the page could not be read."""
        texts = "", ""
        try:
            if blocks is None:
                raise InputError("the page could not be read")
            start = time.process_time()
            labels = self._predict(page, blocks).labels
            self._seconds.append(time.process_time() - start)
            texts = to_text(blocks.text, labels), to_cleaneval(blocks.text, labels)
        except Exception:  # A failed page is counted, and must not end a long run.
            self._failed += 1
        self._scores.append(score_page(page, *texts))

    def figures(self) -> dict[str, Any]:
        """Return scores over all pages, standard error of the word F1, median time in ms, and number of failures."""
        total = scores.aggregate(self._scores).to_dict()
        spread = Spread.of(self._seconds) if self._seconds else None
        values = {name: total[name] for name in SCORES}
        f1 = np.array([score.word.f1 for score in self._scores])
        values["word_f1_error"] = float(f1.std(ddof=1) / np.sqrt(len(f1))) if len(f1) > 1 else None
        return {**values, "pages": len(self._scores), "ms": spread and spread.median, "failed": self._failed}


def evenly(pages: Sequence[GoldPage], count: int) -> list[GoldPage]:
    """Return `count` evenly spaced pages; all pages if `count` is 0 or greater than their number."""
    if not 0 < count < len(pages):
        return list(pages)
    return [pages[at] for at in np.linspace(0, len(pages) - 1, count, dtype=int).tolist()]


def measure(
    pages: Sequence[GoldPage], names: Sequence[str], readers: Mapping[bool, Reader], folds: int
) -> list[MethodRun]:
    """Run the methods on the pages of a corpus. Trained methods are cross-validated.

    Args:
        pages: pages of the corpus.
        names: names of the methods.
        readers: reader of rendered pages (True) and of parsed pages (False).
        folds: number of folds.
    """
    examples = _training_examples(pages, names, readers)
    runs = [_method_run(name, examples, folds) for name in names]
    for page in tqdm(pages, unit="page", disable=None):
        blocks = {rendered: _blocks(page, readers[rendered]) for rendered in {run.rendered for run in runs}}
        for run in runs:
            run.add(page, blocks[run.rendered])
    return runs


def _training_examples(
    pages: Sequence[GoldPage], names: Sequence[str], readers: Mapping[bool, Reader]
) -> dict[bool, TrainingExamples]:
    """Return the examples of the trained methods, separately for rendered (True) and parsed (False) pages."""
    trained: dict[bool, list[str]] = {}
    for method in filter(attrgetter("trained"), map(method_info, names)):
        trained.setdefault(method.rendered, []).append(method.name)
    return {
        rendered: TrainingExamples.from_pages(pages, chosen, readers[rendered]) for rendered, chosen in trained.items()
    }


def _method_run(name: str, examples: Mapping[bool, TrainingExamples], folds: int) -> MethodRun:
    method = method_info(name)
    predict = examples[method.rendered].cross_validated_predictor(name, folds) if method.trained else _untrained(name)
    return MethodRun(name, predict, rendered=method.rendered)


def _blocks(page: GoldPage, read: Reader) -> BlockColumns | None:
    try:
        return extract_blocks(read(page.to_page()))
    except VcleanError:
        return None


def _untrained(name: str) -> Predictor:
    method = get(name)
    return lambda _, blocks: method(blocks)


def available(names: Sequence[str], *, render: bool) -> list[str]:
    """Return the methods that can run: without templates, missing extras, or, unless `render`, rendered pages."""
    chosen = names or [each.name for each in all_method_infos() if each.name != DEFAULT and not each.templated]
    return [name for name in chosen if (render or not method_info(name).rendered) and _works(name)]


def _works(name: str) -> bool:
    try:
        if not method_info(name).trained:
            get(name)
    except ExtraMissingError as error:
        print(f"{name} was left out: {error}", file=sys.stderr)
        return False
    return True


def model_card_figures(corpus: str) -> dict[str, Any] | None:
    """Return the cross-validated scores of the main model on a corpus from its model card.

    Return None if the model was not trained on the corpus.
    """
    figures = load_default().card["scores"].get(corpus, {}).get("vclean, unrendered")
    if figures is None:
        return None
    total = figures["scores"]["all"]
    return {**{name: total[name] for name in SCORES}, "pages": total["pages"], "ms": None, "failed": 0}


def document(results: Figures) -> str:
    """Return the results as Markdown: a table for each corpus, and a comparison with published scores."""
    parts = [_corpus(corpus, methods) for corpus, methods in results.items()]
    published = f"### Comparison with published scores\n\n{_comparison(results)}"
    return "\n".join(["", *parts, f"### Ahead of the main model\n\n{_ahead(results)}", published])


def _ahead(results: Figures) -> str:
    """Return lines on the methods with higher word F1 than the main model on the same number of pages."""
    lines = [
        _lead(corpus, name, figures, figures["word_f1"] - main["word_f1"])
        for corpus, methods in results.items()
        if (main := methods.get(DEFAULT)) is not None
        for name, figures in methods.items()
        if figures["word_f1"] > main["word_f1"] and figures["pages"] == main["pages"]
    ]
    return "".join(lines) or "None, on any corpus that was scored whole.\n"


def _lead(corpus: str, name: str, figures: Mapping[str, Any], points: float) -> str:
    error = figures["word_f1_error"]
    line = f"- {corpus}: `{name}`, by {points:.3f} on {figures['pages']} pages; the standard error of its mean is"
    line = f"{line} {error:.3f}"
    return f"{line}, so the difference may be due to chance\n" if points < error else f"{line}\n"


def _corpus(corpus: str, methods: Mapping[str, Mapping[str, Any]]) -> str:
    head = ("method", "word F1", "LCS F1 micro", "CleanEval text", "text+markup", "pages", "ms", "failed")
    ranked = sorted(methods.items(), key=lambda item: -item[1]["word_f1"])
    return f"### {corpus}\n\n{table(head, (_row(name, figures) for name, figures in ranked))}"


def _row(name: str, figures: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        f"`{name}`", f"{figures['word_f1']:.3f}", f"{figures['lcs_f1_micro']:.3f}", f"{figures['cleaneval']:.1f}",
        "" if figures["cleaneval_markup"] is None else f"{figures['cleaneval_markup']:.1f}",
        f"{figures['pages']:,}", "" if figures["ms"] is None else f"{figures['ms']:.1f}", str(figures["failed"]),
    )  # fmt: skip


def _comparison(results: Figures) -> str:
    """Return a table of published and measured scores, and below it the reasons for large differences."""
    head = ("method", "corpus", "score", "published", "measured", "difference", "reason")
    notes: dict[str, int] = {}
    rows = [
        _comparison_row(each, measured, notes)
        for each in PUBLISHED
        if (measured := _measured_points(each, results)) is not None
    ]
    reasons = "".join(f"{number}. {reason}\n" for reason, number in notes.items())
    return f"{table(head, rows)}\n{reasons}"


def _measured_points(each: PublishedScore, results: Figures) -> float | None:
    """Return our score in points, 0..100; None if it was not measured."""
    figures = results.get(each.corpus, {}).get(each.method)
    if figures is None:
        return None
    if each.score == "average":
        return fmean((figures["cleaneval"], figures["cleaneval_markup"]))
    return float(figures[each.score]) * (1 if each.score.startswith("cleaneval") else 100)


def _comparison_row(each: PublishedScore, measured: float, notes: dict[str, int]) -> tuple[str, ...]:
    """Return a row of the comparison. The reason for a large difference is added to `notes`; the row has its number."""
    difference = measured - each.value
    number = notes.setdefault(each.reason, len(notes) + 1) if abs(difference) > POINTS else ""
    return (
        f"`{each.method}`", each.corpus, each.label, f"{each.value:.1f}", f"{measured:.1f}", f"{difference:+.1f}",
        str(number),
    )  # fmt: skip


def run(options: argparse.Namespace) -> None:
    """Run the methods, merge the results with those of earlier runs, and print and write the tables.

    Raises:
        VcleanError: a corpus or the results cannot be read, or a file cannot be written.
    """
    for path in filter(None, (options.json, options.write)):
        check_writable(path)
    results = read_results(options.json, document)
    with ExitStack() as stack:
        readers = _readers(options.snapshots, stack)
        names = available(options.method, render=options.snapshots is not None)
        for path in options.corpora:
            corpus = read_corpus(path)
            pages = evenly(list(corpus), options.pages)
            for method_run in measure(pages, names, readers, options.folds):
                results.setdefault(corpus.name, {})[method_run.name] = method_run.figures()
            main_figures = model_card_figures(corpus.name)
            results[corpus.name] |= {DEFAULT: main_figures} if main_figures else {}
            if options.json:
                write_atomic(options.json, json.dumps(results, indent=1) + "\n")
    print(document(results))
    if options.write:
        replace_last_section(options.write, HEADING, document(results))


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
    """Return the command-line options."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("corpora", nargs="*", type=Path, metavar="CORPUS", help="a corpus as Parquet")
    add("--method", action="append", metavar="NAME", help="may be repeated (default: all that can run)")
    add("--pages", type=int, default=0, metavar="N", help="pages of each corpus, evenly spaced (default: all)")
    add("--folds", type=int, default=FOLDS, metavar="K", help="folds by site, for trained methods (%(default)d)")
    add("--snapshots", type=Path, metavar="FOLDER", help="cache of rendered pages, for the methods that need them")
    add("--json", type=Path, metavar="FILE", help="results: read if the file exists, and written")
    add("--write", type=Path, metavar="DOCUMENT", help="update the tables in this document")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the comparison. Return the exit code."""
    try:
        run(parse_args(arguments))
    except VcleanError as error:
        print(f"methods.py: {error}", file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
