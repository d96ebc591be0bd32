"""Put declarative shadow roots and streamed parts in their places in a parsed document, as browsers do."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from lxml import etree

_MODES: Final = ("open", "closed")
_PART: Final = re.compile(r"S:[0-9a-f]+")
"""Name of a part that React streams. A server sends a placeholder, `<template id="B:1">`, and later the part in its
place, in `<div hidden id="S:1">` at the end of the page (react-dom, Fizz: `completeBoundary`)."""


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
    """Detach the tail of an element, leave it in its place, and return the element."""
    tail, part.tail = part.tail, None
    before, parent = part.getprevious(), part.getparent()
    if tail and before is not None:
        before.tail = (before.tail or "") + tail
    elif tail and parent is not None:
        parent.text = (parent.text or "") + tail
    return part


def flatten_shadow_roots(root: etree._Element) -> None:
    """Replace the children of each host by its shadow root, and the slots' contents by the children assigned to them.

    Children without a slot are removed: browsers do not lay them out.
    """
    hosts = set()
    for template in list(root.iter("template")):
        host = template.getparent()
        if host is None or host in hosts or template.get("shadowrootmode", "").lower() not in _MODES:
            continue
        hosts.add(host)
        _flatten(host, template)


def _flatten(host: etree._Element, template: etree._Element) -> None:
    """Replace the children of a host by those of a template, its shadow root."""
    slots: dict[str, _Slot] = {}
    for slot in template.iter("slot"):
        slots.setdefault(slot.get("name", ""), _Slot(slot))
    nowhere = _Slot(None)
    default = slots.get("", nowhere)
    default.add_text(host.text)
    for child in list(host):
        tail, child.tail = child.tail, None
        host.remove(child)
        if child is not template:
            slots.get(child.get("slot", ""), nowhere).add(child)
        default.add_text(tail)
    host.text = template.text
    host.extend(list(template))


class _Slot:
    """Receive the children assigned to a slot; its fallback remains if there are none.

    Args:
        slot: the slot, or None for children that are not laid out.
    """

    def __init__(self, slot: etree._Element | None) -> None:
        self._slot = slot
        self._is_filled = False

    def add(self, child: etree._Element) -> None:
        """Append an element."""
        if self._slot is not None:
            self._fill(self._slot)
            self._slot.append(child)

    def add_text(self, text: str | None) -> None:
        """Append a text; white space does not replace the fallback."""
        slot = self._slot
        if slot is None or not text or not (text.strip() or self._is_filled):
            return
        self._fill(slot)
        if len(slot):
            slot[-1].tail = (slot[-1].tail or "") + text
        else:
            slot.text = (slot.text or "") + text

    def _fill(self, slot: etree._Element) -> None:
        """Remove the fallback before the first content."""
        if not self._is_filled:
            self._is_filled = True
            slot.text = None
            del slot[:]
