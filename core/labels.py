"""Labels, kinds and visibility of blocks, roles of regions, types of pages, reasons of empty results."""

from __future__ import annotations

import math
from enum import IntEnum, StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Label(StrEnum):
    """Class of a block, after CleanEval 2007 (h, p, l) and Victor (c, o).

    The order of the members is the order of the classes in every model file.

    Attributes:
        is_content: whether blocks with this label are part of the clean text.

    >>> Label("h").name, Label.OTHER.is_content
    ('HEADING', False)
    """

    HEADING = "h"
    PARAGRAPH = "p"
    LIST_ITEM = "l"
    CONTINUATION = "c"
    OTHER = "o"

    is_content: bool

    def __init__(self, value: str) -> None:
        self.is_content = value != "o"


LABELS: Final = tuple(Label)
"""Labels by integer code: `LABELS[code]`."""
UNKNOWN: Final = -1
"""Code of a content block for which the gold text has no label."""


class Kind(StrEnum):
    """Function of a block in its document.

    A label decides whether and how a block is printed; its kind is its function.

    >>> Kind("byline").name
    'BYLINE'
    """

    TITLE = "title"
    """Headline of the document."""
    BYLINE = "byline"
    """Names of its authors."""
    DATE = "date"
    """Day of its publication."""
    BODY = "body"
    """Other content."""
    COMMENT = "comment"
    """Text of a reader below a document."""
    POST = "post"
    """Text of a thread, in forums and question pages."""
    ITEM = "item"
    """Part of an entry of a list or grid of documents or products."""
    OTHER = "other"
    """Outside the content."""
    CAPTION = "caption"
    QUOTE = "quote"
    TABLE = "table"
    CODE = "code"


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

    The order of `REGION_ROLES`, all members but `OVERLAY`, is the order of the classes in every region model. Region
    models have one more class after the last: containers that are not a region.

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
    OVERLAY = "overlay"
    """Element that floats above the page, such as a consent bar or a chat box. It is found by its layout and not by
    a model: see `vclean.render.visibility.overlays`."""

    @property
    def is_content(self) -> bool:
        """Return whether the text of regions with this role is content of the page.

        `LINKS` is not content. `MEDIA` is not content by itself: its text is content if the region around it is (see
        `vclean.classify.corpora.marked`).
        """
        return self in (Role.TITLE, Role.ARTICLE, Role.CONTENT, Role.COMMENTS, Role.TABLE, Role.AUTHOR)


REGION_ROLES: Final[tuple[Role, ...]] = tuple(role for role in Role if role is not Role.OVERLAY)
"""Roles that region models predict, in the order of their classes."""


class PartKind(StrEnum):
    """Part of a page that its overlay shows beside the blocks.

    >>> [str(kind) for kind in PartKind if kind.is_annotated]
    ['title', 'byline', 'date', 'byline-date', 'post', 'item']
    """

    TITLE = "title"
    """Headline of the page."""
    BYLINE = "byline"
    """Names of the authors."""
    DATE = "date"
    """Date of publication."""
    BYLINE_DATE = "byline-date"
    """Names of the authors and date of publication in one block."""
    POST = "post"
    """Post of a thread, or comment; its first block."""
    ITEM = "item"
    """Item of a listing; its first block."""
    PRICE = "price"
    RECIPE = "recipe"

    @property
    def is_annotated(self) -> bool:
        """Return whether annotators can correct it."""
        return self not in (PartKind.PRICE, PartKind.RECIPE)


class PageType(StrEnum):
    """Type of a page: what it is for.

    The order of the members is the order of the classes in the model of metadata. The types up to `SERVICE` are those
    of WCXB (Foley 2026).

    >>> PageType("listing").name
    'LISTING'
    """

    ARTICLE = "article"
    """One text: news, blog post, recipe, review, guide."""
    PRODUCT = "product"
    """One product or offer."""
    LISTING = "listing"
    """Links to articles, jobs, events or the like with their titles."""
    COLLECTION = "collection"
    """Grid or list of products."""
    FORUM = "forum"
    """Thread of posts, question with answers, or index of a forum."""
    DOCUMENTATION = "documentation"
    """Reference, manual, tutorial for a product or a language."""
    SERVICE = "service"
    """Presentation of a service, a feature or an organization."""
    HOME = "home"
    """Front page of a site."""
    OTHER = "other"
    """None of these: notices of errors, logins, contacts, terms."""


PAGE_TYPES: Final = tuple(PageType)
"""Types of pages by integer code: `PAGE_TYPES[code]`."""


class EmptyReason(StrEnum):
    """Reason for an empty clean text.

    >>> import vclean
    >>> str(vclean.clean("<script>draw()</script>", method="text").empty_reason)
    'needs-scripts'
    """

    NO_TEXT = "no-text"
    """The page has no text, for instance only images."""
    NEEDS_SCRIPTS = "needs-scripts"
    """The page has little or no text, and scripts that did not run."""
    FRAMESET = "frameset"
    """The page is a frameset: the text is in its frames."""
    HIDDEN = "hidden"
    """Readers see no block of the page."""
    BOILERPLATE = "boilerplate"
    """All blocks were labelled as other than content."""


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

    @classmethod
    def painted(cls, sides: Sequence[float]) -> Box | None:
        """Return the box with these sides, x to height; None if one is not finite: it is not painted."""
        return cls(*sides) if all(map(math.isfinite, sides)) else None

    @classmethod
    def around(cls, boxes: Iterable[Box | None]) -> Box | None:
        """Return the smallest box around some boxes, without those that are None; None if none is left.

        >>> Box.around([Box(0, 0, 10, 10), Box(5, 5, 10, 20)])
        Box(x=0, y=0, width=15, height=25)
        """
        painted = [box for box in boxes if box]
        if not painted:
            return None
        left, top = min(box.x for box in painted), min(box.y for box in painted)
        right, bottom = max(box.x + box.width for box in painted), max(box.y + box.height for box in painted)
        return cls(left, top, right - left, bottom - top)
