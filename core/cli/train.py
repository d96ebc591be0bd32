"""Train a model on corpora, or on pages labelled by hand, for `vclean train`."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from vclean.classify.corpora.corpora import read_corpus
from vclean.classify.corpora.marked import MarkedArchive
from vclean.classify.evaluation.evaluate import evaluate
from vclean.classify.methods import method_info
from vclean.classify.methods.registry import FOLDS as METHOD_FOLDS
from vclean.classify.methods.registry import TrainingExamples
from vclean.classify.training import train as training
from vclean.classify.training.dataset import FOLDS
from vclean.classify.training.regions import archive_rows, fit
from vclean.cli.corpora import (
    all_pages,
    clean_texts,
    cross_validate,
    open_readers,
    print_scores,
    score,
    unseen_predictions,
)
from vclean.cli.evaluate import MODEL_METHOD
from vclean.errors import ModelError
from vclean.files import write_stream
from vclean.labelling import retraining
from vclean.output.writers import write_and_log

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from vclean.classify.content.model import Model
    from vclean.classify.corpora.corpora import Corpus
    from vclean.classify.evaluation.evaluate import Reader
    from vclean.classify.forest import Forest
    from vclean.cli.corpora import Unseen
    from vclean.cli.evaluate import TrainCommand
    from vclean.labelling.retraining import Correction, Gain

_log = logging.getLogger("vclean")

_NOT_MEASURED: Final = """\
The effect of the corrections is not measured: only one page is done, and no other is left to score. Label at least two.
"""


def train(options: TrainCommand) -> int:
    """Train the method, write its model, and return the exit code; errors are those of `TrainCommand.execute`."""
    if options.method != MODEL_METHOD:
        return _train_method(options)
    corrections, code = _corrections(options.corrections), 0
    if options.corpora:
        model, code = _train_model(options, corrections)
    else:
        model, gains = retraining.continue_from_shipped(corrections)
        _report_gains(gains, force=options.force)
    write_and_log(options.out, "model", model.to_bytes())
    return code


def _train_model(options: TrainCommand, corrections: Sequence[Correction]) -> tuple[Model, int]:
    """Train the main model on the corpora; return it and the exit code. Pages that fail are left out."""
    corpora = [read_corpus(path) for path in options.corpora]
    with open_readers(render=True, snapshots=options.snapshots, keep=True) as readers:
        regions = _train_region_model(corpora, options.regions, readers)
        validation = cross_validate(corpora, readers, FOLDS, corrections)
        unseen = unseen_predictions(validation)
        report = score(corpora, readers, {}, unseen)
    code = print_scores(report, options.predictions)
    card: dict[str, Any] = {"scores": report.to_dict(), "calibration": report.calibration()}
    if corrections:
        card["corrected pages"] = _corrections_entry(unseen[MODEL_METHOD], corrections, force=options.force)
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
    marked_archives = [corpus for corpus in corpora if isinstance(corpus, MarkedArchive)]
    rows = [row for archive in marked_archives for row in archive_rows(archive, readers.values())]
    if not rows:
        return None
    for path in archives:
        rows += archive_rows(MarkedArchive(path), readers.values(), by_hand=False)
    return fit(rows)


def _corrections_entry(unseen: Unseen, corrections: Sequence[Correction], *, force: bool) -> dict[str, Any]:
    """Measure and print the gain by the corrections, and return their entry in the model card."""
    keys = [(each.gold.corpus, each.gold.id, each.rendered) for each in corrections]
    gain = retraining.measure("sites", corrections, lambda row: unseen[keys[row]])
    _report_gains([gain], force=force)
    return retraining.model_card_entry(corrections, [gain])


def _corrections(path: Path | None) -> list[Correction]:
    if path is None:
        return []
    corrections = retraining.read_corrections(path)
    for line in retraining.describe_unread_marks(corrections):
        _log.warning("%s", line)
    return corrections


def _report_gains(gains: Sequence[Gain], *, force: bool) -> None:
    """Print the gains from corrections.

    Raises:
        ModelError: there is a loss, and no `force`.
    """
    text = retraining.format_gains(gains) if gains else _NOT_MEASURED
    write_stream(sys.stdout, text)
    if loss := retraining.describe_loss(gains):
        if not force:
            raise ModelError(f"{loss}: it is not written. Label more pages, or add --force")
        _log.warning("%s", loss)


def _train_method(options: TrainCommand) -> int:
    rendered = method_info(options.method).rendered
    corpora = [read_corpus(path) for path in options.corpora]
    with open_readers(render=rendered, snapshots=options.snapshots, keep=True) as readers:
        examples = TrainingExamples.from_pages(all_pages(corpora), [options.method], readers[rendered])
        predictors = {options.method: examples.cross_validated_predictor(options.method, METHOD_FOLDS)}
        report = evaluate(corpora, predictors, read=readers[rendered], write=clean_texts)
    code = print_scores(report, options.predictions)
    write_and_log(options.out, "model", examples.train(options.method))
    return code
