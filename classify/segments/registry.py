"""The ways to cut a page into segments, by name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

from vclean.errors import UsageError
from vclean.features.segments.vips import algorithm

if TYPE_CHECKING:
    from vclean.features.segments.segments import Segments
    from vclean.render.snapshot import Snapshot


TRAINED: Final = ".vclean"
"""How the files of trained segmenters end."""


class SegmentMethod(Protocol):
    """Cuts a rendered page into segments."""

    def __call__(self, snapshot: Snapshot) -> Segments:
        """All segments, cut as far as they can be; the same snapshot gives the same segments.

        Raises:
            UsageError: the page was not rendered.
        """


def _learned(snapshot: Snapshot) -> Segments:
    from vclean.classify.segments.model import load_default  # LightGBM takes a quarter of a second to load

    return load_default()(snapshot)


_METHODS: dict[str, SegmentMethod] = {"vips": algorithm.segment, "learned": _learned}


def get(name: str) -> SegmentMethod:
    """The method called `name`, or the trained segmenter in the file `name`, which ends in .vclean.

    Raises:
        UsageError: there is no such method; the text lists those there are.
        ModelError: the file is missing, damaged, or of another version of vclean.
    """
    if name.endswith(TRAINED):
        from vclean.classify.segments.model import load

        return load(Path(name))
    if name not in _METHODS:
        known = ", ".join(_METHODS)
        raise UsageError(f"no method {name!r} to cut pages: choose one of {known}, or a model, FILE{TRAINED}")
    return _METHODS[name]
