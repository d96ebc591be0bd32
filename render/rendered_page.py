"""Define `Rendering`, the result of reading a page; parser and browser share it without importing each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vclean.render.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Rendering:
    """Page that was rendered, parsed or loaded from storage.

    Attributes:
        snapshot: the page as columns.
        screenshot: a PNG, one pixel per CSS px; None if it was not requested.
        served: number of requested subresources that were served; 0 for a live page.
        missed: number of requested subresources that were not available; 0 for a live page.
    """

    snapshot: Snapshot
    screenshot: bytes | None = None
    served: int = 0
    missed: int = 0
