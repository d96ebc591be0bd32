"""Train with corrections (`vclean train --corrections`): continue with the shipped model, or add them to corpora.

Without corpora, new trees are added to those of the model. They are fitted on the labelled pages alone, starting from
the model's predictions for them, so correct predictions change little. The linear models, the region model and the
calibration stay unchanged. The new trees know nothing of the first training data, and may degrade predictions on pages
unlike the labelled ones; `docs/guides/label.md` has figures.
"""

from __future__ import annotations

import logging
import sys
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from statistics import fmean
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from vclean.classify.content.confirmed import ConfirmedPage
from vclean.classify.content.model import CORRECTED, load
from vclean.classify.content.stacking import add_columns
from vclean.classify.corpora.corpora import assign_folds, registered_domain
from vclean.classify.corpora.gold import GoldPage, align
from vclean.classify.evaluation.scores import word_score
from vclean.classify.metadata import load_shipped, marked_candidate
from vclean.classify.training.dataset import WEIGHT_CAP, page_rows
from vclean.classify.training.fits import CORRECTIONS, FITS, SEED, fit
from vclean.classify.training.train import is_typed
from vclean.errors import InputError, ModelError
from vclean.features.blocks import block_names, extract_blocks, match_blocks
from vclean.features.facts.candidates import FIELDS, PARTS, MetadataPage
from vclean.features.facts.mentions import Field
from vclean.features.matrix import page_context
from vclean.features.text.characters import EncodedTexts
from vclean.features.text.language import detect
from vclean.files import write_stream
from vclean.labelling.export import read_gold
from vclean.labelling.preparation import SNAPSHOTS, read_snapshot
from vclean.labelling.session import Status
from vclean.labels import LABELS, Label
from vclean.output.text import to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from vclean.classify.content.model import Model
    from vclean.classify.forest import Forest
    from vclean.classify.metadata import MetadataModel
    from vclean.classify.prediction import Prediction
    from vclean.classify.training.dataset import PageRows
    from vclean.features.blocks import BlockColumns
    from vclean.features.facts.candidates import Candidates
    from vclean.labelling.export import LabelledPage
    from vclean.labels import PartKind

    MetadataExample = dict[Field, tuple[Candidates, NDArray[np.bool_]]]
    """Candidates of a page for each of `FIELDS`, and which are right: bool (C,)."""


Scores = dict[str, float]
"""Scores of pages by name, see `_SCORES`; the keys are those of the model card."""

_log = logging.getLogger("vclean")

_SCORES: Final = {"word_f1": "word F1", "labels": "labels right", "metadata": "metadata right"}
"""Word F1 of the clean text, shares of blocks with the right label and of right metadata, each with its heading.

Metadata are title, authors and date, as far as the annotator marked them. Pages without marks have 1.
"""


class Gain(NamedTuple):
    """Mean scores on held-out pages without and with training on the corrections of other pages.

    Attributes:
        held_out: unit that training and scored pages never share: `pages` or `sites`.
        pages: number of scored pages, each scored by a model that was not trained on it.
        before, after: scores without and with corrections.
    """

    held_out: str
    pages: int
    before: Scores
    after: Scores

    @property
    def is_loss(self) -> bool:
        """Return whether the word F1 fell, to three decimals, or at the same word F1 the labels; or the metadata."""
        before, after = ([round(scores[name], 3) for name in _SCORES] for scores in (self.before, self.after))
        return after[:2] < before[:2] or after[2] < before[2]


def measure(held_out: str, corrections: Sequence[Correction], after: Callable[[int], Prediction]) -> Gain:
    """Measure the gain over the shipped model on the rendered pages.

    Args:
        held_out: see `Gain`.
        corrections: the pages, at least one of them rendered.
        after: returns the prediction for the page with a number, by a model that was not trained on it.
    """
    rendered = [(row, each) for row, each in enumerate(corrections) if each.rendered]
    pages = [score(each, each.shipped) for _, each in rendered], [score(each, after(row)) for row, each in rendered]
    means = ({name: fmean(page[name] for page in scores) for name in _SCORES} for scores in pages)
    return Gain(held_out, len(rendered), *means)


def score(correction: Correction, prediction: Prediction) -> Scores:
    """Score the prediction for a page; for a page without blocks, all labels are right."""
    labels = prediction.labels
    right = np.array([LABELS[code] is label for code, label in zip(correction.label.tolist(), labels, strict=True)])
    model = prediction.metadata_model or load_shipped()
    shares = [
        float(is_right[model.forests[name].predict(candidates.x).argmax()])
        for name, (candidates, is_right) in correction.metadata.items()
        if is_right.any()
    ]
    return {
        "word_f1": word_score(to_text(correction.blocks.text, labels), correction.gold.text).f1,
        "labels": float(right.mean()) if len(right) else 1.0,
        "metadata": fmean(shares) if shares else 1.0,
    }


_NOT_MEASURED: Final = """\
The effect of the corrections is not measured: only one page is done, and no other is left to score. Label at least two.
"""


def report_gains(gains: Sequence[Gain], *, force: bool) -> None:
    """Print a table of the gains from corrections, and log a loss in one line.

    Raises:
        ModelError: there is a loss, and no `force`.
    """
    from tabulate import tabulate

    rows: list[tuple[str, ...]] = [("held out", "pages", *_SCORES.values())]
    losses = []
    for gain in gains:
        changes = [f"{gain.before[name]:.3f} -> {gain.after[name]:.3f}" for name in _SCORES]
        rows.append((f"other {gain.held_out}", str(gain.pages), *changes))
        if gain.is_loss:
            named = map(" ".join, zip(_SCORES.values(), changes, strict=True))
            losses.append(f"other {gain.held_out}: {', '.join(named)}")
    table = tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=("left", *["right"] * 4))
    write_stream(sys.stdout, table + "\n" if gains else _NOT_MEASURED)
    if losses:
        loss = f"the corrections make the model worse on held-out pages ({'; '.join(losses)})"
        if not force:
            raise ModelError(f"{loss}: it is not written. Label more pages, or add --force")
        _log.warning("%s", loss)


FOLDS: Final = 5


def continue_from_shipped(corrections: Sequence[Correction]) -> tuple[Model, list[Gain]]:
    """Continue training the shipped model on all corrections; also measure the gain on held-out pages and sites.

    There is no gain on sites if all pages are of one site, or each is of another, and no gain for a single page.

    Raises:
        InputError: there is no block to train on.
    """
    pages = [correction.page.id for correction in corrections]
    sites = [correction.site for correction in corrections]
    groupings = {"pages": pages} if len(set(pages)) > 1 else {}
    if 1 < len(set(sites)) < len(set(pages)):
        groupings["sites"] = sites
    gains = [_cross_validate(name, corrections, groups) for name, groups in groupings.items()]
    model = continue_training(corrections, card_fields=model_card_entry(corrections, gains))
    return replace(model, confirmed=confirmed_pages(corrections)), gains


def corrected_metadata_model(corrections: Sequence[Correction]) -> MetadataModel | None:
    """Return the shipped model of metadata with more trees for each field, fitted on the parts of corrections.

    It is None without marked parts.
    """
    base, examples = load_shipped(), [correction.metadata for correction in corrections]
    used = {name: [example[name] for example in examples if example[name][1].any()] for name in FIELDS}
    forests = {name: fit_candidates(several, base.forests[name]) for name, several in used.items() if several}
    return replace(base, forests={**base.forests, **forests}) if forests else None


def fit_candidates(examples: Sequence[tuple[Candidates, NDArray[np.bool_]]], base: Forest | None = None) -> Forest:
    """Fit the probability that a candidate for a field is right; with `base`, only further trees."""
    x = np.concatenate([candidates.x for candidates, _ in examples])
    return fit("metadata", x, np.concatenate([is_right for _, is_right in examples]), base=base)


def describe_unread_marks(corrections: Sequence[Correction]) -> list[str]:
    """Describe each page and field with marked blocks but no readable value, one line each."""
    lines = []
    for correction in corrections:
        for name in FIELDS:
            blocks = sorted(block for block, part in correction.parts.items() if part in PARTS[name])
            if blocks and not correction.metadata[name][1].any():
                text = shorten(correction.blocks.text[blocks[0]], 60, placeholder="…")
                lines.append(
                    f"page {correction.page.id}: {_CONTENTS[name]} can be read from the block marked for it, “{text}”: "
                    "the mark has no effect; mark the block that shows it"
                )
    return list(dict.fromkeys(lines))


_CONTENTS: Final = {Field.TITLE: "no title", Field.AUTHORS: "no name", Field.PUBLISHED: "no date"}


def confirmed_pages(corrections: Sequence[Correction]) -> tuple[ConfirmedPage, ...]:
    """Return the labels of all blocks of the corrected pages: annotators have checked each block of a page."""
    pages: dict[str, dict[str, LabelledPage]] = {}
    for correction in corrections:
        pages.setdefault(correction.page.id, {})[correction.page.annotator] = correction.page
    return tuple(
        ConfirmedPage.from_annotations(
            next(iter(by_annotator.values())).url,
            [dict(zip(page.blocks_by_name, page.labels, strict=True)) for page in by_annotator.values()],
            [
                {name: part for name, block in page.blocks_by_name.items() if (part := block.annotation.part)}
                for page in by_annotator.values()
            ],
        )
        for _, by_annotator in sorted(pages.items())
    )


def model_card_entry(corrections: Sequence[Correction], gains: Sequence[Gain]) -> dict[str, Any]:
    """Return the entry of the model card about corrections."""
    pages = {(each.page.annotator, each.page.id): each.page for each in corrections}
    lines = "".join(page.to_line() for _, page in sorted(pages.items()))
    return {
        "pages": len(pages),
        "by hand": sum(block.by_hand for page in pages.values() for block in page.blocks),
        "annotators": sorted({page.annotator for page in pages.values()}),
        "sites": len({each.site for each in corrections}),
        "sha256": sha256(lines.encode("utf-8", "surrogatepass")).hexdigest(),
        "gains": [gain._asdict() for gain in gains],
    }


def _cross_validate(name: str, corrections: Sequence[Correction], groups: Sequence[str]) -> Gain:
    """Measure the gain by cross-validation over groups of pages."""
    fold = assign_folds(groups, min(FOLDS, len(set(groups))), SEED).tolist()
    models = [
        continue_training([each for each, number in zip(corrections, fold, strict=True) if number != held_out])
        for held_out in range(max(fold) + 1)
    ]
    return measure(name, corrections, lambda row: models[fold[row]].label(corrections[row].blocks))


CORPUS: Final = "corrections"
"""Name of the corpus that corrected pages form."""
IMPORTANCE: Final = 5.0
"""Weight of a corrected page: it counts like this many pages of a corpus."""

_OTHER: Final = LABELS.index(Label.OTHER)


@dataclass(frozen=True, eq=False)
class Correction:
    """Page that is done, in one of its readings.

    Attributes:
        page: the page with its annotations.
        gold: the page as one of a corpus, without its document.
        rendered: whether a browser read it.
        blocks: B blocks, extracted from the stored snapshot.
        label: int8 (B,), an index into `vclean.labels.LABELS`.
        parts: the parts of the page by block.
    """

    page: LabelledPage
    gold: GoldPage
    rendered: bool
    blocks: BlockColumns
    label: NDArray[np.int8]
    parts: Mapping[int, PartKind]

    @cached_property
    def metadata(self) -> MetadataExample:
        """Return the candidates for the metadata of the page; those are right that are best in the marked blocks."""
        language = detect(self.gold.text, self.blocks.snapshot.language)
        page, example = MetadataPage(page_context(self.blocks), language, self.parts), {}
        for name in FIELDS:
            candidates = page.candidates(name)
            best = marked_candidate(candidates, load_shipped().forests[name], page.confirmed(name))
            example[name] = candidates, np.arange(len(candidates.rows)) == (-1 if best is None else best)
        return example

    @property
    def site(self) -> str:
        """Return the registered domain of the page; for a page without URL a unique name."""
        return registered_domain(self.page.url) or f"{CORPUS}/{self.page.id}"

    @cached_property
    def shipped(self) -> Prediction:
        """Return the prediction of the shipped model."""
        return load().label(self.blocks)


def read_corrections(path: Path) -> list[Correction]:
    """Read the pages that are done from a gold file or folder: each rendered, and parsed if that snapshot is stored.

    Raises:
        InputError: there is no such page, a file is damaged, or a snapshot is missing.
    """
    pages = read_gold(path)
    done = [page for page in pages if page.status is Status.DONE]
    if not done:
        pages_in = f"the page in {path} is not" if len(pages) == 1 else f"none of the {len(pages)} pages in {path} is"
        raise InputError(f"{pages_in} done: finish some with `vclean label`")
    return [_read_correction(page, reading) for page in done for reading in sorted(page.snapshots, reverse=True)]


def correction_rows(correction: Correction) -> PageRows:
    """Return the training rows of a correction."""
    rows = page_rows(correction.gold, correction.site, correction.blocks)
    content = correction.label != _OTHER
    share = np.where(content == rows.content, rows.share, content.astype(np.float32))
    return replace(rows, label=correction.label, content=content, share=share, importance=IMPORTANCE)


def _read_correction(page: LabelledPage, reading: str) -> Correction:
    """Read a page in one of its readings.

    Blocks are matched by location and text. The labels of other blocks are aligned by their words.
    """
    folder = next((each for each in (page.folder, *page.folder.parents) if (each / SNAPSHOTS).is_dir()), page.folder)
    blocks = extract_blocks(read_snapshot(folder / SNAPSHOTS, page.snapshots[reading]))
    text, name = to_text(page.texts, page.labels), f"{page.annotator}/{page.id}"
    gold = GoldPage(corpus=CORPUS, id=name, url=page.url, text=text, markup=page.cleaneval)
    labels = align(blocks.text, gold).label
    parts: dict[int, PartKind] = {}
    extracted = block_names(blocks.xpath, blocks.text)
    row = {name: number for number, name in enumerate(extracted)}
    for old, new in match_blocks(list(page.blocks_by_name), extracted).items():
        annotation = page.blocks_by_name[old].annotation
        labels[row[new]] = LABELS.index(annotation.label)
        if annotation.part:
            parts[row[new]] = annotation.part
    return Correction(page, gold, reading == "rendered", blocks, labels, parts)


def continue_training(corrections: Sequence[Correction], *, card_fields: dict[str, Any] | None = None) -> Model:
    """Return the shipped model trained further on corrections, without a version; equal ones give the same model.

    The features include the outputs of the model's other parts, which are not trained.

    Args:
        corrections: pages; a label `UNKNOWN` stands for content of unknown type.
        card_fields: additional fields of the model card.

    Raises:
        InputError: there is no block to train on.
    """
    base = load()
    examples = [(each, each.shipped.decision) for each in corrections]
    decisions = [(each, decision) for each, decision in examples if decision]
    if not decisions:
        raise InputError("there is no block to learn from: label pages first, with `vclean label`")
    x = np.concatenate([decision.x for _, decision in decisions])
    with_convention = np.concatenate([add_columns(decision.x, decision.convention) for _, decision in decisions])
    label = np.concatenate([each.label for each, _ in decisions])
    words = np.concatenate([EncodedTexts(each.blocks.text).words.per_text() for each, _ in decisions])
    weight = np.sqrt(np.clip(words, 1, WEIGHT_CAP)).astype(np.float32)
    content = fit("content", with_convention, label != _OTHER, weight=weight, base=base.content)
    typed = is_typed(label)
    types = fit("types", x[typed], label[typed], weight=weight[typed], base=base.types) if typed.any() else base.types
    facts = {"base": base.version, "trained": datetime.now(tz=UTC).date().isoformat(), "rows": len(x)}
    parameters = {name: {**FITS[name], **CORRECTIONS} for name in ("content", "types")}
    card = base.card | {CORRECTED: {**facts, "parameters": parameters, **(card_fields or {})}}
    metadata = corrected_metadata_model(corrections)
    return replace(base, content=content, types=types, metadata=metadata, card=card, version="")
