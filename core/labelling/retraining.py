"""`vclean train --corrections`: the shipped model goes on learning, or a new one learns from corrections, too."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from statistics import fmean
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from vclean.classify.content.model import load_default
from vclean.classify.corpora.corpora import GoldPage, assign_folds, registered_domain
from vclean.classify.corpora.gold import align
from vclean.classify.evaluation.scores import word_score
from vclean.classify.training.dataset import page_rows
from vclean.classify.training.incremental import CorrectedPage, continue_training
from vclean.classify.trees.boosting import SEED
from vclean.errors import InputError
from vclean.features.blocks import extract_blocks
from vclean.labelling.export import read_gold
from vclean.labelling.preparation import SNAPSHOTS, read_snapshot
from vclean.labelling.store import Status, block_names, refound
from vclean.labels import LABELS, Label
from vclean.output.text import to_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from vclean.classify.content.model import Model
    from vclean.classify.prediction import Prediction
    from vclean.classify.training.dataset import PageRows
    from vclean.classify.training.regions import RegionFits
    from vclean.features.blocks import BlockColumns
    from vclean.labelling.export import LabelledPage


@dataclass(frozen=True, slots=True)
class Marks:
    """Means over pages: word F1 of the clean text, and the share of blocks whose label is right."""

    word_f1: float
    labels: float

    @classmethod
    def mean(cls, marks: Iterable[Marks]) -> Marks:
        """The means of the marks of at least one page."""
        each = list(marks)
        return cls(fmean(mark.word_f1 for mark in each), fmean(mark.labels for mark in each))


@dataclass(frozen=True, slots=True)
class Gain:
    """What learning from some of the pages is worth on the others.

    Attributes:
        held_out: what the pages scored have not in common with those learned from: `pages` or `sites`.
        pages: how many were scored, each by a model that did not learn from it.
        before, after: the marks without and with corrections.
    """

    held_out: str
    pages: int
    before: Marks
    after: Marks

    def to_dict(self) -> dict[str, Any]:
        """As the model card has it."""
        return asdict(self)


def measure(
    held_out: str,
    corrections: Sequence[Correction],
    before: Callable[[int], Prediction],
    after: Callable[[int], Prediction],
) -> Gain:
    """The gain over the rendered pages.

    Args:
        held_out: see `Gain`.
        corrections: the pages, at least one of them rendered.
        before: what the model without corrections says of the page of a number.
        after: what the one with them says.
    """
    rows = [row for row, correction in enumerate(corrections) if correction.rendered]
    marks = [(mark(corrections[row], before(row).labels), mark(corrections[row], after(row).labels)) for row in rows]
    return Gain(held_out, len(rows), Marks.mean(mark[0] for mark in marks), Marks.mean(mark[1] for mark in marks))


def mark(correction: Correction, labels: Sequence[Label]) -> Marks:
    """The marks of a page's labels; a page without blocks has all of them right."""
    right = np.array([LABELS[code] is label for code, label in zip(correction.label.tolist(), labels, strict=True)])
    texts = correction.blocks.text
    return Marks(
        word_score(to_text(texts, labels), correction.gold.text).f1, float(right.mean()) if len(right) else 1.0
    )


def table(gains: Sequence[Gain]) -> str:
    """Return the gains as a table."""
    from tabulate import tabulate

    rows = [("held out", "pages", "word F1", "labels right")]
    for gain in gains:
        f1 = f"{gain.before.word_f1:.3f} -> {gain.after.word_f1:.3f}"
        labels = f"{gain.before.labels:.3f} -> {gain.after.labels:.3f}"
        rows.append((f"other {gain.held_out}", str(gain.pages), f1, labels))
    aligned = ("left", "right", "right", "right")
    return tabulate(rows, tablefmt="plain", disable_numparse=True, colalign=aligned) + "\n"


FOLDS: Final = 5


def go_on_from_shipped(corrections: Sequence[Correction]) -> tuple[Model, list[Gain]]:
    """The shipped model after all corrections, and what they are worth on pages, and on sites, that were held out.

    There is no figure for sites where all pages are of one, or each is of its own; nor any for a single page.

    Raises:
        InputError: there is no block to learn from.
    """
    base = load_default()
    lessons = [CorrectedPage.from_labels(base, correction.blocks, correction.label) for correction in corrections]
    pages = [correction.page.id for correction in corrections]
    sites = [correction.site for correction in corrections]
    ways = {"pages": pages} if len(set(pages)) > 1 else {}
    if 1 < len(set(sites)) < len(set(pages)):
        ways["sites"] = sites
    gains = [_held_out(name, base, corrections, lessons, groups) for name, groups in ways.items()]
    model = continue_training(
        base, lessons, card_fields=facts(corrections) | {"gains": [gain.to_dict() for gain in gains]}
    )
    return model, gains


def gain_by_validation(corrections: Sequence[Correction], after: Sequence[Prediction]) -> Gain:
    """The gain of a model trained anew over the shipped one; `after`: by models without a page's site."""
    base = load_default()
    return measure("sites", corrections, lambda row: base.label(corrections[row].blocks), lambda row: after[row])


def facts(corrections: Sequence[Correction]) -> dict[str, Any]:
    """What a model card says of corrections."""
    pages = {(each.page.annotator, each.page.id): each.page for each in corrections}
    lines = "".join(page.to_line() for _, page in sorted(pages.items()))
    return {
        "pages": len(pages),
        "by hand": sum(block.by_hand for page in pages.values() for block in page.blocks),
        "annotators": sorted({page.annotator for page in pages.values()}),
        "sites": len({each.site for each in corrections}),
        "sha256": sha256(lines.encode("utf-8", "surrogatepass")).hexdigest(),
    }


def _held_out(
    name: str, base: Model, corrections: Sequence[Correction], lessons: Sequence[CorrectedPage], groups: Sequence[str]
) -> Gain:
    """What the corrections of some groups of pages are worth for the others, each held out once."""
    fold = assign_folds(groups, min(FOLDS, len(set(groups))), SEED).tolist()
    models = [
        continue_training(base, [lesson for lesson, own in zip(lessons, fold, strict=True) if own != held])
        for held in range(max(fold) + 1)
    ]
    return measure(
        name,
        corrections,
        lambda row: base.label(corrections[row].blocks),
        lambda row: models[fold[row]].label(corrections[row].blocks),
    )


CORPUS: Final = "corrections"
"""The name of the corpus that corrected pages make."""
IMPORTANCE: Final = 5.0
"""As many pages of a corpus a corrected page counts as."""

_OTHER: Final = LABELS.index(Label.OTHER)


@dataclass(frozen=True, slots=True, eq=False)
class Correction:
    """A page that is done, read one way.

    Attributes:
        page: with its gold.
        rendered: whether it was read in a browser.
        blocks: B of them, cut from the stored snapshot.
        label: int8 (B,), an index into `vclean.labels.LABELS`.
    """

    page: LabelledPage
    rendered: bool
    blocks: BlockColumns
    label: NDArray[np.int8]

    @property
    def site(self) -> str:
        """The registered domain of the page; a name of its own where it has no address."""
        return registered_domain(self.page.url) or f"{CORPUS}/{self.page.id}"

    @property
    def gold(self) -> GoldPage:
        """The page as one of a corpus, without its document."""
        labels = [block.verdict.label for block in self.page.blocks]
        text = to_text([block.text for block in self.page.blocks], labels)
        name = f"{self.page.annotator}/{self.page.id}"
        return GoldPage(corpus=CORPUS, id=name, url=self.page.url, text=text, markup=self.page.cleaneval)


def read_corrections(path: Path) -> list[Correction]:
    """The pages in a file or a folder of gold that are done, each rendered and, where it was kept so, parsed.

    Raises:
        InputError: there is no such page, a file is damaged, or a snapshot is gone.
    """
    pages = read_gold(path)
    done = [page for page in pages if page.status is Status.DONE]
    if not done:
        raise InputError(f"none of the {len(pages)} pages in {path} is done: finish some with `vclean label`")
    return [_read(page, way) for page in done for way in sorted(page.snapshots, reverse=True)]


def correction_rows(corrections: Sequence[Correction], regions: RegionFits | None) -> list[PageRows]:
    """The training rows of corrections, one page after the other; `regions` gives models that saw no page of a site."""
    return [_rows(correction, regions) for correction in corrections]


def _rows(correction: Correction, regions: RegionFits | None) -> PageRows:
    site = correction.site
    rows = page_rows(correction.gold, site, correction.blocks, regions.for_site(site) if regions else None)
    content = correction.label != _OTHER
    share = np.where(content == rows.content, rows.share, content.astype(np.float32))
    return replace(rows, label=correction.label, content=content, share=share, importance=IMPORTANCE)


def _read(page: LabelledPage, way: str) -> Correction:
    folder = next((each for each in (page.folder, *page.folder.parents) if (each / SNAPSHOTS).is_dir()), page.folder)
    snapshot = read_snapshot(folder / SNAPSHOTS, page.snapshots[way])
    correction = Correction(page, way == "rendered", extract_blocks(snapshot), np.zeros(0, dtype=np.int8))
    return replace(correction, label=_labels(correction))


def _labels(correction: Correction) -> NDArray[np.int8]:
    """int8 (B,): a block found by place and text has its label; others, of a page read otherwise, by their words."""
    page, blocks = correction.page, correction.blocks
    labels = align(blocks.text, correction.gold).label
    ours = block_names([block.xpath for block in page.blocks], [block.text for block in page.blocks])
    theirs = block_names([blocks.snapshot.xpath(node) for node in blocks.node.tolist()], blocks.text)
    row = {name: number for number, name in enumerate(theirs)}
    found = refound(ours, theirs)
    for name, block in zip(ours, page.blocks, strict=True):
        if name in found:
            labels[row[found[name]]] = LABELS.index(block.verdict.label)
    return labels
