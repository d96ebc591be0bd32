"""Commands `vclean train` and `vclean train-segments`: train a model on corpora, or on pages labelled by hand."""

from __future__ import annotations

import logging
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import click

from vclean.cli.command import argument, flag, option
from vclean.cli.options import (
    CORPUS,
    PREDICTIONS,
    SNAPSHOTS,
    MessageOptions,
    complete_methods,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from vclean.classify.content.model import Model
    from vclean.cli.corpora import Unseen
    from vclean.labelling.retraining import Correction, Gain

_MODEL_METHOD: Final = "vclean"

_log = logging.getLogger("vclean")

_NOT_MEASURED: Final = """\
The effect of the corrections is not measured: only one page is done, and no other is left to score. Label at least two.
"""


class TrainCommand(MessageOptions):
    """Train a model; the same pages give the same model."""

    corpora: list[Path] = argument("[CORPUS]...", CORPUS)
    corrections: Path | None = option(
        "--corrections GOLD",
        "add pages labelled with vclean label, a file or folder; without a CORPUS, train the shipped model further",
    )
    method: str = option(
        "--method NAME",
        "train this method; `vclean methods --json` marks those that can be trained ({default})",
        default=_MODEL_METHOD,
        shell_complete=complete_methods,
    )
    regions: list[Path] = option(
        "--regions ARCHIVE",
        "add a web archive of pages with regions marked by their structure, for the region model only; repeatable",
        multiple=True,
        needs="corpora",
    )
    out: Path = option("-o, --out MODEL", "write the model to this file", required=True)
    predictions: Path | None = option(*PREDICTIONS, needs="corpora")
    snapshots: Path | None = option(*SNAPSHOTS, needs="corpora")
    force: bool = flag(
        "--force", "write the model even if the corrections make it worse on held-out pages", needs="corrections"
    )

    def check(self) -> None:
        """Check that there are pages, and that the method takes them."""
        if not self.corpora and not self.corrections:
            raise click.UsageError("name a CORPUS, or --corrections GOLD")
        if self.method != _MODEL_METHOD and (self.regions or self.corrections):
            raise click.UsageError("--regions and --corrections train the method vclean only")

    def execute(self) -> int:
        """Train a method on every page of the corpora, write its model, and return the exit code.

        The main model is trained on every page twice, rendered and parsed; other methods on rendered pages if they need
        them, else on parsed ones. A page that fails is listed in the table of scores and left out; the exit code is
        then 1.

        Cross-validated scores are printed before the model is trained, and stored in its model card. The clean texts
        from the cross-validation are written to the file for predictions, if there is one. Pages labelled by hand are
        used for training as well, and their gain is printed; without corpora, the shipped model is trained further on
        them. A model that they make worse on held-out pages is not written without `force`.

        Raises:
            ModelError: corrections make the model worse on held-out pages.
            InputError: a corpus or the pages labelled by hand are missing or damaged, or have too few sites.
            UsageError: the method does not exist, or it is not trained.
            OutputError: the model cannot be written; checked before the work if possible.
        """
        from vclean.files import check_writable
        from vclean.output.writers import write_and_log

        for file in filter(None, (self.out, self.predictions)):
            check_writable(file)
        if self.method != _MODEL_METHOD:
            return _train_method(self)
        corrections, code = _corrections(self.corrections), 0
        if self.corpora:
            model, code = _train_model(self, corrections)
        else:
            from vclean.labelling.retraining import continue_from_shipped

            model, gains = continue_from_shipped(corrections)
            _report_gains(gains, force=self.force)
        write_and_log(self.out, "model", model.to_bytes())
        return code


def _train_model(options: TrainCommand, corrections: Sequence[Correction]) -> tuple[Model, int]:
    """Train the main model on the corpora; return it and the exit code. Pages that fail are left out."""
    from vclean.classify.corpora.corpora import read_corpus
    from vclean.classify.training.dataset import FOLDS
    from vclean.classify.training.train import train
    from vclean.cli.corpora import (
        cross_validate,
        open_readers,
        print_scores,
        score,
        train_region_model,
        unseen_predictions,
    )
    from vclean.labelling import retraining

    corpora = [read_corpus(path) for path in options.corpora]
    with open_readers(render=True, snapshots=options.snapshots, keep=True) as readers:
        regions = train_region_model(corpora, options.regions, readers)
        validation = cross_validate(corpora, readers, FOLDS, corrections)
        unseen = unseen_predictions(validation)
        report = score(corpora, readers, {}, unseen)
    code = print_scores(report, options.predictions)
    card: dict[str, Any] = {"scores": report.to_dict(), "calibration": report.calibration()}
    if corrections:
        card["corrected pages"] = _corrections_entry(unseen[_MODEL_METHOD], corrections, force=options.force)
    model = train(validation, card_fields=card, regions=regions)
    if corrections:
        metadata_model = retraining.corrected_metadata_model(corrections)
        model = replace(model, confirmed=retraining.confirmed_pages(corrections), metadata=metadata_model)
    return model, code


def _corrections_entry(unseen: Unseen, corrections: Sequence[Correction], *, force: bool) -> dict[str, Any]:
    """Measure and print the gain by the corrections, and return their entry in the model card."""
    from vclean.labelling import retraining

    keys = [(each.gold.corpus, each.gold.id, each.rendered) for each in corrections]
    gain = retraining.measure("sites", corrections, lambda row: unseen[keys[row]])
    _report_gains([gain], force=force)
    return retraining.model_card_entry(corrections, [gain])


def _corrections(path: Path | None) -> list[Correction]:
    if path is None:
        return []
    from vclean.labelling.retraining import describe_unread_marks, read_corrections

    corrections = read_corrections(path)
    for line in describe_unread_marks(corrections):
        _log.warning("%s", line)
    return corrections


def _report_gains(gains: Sequence[Gain], *, force: bool) -> None:
    """Print the gains from corrections.

    Raises:
        ModelError: there is a loss, and no `force`.
    """
    from vclean.errors import ModelError
    from vclean.files import write_stream
    from vclean.labelling.retraining import describe_loss, format_gains

    text = format_gains(gains) if gains else _NOT_MEASURED
    write_stream(sys.stdout, text)
    if loss := describe_loss(gains):
        if not force:
            raise ModelError(f"{loss}: it is not written. Label more pages, or add --force")
        _log.warning("%s", loss)


def _train_method(options: TrainCommand) -> int:
    from vclean.classify.corpora.corpora import read_corpus
    from vclean.classify.evaluation.evaluate import evaluate
    from vclean.classify.methods import method_info
    from vclean.classify.methods.registry import FOLDS, TrainingExamples
    from vclean.cli.corpora import all_pages, clean_texts, open_readers, print_scores
    from vclean.output.writers import write_and_log

    rendered = method_info(options.method).rendered
    corpora = [read_corpus(path) for path in options.corpora]
    with open_readers(render=rendered, snapshots=options.snapshots, keep=True) as readers:
        examples = TrainingExamples.from_pages(all_pages(corpora), [options.method], readers[rendered])
        predictors = {options.method: examples.cross_validated_predictor(options.method, FOLDS)}
        report = evaluate(corpora, predictors, read=readers[rendered], write=clean_texts)
    code = print_scores(report, options.predictions)
    write_and_log(options.out, "model", examples.train(options.method))
    return code
