"""The names of things that pass between the stages: block labels and visibility."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final


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


LABELS: Final = tuple(Label)
"""The label of each code: `LABELS[code]`."""
UNKNOWN: Final = -1
"""The code of a content block whose type the gold text does not give."""


class Visibility(IntEnum):
    """Whether a reader sees a block at once, after a click (tab, accordion, details), or never."""

    SHOWN = 0
    REVEALABLE = 1
    HIDDEN = 2


class Role(StrEnum):
    """What a container is on its page.

    The order of the members is the order of the classes in every region model; one class more, after the last, stands
    for containers that are no region at all.
    """

    TITLE = "title"
    ARTICLE = "article"
    CONTENT = "content"
    NAVIGATION = "navigation"
    HEADER = "header"
    FOOTER = "footer"
    SIDEBAR = "sidebar"
    AD = "ad"
    FORM = "form"
    COMMENTS = "comments"
    LINKS = "links"
    """A list of links that is no navigation of the site, such as related pages or a blogroll."""
    TABLE = "table"
    MEDIA = "media"
    """Images and films; their captions count as what is round them."""
    LOGO = "logo"
    AUTHOR = "author"

    @property
    def is_content(self) -> bool:
        """Whether the text of such a region belongs to the page's content.

        A list of links does not. Nor does `MEDIA` by itself: what stands in it is content where the region round it
        is, see `vclean.classify.corpora.marked`.
        """
        return self in _CONTENT


_CONTENT = frozenset((Role.TITLE, Role.ARTICLE, Role.CONTENT, Role.COMMENTS, Role.TABLE, Role.AUTHOR))
