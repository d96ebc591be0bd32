"""`vclean train`: a model trained on corpora, or on pages labelled by hand."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.cli.command import command
from vclean.cli.options import (
    complete_methods,
    corpora_argument,
    option,
    path,
    predictions_option,
    regions_option,
    snapshots_option,
    take_verbosity,
    verbosity,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from vclean.classify.content.model import Model
    from vclean.cli.corpora import Unseen
    from vclean.labelling.retraining import Correction, Gain

_MODEL_METHOD: Final = "vclean"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainOptions:
    """Options of `vclean train`: method, training data, pages for the region model, files to write.

    Without `corpora` the shipped model goes on learning, from `corrections` alone. `verbosity` is as for cleaning.
    """

    method: str
    corpora: list[Path]
    corrections: Path | None
    regions: list[Path]
    out: Path
    predictions: Path | None
    snapshots: Path | None
    verbosity: int


def _options(**values: Any) -> TrainOptions:  # noqa: ANN401
    options = TrainOptions(verbosity=take_verbosity(values), **values)
    if not options.corpora and not options.corrections:
        raise click.UsageError("name a CORPUS, or --corrections GOLD")
    if options.method != _MODEL_METHOD and (options.regions or options.corrections):
        raise click.UsageError("--regions and --corrections train the method vclean only")
    if not options.corpora and (options.regions or options.predictions or options.snapshots):
        raise click.UsageError("--regions, --predictions and --snapshots need a CORPUS")
    return options


@command("train", _options, help="Train a model; the same pages give the same model.")
@corpora_argument(required=False)
@option(
    "--corrections",
    type=path,
    metavar="GOLD",
    help="gold of vclean label, a file or a folder; without a CORPUS, the shipped model is trained further on it",
)
@option(
    "--method",
    default="vclean",
    metavar="NAME",
    shell_complete=complete_methods,
    help="the method to train: one that `vclean methods --json` calls trained (vclean)",
)
@regions_option()
@option("-o", "--out", type=path, required=True, metavar="MODEL", help="the model file to write")
@predictions_option()
@snapshots_option()
@verbosity()
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
    from vclean.files import check_writable
    from vclean.output.writers import write_told

    for file in filter(None, (options.out, options.predictions)):
        check_writable(file)
    if options.method != _MODEL_METHOD:
        return _train_method(options)
    corrections = _corrections(options.corrections)
    if not options.corpora:
        from vclean.labelling.retraining import continue_from_shipped

        model, gains = continue_from_shipped(corrections)
        _print_gains(gains)
        code = 0
    else:
        model, code = _trained(options, corrections)
    write_told(options.out, "model", model.to_bytes())
    return code


def _trained(options: TrainOptions, corrections: Sequence[Correction]) -> tuple[Model, int]:
    """The model, and the exit code: pages that fail are not learned from."""
    from vclean.classify.corpora.corpora import read_corpus
    from vclean.classify.methods import get
    from vclean.classify.training.dataset import FOLDS
    from vclean.classify.training.train import train
    from vclean.cli.corpora import (
        cross_validated,
        exit_code,
        opened_readers,
        region_fits,
        score,
        training_table,
        unseen_predictions,
        write_predictions,
    )
    from vclean.files import write_stream
    from vclean.labelling import retraining

    corpora = [read_corpus(path) for path in options.corpora]
    with opened_readers(render=True, snapshots=options.snapshots, keep=True) as readers:
        regions = region_fits(corpora, options.regions, readers)
        validation = cross_validated(training_table(corpora, readers, FOLDS, regions, corrections))
        unseen = unseen_predictions(validation)
        report = score(corpora, readers, {_MODEL_METHOD: partial(get, _MODEL_METHOD)}, unseen)
    write_stream(sys.stdout, report.table() + "\n")
    write_predictions(report, options.predictions)
    card: dict[str, Any] = {"scores": report.to_dict(), "calibration": report.calibration()}
    if corrections:
        card["corrected pages"] = retraining.model_card_entry(corrections) | {"gains": _gains(unseen, corrections)}
    return train(validation, card_fields=card, regions=regions.full if regions else None), exit_code(
        report, "the table"
    )


def _corrections(path: Path | None) -> list[Correction]:
    if path is None:
        return []
    from vclean.labelling.retraining import read_corrections

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
    from vclean.files import write_stream
    from vclean.labelling.retraining import format_gains

    text = format_gains(gains) if gains else "no page to measure the gain on: label two at least\n"
    write_stream(sys.stdout, text)


def _train_method(options: TrainOptions) -> int:
    from vclean.classify.corpora.corpora import read_corpus
    from vclean.classify.evaluation.evaluate import evaluate
    from vclean.classify.methods import method_info
    from vclean.classify.methods.training import FOLDS, TrainingExamples
    from vclean.cli.corpora import all_pages, exit_code, opened_readers, texts, write_predictions
    from vclean.files import write_stream
    from vclean.output.writers import write_told

    rendered = method_info(options.method).rendered
    corpora = [read_corpus(path) for path in options.corpora]
    with opened_readers(render=rendered, snapshots=options.snapshots, keep=True) as readers:
        lessons = TrainingExamples.from_pages(all_pages(corpora), [options.method], readers[rendered])
        predictors = {options.method: lessons.cross_validated_predictor(options.method, FOLDS)}
        report = evaluate(corpora, predictors, read=readers[rendered], write=texts)
    write_stream(sys.stdout, report.table() + "\n")
    write_predictions(report, options.predictions)
    write_told(options.out, "model", lessons.train(options.method))
    return exit_code(report, "the table")
