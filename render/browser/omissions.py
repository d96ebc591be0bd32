"""Define `Omissions`: the parts of a page that a screenshot leaves out."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence


class Omissions(NamedTuple):
    """Parts of a page that are not painted any more, until the next document; the layout of the page stays.

    Attributes:
        elements: numbers of positioned elements in the snapshot of the page.
        texts: numbers of texts in the snapshot.
    """

    elements: Sequence[int] = ()
    texts: Sequence[int] = ()
