"""Decide of every text of a page whether a reader sees it at once, can open it, or never sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from vclean.features.visibility.controls import revealable
from vclean.features.visibility.painted import hidden_techniques
from vclean.labels import Visibility

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from vclean.render.snapshot import Snapshot


@dataclass(frozen=True, slots=True, eq=False)
class TextVisibility:
    """What a reader sees of the T texts of a page.

    Attributes:
        visibility: uint8 (T,), `vclean.labels.Visibility`.
        technique: uint8 (T,), `vclean.render.snapshot.Hidden`, what hides each text; 0 for those that are shown.
    """

    visibility: NDArray[np.uint8]
    technique: NDArray[np.uint8]


def text_visibility(snapshot: Snapshot) -> TextVisibility:
    """Return the visibility of the texts of a page: observed if it was rendered, else what its source tells."""
    technique = hidden_techniques(snapshot)
    visibility = np.where(technique > 0, Visibility.HIDDEN, Visibility.SHOWN).astype(np.uint8)
    visibility[revealable(snapshot, technique)] = Visibility.REVEALABLE
    return TextVisibility(visibility, technique)
