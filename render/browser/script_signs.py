"""Decide whether a page is rendered again with its scripts, and which of the two renderings counts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np

from vclean.page import join_url
from vclean.render import tree
from vclean.render.snapshot import HIDDEN_FOR_NOW, SITE_TAGS, Hidden, Snapshot

if TYPE_CHECKING:
    from vclean.page import Resources
    from vclean.render.rendered_page import Rendering

_SCRIPT: Final = re.compile(r"<script\b([^>]*)>(.*?)</script\b", re.IGNORECASE | re.DOTALL)
_TYPE: Final = re.compile(r"""\btype\s*=\s*["']?([\w/+.-]+)""", re.IGNORECASE)
_SOURCE: Final = re.compile(r"""\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_HANDLER: Final = re.compile(r"""\son(?:click|change|mouseover|toggle)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_MOST_OF_SCRIPT: Final = 100_000
"""Characters of a script that are read."""
_SHOWS: Final = re.compile(
    r"addEventListener|on(?:click|change|toggle)|\.(?:click|on|show\w*|toggle|slide\w+|fade\w+|style|hidden)\b|classList"
    r"|customElements|IntersectionObserver|removeAttribute"
)
"""Means of a script by which it may show an element."""
_RUNS: Final = re.compile("javascript|ecmascript|module", re.IGNORECASE)
"""Types of scripts that run."""
_MUCH_HIDDEN: Final = 200
"""Characters of hidden text that are reason enough to run scripts of which some are missing."""
_MUCH: Final = 0.05
"""The same as a share of the text in sight."""
_WITHOUT_SCRIPTS: Final = "no-js"
"""Class of the root element that scripts replace."""
_LEAST_HIDDEN: Final = 20
"""Characters of hidden text that may wait for a script."""
_MOST: Final = 0.5
"""Share of the text in sight; a page with less waits for its scripts."""
_LEAST_TEXT: Final = 400
"""Characters of a page of which most are hidden."""
_KEPT: Final = 0.9
"""Share of the text of a page that is left, hidden or not, if its scripts ran as they should."""


def sign_of_waiting(snapshot: Snapshot, source: str, resources: Resources | None, *, network: bool) -> str:
    """Return why a page seems to wait for its scripts, in words; empty if it does not, or they are not at hand.

    They are not if none of its external scripts is there: those in its source rarely work without them. Of 41 such
    pages with hidden text, a rendering with scripts changed the text of six, by 4 to 46 words.

    Args:
        snapshot: the page, rendered without scripts.
        source: its document.
        resources: the subresources of the page.
        network: whether others are loaded from the network.
    """
    scripts, found, missing = _scripts_at_hand(source, snapshot.url, resources)
    if missing and not (found or network):
        return ""
    has_others = missing > 0 and network
    hidden, shown = _waiting_texts(snapshot)
    if hidden:
        scripts += filter(None, map("".join, _HANDLER.findall(source)))
    total = int(snapshot.text_length.sum())
    if total < _LEAST_TEXT and (has_others or total < sum(map(len, scripts))):
        return "the page has little text before its scripts run"
    if (scripts or has_others) and hidden + shown >= _LEAST_TEXT and shown < _MOST * (hidden + shown):
        return "most text is hidden before scripts run"
    if (scripts or has_others) and missing and hidden >= max(_MUCH_HIDDEN, _MUCH * shown):
        return "much text is hidden before scripts run"
    showing = [script for script in (script[:_MOST_OF_SCRIPT] for script in scripts) if _SHOWS.search(script)]
    if showing and not missing and (hidden or not found):
        return "all its scripts are at hand"
    enhanced = {tag for tag in snapshot.tags if "-" in tag}
    enhanced.update({_WITHOUT_SCRIPTS} & set(snapshot.attributes("class").get(0, "").split()))
    return "a script enhances the page" if any(name in script for script in showing for name in enhanced) else ""


def _waiting_texts(snapshot: Snapshot) -> tuple[int, int]:
    """Return the characters of the texts outside menus that may wait for a script, and of those in sight."""
    of_site = tree.inside(snapshot.is_tag((*SITE_TAGS, "form")), snapshot.end)
    length = snapshot.text_length * ~of_site[snapshot.text_parent]
    waiting = np.isin(snapshot.text_hidden, HIDDEN_FOR_NOW) & (length >= _LEAST_HIDDEN)
    waiting[snapshot.revealed] = False
    return int(length[waiting].sum()), int(length[snapshot.text_hidden == Hidden.NO].sum())


def _scripts_at_hand(source: str, url: str, resources: Resources | None) -> tuple[list[str], int, int]:
    """Return the scripts in a page and its resources, and the number of external ones that are there, and are not."""
    scripts: list[str] = []
    found = missing = 0
    for attributes, text in _SCRIPT.findall(source):
        kind, address = _TYPE.search(attributes), _SOURCE.search(attributes)
        if kind and not _RUNS.search(kind[1]):
            continue
        if address is None:
            scripts.append(text)
            continue
        name = next(filter(None, address.groups()), "")
        resource = resources.get(join_url(url, name)) if resources is not None else None
        if resource is None:
            missing += 1
        else:
            found += 1
            scripts.append(resource.body.decode("utf-8", "replace"))
    return list(filter(None, scripts)), found, missing


def noted(rendering: Rendering, note: str) -> Rendering:
    """Return a rendering with a note."""
    snapshot = rendering.snapshot
    return replace(rendering, snapshot=replace(snapshot, notes=(*snapshot.notes, note)))


def better(rendering: Rendering, again: Rendering, sign: str) -> Rendering:
    """Return the rendering with scripts if it has nearly as much text, of which enough is in sight; else the other.

    Args:
        rendering: without scripts.
        again: with scripts.
        sign: why the page was rendered again, for the note.
    """
    first, second = rendering.snapshot, again.snapshot
    hidden, shown = _waiting_texts(second)
    is_whole = second.text_length.sum() >= _KEPT * first.text_length.sum()
    if is_whole and shown >= _MOST * max(hidden, _waiting_texts(first)[1]):
        snapshot = replace(second, notes=first.notes, scripted=first.scripted)
        return noted(replace(again, snapshot=snapshot), f"{sign}; rendered with them")
    return rendering
