"""Labels and visibility of blocks, roles of regions."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import Final


class Label(StrEnum):
    """Class of a block, after CleanEval 2007 (h, p, l) and Victor (c, o).

    The order of the members is the order of the classes in every model file.

    >>> Label("h").name, Label.OTHER.is_content
    ('HEADING', False)
    """

    HEADING = "h"
    PARAGRAPH = "p"
    LIST_ITEM = "l"
    CONTINUATION = "c"
    OTHER = "o"

    @property
    def is_content(self) -> bool:
        """Return whether blocks with this label are part of the clean text."""
        return self is not Label.OTHER


LABELS: Final = tuple(Label)
"""Labels by integer code: `LABELS[code]`."""
UNKNOWN: Final = -1
"""Code of a content block for which the gold text has no label."""


class Visibility(IntEnum):
    """Visibility of a block: shown at once, after a click (tab, accordion, details), or never.

    >>> Visibility.REVEALABLE.value
    1
    """

    SHOWN = 0
    REVEALABLE = 1
    HIDDEN = 2


class Role(StrEnum):
    """Class of a region: its function on the page.

    The order of the members is the order of the classes in every region model. Region models have one more class after
    the last: containers that are not a region.

    >>> Role("navigation").is_content
    False
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
    """List of links that is not navigation of the site, such as related pages or a blogroll."""
    TABLE = "table"
    MEDIA = "media"
    """Images and videos; a caption has the role of the region around the image."""
    LOGO = "logo"
    AUTHOR = "author"

    @property
    def is_content(self) -> bool:
        """Return whether the text of regions with this role is content of the page.

        `LINKS` is not content. `MEDIA` is not content by itself: its text is content if the region around it is (see
        `vclean.classify.corpora.marked`).
        """
        return self in _CONTENT


_CONTENT = frozenset((Role.TITLE, Role.ARTICLE, Role.CONTENT, Role.COMMENTS, Role.TABLE, Role.AUTHOR))
