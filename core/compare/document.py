"""HTML documents that stand alone: elements, inlined styles and scripts, embedded data."""

from __future__ import annotations

import json
from importlib import resources
from typing import TYPE_CHECKING, Any, Final

from lxml import etree

from vclean.characters import legal

if TYPE_CHECKING:
    from collections.abc import Sequence

Element = etree._Element
Value = str | float | None

POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data: blob:"
"""Nothing is fetched from anywhere; what stands in the page may run and be shown."""

_NAMES: Final = {"class_": "class", "for_": "for"}
_UNSAFE: Final = str.maketrans({"<": r"\u003c", "\u2028": r"\u2028", "\u2029": r"\u2029"})


def element(tag: str, *children: Element | str | None, **attributes: Value) -> Element:
    """An element of HTML or SVG.

    Args:
        tag: its name.
        children: elements, and texts, which are escaped when the document is written; None is left out.
        attributes: `class_` is class, other underscores are hyphens; those that are None are left out.

    >>> etree.tostring(element("p", "a < b", class_="x", aria_label="y"), encoding="unicode")
    '<p class="x" aria-label="y">a &lt; b</p>'
    """
    names = {_NAMES.get(name, name).replace("_", "-"): value for name, value in attributes.items()}
    made = etree.Element(tag, {name: _plain(value) for name, value in names.items() if value is not None})
    for child in children:
        if isinstance(child, str):
            _add_text(made, legal(child))
        elif child is not None:
            made.append(child)
    return made


def document(
    title: str, body: Sequence[Element], *, styles: Sequence[str], scripts: Sequence[str], kind: str | None = None
) -> str:
    """A whole document.

    Args:
        title: of the document.
        body: what it shows, and its data.
        styles: names of files of this package, which are put into it.
        scripts: the same, run when the body is there.
        kind: class of the body.
    """
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("title", title),
        *(_verbatim("style", asset(name)) for name in styles),
    )
    run = (_verbatim("script", asset(name)) for name in scripts)
    root = element("html", head, element("body", *body, *run, class_=kind), lang="en")
    return f"<!DOCTYPE html>\n{etree.tostring(root, method='html', encoding='unicode')}\n"


def data(name: str, value: Any) -> Element:  # noqa: ANN401 - whatever JSON can hold
    """A script element of the id `name` that holds `value` as JSON and never runs."""
    return _verbatim(
        "script", json.dumps(value, ensure_ascii=False).translate(_UNSAFE), type="application/json", id=name
    )


def asset(name: str) -> str:
    """The text of a file of this package."""
    return (resources.files("vclean.compare") / name).read_text(encoding="utf-8")


def _verbatim(tag: str, text: str, **attributes: Value) -> Element:
    """An element whose text HTML takes as it is."""
    made = element(tag, **attributes)
    made.text = legal(text)
    return made


def _plain(value: Value) -> str:
    """Numbers with as few digits as tell a hundredth of a px."""
    return f"{round(value, 2):g}" if isinstance(value, float) else legal(str(value))


def _add_text(made: Element, text: str) -> None:
    if len(made):
        made[-1].tail = (made[-1].tail or "") + text
    else:
        made.text = (made.text or "") + text
