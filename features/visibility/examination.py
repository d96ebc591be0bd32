"""Define the examiner of snapshots that renderers use; see `vclean.render.examiner`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from vclean.render.examiner import Examiner

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from vclean.render.snapshot import Snapshot


def _doubtful_texts(snapshot: Snapshot) -> Mapping[int, int]:
    from vclean.features.visibility.painted import doubtful_texts  # loads while the browser starts

    return doubtful_texts(snapshot)


def _overlays(snapshot: Snapshot) -> Sequence[int]:
    from vclean.features.visibility.overlays import overlay_elements

    return overlay_elements(snapshot)


EXAMINER: Final = Examiner(_doubtful_texts, _overlays)
