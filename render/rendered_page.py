"""`Rendering`: a page as it was read, with its screenshot. The parser and the browser share it without each other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vclean.render.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class Rendering:
    """A page as it was read: rendered, parsed or as stored.

    Attributes:
        snapshot: the page as columns.
        screenshot: a PNG, one pixel per CSS px; None where none was asked for.
        served: how many subresources a page that is not live asked for and got.
        missed: how many it asked for that nothing had.
    """

    snapshot: Snapshot
    screenshot: bytes | None = None
    served: int = 0
    missed: int = 0
