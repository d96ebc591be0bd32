"""Pages whose boxes are written into their HTML, for tests of what is told by boxes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from helpers.pages import snapshot
from vclean.render.snapshot import Hidden


def boxed(html, width=100, height=100):
    """The page with a layout: an element's `title` is its box, `x y width height` in px; without one it is the
    parent's, that of the root the page. Every text that is not blank has one line box, that of its element; what is
    in an element with `lang=hidden` is not displayed.
    """
    page = snapshot(html)
    titles, hiding = page.attributes("title"), page.attributes("lang")
    box = np.zeros((len(page), 4), dtype=np.float32)
    hidden = page.hidden.copy()
    for element, parent in enumerate(page.parent.tolist()):
        above = box[parent] if parent >= 0 else (0, 0, width, height)
        box[element] = titles[element].split() if element in titles else above
        if hiding.get(element) == "hidden" or (parent >= 0 and hidden[parent]):
            hidden[element] = Hidden.DISPLAY
    lines = [row for row, text in enumerate(page.texts) if text.strip() and not hidden[page.text_parent[row]]]
    return replace(
        page,
        rendered=True,
        width=float(width),
        height=float(height),
        settings={"width": width, "height": height, "scripts": False},
        box=box,
        hidden=hidden,
        line_text=np.array(lines, dtype=np.int32),
        line_box=box[page.text_parent[lines]].reshape(-1, 4),
    )
