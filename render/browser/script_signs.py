"""Decide whether a page is rendered again with its scripts, and which of the two renderings counts."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final
from urllib.parse import urljoin

import numpy as np

from vclean.render import tree
from vclean.render.snapshot import HIDDEN_FOR_NOW, SITE_TAGS, Hidden, Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from vclean.page import Resources
    from vclean.render.rendered_page import Rendering

_SCRIPT: Final = re.compile(r"<script\b([^>]*)>(.*?)</script\b", re.IGNORECASE | re.DOTALL)
_TYPE: Final = re.compile(r"""\btype\s*=\s*["']?([\w/+.-]+)""", re.IGNORECASE)
_SOURCE: Final = re.compile(r"""\bsrc\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+))""", re.IGNORECASE)
_HANDLER: Final = re.compile(r"""\son(?:click|change|mouseover|toggle)\s*=\s*(?:"([^"]*)"|'([^']*)')""", re.IGNORECASE)
_ON: Final = re.compile(r"on(?:click|change|mouseover|toggle)\s*=", re.IGNORECASE)
_MOST_OF_SCRIPT: Final = 100_000
"""Characters of a script that are read."""
_SHOWS: Final = re.compile(
    r"addEventListener|on(?:click|change|toggle)|\.(?:click|on|show|toggle|slide\w+|fade\w+|style|hidden)\b|classList"
    r"|customElements|IntersectionObserver|removeAttribute"
)
"""Means of a script by which it may show an element."""
_DIRECTIVE: Final = re.compile(
    r"<[a-zA-Z](?:[^<>\s]*+\s++(?!(?:[@:]|[a-zA-Z]{1,3}-)[a-zA-Z][\w.:-]*+\s*=))*+[^<>\s]*+\s++([@:]|[a-zA-Z]{1,3}-)"
)
"""Attribute that is none of HTML, such as `x-show` or `@click`; the group is its prefix."""
_ATTRIBUTE: Final = re.compile(r"\s((?:data|[a-z]{1,3})-[\w-]+)(?=\s*[=>]|\s+[\w-]+\s*=)")
_MOST_TEXTS: Final = 100
_SOUGHT: Final = 60
"""Characters of a text that are looked for in the source."""
_BEFORE: Final = 300
"""Characters of the source before it."""
_RUNS: Final = re.compile("javascript|ecmascript|module", re.IGNORECASE)
"""Types of scripts that run."""
_MUCH_HIDDEN: Final = 200
"""Characters of hidden text that are reason enough to fetch scripts from the network."""
_MUCH: Final = 0.05
"""The same as a share of the text in sight."""
_WITHOUT_SCRIPTS: Final = "no-js"
"""Class of the root element that scripts replace."""
_LEAST_NAME: Final = 3
"""Characters of a name; shorter ones are words of scripts."""
_WORD: Final = re.compile(r"[\w-]+")
_SELECTOR: Final = re.compile(r"['\"`]([.#][\w-]+)")
_RELATIVE: Final = re.compile(
    r"\bthis\b.*(?:parent|sibling|closest|next|prev).*(?:style|hidden|class|show|toggle|slide|fade)", re.IGNORECASE
)
"""Handler that changes elements around its own."""
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
    pages with signs, a rendering with scripts changed the text of six, by 4 to 46 words.

    Args:
        snapshot: the page, rendered without scripts.
        source: its document.
        resources: the subresources of the page.
        network: whether others are loaded from the network.
    """
    return next(_signs(snapshot, source, resources, network=network), "")


def _signs(snapshot: Snapshot, source: str, resources: Resources | None, *, network: bool) -> Iterator[str]:
    waiting, hidden, shown = _waiting_texts(snapshot)
    total = int(snapshot.text_length.sum())
    enhanced = {tag for tag in snapshot.tags if "-" in tag}
    enhanced.update({_WITHOUT_SCRIPTS} & set(snapshot.attributes("class").get(0, "").split()))
    directives = set(_DIRECTIVE.findall(source))
    if not hidden and not enhanced and not directives and total >= _LEAST_TEXT:
        return
    handlers = [double or single for double, single in _HANDLER.findall(source)] if _ON.search(source) else []
    scripts, found, missing = _scripts_at_hand(source, snapshot.url, resources)
    scripts = [handler for handler in handlers if handler] + scripts
    if missing and not (found or network):
        return
    has_others = missing > 0 and network
    if total < _LEAST_TEXT and (has_others or total < sum(map(len, scripts))):
        yield "the page has little text before its scripts run"
    showing = [script for script in (script[:_MOST_OF_SCRIPT] for script in scripts) if _SHOWS.search(script)]
    if (scripts or has_others) and hidden + shown >= _LEAST_TEXT and shown < _MOST * (hidden + shown):
        yield "most text is hidden before scripts run"
    if enhanced and any(name in script and name in _WORD.findall(script) for script in showing for name in enhanced):
        yield "a script enhances the page"
    if any(prefix in script for script in showing for prefix in directives):
        yield "a script reads attributes of its own"
    names = _names(snapshot, waiting) | _attributes(snapshot, waiting, source)
    if any(not names.isdisjoint(_names_in(script)) for script in showing):
        yield "a script names hidden elements"
    if hidden and any(map(_RELATIVE.search, handlers)):
        yield "a handler shows what is beside it"
    if has_others and hidden >= max(_MUCH_HIDDEN, _MUCH * shown):
        yield "much text is hidden before scripts run"


def _waiting_texts(snapshot: Snapshot) -> tuple[NDArray[np.bool_], int, int]:
    """Return which texts outside menus may wait for a script, bool (T,), their characters, and those in sight."""
    of_site = tree.inside(snapshot.is_tag((*SITE_TAGS, "form")), snapshot.end)
    length = snapshot.text_length * ~of_site[snapshot.text_parent]
    waiting = np.isin(snapshot.text_hidden, HIDDEN_FOR_NOW) & (length >= _LEAST_HIDDEN)
    waiting[snapshot.revealed] = False
    return waiting, int(length[waiting].sum()), int(length[snapshot.text_hidden == Hidden.NO].sum())


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
        name = urljoin(url, next(filter(None, address.groups()), ""))
        resource = resources.get(name) if resources is not None else None
        if resource is not None:
            scripts.append(resource.body.decode("utf-8", "replace"))
        found, missing = found + (resource is not None), missing + (resource is None)
    return list(filter(None, scripts)), found, missing


def _names(snapshot: Snapshot, waiting: NDArray[np.bool_]) -> set[str]:
    """Return ids, classes and tags of custom elements of the outermost elements with hidden texts, and around them."""
    parent = np.maximum(snapshot.parent, 0)
    outermost = snapshot.text_parent[waiting]
    while (inside := (snapshot.hidden[parent[outermost]] != Hidden.NO) & (outermost > 0)).any():
        outermost = np.unique(np.where(inside, parent[outermost], outermost))
    elements = {*outermost.tolist(), *parent[outermost].tolist()}
    names = {tag for each in elements if "-" in (tag := snapshot.tags[snapshot.tag[each]])}
    for attribute, sign in (("class", "."), ("id", "#")):
        values = snapshot.attributes(attribute)
        of_elements = {name for each in elements for name in values.get(each, "").split()}
        names |= of_elements | {sign + name for name in of_elements}
    return {name for name in names if len(name) >= _LEAST_NAME or name[0] in ".#"}


def _names_in(script: str) -> list[str]:
    """Return the words of a script, and the selectors at the start of its strings."""
    return _WORD.findall(script) + _SELECTOR.findall(script)


def _attributes(snapshot: Snapshot, waiting: NDArray[np.bool_], source: str) -> set[str]:
    """Return the attributes with a hyphen in the tags right before hidden texts; snapshots have few of them."""
    names: set[str] = set()
    for text in np.flatnonzero(waiting)[:_MOST_TEXTS].tolist():
        position = source.find(snapshot.texts[text].strip().partition("\n")[0][:_SOUGHT])
        names.update(_ATTRIBUTE.findall(source[max(0, position - _BEFORE) : max(0, position)]))
    return names


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
    _, hidden, shown = _waiting_texts(second)
    is_whole = second.text_length.sum() >= _KEPT * first.text_length.sum()
    if is_whole and shown >= _MOST * max(hidden, _waiting_texts(first)[2]):
        snapshot = replace(second, notes=first.notes, scripted=first.scripted)
        return noted(replace(again, snapshot=snapshot), f"{sign}; rendered with them")
    return rendering
