"""Pages whose boxes and looks are written into their HTML, for tests of what is told by both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from helpers.boxed import boxed
from vclean.render.snapshot import STYLES, Styles

USUAL = {"font-size": "16px", "font-weight": "400", "background-image": "none", "background-color": "rgba(0, 0, 0, 0)"}
INHERITED = ("font-size", "font-weight")


def painted(html, width=1000, height=1000):
    """The page as `boxed` lays it out, with the declarations of the `style` attributes as computed styles."""
    page = boxed(html, width, height)
    declared, rows = page.attributes("style"), []
    for element, parent in enumerate(page.parent.tolist()):
        own = dict(zip(STYLES, page.styles.rows[page.style[element]], strict=True)) | USUAL
        if parent >= 0:
            own |= {name: rows[parent][name] for name in INHERITED}
        pairs = [each.partition(":")[::2] for each in declared.get(element, "").split(";") if ":" in each]
        rows.append(own | {name.strip(): value.strip() for name, value in pairs})
    styles = Styles(names=STYLES, rows=tuple(tuple(row[name] for name in STYLES) for row in rows))
    return replace(page, styles=styles, style=np.arange(len(page), dtype=np.int32))


def node(page, tag, number=0):
    """The element of a tag, the first or another."""
    return int(np.flatnonzero(page.is_tag((tag,)))[number])


def text_node(page, words):
    """The text node that has these words, as VIPS numbers it."""
    return len(page) + next(row for row, text in enumerate(page.texts) if words in text)
