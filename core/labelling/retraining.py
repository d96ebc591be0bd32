"""Train with corrections (`vclean train --corrections`): continue with the shipped model, or add them to corpora.

Without corpora, new trees are added to those of the model. They are fitted on the labelled pages alone, starting from
the model's predictions for them, so correct predictions change little. The linear models, the region model and the
calibration stay unchanged. The new trees know nothing of the first training data, and may degrade predictions on pages
unlike the labelled ones; `docs/guides/label.md` has figures.
"""

from __future__ import annotations

from dataclasses import asdict, astuple, dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from hashlib import sha256
from statistics import fmean
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.content import stacking
from vclean.classify.content.confirmed import ConfirmedPage, ConfirmedPages
from vclean.classify.content.model import CORRECTED, load_default
from vclean.classify.content.stacking import add_columns
from vclean.classify.corpora.corpora import assign_folds, registered_domain
from vclean.classify.corpora.gold import GoldPage, align
from vclean.classify.evaluation.scores import word_score
from vclean.classify.metadata import confirmed_blocks, load_shipped
from vclean.classify.training.dataset import WEIGHT_CAP, page_rows
from vclean.classify.training.fits import CORRECTIONS, FITS, SEED, fit
from vclean.classify.training.metadata import continue_training as continue_metadata
from vclean.classify.training.metadata import corrected_example
from vclean.errors import InputError
from vclean.features.block_names import block_names, match_blocks
from vclean.features.blocks import extract_blocks
from vclean.features.facts.candidates import FIELDS
from vclean.features.facts.mentions import Field
from vclean.features.matrix import page_context
from vclean.features.text.characters import EncodedTexts
from vclean.features.text.language import detect
from vclean.labelling.export import read_gold
from vclean.labelling.preparation import SNAPSHOTS, read_snapshot
from vclean.labelling.store import Status
from vclean.labels import LABELS, UNKNOWN, Label
from vclean.output.text import to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from vclean.classify.content.model import Model
    from vclean.classify.metadata import MetadataModel
    from vclean.classify.prediction import Prediction
    from vclean.classify.training.dataset import PageRows
    from vclean.classify.training.metadata import MetadataExample
    from vclean.features.blocks import BlockColumns
    from vclean.labelling.export import LabelledPage
    from vclean.labels import PartKind


@dataclass(frozen=True, slots=True)
class PageScores:
    """Mean scores of pages: word F1 of the clean text, and shares of blocks with the right label and of right metadata.

    Metadata are title, authors and date, as far as the annotator marked them. Pages without marks have 1.
    """

    word_f1: float
    labels: float
    metadata: float = 1.0

    @classmethod
    def mean(cls, scores: Iterable[PageScores]) -> PageScores:
        """Return the means of the scores of at least one page."""
        return cls(*map(fmean, zip(*map(astuple, scores), strict=True)))


@dataclass(frozen=True, slots=True)
class Gain:
    """Scores on held-out pages without and with training on the corrections of other pages.

    Attributes:
        held_out: unit that training and scored pages never share: `pages` or `sites`.
        pages: number of scored pages, each scored by a model that was not trained on it.
        before, after: scores without and with corrections.
    """

    held_out: str
    pages: int
    before: PageScores
    after: PageScores

    @property
    def is_loss(self) -> bool:
        """Return whether the word F1 fell, to three decimals, or at the same word F1 the labels; or the metadata."""
        before, after = ([round(score, 3) for score in astuple(each)] for each in (self.before, self.after))
        return after[:2] < before[:2] or after[2] < before[2]

    def to_dict(self) -> dict[str, Any]:
        """Return the form that the model card has."""
        return asdict(self)


def measure(
    held_out: str,
    corrections: Sequence[Correction],
    before: Callable[[int], Prediction],
    after: Callable[[int], Prediction],
) -> Gain:
    """Measure the gain on the rendered pages.

    Args:
        held_out: see `Gain`.
        corrections: the pages, at least one of them rendered.
        before: returns the prediction without corrections for the page with a number.
        after: returns the prediction with corrections.
    """
    rows = [row for row, correction in enumerate(corrections) if correction.rendered]
    return Gain(
        held_out,
        len(rows),
        before=PageScores.mean(score(corrections[row], before(row)) for row in rows),
        after=PageScores.mean(score(corrections[row], after(row)) for row in rows),
    )


def score(correction: Correction, prediction: Prediction) -> PageScores:
    """Score the prediction for a page; for a page without blocks, all labels are right."""
    labels = prediction.labels
    right = np.array([LABELS[code] is label for code, label in zip(correction.label.tolist(), labels, strict=True)])
    texts = correction.blocks.text
    return PageScores(
        word_score(to_text(texts, labels), correction.gold.text).f1,
        float(right.mean()) if len(right) else 1.0,
        _metadata_share(correction.metadata, prediction.metadata_model or load_shipped()),
    )


def _metadata_share(example: MetadataExample, model: MetadataModel) -> float:
    """Return the share of the marked fields of a page for which a model chooses a candidate that is right."""
    marked = [name for name in FIELDS if example.has_gold[name]]
    if not marked:
        return 1.0
    best = {name: int(model.forests[name].predict(example.candidates[name].x).argmax()) for name in marked}
    return fmean(float(example.is_right[name][best[name]]) for name in marked)


def format_gains(gains: Sequence[Gain]) -> str:
    """Format the gains as a table."""
    from tabulate import tabulate

    rows: list[tuple[str, ...]] = [("held out", "pages", "word F1", "labels right", "metadata right")]
    for gain in gains:
        scores = zip(astuple(gain.before), astuple(gain.after), strict=True)
        changes = [f"{before:.3f} -> {after:.3f}" for before, after in scores]
        rows.append((f"other {gain.held_out}", str(gain.pages), *changes))
    aligned = ("left", "right", "right", "right", "right")
    return tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=aligned) + "\n"


def describe_loss(gains: Sequence[Gain]) -> str:
    """Return a line about the held-out pages on which the model got worse; empty if there are none."""
    losses = [
        f"other {gain.held_out}: word F1 {gain.before.word_f1:.3f} -> {gain.after.word_f1:.3f}, "
        f"labels right {gain.before.labels:.3f} -> {gain.after.labels:.3f}, "
        f"metadata right {gain.before.metadata:.3f} -> {gain.after.metadata:.3f}"
        for gain in gains
        if gain.is_loss
    ]
    return f"the corrections make the model worse on held-out pages ({'; '.join(losses)})" if losses else ""


FOLDS: Final = 5


def continue_from_shipped(corrections: Sequence[Correction]) -> tuple[Model, list[Gain]]:
    """Continue training the shipped model on all corrections; also measure the gain on held-out pages and sites.

    There is no gain on sites if all pages are of one site, or each is of another, and no gain for a single page.

    Raises:
        InputError: there is no block to train on.
    """
    base = load_default()
    examples = [CorrectedPage.from_labels(base, correction.blocks, correction.label) for correction in corrections]
    pages = [correction.page.id for correction in corrections]
    sites = [correction.site for correction in corrections]
    groupings = {"pages": pages} if len(set(pages)) > 1 else {}
    if 1 < len(set(sites)) < len(set(pages)):
        groupings["sites"] = sites
    gains = [_cross_validate(name, base, corrections, examples, groups) for name, groups in groupings.items()]
    fields = model_card_entry(corrections) | {"gains": [gain.to_dict() for gain in gains]}
    model = _continue(base, corrections, examples, card_fields=fields)
    return replace(model, confirmed=confirmed_pages(corrections)), gains


def _continue(
    base: Model,
    corrections: Sequence[Correction],
    examples: Sequence[CorrectedPage],
    card_fields: dict[str, Any] | None = None,
) -> Model:
    """Return `base` trained further on the labels of corrections, and its model of metadata on their parts."""
    return replace(
        continue_training(base, examples, card_fields=card_fields), metadata=corrected_metadata_model(corrections)
    )


def corrected_metadata_model(corrections: Sequence[Correction]) -> MetadataModel | None:
    """Return the shipped model of metadata, trained further on the parts of corrections; None without marked parts."""
    marked = [correction.metadata for correction in corrections if any(correction.metadata.has_gold.values())]
    return continue_metadata(load_shipped(), marked) if marked else None


def describe_unread_marks(corrections: Sequence[Correction]) -> list[str]:
    """Describe each page and field with marked blocks but no readable value, one line each."""
    lines = []
    for correction in corrections:
        for name in FIELDS:
            blocks = sorted(confirmed_blocks(correction.parts, name))
            if blocks and not correction.metadata.has_gold[name]:
                text = shorten(correction.blocks.text[blocks[0]], 60, placeholder="…")
                lines.append(
                    f"page {correction.page.id}: {_CONTENTS[name]} can be read from the block marked for it, “{text}”: "
                    "the mark has no effect; mark the block that shows it"
                )
    return list(dict.fromkeys(lines))


_CONTENTS: Final = {Field.TITLE: "no title", Field.AUTHORS: "no name", Field.PUBLISHED: "no date"}


def confirmed_pages(corrections: Sequence[Correction]) -> ConfirmedPages:
    """Return the labels of all blocks of the corrected pages: annotators have checked each block of a page."""
    pages: dict[str, dict[str, LabelledPage]] = {}
    for correction in corrections:
        pages.setdefault(correction.page.id, {})[correction.page.annotator] = correction.page
    return ConfirmedPages(
        tuple(
            ConfirmedPage.from_annotations(
                next(iter(by_annotator.values())).url,
                [dict(zip(_names(page), _labels(page), strict=True)) for page in by_annotator.values()],
                [_parts(page) for page in by_annotator.values()],
            )
            for _, by_annotator in sorted(pages.items())
        )
    )


def _names(page: LabelledPage) -> list[str]:
    return block_names([block.xpath for block in page.blocks], [block.text for block in page.blocks])


def _labels(page: LabelledPage) -> list[Label]:
    return [block.annotation.label for block in page.blocks]


def _parts(page: LabelledPage) -> dict[str, PartKind]:
    """Return the parts of a page by block name."""
    blocks = zip(_names(page), page.blocks, strict=True)
    return {name: block.annotation.part for name, block in blocks if block.annotation.part}


def gain_by_validation(corrections: Sequence[Correction], after: Sequence[Prediction]) -> Gain:
    """Measure the gain of a new model over the shipped one.

    Args:
        corrections: the pages.
        after: predictions for them by models that were not trained on their sites.
    """
    base = load_default()
    return measure("sites", corrections, lambda row: base.label(corrections[row].blocks), lambda row: after[row])


def model_card_entry(corrections: Sequence[Correction]) -> dict[str, Any]:
    """Return the entry of the model card about corrections."""
    pages = {(each.page.annotator, each.page.id): each.page for each in corrections}
    lines = "".join(page.to_line() for _, page in sorted(pages.items()))
    return {
        "pages": len(pages),
        "by hand": sum(block.by_hand for page in pages.values() for block in page.blocks),
        "annotators": sorted({page.annotator for page in pages.values()}),
        "sites": len({each.site for each in corrections}),
        "sha256": sha256(lines.encode("utf-8", "surrogatepass")).hexdigest(),
    }


def _cross_validate(
    name: str, base: Model, corrections: Sequence[Correction], examples: Sequence[CorrectedPage], groups: Sequence[str]
) -> Gain:
    """Measure the gain by cross-validation over groups of pages."""
    fold = assign_folds(groups, min(FOLDS, len(set(groups))), SEED).tolist()
    models = []
    for held_out in range(max(fold) + 1):
        rows = [row for row, number in enumerate(fold) if number != held_out]
        models.append(_continue(base, [corrections[row] for row in rows], [examples[row] for row in rows]))
    return measure(
        name,
        corrections,
        lambda row: base.label(corrections[row].blocks),
        lambda row: models[fold[row]].label(corrections[row].blocks),
    )


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
        rendered: whether a browser read it.
        blocks: B blocks, extracted from the stored snapshot.
        label: int8 (B,), an index into `vclean.labels.LABELS`.
        parts: the parts of the page by block.
    """

    page: LabelledPage
    rendered: bool
    blocks: BlockColumns
    label: NDArray[np.int8]
    parts: Mapping[int, PartKind]

    @cached_property
    def metadata(self) -> MetadataExample:
        """Return the candidates for the metadata of the page, and which of them are right."""
        language = detect(self.gold.text, self.blocks.snapshot.language)
        return corrected_example(page_context(self.blocks), language, self.parts, load_shipped())

    @property
    def site(self) -> str:
        """Return the registered domain of the page; for a page without URL a unique name."""
        return registered_domain(self.page.url) or f"{CORPUS}/{self.page.id}"

    @property
    def gold(self) -> GoldPage:
        """Return the page as one of a corpus, without its document."""
        text = to_text([block.text for block in self.page.blocks], _labels(self.page))
        name = f"{self.page.annotator}/{self.page.id}"
        return GoldPage(corpus=CORPUS, id=name, url=self.page.url, text=text, markup=self.page.cleaneval)


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


def correction_rows(corrections: Sequence[Correction]) -> list[PageRows]:
    """Return the training rows of each correction."""
    return [_training_rows(correction) for correction in corrections]


def _training_rows(correction: Correction) -> PageRows:
    rows = page_rows(correction.gold, correction.site, correction.blocks)
    content = correction.label != _OTHER
    share = np.where(content == rows.content, rows.share, content.astype(np.float32))
    return replace(rows, label=correction.label, content=content, share=share, importance=IMPORTANCE)


def _read_correction(page: LabelledPage, reading: str) -> Correction:
    folder = next((each for each in (page.folder, *page.folder.parents) if (each / SNAPSHOTS).is_dir()), page.folder)
    snapshot = read_snapshot(folder / SNAPSHOTS, page.snapshots[reading])
    correction = Correction(page, reading == "rendered", extract_blocks(snapshot), np.zeros(0, dtype=np.int8), {})
    label, parts = _block_annotations(correction)
    return replace(correction, label=label, parts=parts)


def _block_annotations(correction: Correction) -> tuple[NDArray[np.int8], dict[int, PartKind]]:
    """Return the labels, int8 (B,), and the parts by block.

    Blocks are matched by location and text. The labels of other blocks are aligned by their words.
    """
    page, blocks = correction.page, correction.blocks
    labels = align(blocks.text, correction.gold).label
    parts: dict[int, PartKind] = {}
    annotated = _names(page)
    extracted = block_names([blocks.snapshot.xpath(node) for node in blocks.node.tolist()], blocks.text)
    row = {name: number for number, name in enumerate(extracted)}
    matches = match_blocks(annotated, extracted)
    for name, block in zip(annotated, page.blocks, strict=True):
        if name in matches:
            labels[row[matches[name]]] = LABELS.index(block.annotation.label)
            if block.annotation.part:
                parts[row[matches[name]]] = block.annotation.part
    return labels, parts


@dataclass(frozen=True, slots=True, eq=False)
class CorrectedPage:
    """Feature matrix and labels of a page of B blocks labelled by hand.

    Attributes:
        x: float32 (B, len(stacking.COLUMNS)), with the outputs of the model's other parts, which are not trained.
        convention: float32 (C,), the columns of the convention of the page.
        label: int8 (B,), an index into `vclean.labels.LABELS`, or `UNKNOWN` for content of unknown type.
        weight: float32 (B,), as in training.
    """

    x: NDArray[np.float32]
    convention: NDArray[np.float32]
    label: NDArray[np.int8]
    weight: NDArray[np.float32]

    @classmethod
    def from_labels(cls, base: Model, blocks: BlockColumns, label: NDArray[np.int8]) -> CorrectedPage:
        """Return the training data of labelled `blocks` for the model `base`."""
        decision = base.label(blocks).decision
        x = decision.x if decision else np.zeros((0, len(stacking.COLUMNS)), dtype=np.float32)
        convention = decision.convention if decision else np.zeros(len(base.conventions.names), dtype=np.float32)
        words = EncodedTexts.from_texts(blocks.text).words.per_text()
        return cls(x, convention, label, np.sqrt(np.clip(words, 1, WEIGHT_CAP)).astype(np.float32))


def continue_training(
    base: Model, pages: Sequence[CorrectedPage], *, card_fields: dict[str, Any] | None = None
) -> Model:
    """Return `base` trained further on `pages`, without a version; the same pages give the same model.

    Args:
        base: model to start from; it is not changed.
        pages: training data made for `base`.
        card_fields: additional fields of the model card.

    Raises:
        InputError: there is no block to train on.
    """
    if not any(len(page.label) for page in pages):
        raise InputError("there is no block to learn from: label pages first, with `vclean label`")
    x = np.concatenate([page.x for page in pages])
    label = np.concatenate([page.label for page in pages])
    weight = np.concatenate([page.weight for page in pages])
    with_convention = np.concatenate([add_columns(page.x, page.convention) for page in pages])
    is_content = label != LABELS.index(Label.OTHER)
    content = fit("content", with_convention, is_content, weight=weight, base=base.content)
    typed = ~np.isin(label, (UNKNOWN, LABELS.index(Label.OTHER)))
    types = fit("types", x[typed], label[typed], weight=weight[typed], base=base.types) if typed.any() else base.types
    card = base.card | {CORRECTED: _card(base, len(x)) | (card_fields or {})}
    return replace(base, content=content, types=types, card=card, version="")


def _card(base: Model, rows: int) -> dict[str, Any]:
    return {
        "base": base.version,
        "trained": datetime.now(tz=UTC).date().isoformat(),
        "rows": rows,
        "parameters": {name: {**FITS[name], **CORRECTIONS} for name in ("content", "types")},
    }
