"""Define `Rendering`, the result of reading a page; parser and browser share it without importing each other."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

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
