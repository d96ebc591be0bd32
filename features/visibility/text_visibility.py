"""Decide of every text of a page whether a reader sees it at once, can open it, or never sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class TextVisibility:
    """Visibility of the T texts of a page.

    Attributes:
        visibility: uint8 (T,), `vclean.labels.Visibility`.
        technique: uint8 (T,), `vclean.render.snapshot.Hidden`, what hides each text; 0 for those that are shown.
    """

    visibility: NDArray[np.uint8]
    technique: NDArray[np.uint8]


def text_visibility(snapshot: Snapshot) -> TextVisibility:
    """Return the visibility of the texts of a page: by what hides them, and what opens them."""
    technique = snapshot.text_hidden
    visibility = np.where(technique > 0, Visibility.HIDDEN, Visibility.SHOWN).astype(np.uint8)
    if technique.any():
        visibility[_is_revealable(snapshot, technique)] = Visibility.REVEALABLE
    return TextVisibility(visibility, technique)


def _is_revealable(snapshot: Snapshot, technique: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return which texts are hidden by a technique, and can be opened or will be shown, bool (T,)."""
    from vclean.features.visibility.controls import opened_by_controls
    from vclean.features.visibility.unfinished import shown_when_finished

    opened = opened_by_controls(snapshot, technique)
    if not ((technique > 0) & ~opened).any():
        return opened
    return opened | shown_when_finished(snapshot, technique, opened)
