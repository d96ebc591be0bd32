"""Find a segmentation method by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from vclean.errors import UsageError
from vclean.features.segments.vips import algorithm

if TYPE_CHECKING:
    from vclean.features.segments.segments import Segments
    from vclean.render.snapshot import Snapshot


MODEL_SUFFIX: Final = ".vclean"
"""File name extension of trained segmenters."""


class SegmentMethod(Protocol):
    """Function that divides a rendered page into segments."""

    def __call__(self, snapshot: Snapshot) -> Segments:
        """Return all segments, divided as far as possible; equal snapshots give equal segments.

        Raises:
            UsageError: the page was not rendered.
        """


def _learned(snapshot: Snapshot) -> Segments:
    from vclean.classify.segments.model import load_default  # imported on use: loading takes a quarter of a second

    return load_default()(snapshot)


_METHODS: dict[str, SegmentMethod] = {"vips": algorithm.segment, "learned": _learned}


def get(name: str) -> SegmentMethod:
    """Return the method called `name`; a name that ends in `.vclean` is the file of a trained segmenter.

    Raises:
        UsageError: the method does not exist; the message lists the available methods.
        ModelError: the file is missing, damaged, or from another version of vclean.
    """
    if name.endswith(MODEL_SUFFIX):
        from vclean.classify.segments.model import load

        return load(Path(name))
    if name not in _METHODS:
        known = ", ".join(_METHODS)
        raise UsageError(f"no segmentation method {name!r}: choose one of {known}, or a model, FILE{MODEL_SUFFIX}")
    return _METHODS[name]
