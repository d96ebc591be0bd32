"""Run methods on corpora, and train on them, for `vclean evaluate`, `vclean train` and `vclean report`."""

from __future__ import annotations

import logging
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vclean.characters import format_count
from vclean.classify.corpora.corpora import read_corpus, site
from vclean.classify.corpora.marked import MarkedArchive
from vclean.classify.evaluation.evaluate import Report, evaluate
from vclean.classify.methods import get, method_info, names
from vclean.classify.methods.registry import FOLDS as METHOD_FOLDS
from vclean.classify.methods.registry import TrainingExamples
from vclean.cli.evaluate import MODEL_METHOD, method_and_model
from vclean.errors import OutputError, UsageError, VcleanError
from vclean.features.blocks import extract_blocks
from vclean.files import make_folder, write_stream
from vclean.output.text import to_cleaneval, to_text
from vclean.output.writers import write_and_log
from vclean.render.rendered_page import Rendering
from vclean.render.static.parse import parse
from vclean.runtime import count_progress, track
from vclean.settings import RenderSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from vclean.classify.content.model import Model
    from vclean.classify.corpora.corpora import Corpus
    from vclean.classify.corpora.gold import GoldPage
    from vclean.classify.evaluation.evaluate import PageEvaluation, Predictor, Reader
    from vclean.classify.forest import Forest
    from vclean.classify.methods import Method
    from vclean.classify.prediction import Prediction
    from vclean.classify.training.dataset import PageRows
    from vclean.classify.training.train import CrossValidation
    from vclean.cli.evaluate import ScoringOptions, TrainCommand
    from vclean.features.blocks import BlockColumns
    from vclean.labelling.retraining import Correction
    from vclean.page import Page

    Unseen = Mapping[tuple[str, str, bool], Prediction]
    "Predictions by corpus, page id and whether the page was rendered, each by a model not trained on the site."


def all_pages(corpora: Sequence[Corpus | MarkedArchive]) -> Iterator[GoldPage]:
    """Iterate over all pages of all corpora and show the progress."""
    return track(chain.from_iterable(corpora), "reading", "pages", total=sum(map(len, corpora)))


@contextmanager
def open_reader(
    *, render: bool, snapshots: Path | None, keep: bool = False, screenshots: bool = False
) -> Iterator[Callable[[Page], Rendering]]:
    """Open a function that reads a page: it renders the page, or parses it.

    Args:
        render: whether to render pages.
        snapshots: the folder of rendered pages, or None.
        keep: whether to store rendered pages during the run, because pages are read more than once.
        screenshots: whether to take screenshots of rendered pages.

    Raises:
        BrowserMissingError: no usable Chromium is installed.
        OutputError: the folder cannot be created.
    """
    if not render:
        yield lambda page: Rendering(parse(page))
        return
    from vclean.render.browser.renderer import Renderer
    from vclean.render.cache import RenderingCache
    from vclean.render.isolation import temp_dirs

    settings = RenderSettings()
    with ExitStack() as stack:
        renderer = stack.enter_context(Renderer(settings))
        read: Callable[[Page], Rendering] = partial(renderer.render, screenshot=screenshots)
        if snapshots or keep:
            folder = make_folder(snapshots) if snapshots else Path(temp_dirs.create())
            if not snapshots:
                stack.callback(temp_dirs.remove, str(folder))
            read = RenderingCache(read, settings, folder, screenshots=screenshots)
        yield read


@contextmanager
def open_readers(*, render: bool, snapshots: Path | None, keep: bool) -> Iterator[dict[bool, Reader]]:
    """Open the function that parses a page, by the key False, and if `render` is set the one that renders, by True.

    The arguments and errors are those of `open_reader`.
    """
    with open_reader(render=render, snapshots=snapshots, keep=keep) as read:
        readers: dict[bool, Reader] = {False: parse}
        if render:
            readers[True] = lambda page: read(page).snapshot
        yield readers


def cross_validate(
    corpora: Sequence[Corpus | MarkedArchive],
    readers: Mapping[bool, Reader],
    folds: int,
    corrections: Sequence[Correction] = (),
) -> CrossValidation:
    """Cross-validate the model on all pages with each reader, and on the corrections; show the progress.

    Pages that fail are left out.
    """
    from vclean.classify.training.dataset import TrainingTable, page_rows
    from vclean.classify.training.train import CrossValidation
    from vclean.labelling.retraining import correction_rows

    total = len(readers) * sum(map(len, corpora))
    pages = ((page, read) for corpus in corpora for page in corpus for read in readers.values())
    rows: list[PageRows] = []
    for page, read in track(pages, "reading", "pages", total=total):
        try:
            rows.append(page_rows(page, site(page), extract_blocks(read(page.to_page()))))
        except OutputError:
            raise
        except VcleanError:
            continue
    table = TrainingTable.from_pages([*rows, *map(correction_rows, corrections)], folds)
    with count_progress("training", "folds", total=len(set(table.fold.tolist()))) as advance:
        return CrossValidation(table, done=advance)


_READING_NAMES: Final = {False: "unrendered", True: "rendered"}

_log = logging.getLogger("vclean")


def exit_code(report: Report, location: str) -> int:
    """Return 1 if a page failed with any method, else 0; log the failures, and that `location` has the reasons."""
    if report.failed:
        _log.error(
            "%d of %s failed and count as empty: see %s", report.failed, format_count(report.pages, "page"), location
        )
    return int(report.failed > 0)


def run_methods(options: ScoringOptions) -> Report:
    """Score methods on corpora and show the progress.

    Without folds, pages are parsed or rendered. With folds, trained methods are cross-validated by site, and parsed and
    rendered pages are scored as two methods.

    Raises:
        InputError: a corpus is missing or damaged.
        UsageError: two corpora have the same name, a corpus has no page, or a method needs rendered pages.
    """
    render, folds = options.render, options.folds or 0
    unusable = [name for name in options.methods if not render and name in names() and method_info(name).rendered]
    if unusable:
        raise UsageError(f"the method {unusable[0]} needs the rendered page: add --render")
    methods = {name: partial(get, *method_and_model(name)) for name in options.methods}
    corpora = [read_corpus(path) for path in options.corpora]
    with open_readers(render=render, snapshots=options.snapshots, keep=folds > 0) as readers:
        if folds and MODEL_METHOD in methods:
            unseen = unseen_predictions(cross_validate(corpora, readers, folds))
            return score(corpora, readers, methods, unseen, folds=folds)
        return score(corpora, {render: readers[render]}, methods, {}, folds=folds)


def print_scores(report: Report, predictions: Path | None) -> int:
    """Print the table of scores, write the clean texts of all pages to a file, if any, and return the exit code."""
    write_stream(sys.stdout, report.table() + "\n")
    if predictions:
        write_and_log(predictions, "texts", report.predictions())
    return exit_code(report, "the table")


def unseen_predictions(validation: CrossValidation) -> dict[str, Unseen]:
    """Return the predictions of a cross-validation, by the name of their method in the report.

    With conventions, a second method has the predictions under the convention of each page's corpus.
    """
    pages = [(page.corpus, page.id, page.rendered) for page in validation.table.pages]
    predictions = {MODEL_METHOD: validation.predictions()}
    if validation.has_conventions:
        predictions[f"{MODEL_METHOD}, own convention"] = validation.predictions(by_convention=True)
    return {name: dict(zip(pages, values, strict=True)) for name, values in predictions.items()}


def score(
    corpora: Sequence[Corpus | MarkedArchive],
    readers: Mapping[bool, Reader],
    methods: Mapping[str, Callable[[], Method]],
    unseen: Mapping[str, Unseen],
    *,
    folds: int = 0,
) -> Report:
    """Score the methods on parsed and rendered pages, one for each reader; with folds, cross-validate trained methods.

    Args:
        corpora: the corpora.
        readers: functions that read a page, by whether they render it.
        methods: functions that load the methods, by name.
        unseen: predictions of a cross-validation by the name of their method, which is not loaded.
        folds: the number of folds for other trained methods; 0 for no cross-validation.
    """
    trained = [
        name for name in methods if folds and name != MODEL_METHOD and name in names() and method_info(name).trained
    ]
    outcomes: list[PageEvaluation] = []
    for rendered, read in readers.items():
        suffix = f", {_READING_NAMES[rendered]}" if len(readers) > 1 else ""
        examples = TrainingExamples(all_pages(corpora) if trained else (), trained, read)
        predictors: dict[str, Predictor] = {}
        for name in dict.fromkeys((*methods, *unseen)):
            if name in unseen:
                predictors[name + suffix] = partial(_unseen_prediction, unseen[name], rendered)
            elif name in trained:
                predictors[name + suffix] = examples.cross_validated_predictor(name, folds)
            else:
                predictors[name + suffix] = partial(_prediction, methods[name]())
        outcomes += evaluate(corpora, predictors, read=read, write=clean_texts).evaluations
    return Report(tuple(outcomes))


def _unseen_prediction(unseen: Unseen, rendered: bool, page: GoldPage, _: BlockColumns) -> Prediction:
    return unseen[page.corpus, page.id, rendered]


def _prediction(method: Method, _: GoldPage, blocks: BlockColumns) -> Prediction:
    return method(blocks)


def clean_texts(blocks: BlockColumns, prediction: Prediction) -> tuple[str, str]:
    """Return the clean text, and the clean text with the markup of CleanEval."""
    return to_text(blocks.text, prediction.labels), to_cleaneval(blocks.text, prediction.labels)


def train(options: TrainCommand) -> int:
    """Train the method, write its model, and return the exit code; errors are those of `TrainCommand.execute`."""
    if options.method != MODEL_METHOD:
        return _train_method(options)
    from vclean.labelling import retraining

    corrections, code = retraining.read_corrections(options.corrections) if options.corrections else [], 0
    for line in retraining.describe_unread_marks(corrections):
        _log.warning("%s", line)
    if options.corpora:
        model, code = _train_model(options, corrections)
    else:
        model, gains = retraining.continue_from_shipped(corrections)
        retraining.report_gains(gains, force=options.force)
    write_and_log(options.out, "model", model.to_bytes())
    return code


def _train_model(options: TrainCommand, corrections: Sequence[Correction]) -> tuple[Model, int]:
    """Train the main model on the corpora; return it and the exit code. Pages that fail are left out."""
    from vclean.classify.training import train as training
    from vclean.classify.training.dataset import FOLDS
    from vclean.labelling import retraining

    corpora = [read_corpus(path) for path in options.corpora]
    with open_readers(render=True, snapshots=options.snapshots, keep=True) as readers:
        regions = _train_region_model(corpora, options.regions, readers)
        validation = cross_validate(corpora, readers, FOLDS, corrections)
        unseen = unseen_predictions(validation)
        report = score(corpora, readers, {}, unseen)
    code = print_scores(report, options.predictions)
    card: dict[str, Any] = {"scores": report.to_dict(), "calibration": report.calibration()}
    if corrections:
        keys = [(each.gold.corpus, each.gold.id, each.rendered) for each in corrections]
        gain = retraining.measure("sites", corrections, lambda row: unseen[MODEL_METHOD][keys[row]])
        retraining.report_gains([gain], force=options.force)
        card["corrected pages"] = retraining.model_card_entry(corrections, [gain])
    model = training.train(validation, card_fields=card, regions=regions)
    if corrections:
        metadata_model = retraining.corrected_metadata_model(corrections)
        model = replace(model, confirmed=retraining.confirmed_pages(corrections), metadata=metadata_model)
    return model, code


def _train_region_model(
    corpora: Sequence[Corpus | MarkedArchive], archives: Sequence[Path], readers: Mapping[bool, Reader]
) -> Forest | None:
    """Train the region model on the pages marked by hand in the corpora, and on the archives of --regions.

    Returns:
        The model; None if no corpus is an archive of marked pages.
    """
    from vclean.classify.training.regions import archive_rows, fit

    marked_archives = [corpus for corpus in corpora if isinstance(corpus, MarkedArchive)]
    rows = [row for archive in marked_archives for row in archive_rows(archive, readers.values())]
    if not rows:
        return None
    for path in archives:
        rows += archive_rows(MarkedArchive(path), readers.values(), by_hand=False)
    return fit(rows)


def _train_method(options: TrainCommand) -> int:
    rendered = method_info(options.method).rendered
    corpora = [read_corpus(path) for path in options.corpora]
    with open_readers(render=rendered, snapshots=options.snapshots, keep=True) as readers:
        examples = TrainingExamples(all_pages(corpora), [options.method], readers[rendered])
        predictors = {options.method: examples.cross_validated_predictor(options.method, METHOD_FOLDS)}
        report = evaluate(corpora, predictors, read=readers[rendered], write=clean_texts)
    code = print_scores(report, options.predictions)
    write_and_log(options.out, "model", examples.train(options.method))
    return code
