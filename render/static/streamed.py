"""Move the parts of a page that React streams to their places, as its script does when it runs.

While a server renders, React sends a placeholder, `<template id="B:1">`, and later the part in its place, in
`<div hidden id="S:1">` at the end of the page (react-dom, Fizz: `completeBoundary`). The walker does the same.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lxml import etree

_PART: Final = re.compile(r"S:[0-9a-f]+")


def may_be_streamed(text: str) -> bool:
    """Return whether a source may have such parts."""
    return 'id="S:' in text


def place_parts(root: etree._Element) -> None:
    """Replace each placeholder by its part; a part without a placeholder stays where it is, and is not hidden."""
    by_id = {element.get("id", ""): element for element in root.iter("div", "template")}
    for name, part in by_id.items():
        if not _PART.fullmatch(name) or part.tag != "div" or part.get("hidden") is None:
            continue
        del part.attrib["hidden"]
        template = by_id.get(f"B:{name[2:]}")
        if template is not None and template.tag == "template" and part not in template.iterancestors():
            template.addnext(_without_tail(part))


def _without_tail(part: etree._Element) -> etree._Element:
    """Return an element whose tail stays behind when it moves."""
    tail, part.tail = part.tail, None
    before, parent = part.getprevious(), part.getparent()
    if tail and before is not None:
        before.tail = (before.tail or "") + tail
    elif tail and parent is not None:
        parent.text = (parent.text or "") + tail
    return part
