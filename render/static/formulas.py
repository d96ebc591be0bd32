"""Replace the formulas of a parsed document by `<math>` elements with their text, as the walker of the browser does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from vclean.render.formulas import DISPLAY_WRAPPERS, PREVIEWS, WRAPPERS, formula_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from lxml import etree

_MATH_SCRIPT: Final = re.compile(r"\s*math/(?:tex|mml)\b", re.IGNORECASE)
_DISPLAY_MODE: Final = re.compile(r"mode\s*=\s*display", re.IGNORECASE)


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
