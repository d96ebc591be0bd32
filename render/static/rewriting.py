"""Change the tree of a source where a browser shows another one: formulas, declarative shadow roots, streamed parts."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from vclean.render.formulas import DISPLAY_WRAPPERS, PREVIEWS, WRAPPERS, formula_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

_MATH_SCRIPT: Final = re.compile(r"\s*math/(?:tex|mml)\b", re.IGNORECASE)
_DISPLAY_MODE: Final = re.compile(r"mode\s*=\s*display", re.IGNORECASE)
_MODES: Final = ("open", "closed")
_PART: Final = re.compile(r"S:[0-9a-f]+")
"""Name of a part that React streams. A server sends a placeholder, `<template id="B:1">`, and later the part in its
place, in `<div hidden id="S:1">` at the end of the page (react-dom, Fizz: `completeBoundary`)."""


def rewrite(root: etree._Element) -> None:
    """Replace formulas by their text, put streamed parts in their places, and shadow roots in those of their hosts."""
    replace_formulas(root)
    place_parts(root)
    flatten_shadow_roots(root)


def replace_formulas(root: etree._Element) -> None:
    """Give every formula of a document one `<math>` element without children, which contains its text.

    Scripts of MathJax become such elements, and what MathJax drew before them is removed. The wrapper of a formula is
    kept, with the `<math>` element as its only child. The attribute `display` is `block` for a formula in its own line.
    """
    for math in list(root.iter("math")):
        _replace_math(math)
    for script in [script for script in root.iter("script") if _MATH_SCRIPT.match(script.get("type", ""))]:
        _replace_script(script)


def _replace_script(script: etree._Element) -> None:
    kind = script.get("type", "")
    for drawn in _before(script):
        _empty(drawn)
    text = formula_text(script.text or "")
    is_display = _DISPLAY_MODE.search(kind) is not None
    _empty(script)
    script.tag, script.text = "math", text
    script.attrib.clear()
    _set_display(script, is_display=is_display)


def _before(script: etree._Element) -> Iterator[etree._Element]:
    """Yield the elements that MathJax drew before its script, or that it will replace."""
    previous = script.getprevious()
    while previous is not None and _is_any(previous, (*WRAPPERS, *PREVIEWS)):
        yield previous
        previous = previous.getprevious()


def _replace_math(math: etree._Element) -> None:
    text, wrapper = formula_text(math), None
    is_display = math.get("display") == "block"
    for ancestor in math.iterancestors():
        if _is_any(ancestor, WRAPPERS) and sum(1 for _ in ancestor.iter("math")) == 1:
            wrapper = ancestor
            is_display |= _is_any(ancestor, DISPLAY_WRAPPERS) or _is_display_container(ancestor)
    _empty(math)
    math.text = text
    _set_display(math, is_display=is_display)
    if wrapper is not None:
        math.tail = None
        _empty(wrapper)
        wrapper.append(math)


def _is_display_container(element: etree._Element) -> bool:
    return element.tag == "mjx-container" and element.get("display") in ("true", "block")


def _is_any(element: etree._Element, selectors: Iterable[str]) -> bool:
    """Return whether an element has one of these tags or classes, which begin with a dot."""
    names = {element.tag, *(f".{name}" for name in element.get("class", "").split())}
    return not names.isdisjoint(selectors)


def _set_display(math: etree._Element, *, is_display: bool) -> None:
    if is_display:
        math.set("display", "block")
    elif "display" in math.attrib:
        del math.attrib["display"]


def _empty(element: etree._Element) -> None:
    """Remove the text and the children of an element, but not the text after it."""
    element.text = None
    del element[:]


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
