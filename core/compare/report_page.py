"""A report as one HTML page: tables, plots, and the pages that came out worst."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from vclean.compare import sections
from vclean.compare.cards import card, tints
from vclean.compare.document import data, document, element
from vclean.compare.trials import groups, methods

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from vclean.compare.document import Element
    from vclean.compare.trials import Key, Trial
    from vclean.compare.worst import Look

MAX_BYTES: Final = 20_000_000
"""The page stays below this: overlays that do not fit are left out, and their number is told."""

_SPARE: Final = 20_000
"""Bytes for buttons, and for what says that something was left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFacts:
    """What a report shows.

    Attributes:
        trials: of every page and method, those of one method in the order of the pages.
        facts: what is told of the run, by name.
        worst: the trials that are shown as the worst, the worst first.
        looks: second looks at those pages.
        overlays: their HTML overlays.
    """

    trials: Sequence[Trial]
    facts: Mapping[str, str] = field(default_factory=dict)
    worst: Sequence[Trial] = ()
    looks: Mapping[Key, Look] = field(default_factory=dict)
    overlays: Mapping[Key, str] = field(default_factory=dict)


def to_html(facts: ReportFacts) -> str:
    """The page; equal facts give equal pages."""
    room = MAX_BYTES - len(_document(facts, {}).encode()) - _SPARE
    return _document(facts, _fitting(facts, room))


def _fitting(facts: ReportFacts, room: int) -> dict[Key, str]:
    """The overlays that fit into so many bytes, those of the worst pages first."""
    fitting = {}
    for trial in facts.worst:
        overlay = facts.overlays.get(trial.key, "")
        size = len((data("", overlay).text or "").encode())
        if overlay and size <= room:
            fitting[trial.key] = overlay
            room -= size
    return fitting


def _document(facts: ReportFacts, overlays: Mapping[Key, str]) -> str:
    trials = facts.trials
    parts = {
        "Scores": sections.overview(trials),
        "Kinds of pages": sections.by_groups(trials),
        "Calibration": sections.calibration(trials),
        "Labels": sections.confusions(trials),
        "Worst pages": _worst(facts, overlays),
        "All pages": sections.all_pages(trials),
        "Failures": sections.failures(trials),
    }
    filled = {title: section for title, part in parts.items() if len(section := _section(title, part)) > 1}
    title = f"{', '.join(methods(trials))} on {', '.join(groups(trials, 'corpus'))}"
    body = [
        _header(title, facts.facts, filled),
        element("main", *filled.values()),
        _dialog(),
        data("overlays", list(overlays.values())),
    ]
    return document(f"{title} – vclean", body, styles=("page.css", "report.css"), scripts=("report.js",))


def _header(title: str, facts: Mapping[str, str], titles: Iterable[str]) -> Element:
    told = [element("div", element("dt", name), element("dd", value)) for name, value in facts.items()]
    links = [element("a", each, href=f"#{_name(each)}") for each in titles]
    return element(
        "header",
        element("h1", title),
        element("dl", *told, class_="facts"),
        element("nav", *links, aria_label="Sections"),
    )


def _section(title: str, parts: Iterable[Element]) -> Element:
    name = _name(title)
    heading = element("h2", title, id=f"{name}-title")
    return element("section", heading, *parts, id=name, aria_labelledby=f"{name}-title")


def _name(title: str) -> str:
    return title.lower().replace(" ", "-")


def _worst(facts: ReportFacts, overlays: Mapping[Key, str]) -> Iterator[Element]:
    if not facts.worst:
        return
    yield element("p", " ".join(_notes(facts, overlays)), class_="note")
    if any(look.picture for look in facts.looks.values()):
        yield tints()
    places = {key: place for place, key in enumerate(overlays)}
    by_page: dict[Key, list[Trial]] = {}
    for trial in facts.trials:
        by_page.setdefault(trial.key, []).append(trial)
    cards = (
        card(
            trial,
            facts.looks.get(trial.key),
            places.get(trial.key),
            [rival for rival in by_page[trial.key] if rival is not trial],
        )
        for trial in facts.worst
    )
    yield element("ol", *cards, class_="cards")


def _notes(facts: ReportFacts, overlays: Mapping[Key, str]) -> Iterator[str]:
    yield f"The pages on which {facts.worst[0].outcome.method} has the lowest word F1."
    if not any(look.picture for look in facts.looks.values()):
        yield "With --render, their pictures stand here, and open as overlays."
    elif overlays:
        yield "A picture opens as an overlay to explore."
    if left := len(facts.overlays) - len(overlays):
        yield f"The overlays of {left} of them are left out, to keep this file under {MAX_BYTES // 10**6} MB."


def _dialog() -> Element:
    close = element("button", "Close", type="button", id="close")
    bar = element("div", element("h2", id="overlay-title"), close)
    return element("dialog", bar, element("iframe", title="Overlay"), id="overlay", aria_labelledby="overlay-title")
