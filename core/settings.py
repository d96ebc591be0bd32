"""Settings of a run, frozen and checked on construction: how pages are rendered, and what counts as content."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Final

from vclean.errors import UsageError

_LEAST_SIDE: Final = 16
_GREATEST_SIDE: Final = 16_384
"""Chromium takes no picture with a longer side."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenderSettings:
    """How a page is rendered, and what bounds it.

    Attributes:
        width, height: viewport in CSS px, 16 to 16,384.
        scripts: run the page's scripts (navigates at the page's URL; slower, less repeatable).
        settle: seconds a page with scripts may stay busy before it is read.
        deadline: wall-clock seconds for each step of one page: fetching, rendering, labelling.
        max_bytes: cap on the size of the document.
        max_nodes: cap on the number of elements; a larger page is an error, never a silent cut.

    Raises:
        UsageError: a value is out of range.
    """

    width: int = 1366
    height: int = 768
    scripts: bool = False
    settle: float = 2.0
    deadline: float = 30.0
    max_bytes: int = 32 * 2**20
    max_nodes: int = 150_000

    def __post_init__(self) -> None:
        """Check ranges."""
        for name in ("settle", "deadline", "max_bytes", "max_nodes"):
            if not getattr(self, name) > 0:
                raise UsageError(f"{name} has to be positive, not {getattr(self, name)}")
        for name in ("width", "height"):
            if not _LEAST_SIDE <= getattr(self, name) <= _GREATEST_SIDE:
                raise UsageError(f"{name} has to be {_LEAST_SIDE} to {_GREATEST_SIDE:,} px, not {getattr(self, name)}")

    def to_dict(self) -> dict[str, float | bool]:
        """The settings by name, for the record in a snapshot or a result."""
        return asdict(self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """What counts as content where annotators differ, for methods that can be told.

    Attributes:
        beta: how many times as much recall counts as precision: under 1 only what is sure is kept, over 1 what is
            doubtful too.
        comments: whether readers' comments are content; None: as the corpora of the model have it.

    Raises:
        UsageError: `beta` is not a positive number, or `comments` not True, False or None.
    """

    beta: float = 1.0
    comments: bool | None = None

    def __post_init__(self) -> None:
        """Check the values."""
        if self.comments not in (True, False, None):
            raise UsageError(f"comments has to be True, False or None, not {self.comments!r}")
        if not 0 < self.beta < float("inf"):
            raise UsageError(f"beta has to be a positive number, not {self.beta}")
