"""Define `Rendering`, the result of reading a page, and `Omissions`, the parts that a screenshot leaves out.

Parser and browser share them without importing each other.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vclean.render.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Rendering:
    """Page that was rendered, parsed or loaded from storage.

    Attributes:
        snapshot: the page as columns.
        screenshot: a PNG, one pixel per CSS px; None if it was not requested.
        served: number of requested subresources that were served; 0 for a live page.
        missed: number of requested subresources that were not available; 0 for a live page.
        doubts: texts that only pixels can decide on and that were not compared, with the `Hidden` code they may have.
    """

    snapshot: Snapshot
    screenshot: bytes | None = None
    served: int = 0
    missed: int = 0
    doubts: Mapping[int, int] = field(default_factory=dict)


class Omissions(NamedTuple):
    """Parts of a page that are not painted any more, until the next document; the layout of the page stays.

    Attributes:
        elements: numbers of positioned elements in the snapshot of the page.
        texts: numbers of texts in the snapshot.
    """

    elements: Sequence[int] = ()
    texts: Sequence[int] = ()
