"""The worst pages of a report, a card for each: its scores, its errors, its picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vclean.compare.document import element
from vclean.compare.tables import counted, shown
from vclean.compare.worst import MISSED, RIGHT, WRONG
from vclean.render.overlay import excerpt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vclean.compare.document import Element
    from vclean.compare.trials import Trial
    from vclean.compare.worst import Look

_MEANINGS: Final = {RIGHT: "content, kept", MISSED: "content, missed", WRONG: "kept, but no content"}
_ERRORS: Final = 5
"""Blocks of a kind that a card quotes."""
_EXCERPT: Final = 160


def tints() -> Element:
    """What the tints of the thumbnails mean."""
    return element("ul", *(element("li", text, class_=kind) for kind, text in _MEANINGS.items()), class_="tints")


def card(trial: Trial, look: Look | None, overlay: int | None, rivals: Sequence[Trial]) -> Element:
    """The card of a page.

    Args:
        trial: what came of it.
        look: a second look at it; None where it could not be read.
        overlay: its place among the overlays of the document, or None.
        rivals: what the other methods made of it.
    """
    errors = [_errors(look, kind) for kind in (MISSED, WRONG)] if look else []
    told = element(
        "div",
        element("h3", element("b", f"{trial.f1:.3f}"), " ", excerpt(trial.outcome.id, 100)),
        element("p", _address(trial.url)) if trial.url else None,
        element("p", _facts(trial, rivals), class_="note"),
        element("p", trial.outcome.error, class_="error") if trial.outcome.error else None,
        *errors,
    )
    return element("li", _thumbnail(trial, look, overlay), told, class_="card")


def _facts(trial: Trial, rivals: Sequence[Trial]) -> str:
    outcome = trial.outcome
    kinds = ", ".join(
        filter(None, [outcome.corpus, outcome.page_type, trial.language, f"{counted(trial.words, 'word')} of gold"])
    )
    word = outcome.score.word
    others = [f"{rival.outcome.method} {rival.f1:.3f}" for rival in rivals]
    scores = ", ".join([f"precision {shown(word.precision, 3)}", f"recall {shown(word.recall, 3)}", *others])
    return f"{kinds}; {scores}"


def _address(url: str) -> Element:
    """A link where it is one to the web, which a reader may follow."""
    if not url.lower().startswith(("http://", "https://")):
        return element("span", excerpt(url, 120))
    return element("a", excerpt(url, 120), href=url, rel="noreferrer noopener", target="_blank")


def _thumbnail(trial: Trial, look: Look | None, overlay: int | None) -> Element | None:
    picture = look.thumbnail() if look else ""
    if not picture:
        return None
    name = excerpt(trial.outcome.id, 100)
    image = element("img", src=picture, alt=f"Picture of {name}, its blocks tinted")
    if overlay is None:
        return element("div", image, class_="thumbnail")
    button = element("button", image, type="button", class_="thumbnail", data_overlay=overlay)
    button.set("aria-label", f"Open the overlay of {name}")
    return button


def _errors(look: Look, kind: str) -> Element | None:
    found = look.errors(kind)
    if not found:
        return None
    quotes = [_quote(look, block) for block in found[:_ERRORS]]
    more = element("li", f"and {len(found) - _ERRORS} more") if len(found) > _ERRORS else None
    summary = element("summary", element("span", _MEANINGS[kind], class_=kind), f": {counted(len(found), 'block')}")
    return element("details", summary, element("ul", *quotes, more), open="open")


def _quote(look: Look, block: int) -> Element:
    verdict = look.trial.outcome.verdict
    probability = f"{float(verdict.probability[block]):.2f}".replace("0.", ".") if verdict else ""
    text = element("q", excerpt(look.blocks.text[block], _EXCERPT))
    return element("li", element("b", probability) if probability else None, " ", text)
