"""The ways to cut a page into segments, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from vclean.errors import UsageError
from vclean.features import vips

if TYPE_CHECKING:
    from vclean.features.segments import Segments
    from vclean.render.snapshot import Snapshot


class SegmentMethod(Protocol):
    """Cuts a rendered page into segments."""

    def __call__(self, snapshot: Snapshot) -> Segments:
        """All segments, cut as far as they can be; the same snapshot gives the same segments.

        Raises:
            UsageError: the page was not rendered.
        """


def _learned(snapshot: Snapshot) -> Segments:
    from vclean.classify.segment_model import load_default  # LightGBM takes a quarter of a second to load

    return load_default()(snapshot)


_METHODS: dict[str, SegmentMethod] = {"vips": vips.segment, "learned": _learned}


def get(name: str) -> SegmentMethod:
    """The method called `name`.

    Raises:
        UsageError: there is no such method; the text lists those there are.
    """
    if name not in _METHODS:
        raise UsageError(f"no method {name!r} to cut pages: choose one of {', '.join(_METHODS)}")
    return _METHODS[name]
