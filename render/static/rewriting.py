"""Rewrite the few parsed documents that need it, as browsers and the walker do.

Formulas become `<math>` elements with their text. Declarative shadow roots and streamed parts come to their places.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import parse_qs, unquote

from lxml import etree

from vclean.page import split_url
from vclean.render.formulas import DISPLAY_WRAPPERS, PREVIEWS, WRAPPERS, formula_text
from vclean.render.static import _tree

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

_MATH_SCRIPT: Final = re.compile(r"\s*math/(?:tex|mml)\b", re.IGNORECASE)
_DISPLAY_MODE: Final = re.compile(r"mode\s*=\s*display", re.IGNORECASE)
_SOURCES: Final = ("data-mathml", "data-tex", "data-latex", "data-math", "data-formula", "data-equation", "data-katex",
                   "data-expr")  # fmt: skip
"""Attributes with the source of a formula, for scripts that draw it."""
_SOURCE_OF: Final = etree.XPath(f"//*[{' or '.join(f'@{name}' for name in _SOURCES)}]")
_COMMANDS: Final = re.compile(r"[\\^{}]")
_SUFFIX: Final = re.compile(r"\.(?:gif|jpe?g|png|svg|webp)$", re.IGNORECASE)
_LOOKS_LIKE_TEX: Final = re.compile(r"[\\^_{}=<]")
_DRAWN: Final = etree.XPath("//mjx-container[not(.//math)] | //span[contains(@class, 'mjx-chtml')][not(.//math)]")
_DRAWN_TAG: Final = re.compile(
    r"(?:^|\s)(?:mjx-)?(m(?:ath|i|n|o|s|text|space|row|frac|sqrt|root|style|padded|phantom|fenced|sub|sup|subsup|under"
    r"|over|underover|multiscripts|table|tr|td|enclose)|TeXAtom)(?=\s|$)"
)
_GLYPH: Final = re.compile(r"(?:^|\s)(?:mjx-c)?([0-9A-F]{2,5})(?=\s|$)")
_MATHEMATICAL: Final = 0x1D400
"""The first of the letters in fonts, which Unicode calls mathematical alphabets."""
_NOT_DRAWN: Final = frozenset(
    ("mjx-surd", "mjx-assistive-mml", "mjx-speech", "defs", "mjx-stretchy-v", "mjx-stretchy-h")
)
_PARAMETERS: Final = ("latex", "tex", "math", "from", "chl", "eq", "equation")
_SERVICE: Final = re.compile(r"latex|/tex\b|/formula/|cht=tx|\bmath|equation", re.IGNORECASE)
"""Part of the address of an image that a service draws from TeX."""
_IMAGE_CLASS: Final = re.compile(
    r"(?:^|\s)(?:latex|tex|math|mwe-math-fallback-image\S*|equation|formula)(?:\s|$)", re.IGNORECASE
)
_IMAGE_WORDS: Final = (b"tex", b"math", b"formula", b"equation", b"cht=tx")  # one is in each match of the two above


def drawn_formula(source: str) -> str:
    """Return the TeX that an element shows, given its source; empty if it is no formula."""
    root = etree.HTML(source)
    replace_formulas(root, (b"mjx", b"data-"))
    math = next(root.iter("math"), None)
    return (math.text or "") if math is not None else ""


def replace_formulas(root: etree._Element, words: Collection[bytes]) -> None:
    """Give every formula of a document one `<math>` element without children, which contains its text.

    Scripts of MathJax become such elements, and what MathJax drew before them is removed. The wrapper of a formula is
    kept, with the `<math>` element as its only child. The attribute `display` is `block` for a formula in its own line.
    Formulas that are drawn without MathML become such elements too: what MathJax draws, images of services that draw
    TeX, and elements with the source in an attribute.

    Args:
        root: the document.
        words: those of `FORMULA_WORDS` of `vclean.render.static.parse` in its source; slow searches need theirs.
    """
    for math in list(root.iter("math")):
        _replace_math(math)
    for script in list(root.iter("script")) if b"math/" in words else ():
        if _MATH_SCRIPT.match(script.get("type", "")):
            _replace_script(script)
    is_declared = any(word.startswith(b"data-") for word in words)
    for element in cast("list[etree._Element]", _SOURCE_OF(root) if is_declared else []):
        source = next(filter(None, (element.get(name, "") for name in _SOURCES)), "")
        is_formula = _is_any(element, WRAPPERS) or source.lstrip().startswith("<math") or _LOOKS_LIKE_TEX.search(source)
        if is_formula and next(element.iter("math"), None) is None:
            _add_math(element, source)
    for element in cast("list[etree._Element]", _DRAWN(root) if b"mjx" in words else []):
        _add_math(element, _mathml(element, etree.Element("math")))
    images = list(root.iter("img"))
    described = " ".join(image.get(name, "") for image in images for name in ("src", "class"))
    for image in images if _tree.words_in(described.encode("utf-8", "replace"), _IMAGE_WORDS) else ():
        if tex := _tex_of_image(image):
            image.tag, image.text = "math", tex
            image.attrib.clear()


def _add_math(element: etree._Element, source: str | etree._Element) -> None:
    """Make a formula the only content of an element, if its source can be read."""
    text = formula_text(source)
    if text:
        is_display = element.tag == "div" or _is_display_container(element)
        is_display |= any(_is_any(each, DISPLAY_WRAPPERS) for each in (element, *element.iterancestors()))
        _empty(element)
        math = etree.SubElement(element, "math")
        math.text = text
        if is_display:
            math.set("display", "block")


def _mathml(element: etree._Element, into: etree._Element) -> etree._Element:
    """Add to an element of MathML what MathJax draws: `mjx-` elements, or SVG with `data-mml-node`."""
    for child in element.iterchildren("*"):
        tag = str(child.tag)
        if tag in _NOT_DRAWN:
            continue
        node = _DRAWN_TAG.search(
            child.get("data-mml-node", "") or (tag if tag.startswith("mjx-") else child.get("class", ""))
        )
        glyph = child.get("data-c") or (child.get("class", "") if tag == "mjx-c" else "")
        if glyph and (code := _GLYPH.search(glyph)):
            character = chr(int(code[1], 16))
            # Letters have no font: an italic x is x.
            is_letter = ord(character) >= _MATHEMATICAL
            into.text = (into.text or "") + (unicodedata.normalize("NFKC", character) if is_letter else character)
        elif "mjx-char" in child.get("class", "").split():
            into.text = (into.text or "") + "".join(map(str, child.itertext()))
        elif node and node[1] != "math":
            inner = _mathml(child, etree.SubElement(into, "mrow" if node[1] == "TeXAtom" else node[1]))
            if inner.tag == "msubsup" and len(inner) == 2:
                names = {name for each in child.iter() for name in each.get("class", "").split()}
                inner.tag = "msub" if "mjx-sub" in names else "msup"
        else:
            _mathml(child, into)
    if into.tag == "munderover" and element.tag == "mjx-munderover" and len(into) == 3:
        into[:] = [into[1], into[2], into[0]]
    return into


def _tex_of_image(image: etree._Element) -> str:
    """Return the TeX that an image shows: in its address, or its alternative text; empty for other images."""
    source, alternative = image.get("src", ""), image.get("alt", "").strip()
    if _IMAGE_CLASS.search(image.get("class", "")) and _LOOKS_LIKE_TEX.search(alternative):
        return formula_text(alternative)
    if source.startswith("data:") or not _SERVICE.search(source):
        return ""
    url = split_url(source)
    values = parse_qs(url.query.replace("+", "%2B"))
    named = next((values[name][0] for name in _PARAMETERS if name in values), "")
    if named:
        return formula_text(named)
    path = "" if _SUFFIX.search(url.path) and not url.query else url.path.rpartition("/")[2]
    tex = next((tex for part in (url.query, path) if _COMMANDS.search(tex := unquote(part))), "")
    return formula_text(tex)


def _replace_script(script: etree._Element) -> None:
    is_display = _DISPLAY_MODE.search(script.get("type", "")) is not None
    before = script.getprevious()
    while before is not None and _is_any(before, (*WRAPPERS, *PREVIEWS)):
        _empty(before)  # MathJax drew it, or will replace it
        before = before.getprevious()
    text = formula_text(script.text or "")
    _empty(script)
    script.tag, script.text = "math", text
    script.attrib.clear()
    if is_display:
        script.set("display", "block")


def _replace_math(math: etree._Element) -> None:
    text, wrapper = formula_text(math), None
    is_display = math.get("display") == "block"
    for ancestor in math.iterancestors():
        if _is_any(ancestor, WRAPPERS) and sum(1 for _ in ancestor.iter("math")) == 1:
            wrapper = ancestor
            is_display |= _is_any(ancestor, DISPLAY_WRAPPERS) or _is_display_container(ancestor)
    _empty(math)
    math.text = text
    math.attrib.pop("display", "")
    if is_display:
        math.set("display", "block")
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


def _empty(element: etree._Element) -> None:
    """Remove the text and the children of an element, but not the text after it."""
    element.text = None
    del element[:]


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
        if host is None or host in hosts or template.get("shadowrootmode", "").lower() not in ("open", "closed"):
            continue
        hosts.add(host)
        _flatten(host, template)


def _flatten(host: etree._Element, template: etree._Element) -> None:
    """Replace the children of a host by those of a template, its shadow root."""
    slots: dict[str, etree._Element] = {}
    for slot in template.iter("slot"):
        slots.setdefault(slot.get("name", ""), slot)
    assigned: dict[str, list[etree._Element]] = {name: [] for name in slots}
    for child in list(host):
        host.text = _without_space(host.text)
        name = child.get("slot", "")
        if child is template or name:
            host.remove(_without_tail(child))
        if child is not template and name in slots:
            assigned[name].append(child)
    for name, children in assigned.items():
        text = None if name else _without_space(host.text)
        if text or children:  # otherwise the fallback remains
            slots[name].text = text
            slots[name][:] = children
    host.text = template.text
    host[:] = list(template)


def _without_space(text: str | None) -> str | None:
    return text if text and text.strip() else None
