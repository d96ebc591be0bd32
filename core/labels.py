"""The names of things that pass between the stages: block labels and visibility."""

from __future__ import annotations

from enum import IntEnum, StrEnum


class Label(StrEnum):
    """What a block is, after CleanEval 2007 (h, p, l) and Victor (c, o).

    The order of the members is the order of the classes in every model file.
    """

    HEADING = "h"
    PARAGRAPH = "p"
    LIST_ITEM = "l"
    CONTINUATION = "c"
    OTHER = "o"

    @property
    def is_content(self) -> bool:
        """Whether a block of this label is part of the clean text."""
        return self is not Label.OTHER


class Visibility(IntEnum):
    """Whether a reader sees a block at once, after a click (tab, accordion, details), or never."""

    SHOWN = 0
    REVEALABLE = 1
    HIDDEN = 2
