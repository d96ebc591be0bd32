"""`vclean evaluate` and `vclean train`: methods scored on corpora, and a model learned from them."""

from __future__ import annotations

import json
import logging
import sys
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from vclean.classify.corpora import read_corpus
from vclean.classify.evaluate import evaluate
from vclean.classify.methods import facts, get, names
from vclean.classify.report import Report
from vclean.corpus_reading import all_pages, opened_readers, region_fits, training_table
from vclean.errors import UsageError
from vclean.files import check_writable, write_stream
from vclean.formats import to_cleaneval, to_text
from vclean.outputs import write_told
from vclean.progress import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from vclean.classify.corpora import Corpus
    from vclean.classify.evaluate import Predictor, Reader, Watcher
    from vclean.classify.marks import MarkedArchive
    from vclean.classify.methods import Method
    from vclean.classify.model import Model
    from vclean.classify.prediction import Prediction
    from vclean.classify.report import Outcome
    from vclean.classify.table import Table
    from vclean.classify.training import CrossValidation
    from vclean.corpus_options import EvaluateOptions, TrainOptions
    from vclean.features.blocks import Blocks
    from vclean.labelling.corrections import Correction
    from vclean.labelling.gain import Gain

    Unseen = Mapping[tuple[str, str, bool], Prediction]
    """Predictions by corpus, page id and whether the page was rendered, each by a model that never saw the site."""

_MODEL_METHOD: Final = "vclean"
_WAYS: Final = {False: "unrendered", True: "rendered"}

_log = logging.getLogger("vclean")


def score_methods(options: EvaluateOptions) -> int:
    """Score every method on every corpus, print the tables, write the files; the exit code.

    With folds, the model's verdicts are cross-validated by site; with `render` too, on both readings of the pages,
    and both are scored. Without folds, one reading is scored.

    Raises:
        InputError: a corpus is missing or damaged.
        UsageError: there is no such method.
        OutputError: a file cannot be written, which is found before the work where it can be.
    """
    for path in filter(None, (options.json, options.predictions)):
        check_writable(path)
    report = run_methods(
        options.corpora,
        {name: partial(get, name) for name in options.methods},
        render=options.render,
        folds=options.folds,
        regions=options.regions,
        snapshots=options.snapshots,
    )
    write_stream(sys.stdout, report.table() + "\n")
    if options.json:
        write_told(options.json, "figures", json.dumps(report.to_dict(), indent=1, ensure_ascii=False) + "\n")
    _write_predictions(report, options.predictions)
    return exit_code(report, "the table")


def exit_code(report: Report, place: str) -> int:
    """0, or 1 if a page failed by any method; then it is said, and that `place` says why."""
    if report.failed:
        _log.error("%d of %d pages failed and count as empty: %s says why", report.failed, report.pages, place)
    return int(report.failed > 0)


def _write_predictions(report: Report, path: Path | None) -> None:
    if path:
        write_told(path, "texts", report.predictions())


def run_methods(
    paths: Sequence[Path],
    methods: Mapping[str, Callable[[], Method]],
    *,
    render: bool,
    folds: int = 0,
    regions: Sequence[Path] = (),
    snapshots: Path | None = None,
    watch: Watcher | None = None,
) -> Report:
    """What methods make of corpora; progress goes to standard error.

    Args:
        paths: of the corpora.
        methods: by the names they have in the report, each loaded when it is needed. With folds, those that are
            trained are not: each stands for the models that are cross-validated.
        render: whether pages are rendered; with folds, both readings are scored, as two methods.
        folds: by site, to cross-validate trained methods in; 0 for not.
        regions: archives that teach the region model alone, where it is cross-validated.
        snapshots: folder of what was rendered before; None for none.
        watch: see `vclean.classify.evaluate.evaluate`.

    Raises:
        InputError: a corpus is missing or damaged.
        UsageError: two have the same name, or one has no page; or a method needs rendered pages.
    """
    unable = [name for name in methods if not render and name in names() and facts(name).rendered]
    if unable:
        raise UsageError(f"the method {unable[0]} looks at the rendered page: add --render")
    corpora = [read_corpus(path) for path in paths]
    with opened_readers(render=render, snapshots=snapshots, keep=folds > 0) as readers:
        if folds and _MODEL_METHOD in methods:
            fits = region_fits(corpora, regions, readers)
            validation = _cross_validated(training_table(corpora, readers, folds, fits))
            return _scored(corpora, readers, methods, _unseen(validation), folds=folds, watch=watch)
        return _scored(corpora, {render: readers[render]}, methods, {}, folds=folds, watch=watch)


def train_model(options: TrainOptions) -> int:
    """Train a method on every page of the corpora and write its model; the exit code.

    The main model learns from every page rendered and unrendered, the others rendered if they need it.

    A page that fails is named in the table of scores and not learned from; the exit code is then 1.
    The cross-validated scores are printed before the model is trained, and kept in its card; so is what the models of
    the cross-validation made of every page, where a file for it is given. Pages labelled by hand are learned from too,
    and what they are worth is printed; without corpora, the shipped model goes on learning from them.

    Raises:
        InputError: a corpus is missing or damaged, or of too few sites, or what was labelled by hand.
        UsageError: there is no such method, or it is not trained.
        OutputError: the model cannot be written, which is found before the work where it can be.
    """
    for path in filter(None, (options.out, options.predictions)):
        check_writable(path)
    if options.method != _MODEL_METHOD:
        return _train_method(options)
    corrections = _corrections(options.corrections)
    if not options.corpora:
        from vclean.labelling.retraining import go_on_from_shipped

        model, gains = go_on_from_shipped(corrections)
        _print_gains(gains)
        code = 0
    else:
        model, code = _trained(options, corrections)
    write_told(options.out, "model", model.to_bytes())
    return code


def _trained(options: TrainOptions, corrections: Sequence[Correction]) -> tuple[Model, int]:
    """The model, and the exit code: pages that fail are not learned from."""
    from vclean.classify.table import FOLDS
    from vclean.classify.training import train
    from vclean.labelling import retraining

    corpora = [read_corpus(path) for path in options.corpora]
    with opened_readers(render=True, snapshots=options.snapshots, keep=True) as readers:
        regions = region_fits(corpora, options.regions, readers)
        validation = _cross_validated(training_table(corpora, readers, FOLDS, regions, corrections))
        unseen = _unseen(validation)
        report = _scored(corpora, readers, {_MODEL_METHOD: partial(get, _MODEL_METHOD)}, unseen)
    write_stream(sys.stdout, report.table() + "\n")
    _write_predictions(report, options.predictions)
    card: dict[str, Any] = {"scores": report.to_dict(), "calibration": report.calibration()}
    if corrections:
        card["corrected pages"] = retraining.facts(corrections) | {"gains": _gains(unseen, corrections)}
    return train(validation, facts=card, regions=regions.full if regions else None), exit_code(report, "the table")


def _corrections(path: Path | None) -> list[Correction]:
    if path is None:
        return []
    from vclean.labelling.corrections import read_corrections

    return read_corrections(path)


def _gains(unseen: Unseen, corrections: Sequence[Correction]) -> list[dict[str, Any]]:
    """What corrections were worth in a cross-validation that they were part of; it is printed, too."""
    from vclean.labelling.retraining import gain_by_validation

    gold = [correction.gold for correction in corrections]
    pages = zip(gold, corrections, strict=True)
    gain = gain_by_validation(corrections, [unseen[page.corpus, page.id, own.rendered] for page, own in pages])
    _print_gains([gain])
    return [gain.to_dict()]


def _print_gains(gains: Sequence[Gain]) -> None:
    from vclean.labelling.gain import table

    text = table(gains) if gains else "no page to measure the gain on: label two at least\n"
    write_stream(sys.stdout, text)


def _train_method(options: TrainOptions) -> int:
    from vclean.classify.methods.training import FOLDS, Lessons

    rendered = facts(options.method).rendered
    corpora = [read_corpus(path) for path in options.corpora]
    with opened_readers(render=rendered, snapshots=options.snapshots, keep=True) as readers:
        lessons = Lessons.of(all_pages(corpora), [options.method], readers[rendered])
        predictors = {options.method: lessons.cross_validated(options.method, FOLDS)}
        report = evaluate(corpora, predictors, read=readers[rendered], write=_texts)
    write_stream(sys.stdout, report.table() + "\n")
    _write_predictions(report, options.predictions)
    write_told(options.out, "model", lessons.train(options.method))
    return exit_code(report, "the table")


def _cross_validated(table: Table) -> CrossValidation:
    from vclean.classify.training import CrossValidation

    with counted("training", "folds", total=len(set(table.fold.tolist()))) as advance:
        return CrossValidation.of(table, done=advance)


def _unseen(validation: CrossValidation) -> Unseen:
    pages = [(page.corpus, page.id, page.rendered) for page in validation.table.pages]
    return dict(zip(pages, validation.predictions(), strict=True))


def _scored(
    corpora: Sequence[Corpus | MarkedArchive],
    readers: Mapping[bool, Reader],
    methods: Mapping[str, Callable[[], Method]],
    unseen: Unseen,
    *,
    folds: int = 0,
    watch: Watcher | None = None,
) -> Report:
    """The scores of the methods on every reading of the pages; with folds, the trained ones are cross-validated."""
    from vclean.classify.methods.training import Lessons

    trained = [name for name in methods if folds and name != _MODEL_METHOD and name in names() and facts(name).trained]
    outcomes: list[Outcome] = []
    for rendered, read in readers.items():
        suffix = f", {_WAYS[rendered]}" if len(readers) > 1 else ""
        lessons = Lessons.of(all_pages(corpora) if trained else (), trained, read)
        predictors = {
            name + suffix: lessons.cross_validated(name, folds)
            if name in trained
            else _predictor(name, load, unseen, rendered=rendered)
            for name, load in methods.items()
        }
        outcomes += evaluate(corpora, predictors, read=read, write=_texts, watch=watch).outcomes
    return Report(tuple(outcomes))


def _predictor(name: str, load: Callable[[], Method], unseen: Unseen, *, rendered: bool) -> Predictor:
    if name == _MODEL_METHOD and unseen:
        return lambda page, _: unseen[page.corpus, page.id, rendered]
    method = load()
    return lambda _, blocks: method(blocks)


def _texts(blocks: Blocks, prediction: Prediction) -> tuple[str, str]:
    return to_text(blocks.text, prediction.labels), to_cleaneval(blocks.text, prediction.labels)
