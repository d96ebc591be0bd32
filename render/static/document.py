"""Read a source into the tree of libxml2, and remove what is not part of a page."""

from __future__ import annotations

import re
from typing import Final

from lxml import etree

from vclean.errors import LimitError, NotHtmlError
from vclean.render.snapshot import CONTROL_TAGS, noscript_needed
from vclean.render.static.styles import REPLACED_TAGS, SKIPPED_TAGS

_TOO_DEEP: Final = etree.ErrorTypes.ERR_RESOURCE_LIMIT
_BODY_END: Final = re.compile(r"</(?:body|html)\s*>", re.IGNORECASE)


def read_tree(text: str) -> etree._Element:
    """Return the root of a source.

    Raises:
        NotHtmlError: the source has no element.
        LimitError: elements are nested too deeply.
    """
    # Content after `</html>` becomes siblings of the root in libxml2; browsers add it to the body (HTML, 13.2.6.4.19).
    text = _BODY_END.sub("", text)
    parser = etree.HTMLParser(
        encoding="utf-8", remove_comments=True, remove_pis=True, huge_tree=True, collect_ids=False
    )
    try:
        root = etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError as error:
        raise NotHtmlError("no HTML in the input: give a web page") from error
    if root is None:
        raise NotHtmlError("no HTML in the input: give a web page")
    if any(entry.type == _TOO_DEEP for entry in parser.error_log):
        raise LimitError("elements are nested deeper than the parser's 2,048 levels: clean the page with --render")
    return root


def prune(root: etree._Element) -> bool:
    """Remove elements that are not part of a snapshot; return whether `<noscript>` content is kept."""
    for element in root.iter(*(REPLACED_TAGS - {"math"})):  # formulas are text: see vclean.render.static.formulas
        element.text = None
        del element[:]
    etree.strip_elements(root, *SKIPPED_TAGS, with_tail=False)
    outermost = [block for block in root.iter("noscript") if next(block.iterancestors("noscript"), None) is None]
    inside = sum(map(visible_length, outermost))
    outside = visible_length(root) - inside
    is_needed = inside > outside  # most pages need no further count
    if is_needed:
        controls = _control_length(root)
        is_needed = noscript_needed(outside - controls, controls, inside)
    if not is_needed:
        etree.strip_elements(root, "noscript", with_tail=False)
    _empty_head(root)
    return is_needed


def _control_length(root: etree._Element) -> int:
    """Count the characters of links and controls outside `<noscript>`."""
    outermost = [
        each for each in root.iter(*CONTROL_TAGS) if next(each.iterancestors("noscript", *CONTROL_TAGS), None) is None
    ]
    return sum(map(visible_length, outermost))


def _empty_head(root: etree._Element) -> None:
    """Remove the head; if libxml2 put parts of the body there (no `<body>` tag), keep it as a `div`."""
    for head in root.findall("head"):
        if text_of(head).strip():
            head.tag = "div"
        else:
            root.remove(head)


def visible_length(element: etree._Element) -> int:
    """Count the characters of an element's text that are not white space."""
    return sum(map(len, text_of(element).split()))


def text_of(element: etree._Element) -> str:
    """Return the text of an element, with that of its descendants."""
    return etree.tostring(element, encoding="unicode", method="text", with_tail=False)
