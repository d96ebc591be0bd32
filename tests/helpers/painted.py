"""Lay out and style pages by their HTML, for tests of features that depend on boxes and styles."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from helpers.boxed import boxed
from vclean.render.snapshot import STYLES, Styles

DEFAULTS = {
    "font-size": "16px",
    "font-weight": "400",
    "background-image": "none",
    "background-color": "rgba(0, 0, 0, 0)",
}
INHERITED = ("font-size", "font-weight")


def painted(html, width=1000, height=1000):
    """Return the page laid out by `boxed`, with the declarations of `style` attributes as computed styles."""
    page = boxed(html, width, height)
    declared, rows = page.attributes("style"), []
    for element, parent in enumerate(page.parent.tolist()):
        style = dict(zip(STYLES, page.styles.rows[page.style[element]], strict=True)) | DEFAULTS
        if parent >= 0:
            style |= {name: rows[parent][name] for name in INHERITED}
        pairs = [each.partition(":")[::2] for each in declared.get(element, "").split(";") if ":" in each]
        rows.append(style | {name.strip(): value.strip() for name, value in pairs})
    styles = Styles(names=STYLES, rows=tuple(tuple(row[name] for name in STYLES) for row in rows))
    return replace(page, styles=styles, style=np.arange(len(page), dtype=np.int32))


def node(page, tag, number=0):
    """Return the index of the element with a tag: the first, or that of the given number."""
    return int(np.flatnonzero(page.is_tag((tag,)))[number])


def text_node(page, words):
    """Return the VIPS number of the first text node that contains `words`."""
    return len(page) + next(row for row, text in enumerate(page.texts) if words in text)
