"""Lay out pages by boxes that their HTML contains, for tests of features that depend on boxes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from helpers.pages import snapshot
from vclean.render.snapshot import Hidden


def boxed(html, width=100, height=100):
    """Return the page laid out by its attributes.

    The `title` of an element is its box, `x y width height` in CSS px; without it, the element has the box of its
    parent, and the root that of the page. Every text that is not blank has one line, with the box of its element.
    Elements with `lang=hidden` and their descendants are not displayed.
    """
    page = snapshot(html)
    titles, languages = page.attributes("title"), page.attributes("lang")
    box = np.zeros((len(page), 4), dtype=np.float32)
    hidden = page.hidden.copy()
    for element, parent in enumerate(page.parent.tolist()):
        parent_box = box[parent] if parent >= 0 else (0, 0, width, height)
        box[element] = titles[element].split() if element in titles else parent_box
        if languages.get(element) == "hidden" or (parent >= 0 and hidden[parent]):
            hidden[element] = Hidden.DISPLAY
    lines = [row for row, text in enumerate(page.texts) if text.strip() and not hidden[page.text_parent[row]]]
    return replace(
        page,
        rendered=True,
        width=float(width),
        height=float(height),
        settings={"width": width, "height": height, "scripts": "off"},
        box=box,
        hidden=hidden,
        text_hidden=hidden[page.text_parent],
        line_text=np.array(lines, dtype=np.int32),
        line_box=box[page.text_parent[lines]].reshape(-1, 4),
    )
