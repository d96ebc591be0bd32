"""`vclean train --corrections`: the shipped model goes on learning, or a new one learns from corrections, too."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, Final

from vclean.classify.continued import Lesson, go_on
from vclean.classify.corpora import folds
from vclean.classify.model import load_default
from vclean.classify.training import SEED
from vclean.labelling.gain import Gain, measure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.classify.model import Model
    from vclean.classify.prediction import Prediction
    from vclean.labelling.corrections import Correction

FOLDS: Final = 5


def go_on_from_shipped(corrections: Sequence[Correction]) -> tuple[Model, list[Gain]]:
    """The shipped model after all corrections, and what they are worth on pages, and on sites, that were held out.

    There is no figure for sites where all pages are of one, or each is of its own; nor any for a single page.

    Raises:
        InputError: there is no block to learn from.
    """
    base = load_default()
    lessons = [Lesson.of(base, correction.blocks, correction.label) for correction in corrections]
    pages = [correction.page.id for correction in corrections]
    sites = [correction.site for correction in corrections]
    ways = {"pages": pages} if len(set(pages)) > 1 else {}
    if 1 < len(set(sites)) < len(set(pages)):
        ways["sites"] = sites
    gains = [_held_out(name, base, corrections, lessons, groups) for name, groups in ways.items()]
    model = go_on(base, lessons, facts=facts(corrections) | {"gains": [gain.to_dict() for gain in gains]})
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
    name: str, base: Model, corrections: Sequence[Correction], lessons: Sequence[Lesson], groups: Sequence[str]
) -> Gain:
    """What the corrections of some groups of pages are worth for the others, each held out once."""
    fold = folds(groups, min(FOLDS, len(set(groups))), SEED).tolist()
    models = [
        go_on(base, [lesson for lesson, own in zip(lessons, fold, strict=True) if own != held])
        for held in range(max(fold) + 1)
    ]
    return measure(
        name,
        corrections,
        lambda row: base.label(corrections[row].blocks),
        lambda row: models[fold[row]].label(corrections[row].blocks),
    )
