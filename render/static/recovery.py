"""Parse a source in other ways, to find the one that preserves its text.

libxml2 and the HTML standard differ on broken markup: `<canvas/>` is an empty element for libxml2 and an open one for
browsers, and an `<svg>` without end ends at the next `<p>` for browsers and nowhere for libxml2. Of elements without an
end tag whose content is not shown, both lose the rest of the page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from lxml import etree
from resiliparse.parse.html import HTMLTree

from vclean.errors import LimitError, NotHtmlError
from vclean.render.completeness import BETTER
from vclean.render.static.document import prune, read_tree, visible_length
from vclean.render.static.formulas import replace_formulas
from vclean.runtime import run_within

if TYPE_CHECKING:
    from vclean.settings import RenderSettings

_UNSEEN: Final = re.compile(
    r"<(/?)(applet|audio|canvas|math|object|svg|template|video)(?=[\s/>])[^<>]*+>", re.IGNORECASE
)
"""Tags of elements whose content is not text of the page."""
_LOST: Final = re.compile(
    r"(?P<script><script\b(?![^<>]*\stype\s*=)[^<>]*+>)(?=\s*+<(?!!--|/script))"
    r"|(?P<style><style\b[^<>]*+>[^<]*+)(?=<(?:/head|body|p|div|h[1-6]|table|ul)\b)",
    re.IGNORECASE,
)
"""Scripts that begin with markup, and styles that contain it: their end tag is missing."""


class Reading(NamedTuple):
    """Another way to read a source.

    Attributes:
        text: the source that libxml2 reads in this way.
        remedy: a description.
        length: the characters of its text, without white space.
    """

    text: str
    remedy: str
    length: int = 0


def find_reading(source: str, length: int, settings: RenderSettings) -> Reading | None:
    """Return the reading of a source with most text; None if none has twice as much as `length` characters.

    Raises:
        DeadlineError: the parser took longer than `settings.deadline`.
    """
    candidates = (
        Reading(source, "read by the more tolerant parser"),
        Reading(_standard_form(source), "read by the rules of the HTML standard"),
        Reading(close_unseen(source), "elements without an end tag were closed"),
    )
    measured = [reading._replace(length=_length(reading.text, settings)) for reading in candidates]
    best = max(measured, key=lambda reading: reading.length)
    return best if best.length > BETTER * length else None


def without_scripts(source: str, settings: RenderSettings) -> str:
    """Return the tree of libxml2 of a source as HTML, without scripts."""
    root = run_within(settings.deadline, lambda: read_tree(source))
    etree.strip_elements(root, "script", with_tail=False)
    for element in root.iter(etree.Element):
        for name in [name for name, _ in element.items() if str(name).lower().startswith("on")]:
            del element.attrib[name]
    html: str = etree.tostring(root, encoding="unicode", method="html", doctype="<!DOCTYPE html>")
    return html


def close_unseen(source: str) -> str:
    """Add the missing end tags of scripts, of styles and of other elements whose content is not shown.

    >>> close_unseen("<object data=a /><p>It rained.")
    '<object data=a /></object><p>It rained.'
    """
    source = _LOST.sub(lambda lost: f"{lost[0]}</{'script' if lost['script'] else 'style'}>", source)
    parts, last = [], 0
    for start in _open_tags(source):
        parts += [source[last : start.end()], f"</{start[2]}>"]
        last = start.end()
    return "".join([*parts, source[last:]])


def _open_tags(source: str) -> list[re.Match[str]]:
    """Return the start tags that no end tag follows before the next start tag of that name or the end of the source."""
    previous: dict[str, re.Match[str]] = {}
    unclosed = []
    for tag in _UNSEEN.finditer(source):
        before = previous.get(tag[2].lower())
        if before and not before[1] and not tag[1]:
            unclosed.append(before)
        previous[tag[2].lower()] = tag
    unclosed += [tag for tag in previous.values() if not tag[1]]
    return sorted(unclosed, key=lambda tag: tag.start())


def _standard_form(source: str) -> str:
    """Parse the source as the HTML standard requires, and serialize the tree."""
    return str(HTMLTree.parse(source))


def _length(source: str, settings: RenderSettings) -> int:
    """Return the length of the text that libxml2 reads; 0 if it cannot."""
    try:
        root = run_within(settings.deadline, lambda: read_tree(source))
    except (LimitError, NotHtmlError):
        return 0
    replace_formulas(root, source.encode("utf-8", "replace").lower())
    prune(root)
    return visible_length(root)
