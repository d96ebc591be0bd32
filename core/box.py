"""Define `Box`, a rectangle on a page."""

from __future__ import annotations

from typing import NamedTuple


class Box(NamedTuple):
    """Rectangle in CSS px; the origin is the top left corner of the document, y increases downwards.

    Attributes:
        x: the left edge, CSS px.
        y: the top edge, CSS px.
        width: the width, CSS px.
        height: the height, CSS px.

    >>> Box(10, 20, 300, 40).width
    300
    """

    x: float
    y: float
    width: float
    height: float
