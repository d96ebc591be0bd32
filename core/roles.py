"""`Role`: what a region of a page is for."""

from __future__ import annotations

from enum import StrEnum


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
        is, see `vclean.classify.marks`.
        """
        return self in _CONTENT


_CONTENT = frozenset((Role.TITLE, Role.ARTICLE, Role.CONTENT, Role.COMMENTS, Role.TABLE, Role.AUTHOR))
