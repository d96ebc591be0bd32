"""Define `Examiner`: what the browser asks about a snapshot before it paints the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from vclean.render.snapshot import Snapshot


class Examiner(NamedTuple):
    """Functions of a snapshot; the renderer receives them because features are above it.

    Attributes:
        doubtful_texts: returns the texts whose visibility pixels have to decide, with the `Hidden` code of those that
            prove to be invisible.
        overlays: returns the elements that float above the page and are left out when pixels are compared.
    """

    doubtful_texts: Callable[[Snapshot], Mapping[int, int]]
    overlays: Callable[[Snapshot], Sequence[int]]
